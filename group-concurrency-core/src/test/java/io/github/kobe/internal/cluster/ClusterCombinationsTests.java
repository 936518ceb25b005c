package io.github.kobe.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupPermit;
import io.github.kobe.cluster.OnStoreLoss;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What nodes with real engines do where one rule meets another: serving alone, shutdowns, floods, stops. */
@SuppressWarnings("FutureReturnValueIgnored") // a test looks at what runs
class ClusterCombinationsTests extends TwoNodes {

    /** {@return how long it takes, up to a bound, until all are done} */
    private Duration until(List<CompletableFuture<GroupPermit>> asked, Duration most) {
        long from = cluster.passed();
        while (!asked.stream().allMatch(CompletableFuture::isDone) && cluster.passed() - from < most.toNanos()) {
            pass(Duration.ofMillis(1));
        }
        return Duration.ofNanos(cluster.passed() - from);
    }

    // ---- without a store

    @Test
    @Tag("CL53")
    void whoServesAloneForgetsWhatIsEvicted() {
        SimulatedNode three = joinThatServesAlone();
        cluster.network.lost = 1;
        pass(Duration.ofSeconds(18));
        assertThat(three.node().isAlone()).isTrue();
        run(three, KEY, 1, MOMENT);
        pass(Duration.ofSeconds(1));

        three.executor().evictGroup(KEY);
        three.step();
        pass(Duration.ofSeconds(1));
        assertThat(three.executor().groupKeys()).isEmpty();
    }

    @Test
    @Tag("CL53")
    void whoServesAloneKeepsNoMoreIdleGroupsThanItMay() {
        SimulatedNode three = joinThatServesAlone(policy -> policy.maxIdleGroups(10));
        cluster.network.lost = 1;
        pass(Duration.ofSeconds(18));
        assertThat(three.node().isAlone()).isTrue();
        for (int i = 0; i < 200; i++) {
            cluster.limit("key-" + i, 1);
            three.ask("key-" + i, LONG, MOMENT);
            pass(Duration.ofMillis(20));
        }
        pass(Duration.ofSeconds(10));

        assertThat(three.executor().groupKeys().size()).isLessThanOrEqualTo(20);
    }

    @Test
    @Tag("CL57")
    void whoIsRefusedServesNeverAloneWhileTheStoreIsThere() {
        SimulatedNode three = cluster.join(
                settings -> settings.withLease(Duration.ofSeconds(10)).withOnStoreLoss(OnStoreLoss.LOCAL));
        pass(Duration.ofSeconds(5));
        run(three, KEY, 20, LONG);
        three.cutOff(true, false); // some statements are lost
        pass(Duration.ofSeconds(4));
        three.cutOff(false, false);
        pass(Duration.ofSeconds(20));

        assertThat(three.out(KEY)).isZero();
    }

    /** It has never done anything but to lose one packet while it came. */
    @Test
    @Tag("CL53")
    void oneLostPacketIsNoOutage() {
        run(one, KEY, LIMIT, LONG);
        pass(MOMENT);
        cluster.network.lost = 1;
        SimulatedNode three = cluster.join(settings -> settings.withOnStoreLoss(OnStoreLoss.LOCAL));
        cluster.network.lost = 0;
        run(three, KEY, 20, LONG);
        pass(Duration.ofSeconds(20));

        assertThat(three.out(KEY)).isZero();
    }

    @Test
    @Tag("CL54")
    void whoServesAloneAndIsShutDownByForceSaysWhatStillRuns() {
        SimulatedNode three = joinThatServesAlone();
        cluster.network.lost = 1;
        pass(Duration.ofSeconds(18));
        run(three, KEY, 3, Duration.ofMinutes(1));
        pass(MOMENT);
        assertThat(three.out(KEY)).isEqualTo(3);
        three.after(0, () -> {
            var unused = three.executor().shutdown(Duration.ofNanos(1));
        });
        pass(Duration.ofSeconds(3));
        cluster.network.lost = 0;
        pass(Duration.ofSeconds(17));

        assertThat(counted()).isEqualTo(3);
    }

    // ---- idle groups

    @Test
    @Tag("CL42")
    void whatIsLeasedStaysUntilItsIdleReturnHoweverFewIdleGroupsAreKept() {
        SimulatedNode three = cluster.join(settings -> settings, policy -> policy.maxIdleGroups(10));
        pass(Duration.ofSeconds(2));
        List<String> keys = others(20);
        keys.forEach(key -> run(three, key, 1, MOMENT));
        pass(Duration.ofSeconds(1));
        assertThat(keys).allMatch(key -> three.leased(key) == 1);

        cluster.network.lost = 1;
        assertThat(keys).allMatch(key -> starts(three, key));
        cluster.network.lost = 0;
        pass(Duration.ofSeconds(7));
        assertThat(three.executor().groupKeys()).hasSizeLessThanOrEqualTo(10);
    }

    @Test
    @Tag("CL42")
    void whoKeepsNoIdleGroupsKeepsWhatIsLeasedUntilItsIdleReturn() {
        SimulatedNode three = cluster.join(settings -> settings, policy -> policy.maxIdleGroups(0));
        pass(Duration.ofSeconds(2));
        run(three, KEY, 1, MOMENT);
        pass(Duration.ofSeconds(1));
        assertThat(starts(three, KEY)).isTrue();

        pass(Duration.ofSeconds(7));
        assertThat(three.executor().groupKeys()).isEmpty();
        assertThat(three.holdsNothing()).isTrue();
    }

    // ---- who speaks of much

    @Test
    @Tag("deep")
    @Tag("CL31")
    void whatAnotherNeedsIsGivenBackThoughManyNewKeysAreAskedFor() {
        run(one, KEY, LIMIT, MOMENT);
        pass(Duration.ofSeconds(1));
        assertThat(one.leased(KEY)).isEqualTo(LIMIT);
        for (int i = 0; i < 60_000; i++) {
            int number = i;
            one.after(i * 100_000L, () -> {
                cluster.limit("flood-" + number, 1);
                one.ask("flood-" + number, LONG, MOMENT);
            });
        }
        // It keeps what it has by use.
        for (int i = 0; i < 40; i++) {
            pass(Duration.ofMillis(100));
            run(one, KEY, LIMIT, MOMENT);
        }
        Duration took = until(run(two, KEY, 1, MOMENT), Duration.ofMinutes(1));

        assertThat(took).isLessThan(Duration.ofMillis(600));
    }

    // ---- a number that changes

    /** From now on there may be so many; only that node is told. */
    private void change(SimulatedNode node, int limit) {
        cluster.limit(KEY, limit);
        node.after(0, () -> node.executor().limitsChanged(KEY));
    }

    private List<String> others(int count) {
        List<String> keys = IntStream.range(0, count).mapToObj(i -> "key-" + i).toList();
        keys.forEach(key -> cluster.limit(key, 1));
        return keys;
    }

    /** One lacks so many keys, which another has. */
    private void lacks(int count) {
        List<String> keys = others(count);
        keys.forEach(key -> run(two, key, 1, LONG));
        pass(Duration.ofSeconds(2));
        keys.forEach(key -> run(one, key, 1, LONG));
        pass(Duration.ofSeconds(2));
        assertThat(keys).allMatch(key -> two.out(key) == 1);
    }

    /** No start is allowed beyond the new number: the cluster checks each. */
    @Test
    @Tag("CL2")
    void aLimitThatIsLoweredIsInForceAtOnceThoughMuchElseIsHeld() {
        SimulatedNode three = cluster.join(settings -> settings.withIdleReturn(Duration.ofMinutes(1)));
        others(300).forEach(key -> run(three, key, 1, MOMENT));
        pass(Duration.ofSeconds(1));
        run(three, KEY, 800, MOMENT);
        pass(Duration.ofMillis(100));
        assertThat(three.out(KEY)).isEqualTo(LIMIT);

        change(three, 1);
        pass(Duration.ofSeconds(3));
        assertThat(three.out(KEY)).isEqualTo(1);
        assertThat(counted()).isEqualTo(1);
    }

    @Test
    @Tag("CL2")
    void aLimitThatIsLoweredIsInForceAtOnceThoughMuchElseIsLacking() {
        lacks(120);
        run(one, KEY, 800, MOMENT);
        pass(Duration.ofMillis(100));
        assertThat(one.out(KEY)).isEqualTo(LIMIT);

        change(one, 1);
        pass(Duration.ofSeconds(3));
        assertThat(one.out(KEY)).isEqualTo(1);
        assertThat(counted()).isEqualTo(1);
    }

    @Test
    @Tag("CL2")
    void aLimitThatIsRaisedIsInForceSoonThoughMuchElseIsLacking() {
        lacks(120);
        run(one, KEY, 800, MOMENT);
        pass(Duration.ofMillis(100));

        change(one, 2 * LIMIT);
        pass(Duration.ofMillis(50));
        assertThat(one.out(KEY)).isEqualTo(2 * LIMIT);
    }

    @Test
    @Tag("CL43")
    void whatIsHeldIsSaidAgainThoughMuchElseIsLacking() {
        lacks(120);
        run(one, KEY, LIMIT, LONG);
        pass(Duration.ofMillis(100));
        long said = cluster.store().remembered().log();

        pass(Duration.ofSeconds(20));
        assertThat(cluster.store().remembered().entries("g:" + KEY))
                .singleElement()
                .satisfies(entry -> assertThat(entry.spoke()).isGreaterThan(said));
    }

    // ---- what is out and not leased

    @Test
    @Tag("CL35")
    void whoRunsMoreThanIsLeasedGetsWhatItNeedsInAFewRoundTrips() {
        cluster.limit("many", 42);
        run(one, "many", 40, LONG);
        pass(Duration.ofSeconds(1));
        assertThat(one.out("many")).isEqualTo(40);
        one.stop(); // its lease ends; all of its session's, too
        pass(Duration.ofSeconds(25));
        one.goOn();
        int spoken = one.spoken();

        assertThat(until(run(one, "many", 1, LONG), Duration.ofSeconds(30))).isLessThan(Duration.ofSeconds(20));
        assertThat(one.spoken() - spoken).isLessThan(10);
    }

    // ---- the end

    @Test
    @Tag("CL41")
    void whatIsFreedWhileItDrainsIsInUseElsewhereWithin50Milliseconds() {
        run(one, KEY, 1, Duration.ofSeconds(2));
        run(one, KEY, 3, Duration.ofMillis(1_033));
        pass(MOMENT);
        List<CompletableFuture<GroupPermit>> asked = run(two, KEY, 1, MOMENT);
        one.shutdown();
        while (one.out(KEY) > 1) {
            pass(Duration.ofNanos(100_000));
        }

        Duration took = until(asked, Duration.ofSeconds(1));
        assertThat(took).isLessThan(Duration.ofMillis(50));
    }

    // ---- after a stop

    @Test
    @Tag("CL41")
    void whatIsIdleAtAShutdownIsInUseElsewhereWithin50MillisecondsAtAnyTime() {
        List<Duration> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            bothAreThere();
            run(one, KEY, LIMIT, MOMENT);
            pass(Duration.ofMillis(150 + 7 * i));
            one.shutdown();
            pass(Duration.ofMillis(45));
            cluster.network.hintsLost = 1;
            all.add(until(run(two, KEY, 1, MOMENT), Duration.ofSeconds(5)));
            cluster.network.hintsLost = 0;
            two.shutdown();
            pass(Duration.ofSeconds(30));
            cluster.remove(one);
            cluster.remove(two);
        }
        assertThat(all).allMatch(took -> took.compareTo(Duration.ofMillis(5)) <= 0);
    }

    /** There is nobody else, and it has all there is: nothing can come of asking for more. */
    @Test
    @Tag("CL30")
    void whoHasAllThereIsAsksForNoMore() {
        run(one, KEY, LIMIT, LONG);
        pass(Duration.ofSeconds(2));
        assertThat(one.out(KEY)).isEqualTo(LIMIT);
        int spoken = one.spoken();
        for (int i = 0; i < 66; i++) {
            assertThat(one.ask(KEY, Duration.ZERO, MOMENT)).isCompletedExceptionally();
            pass(Duration.ofMillis(300));
        }
        assertThat(one.spoken() - spoken).as("said in 20 s").isLessThanOrEqualTo(20);
    }

    /** The store goes back to a copy in which a node had something that it has given back, and forgotten, since. */
    @Test
    @Tag("CL13")
    @Tag("CL15")
    void whatIsCountedByAnOlderCopyAloneIsNotLostForEver() {
        run(one, KEY, LIMIT, Duration.ofSeconds(1));
        pass(Duration.ofMillis(500));
        Memory older = cluster.store().remembered();
        pass(Duration.ofSeconds(9));
        assertThat(one.holdsNothing()).isTrue();
        cluster.restart(older);
        pass(Duration.ofMinutes(1));

        List<CompletableFuture<GroupPermit>> asked = run(two, KEY, LIMIT, LONG);
        pass(Duration.ofMinutes(2));
        assertThat(asked).allMatch(CompletableFuture::isDone);
    }

    /** Each of them is shorter than what is taken for one, and all are in one lease. */
    @Test
    @Tag("CL20")
    void severalShortSuspensionsAreOneLongOne() {
        cluster.network.hintsLost = 1;
        run(one, KEY, LIMIT, MOMENT);
        pass(Duration.ofSeconds(1));
        int spoken = one.spoken();
        while (one.spoken() == spoken) {
            pass(Duration.ofNanos(100_000));
        }
        pass(Duration.ofMillis(2));
        run(two, KEY, LIMIT, LONG);
        for (int i = 0; i < 5; i++) {
            one.stop();
            pass(Duration.ofMillis(3_950));
            one.goOnFromSuspension(Duration.ofMillis(3_950));
            pass(Duration.ofMillis(255));
        }

        boolean started = starts(one, KEY);
        pass(MOMENT);
        assertThat(started && two.out(KEY) == LIMIT).isFalse();
    }

    // ---- what is lost and heard late

    /** Not so: REFUSED doesn't lose what is leased. */
    @Test
    @Tag("CL57")
    void whoIsRefusedByAStoreThatHasForgottenHasNothing() {
        run(one, KEY, LIMIT, MOMENT);
        pass(Duration.ofSeconds(1));
        assertThat(one.leased(KEY)).isPositive();
        two.crash();
        passUntilSpoken(one, 1);
        pass(MOMENT);
        cluster.flush();
        SimulatedNode three = cluster.join(settings -> settings.withLease(Duration.ofSeconds(10)));
        pass(Duration.ofSeconds(2));

        assertThat(three.node().countsUntil()).isPositive();
        assertThat(one.node().countsUntil()).isZero();
        assertThat(one.leased(KEY)).isZero();
    }

    /** Not so: who goes alone keeps its session, in which the store goes on counting what it knows nothing of any more. */
    @Test
    @Tag("CL54")
    void whatWasLeasedBeforeItServedAloneIsNotLost() {
        SimulatedNode three = joinThatServesAlone();
        run(three, KEY, LIMIT, MOMENT);
        pass(Duration.ofSeconds(1));
        assertThat(three.leased(KEY)).isPositive();
        cluster.network.lost = 1;
        for (int i = 0; i < 17; i++) {
            pass(Duration.ofSeconds(1));
            run(three, KEY, LIMIT, MOMENT);
        }
        pass(Duration.ofMillis(500));
        assertThat(three.node().isAlone()).isTrue();
        cluster.network.lost = 0;
        List<CompletableFuture<GroupPermit>> asked = run(two, KEY, LIMIT, LONG);
        pass(Duration.ofSeconds(40));

        assertThat(asked).allMatch(CompletableFuture::isDone);
    }

    /** Not so: who is alone no more counts at once. */
    @Test
    @Tag("CL23")
    @Tag("CL54")
    void whoHasServedAloneStartsNothingBeforeAllIsSaid() {
        SimulatedNode three = joinThatServesAlone();
        three.cutOff(true, false); // the others go on, so the epoch stays
        pass(Duration.ofSeconds(18));
        assertThat(three.node().isAlone()).isTrue();
        for (int i = 0; i < 150; i++) {
            cluster.limit("key-" + i, 1);
            three.ask("key-" + i, LONG, LONG);
        }
        pass(MOMENT);
        int spoken = three.spoken();
        three.cutOff(false, false);
        while (three.node().isAlone()) {
            pass(Duration.ofNanos(100_000));
        }
        assertThat(three.spoken()).isGreaterThan(spoken);
        assertThat(three.node().countsUntil()).isZero();
        three.cutOff(true, false); // the first part is under way
        pass(Duration.ofMillis(50));
        assertThat(three.node().countsUntil()).isZero();
    }

    /** Not so: an answer that came while the machine was suspended is heard in the session after. */
    @Test
    @Tag("CL20")
    void anAnswerOfBeforeASuspensionGrantsNothing() {
        cluster.network.least = Duration.ofMillis(100).toNanos();
        cluster.network.most = Duration.ofMillis(101).toNanos();
        List<CompletableFuture<GroupPermit>> asked = run(one, KEY, LIMIT, LONG);
        pass(Duration.ofMillis(150));
        assertThat(asked).noneMatch(CompletableFuture::isDone);
        one.stop();
        pass(Duration.ofSeconds(2));
        run(two, KEY, LIMIT, LONG);
        pass(Duration.ofSeconds(20));
        assertThat(two.out(KEY)).isEqualTo(LIMIT);
        one.goOnFromSuspension(Duration.ofSeconds(22));
        pass(MOMENT);
        assertThat(asked).noneMatch(CompletableFuture::isDone);
        pass(Duration.ofSeconds(1));
        assertThat(asked).noneMatch(CompletableFuture::isDone);
    }
}
