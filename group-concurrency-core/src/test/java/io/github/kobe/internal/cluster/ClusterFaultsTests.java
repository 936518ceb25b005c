package io.github.kobe.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupPermit;
import io.github.kobe.cluster.OnStoreLoss;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What nodes with real engines do when nodes, the network or the store fail: a fault aimed at each rule. */
@SuppressWarnings("FutureReturnValueIgnored") // a test looks at what runs
class ClusterFaultsTests extends TwoNodes {

    @BeforeEach
    void oneHasAll() {
        use(one, KEY, LIMIT);
        pass(Duration.ofMillis(100));
        assertThat(one.leased(KEY)).isEqualTo(LIMIT);
    }

    private static void use(SimulatedNode node, String key, int count) {
        run(node, key, count, MOMENT);
    }

    /** Time passes in which a node keeps what it has by using it. */
    private void passInUse(Duration time, SimulatedNode node) {
        long end = cluster.passed() + time.toNanos();
        while (cluster.passed() < end) {
            for (int i = 0; i < LIMIT; i++) {
                node.ask(KEY, Duration.ZERO, MOMENT);
            }
            pass(Duration.ofMillis(100));
        }
    }

    // ---- until when what is leased counts

    @Test
    @Tag("CL17")
    @Tag("CL50")
    void whatIsLeasedCountsForElevenSecondsFromTheSending() {
        passUntilSpoken(one, 1);
        long sent = cluster.passed();
        one.cutOff(true, false);

        passInUse(Duration.ofMillis(10_800), one);
        assertThat(starts(one, KEY)).isTrue();
        pass(Duration.ofMillis(300));
        assertThat(Duration.ofNanos(cluster.passed() - sent)).isLessThan(Duration.ofMillis(11_200));
        assertThat(starts(one, KEY)).isFalse();
    }

    @Test
    @Tag("CL17")
    void theTimeUnderWayOfTheAnswerDoesNotCount() {
        cluster.network.least = Duration.ofMillis(900).toNanos();
        cluster.network.most = Duration.ofMillis(950).toNanos();
        passUntilSpoken(one, 2);
        long sent = cluster.passed();
        pass(Duration.ofMillis(1));
        one.cutOff(true, false);

        passInUse(Duration.ofMillis(10_700), one);
        assertThat(starts(one, KEY)).isTrue();
        pass(Duration.ofMillis(11_100).minusNanos(cluster.passed() - sent));
        assertThat(starts(one, KEY)).isFalse();
    }

    @Test
    @Tag("CL11")
    void whatADeadNodeHadIsInUseElsewhereWithin18Seconds() {
        run(one, KEY, LIMIT, LONG);
        pass(MOMENT);
        one.crash();
        CompletableFuture<GroupPermit> asked = two.ask(KEY, LONG, MOMENT);

        pass(Duration.ofSeconds(13));
        assertThat(asked).isNotDone();
        pass(Duration.ofSeconds(5));
        assertThat(asked).isCompleted();
    }

    @Test
    @Tag("CL12")
    void aNodeThatStopsForFiveSecondsStartsAtOnceAfterThat() {
        passInUse(Duration.ofSeconds(2), one);
        one.stop();
        pass(Duration.ofSeconds(5));
        one.goOn();

        assertThat(starts(one, KEY)).isTrue();
    }

    @Test
    @Tag("CL20")
    void aNodeThatStoppedForLongStartsNothingUntilItIsAnswered() {
        one.stop();
        pass(Duration.ofSeconds(20));
        run(two, KEY, LIMIT, LONG);
        pass(Duration.ofSeconds(5));
        assertThat(two.out(KEY)).isEqualTo(LIMIT);

        one.goOnWithoutItsThread();
        assertThat(starts(one, KEY)).isFalse();
        one.goOn();
        assertThat(starts(one, KEY)).isFalse();
        pass(Duration.ofSeconds(5));
        assertThat(starts(one, KEY)).isFalse();
    }

    @Test
    @Tag("CL12")
    void anAnswerThatCameWhileANodeStoodStillIsHeardBeforeItIsGivenUp() {
        cluster.network.least = Duration.ofMillis(100).toNanos();
        cluster.network.most = Duration.ofMillis(101).toNanos();
        run(two, KEY, LIMIT, LONG);
        pass(Duration.ofSeconds(1));
        passUntilSpoken(two, 1);
        long counts = two.node().countsUntil();
        two.stop();
        pass(Duration.ofSeconds(4));
        two.goOn();
        pass(Duration.ofMillis(1));

        assertThat(two.node().countsUntil()).isGreaterThan(counts);
    }

    @Test
    @Tag("CL20")
    void aMachineThatWasSuspendedStartsNothingUntilItIsAnswered() {
        one.stop();
        pass(Duration.ofSeconds(20));
        one.goOnFromSuspension(Duration.ofSeconds(20));

        assertThat(starts(one, KEY)).isFalse();
        pass(Duration.ofMillis(500));
        assertThat(starts(one, KEY)).isTrue();
    }

    // ---- what runs when it is over

    @Test
    @Tag("CL21")
    void whatStillRunsIsSaidAndKeepsOthersFromStartingMoreThanTheirShare() {
        run(one, KEY, 3, Duration.ofSeconds(60));
        pass(MOMENT);
        one.stop();
        pass(Duration.ofSeconds(20));
        run(two, KEY, LIMIT, Duration.ofSeconds(5));
        pass(Duration.ofSeconds(1));
        assertThat(two.out(KEY)).isEqualTo(LIMIT);

        one.goOn();
        run(two, KEY, LIMIT, LONG);
        pass(Duration.ofSeconds(10));
        assertThat(one.out(KEY)).isEqualTo(3);
        assertThat(two.out(KEY)).isEqualTo(2);
    }

    @Test
    @Tag("CL51")
    @Tag("CL54")
    void aStoreThatIsAwayForLongKeepsAllFromStartingUntilItIsBack() {
        run(one, KEY, 2, Duration.ofSeconds(40));
        pass(MOMENT);
        cluster.network.lost = 1;
        pass(Duration.ofSeconds(12));
        assertThat(starts(one, KEY)).isFalse();
        CompletableFuture<GroupPermit> asked = one.ask(KEY, LONG, MOMENT);
        pass(Duration.ofSeconds(18));
        assertThat(asked).isNotDone();

        cluster.network.lost = 0;
        pass(Duration.ofSeconds(20));
        assertThat(asked).isCompleted();
        assertThat(one.out(KEY) + two.out(KEY)).isLessThanOrEqualTo(LIMIT);
    }

    // ---- a store that is away for long, and nodes that go by their own numbers then

    @Test
    @Tag("CL53")
    void whoMayServeAloneDoesSoOnceWhatItHasIsOver() {
        SimulatedNode three = joinThatServesAlone();
        use(three, KEY, 1);
        pass(MOMENT);
        cluster.network.lost = 1;
        pass(Duration.ofSeconds(9));
        run(three, KEY, 2 * SimulatedNode.OWN_LIMIT, LONG);
        assertThat(three.out(KEY)).isLessThanOrEqualTo(LIMIT);

        pass(Duration.ofSeconds(8));
        assertThat(three.node().isAlone()).isTrue();
        assertThat(three.out(KEY)).isEqualTo(SimulatedNode.OWN_LIMIT);
        cluster.limit("new", 1);
        run(three, "new", SimulatedNode.OWN_LIMIT + 1, LONG);
        pass(MOMENT);
        assertThat(three.out("new")).isEqualTo(SimulatedNode.OWN_LIMIT);
    }

    /** {@return one that serves alone, since the store has been away for so long that it will learn} */
    private SimulatedNode joinThatHasGoneAlone() {
        SimulatedNode three = joinThatServesAlone();
        cluster.network.lost = 1;
        pass(Duration.ofSeconds(17));
        assertThat(three.node().isAlone()).isTrue();
        run(three, KEY, 1, MOMENT); // from here on what may not wait starts too
        pass(MOMENT);
        return three;
    }

    @Test
    @Tag("CL53")
    @Tag("CL54")
    void whoHasServedAloneSaysWhatRunsAndStartsNothingAboveThat() {
        SimulatedNode three = joinThatHasGoneAlone();
        run(three, KEY, 10, Duration.ofSeconds(30));
        run(three, KEY, 100, LONG);
        pass(MOMENT);
        assertThat(three.out(KEY)).isEqualTo(SimulatedNode.OWN_LIMIT);

        cluster.network.lost = 0;
        pass(Duration.ofSeconds(17));
        assertThat(three.node().isAlone()).isFalse();
        assertThat(counted()).isEqualTo(SimulatedNode.OWN_LIMIT);
        pass(Duration.ofSeconds(30));
        assertThat(three.out(KEY)).isEqualTo(SimulatedNode.OWN_LIMIT - 10);
    }

    @Test
    @Tag("CL53")
    @Tag("CL54")
    void whoServesAloneGoesOnWhileTheStoreLearns() {
        SimulatedNode three = joinThatHasGoneAlone();
        cluster.network.lost = 0;
        for (int i = 0; i < 11; i++) {
            pass(Duration.ofSeconds(1));
            assertThat(starts(three, KEY)).as("after %s s", i).isTrue();
            assertThat(starts(one, KEY)).as("another, after %s s", i).isFalse();
        }
        pass(Duration.ofSeconds(7));
        assertThat(three.node().isAlone()).isFalse();
        run(three, KEY, 1, LONG);
        pass(MOMENT);
        assertThat(three.out(KEY)).isEqualTo(1);
        assertThat(three.leased(KEY)).isBetween(1, LIMIT);
    }

    @Test
    @Tag("CL54")
    void whatTheStoreHasLearntIsTrueWhenItGrants() {
        SimulatedNode three = joinThatHasGoneAlone();
        cluster.network.lost = 0;
        run(one, KEY, LIMIT, LONG);
        pass(Duration.ofSeconds(10));
        run(three, KEY, LIMIT - 1, LONG);
        pass(MOMENT);
        assertThat(three.out(KEY)).isEqualTo(LIMIT - 1);

        pass(Duration.ofSeconds(20));
        assertThat(one.out(KEY)).isEqualTo(1);
    }

    /** Each asks first for something at another time, so that one asks as soon as the store grants. */
    @Test
    @Tag("CL54")
    void whatTheStoreHasLearntIsTrueWheneverSomebodyAsks() {
        SimulatedNode three = joinThatHasGoneAlone();
        cluster.network.lost = 0;
        List<String> keys = IntStream.range(0, 100).mapToObj(i -> "unit-" + i).toList();
        for (String key : keys) {
            cluster.limit(key, 1);
            run(three, key, 1, LONG);
        }
        pass(Duration.ofSeconds(10));
        for (String key : keys) {
            run(one, key, 1, LONG);
            pass(Duration.ofMillis(80));
        }

        run(one, KEY, 1, LONG);
        pass(MOMENT);
        assertThat(one.out(KEY)).as("the store grants").isEqualTo(1);
        assertThat(keys).allMatch(key -> three.out(key) == 1 && one.out(key) == 0);
    }

    @Test
    @Tag("CL53")
    @Tag("CL54")
    void aStoreThatForgetsAgainWhileItLearnsDoesNotStopWhoServesAlone() {
        SimulatedNode three = joinThatHasGoneAlone();
        cluster.network.lost = 0;
        pass(Duration.ofSeconds(8));
        cluster.flush();
        for (int i = 0; i < 10; i++) {
            pass(Duration.ofSeconds(1));
            assertThat(starts(three, KEY)).as("after %s s", i).isTrue();
        }
        pass(Duration.ofSeconds(10));
        assertThat(three.node().isAlone()).isFalse();
        assertThat(counted()).isZero();
    }

    @Test
    @Tag("CL53")
    @Tag("CL54")
    void aStoreThatGoesAwayWhileItLearnsHasWhoServedAloneDoSoAgain() {
        SimulatedNode three = joinThatHasGoneAlone();
        cluster.network.lost = 0;
        pass(Duration.ofSeconds(8));
        cluster.network.lost = 1;
        pass(Duration.ofSeconds(20));
        assertThat(starts(three, KEY)).isTrue();

        cluster.network.lost = 0;
        pass(Duration.ofSeconds(20));
        assertThat(three.node().isAlone()).isFalse();
        assertThat(one.ask(KEY, LONG, MOMENT)).isNotDone();
        pass(MOMENT);
        assertThat(starts(one, KEY)).isTrue();
    }

    @Test
    @Tag("CL53")
    void whoMerelyStoodStillAsksBeforeItServesAlone() {
        SimulatedNode three = joinThatServesAlone();
        cluster.network.lost = 1;
        pass(Duration.ofSeconds(6));
        passUntilSpoken(three, 1);
        three.stop();
        pass(Duration.ofSeconds(20));
        cluster.network.lost = 0;
        three.goOn();

        for (int i = 0; i < 3_000; i++) {
            pass(Duration.ofMillis(1));
            assertThat(three.node().isAlone()).as("after %s ms", i).isFalse();
        }
    }

    @Test
    @Tag("CL55")
    void whoHasNeverHeardOfTheStoreServesAloneIfItMay() {
        cluster.network.lost = 1;
        SimulatedNode three = joinThatServesAlone();
        run(three, KEY, 1, LONG);
        pass(Duration.ofSeconds(6));

        assertThat(three.out(KEY)).isEqualTo(1);
    }

    @Test
    @Tag("CL57")
    void whoHasAnotherLeaseStartsNothingAndHarmsNobody() {
        SimulatedNode three = cluster.join(
                settings -> settings.withLease(Duration.ofSeconds(10)).withOnStoreLoss(OnStoreLoss.LOCAL));
        CompletableFuture<GroupPermit> asked = three.ask(KEY, LONG, MOMENT);
        int spoken = three.spoken();
        passInUse(Duration.ofSeconds(60), one);

        assertThat(asked).isNotDone();
        assertThat(three.spoken() - spoken).isBetween(115, 121);
        assertThat(starts(one, KEY)).isTrue();
    }

    /** The last of those that had it was killed, so the store goes on with it until that one's session is over. */
    @ParameterizedTest
    @ValueSource(ints = {16, 25, 30, 31, 60})
    @Tag("CL57")
    void whoComesWithALongerLeaseWaitsNoLongerThanTheShorterOneLasts(int seconds) {
        one.crash();
        two.crash();
        SimulatedNode three = cluster.join(settings -> settings.withLease(Duration.ofSeconds(seconds)));
        pass(Duration.ofSeconds(18));
        assertThat(three.node().countsUntil()).isPositive();

        pass(Duration.ofSeconds(seconds));
        run(three, KEY, 1, LONG);
        pass(MOMENT);
        assertThat(three.out(KEY)).isEqualTo(1);
    }

    @Test
    @Tag("CL57")
    void whoIsRefusedForTheShortestLeaseWaitsNoLongerThanThatLasts() {
        SimulatedCluster other = new SimulatedCluster(1);
        SimulatedNode killed = other.join(settings -> settings.withLease(Duration.ofSeconds(5)));
        other.run(Duration.ofSeconds(10));
        killed.crash();
        other.network.least = Duration.ofMillis(50).toNanos();
        other.network.most = Duration.ofMillis(100).toNanos();
        SimulatedNode last = other.join(settings -> settings.withLease(Duration.ofSeconds(60)));
        other.run(Duration.ofSeconds(8));

        assertThat(last.node().countsUntil()).isPositive();
    }

    /** It has a session still, but the store has forgotten that, and has learnt another lease since. */
    @Test
    @Tag("CL57")
    void whoIsRefusedInItsSessionWaitsNoLongerThanTheShorterLeaseLasts() {
        SimulatedCluster other = new SimulatedCluster(1);
        SimulatedNode last = other.join(settings -> settings.withLease(Duration.ofSeconds(60)));
        other.run(Duration.ofSeconds(70));
        other.flush();
        SimulatedNode killed = other.join(settings -> settings.withLease(Duration.ofSeconds(5)));
        other.run(Duration.ofSeconds(1));
        killed.crash();
        other.run(Duration.ofSeconds(8));

        assertThat(last.node().countsUntil()).isPositive();
    }

    // ---- a store that forgets

    @Test
    @Tag("CL13")
    void whatIsHeldServesOnWhenTheStoreHasForgottenEverything() {
        cluster.flush();
        for (int i = 0; i < 20; i++) {
            passInUse(Duration.ofSeconds(1), one);
            assertThat(starts(one, KEY)).as("after %s s", i).isTrue();
        }
    }

    @Test
    @Tag("CL13")
    void nobodyElseGetsWhatIsHeldWhenTheStoreHasForgottenEverything() {
        run(one, KEY, LIMIT, Duration.ofSeconds(60));
        pass(MOMENT);
        cluster.restart(null);
        run(two, KEY, LIMIT, LONG);
        pass(Duration.ofSeconds(40));

        assertThat(one.out(KEY)).isEqualTo(LIMIT);
        assertThat(two.out(KEY)).isZero();
    }

    @Test
    @Tag("CL23")
    void nothingCountsLongerBeforeAllIsSaidAgain() {
        for (int i = 0; i < 150; i++) {
            cluster.limit("key-" + i, 1);
            one.ask("key-" + i, LONG, LONG);
        }
        pass(Duration.ofSeconds(2));
        cluster.flush();
        long counts = one.node().countsUntil();
        passUntilSpoken(one, 3); // heartbeat, opening, and the first part of what it has
        one.cutOff(true, false);
        pass(Duration.ofMillis(50));
        assertThat(one.node().countsUntil()).isEqualTo(counts);

        one.cutOff(false, false);
        pass(Duration.ofSeconds(5));
        assertThat(one.node().countsUntil()).isGreaterThan(counts);
    }

    @Test
    @Tag("CL23")
    void nothingCountsLongerBeforeAllIsSaidInTheNewEpoch() {
        for (int i = 0; i < 150; i++) {
            cluster.limit("key-" + i, 1);
            one.ask("key-" + i, LONG, LONG);
        }
        pass(Duration.ofSeconds(2));
        cluster.promote(cluster.store().remembered());
        long counts = one.node().countsUntil();
        passUntilSpoken(one, 1);
        one.cutOff(true, false);
        pass(Duration.ofMillis(50));

        assertThat(one.node().countsUntil()).isEqualTo(counts);
    }

    @Test
    @Tag("CL22")
    void whoHearsThatItsSessionIsOverHasNothingOfIt() {
        passUntilSpoken(one, 1);
        pass(Duration.ofMillis(1));
        one.cutOff(true, true);
        // The store's clock runs too fast, so that a session ends before what was leased in it does.
        for (int i = 0; i < 90; i++) {
            passInUse(Duration.ofMillis(100), one);
            cluster.setClock(Duration.ofMillis(75));
        }
        run(two, KEY, LIMIT, LONG);
        pass(Duration.ofMillis(500));
        assertThat(two.out(KEY)).isEqualTo(LIMIT);

        one.cutOff(false, false);
        passUntilSpoken(one, 1);
        assertThat(one.leased(KEY)).isEqualTo(LIMIT);
        pass(Duration.ofMillis(1));
        assertThat(starts(one, KEY)).isFalse();
        pass(Duration.ofSeconds(1));
        assertThat(starts(one, KEY)).isFalse();
    }

    // ---- what is lost and late

    @Test
    @Tag("CL14")
    @Tag("CL22")
    void aLateAnswerChangesNothing() {
        run(two, KEY, LIMIT, LONG);
        pass(Duration.ofMillis(100));
        cluster.network.least = Duration.ofMillis(1_500).toNanos();
        cluster.network.most = Duration.ofMillis(1_600).toNanos();
        passUntilSpoken(two, 1);
        pass(Duration.ofMillis(2_050));
        cluster.network.least = 100_000;
        cluster.network.most = 200_000;
        long counts = two.node().countsUntil();
        two.cutOff(true, false);
        pass(Duration.ofSeconds(2));

        assertThat(two.node().countsUntil()).isEqualTo(counts);
    }

    @Test
    @Tag("CL15")
    void whatALostAnswerGrantedIsNotLost() {
        two.cutOff(false, true);
        run(two, KEY, 2, MOMENT);
        pass(Duration.ofSeconds(3));
        two.cutOff(false, false);
        pass(Duration.ofSeconds(10));

        assertThat(two.holdsNothing()).isTrue();
        pass(Duration.ofSeconds(70));
        assertThat(cluster.store().remembered().resources()).isEmpty();
    }

    @Test
    @Tag("CL36")
    void whoLacksSomeAsksAgainWithoutAnyHint() {
        cluster.network.hintsLost = 1;
        run(one, KEY, LIMIT, Duration.ofMillis(1_500));
        pass(MOMENT);
        CompletableFuture<GroupPermit> asked = two.ask(KEY, LONG, MOMENT);
        int spoken = two.spoken();
        pass(Duration.ofMillis(1_200));
        assertThat(asked).isNotDone();
        assertThat(two.spoken() - spoken).isBetween(2, 4);

        pass(Duration.ofSeconds(3));
        assertThat(asked).isCompleted();
    }

    @Test
    @Tag("CL36")
    void aHintThatWasLostComesWithTheNextAnswer() {
        for (int i = 0; i < 400; i++) {
            cluster.limit("key-" + i, 1);
            one.ask("key-" + i, LONG, LONG);
        }
        pass(Duration.ofSeconds(1));
        cluster.limit("idle", 1);
        use(one, "idle", 1);
        pass(Duration.ofMillis(100));
        cluster.network.hintsLost = 1;
        CompletableFuture<GroupPermit> asked = two.ask("idle", LONG, MOMENT);

        pass(Duration.ofMillis(3_300));
        assertThat(asked).isCompleted();
    }

    @Test
    @Tag("CL56")
    void whatTheStoreRefusesIsSaidAgainSoon() {
        cluster.limit("new", 1);
        passUntilSpoken(two, 1);
        cluster.network.refused = 1;
        CompletableFuture<GroupPermit> asked = two.ask("new", LONG, MOMENT);
        pass(Duration.ofMillis(50));
        cluster.network.refused = 0;

        pass(Duration.ofMillis(400));
        assertThat(asked).isCompleted();
    }

    @Test
    @Tag("CL43")
    @Tag("CL51")
    void whatWasAskedForInVainWhileTheStoreIsAwayIsForgotten() {
        cluster.network.refused = 1;

        assertForgetsWhatIsAskedForInVain(cluster, one);
    }

    @Test
    @Tag("CL43")
    @Tag("CL57")
    void whatWasAskedForInVainByOneThatIsRefusedIsForgotten() {
        SimulatedCluster other = new SimulatedCluster(1);
        SimulatedNode last = other.join(settings -> settings.withLease(Duration.ofSeconds(60)));
        other.run(Duration.ofSeconds(70));
        other.flush();
        other.join(settings -> settings.withLease(Duration.ofSeconds(5)));
        other.run(Duration.ofSeconds(1));

        assertForgetsWhatIsAskedForInVain(other, last);
    }

    private static void assertForgetsWhatIsAskedForInVain(SimulatedCluster cluster, SimulatedNode node) {
        for (int i = 0; i < 3_000; i++) {
            cluster.limit("key-" + i, 1);
            node.ask("key-" + i, Duration.ofSeconds(1), MOMENT);
            cluster.run(Duration.ofMillis(100));
        }
        cluster.run(Duration.ofSeconds(5));

        assertThat(node.node().holdings()).isLessThanOrEqualTo(20);
    }

    @Test
    @Tag("CL54")
    void whileTheStoreIsAwayNobodyAsksInAHurry() {
        cluster.network.refused = 1;
        int spoken = one.spoken();
        for (int i = 0; i < 600; i++) {
            one.ask(KEY, LONG, MOMENT);
            pass(Duration.ofMillis(100));
        }

        assertThat(one.spoken() - spoken).isLessThan(200);
    }

    @Test
    @Tag("CL17")
    void aNodeThatHearsNothingIsHeardNevertheless() {
        run(one, KEY, LIMIT, Duration.ofSeconds(30));
        pass(MOMENT);
        one.cutOff(false, true);
        run(two, KEY, LIMIT, LONG);
        pass(Duration.ofSeconds(25));

        assertThat(two.out(KEY)).isZero();
    }
}
