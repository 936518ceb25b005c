package io.github.kobe.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupPermit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How nodes with real engines share limits while nothing fails. */
@SuppressWarnings("FutureReturnValueIgnored") // a test looks at what runs
class ClusterNodeTests extends TwoNodes {

    private int runningAfter(Duration time) {
        pass(time);
        return one.out(KEY) + two.out(KEY);
    }

    // ---- movement

    @Test
    @Tag("CL55")
    void nothingIsGrantedWhileTheStoreLearns() {
        SimulatedCluster started = new SimulatedCluster(2).limit(KEY, 4);
        SimulatedNode node = started.join();
        CompletableFuture<GroupPermit> asked = node.ask(KEY, LONG, LONG);

        started.run(Duration.ofSeconds(14));
        assertThat(asked).isNotDone();
        started.run(Duration.ofSeconds(4));
        assertThat(asked).isCompleted();
    }

    @Test
    @Tag("CL35")
    void theFirstUseOfAKeyTakesOneRoundTrip() {
        CompletableFuture<GroupPermit> asked = one.ask(KEY, LONG, LONG);

        assertThat(asked).isNotDone();
        pass(Duration.ofMillis(2));
        assertThat(asked).isCompleted();
    }

    @Test
    void whoHasSomeAsksNobody() {
        one.ask(KEY, LONG, MOMENT);
        pass(Duration.ofMillis(20));
        int spoken = one.spoken();

        for (int i = 0; i < 100; i++) {
            CompletableFuture<GroupPermit> asked = one.ask(KEY, Duration.ZERO, MOMENT);
            assertThat(asked).isCompleted();
            pass(Duration.ofMillis(10));
        }
        assertThat(one.spoken() - spoken).isLessThanOrEqualTo(2);
    }

    @Test
    @Tag("CL31")
    void whoAsksGetsSomeMoreThanItNeeds() {
        one.ask(KEY, LONG, LONG);
        pass(MOMENT);

        assertThat(one.leased(KEY)).isEqualTo(2);
    }

    @Test
    @Tag("CL31")
    void whatNobodyUsesGoesBackAfterAWhile() {
        one.ask(KEY, LONG, MOMENT);
        pass(Duration.ofSeconds(4));
        assertThat(one.leased(KEY)).isEqualTo(2);

        pass(Duration.ofSeconds(3));
        assertThat(one.leased(KEY)).isZero();
        assertThat(one.holdsNothing()).isTrue();
        pass(Duration.ofSeconds(70));
        assertThat(cluster.store().remembered().resources()).isEmpty();
    }

    @Test
    @Tag("CL31")
    void whatIsUsedNowAndThenStays() {
        one.ask(KEY, LONG, MOMENT);
        pass(MOMENT);

        for (int i = 0; i < 10; i++) {
            pass(Duration.ofSeconds(3));
            assertThat(one.ask(KEY, Duration.ZERO, MOMENT)).isCompleted();
        }
    }

    @Test
    @Tag("CL35")
    void whatIsIdleElsewhereComesAtOnce() {
        for (int i = 0; i < 4; i++) {
            one.ask(KEY, LONG, MOMENT);
        }
        pass(Duration.ofSeconds(1));
        assertThat(one.leased(KEY)).isEqualTo(4);

        List<CompletableFuture<GroupPermit>> asked = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            asked.add(two.ask(KEY, LONG, LONG));
        }
        pass(Duration.ofMillis(20));
        assertThat(asked).allMatch(CompletableFuture::isDone);
    }

    @Test
    @Tag("CL31")
    void whatIsIdleElsewhereComesWithTheShortestLeaseToo() {
        SimulatedCluster brief = new SimulatedCluster(3).limit(KEY, 20);
        SimulatedNode three = brief.join(settings -> settings.withLease(Duration.ofSeconds(5)));
        SimulatedNode four = brief.join(settings -> settings.withLease(Duration.ofSeconds(5)));
        brief.run(Duration.ofSeconds(10));
        run(four, KEY, 10, LONG);
        brief.run(Duration.ofSeconds(1));
        run(three, KEY, 10, MOMENT);
        brief.run(Duration.ofSeconds(1));
        assertThat(three.leased(KEY)).isEqualTo(10);

        run(four, KEY, 10, LONG);
        brief.run(Duration.ofMillis(1_500));
        assertThat(four.out(KEY)).isEqualTo(20);
    }

    @Test
    @Tag("CL33")
    @Tag("CL34")
    void whatEndsSoonAfterItsTurnIsHandedOverAtOnce() {
        cluster.limit("unit", 1);
        List<CompletableFuture<GroupPermit>> asked = new ArrayList<>();
        asked.addAll(run(one, "unit", 40, Duration.ofMillis(50)));
        asked.addAll(run(two, "unit", 40, Duration.ofMillis(50)));
        pass(Duration.ofSeconds(5)); // four of which something runs

        assertThat(asked).allMatch(CompletableFuture::isDone);
    }

    @Test
    @Tag("CL33")
    @Tag("CL34")
    void whatNobodyWaitsForAnyMoreGoesOnAtOnceIfItsTurnIsOver() {
        cluster.limit("unit", 1);
        for (int i = 0; i < 20; i++) {
            CompletableFuture<GroupPermit> first = one.ask("unit", LONG, Duration.ofMillis(50));
            CompletableFuture<GroupPermit> second = two.ask("unit", LONG, Duration.ofMillis(50));
            pass(Duration.ofMillis(60));
            assertThat(first).isCompleted();
            assertThat(second).isCompleted();
            pass(Duration.ofMillis(953)); // so that samples come at another time in each turn
        }
    }

    @Test
    @Tag("CL36")
    void aLostHintCostsNoMoreThanAHeartbeat() {
        cluster.network.hintsLost = 1;
        for (int i = 0; i < 4; i++) {
            one.ask(KEY, LONG, MOMENT);
        }
        pass(Duration.ofSeconds(1));

        CompletableFuture<GroupPermit> asked = two.ask(KEY, LONG, LONG);
        pass(Duration.ofSeconds(3));
        assertThat(asked).isCompleted();
    }

    @Test
    @Tag("CL30")
    void whoWaitsNoMoreHoldsUpNobody() {
        one.ask(KEY, LONG, Duration.ofSeconds(60));
        for (int i = 0; i < 3; i++) {
            one.ask(KEY, LONG, Duration.ofSeconds(1));
        }
        pass(MOMENT);
        for (int i = 0; i < 8; i++) {
            two.ask(KEY, Duration.ofMillis(500), LONG);
        }
        pass(Duration.ofSeconds(3));
        assertThat(two.out(KEY)).isZero();

        for (int i = 0; i < 3; i++) {
            assertThat(one.ask(KEY, Duration.ofMillis(100), Duration.ofSeconds(60)))
                    .satisfies(asked -> {
                        pass(Duration.ofMillis(50));
                        assertThat(asked).isCompleted();
                    });
        }
    }

    @Test
    @Tag("CL30")
    void whatMayNotWaitIsAskedForOnceAndThenForgotten() {
        assertThat(one.ask(KEY, Duration.ZERO, MOMENT)).isCompletedExceptionally();
        pass(Duration.ofMillis(10));
        assertThat(one.ask(KEY, Duration.ZERO, MOMENT)).isCompleted();

        pass(Duration.ofSeconds(10));
        assertThat(one.holdsNothing()).isTrue();
    }

    @Test
    @Tag("CL15")
    void whoLeavesWhileItsWordIsUnderWayLeavesNothingBehind() {
        cluster.network.least = Duration.ofMillis(300).toNanos();
        cluster.network.most = Duration.ofMillis(301).toNanos();
        one.ask(KEY, Duration.ofNanos(1), MOMENT);
        pass(Duration.ofSeconds(10));

        assertThat(one.holdsNothing()).isTrue();
        assertThat(one.leased(KEY)).isZero();
        pass(Duration.ofSeconds(70));
        assertThat(cluster.store().remembered().resources()).isEmpty();
    }

    // ---- fairness

    /** Keeps {@code node} busy with short work. */
    private void keepBusy(SimulatedNode node, String key, int atOnce, Duration time, int[] started) {
        for (int i = 0; i < atOnce; i++) {
            askAgain(node, key, time, started);
        }
    }

    private void askAgain(SimulatedNode node, String key, Duration time, int[] started) {
        node.ask(key, LONG, time).whenComplete((permit, refused) -> {
            if (refused == null) {
                started[0]++;
                node.after(time.toNanos() + 1, () -> askAgain(node, key, time, started));
            }
        });
    }

    @Test
    @Tag("CL10")
    @Tag("CL32")
    void whoWantsAsMuchGetsAsMuch() {
        int[] byOne = {0};
        int[] byTwo = {0};
        keepBusy(one, KEY, 10, Duration.ofMillis(30), byOne);
        pass(Duration.ofSeconds(1));
        keepBusy(two, KEY, 10, Duration.ofMillis(30), byTwo);

        pass(Duration.ofSeconds(60));
        assertThat(byTwo[0]).isBetween(byOne[0] * 2 / 3, byOne[0] * 3 / 2);
        assertThat(byOne[0] + byTwo[0]).isGreaterThan(4 * 60_000 / 30 * 8 / 10);
    }

    @Test
    @Tag("CL33")
    void oneUnitGoesRound() {
        cluster.limit("single", 1);
        List<int[]> counts = new ArrayList<>();
        List<SimulatedNode> all = new ArrayList<>(List.of(one, two, cluster.join(), cluster.join()));
        for (SimulatedNode node : all) {
            int[] count = {0};
            counts.add(count);
            keepBusy(node, "single", 3, Duration.ofMillis(30), count);
        }

        pass(Duration.ofSeconds(60));
        List<Integer> started = counts.stream().map(count -> count[0]).sorted().toList();
        assertThat(started.getLast()).as("%s", started).isLessThanOrEqualTo(started.getFirst() * 3 / 2);
        assertThat(started.stream().mapToInt(i -> i).sum()).isGreaterThan(60_000 / 30 * 75 / 100);
    }

    // ---- many, and the end

    @Test
    @Tag("CL43")
    void whatIsAtRestCostsNothing() {
        for (int i = 0; i < 1_000; i++) {
            String key = "key-" + i;
            cluster.limit(key, 2);
            one.ask(key, LONG, MOMENT);
        }
        int spoken = one.spoken();
        pass(Duration.ofSeconds(10));
        assertThat(one.holdsNothing()).isTrue();
        assertThat(one.spoken() - spoken).isLessThan(2 * 1_000 / Holdings.PORTION + 100);

        int atRest = one.spoken();
        pass(Duration.ofSeconds(60));
        assertThat(one.spoken() - atRest).isLessThanOrEqualTo(45);
        assertThat(cluster.store().remembered().resources()).isEmpty();
    }

    @Test
    @Tag("deep")
    @Tag("CL43")
    void theStoreRemembersNoMoreThanWhatIsInUseHoweverManyKeysComeAndGo() {
        for (int i = 0; i < 12_000; i++) {
            cluster.limit("key-" + i, 2);
            one.ask("key-" + i, LONG, MOMENT);
            pass(Duration.ofMillis(10));
        }

        assertThat(cluster.store().remembered().resources()).hasSizeLessThan(1_500);
    }

    @Test
    @Tag("CL43")
    void whatIsUsedOnceGoesBackInTimeHoweverFastNewKeysCome() {
        cluster.network.least = Duration.ofMillis(20).toNanos();
        cluster.network.most = Duration.ofMillis(25).toNanos();
        for (int i = 0; i < 6_000; i++) { // 300 a second
            cluster.limit("key-" + i, 2);
            one.ask("key-" + i, LONG, MOMENT);
            pass(Duration.ofNanos(3_333_333));
        }

        assertThat(one.node().holdings()).isLessThan(2_000);
    }

    @Test
    @Tag("CL43")
    void whoLacksThousandsSpeaksOfFewAtOnce() {
        int many = 2_000;
        for (int i = 0; i < many; i++) {
            cluster.limit("key-" + i, 1);
            two.ask("key-" + i, LONG, LONG);
        }
        pass(Duration.ofSeconds(5));
        for (int i = 0; i < many; i++) {
            one.ask("key-" + i, LONG, LONG);
        }
        pass(Duration.ofSeconds(2));
        CompletableFuture<GroupPermit> asked = one.ask(KEY, LONG, MOMENT);

        pass(Duration.ofMillis(50));
        assertThat(asked).isCompleted();
        assertThat(one.mostDemands()).isEqualTo(Holdings.PORTION);
    }

    @Test
    @Tag("CL41")
    void whoShutsDownGivesEverythingBack() {
        for (int i = 0; i < 4; i++) {
            one.ask(KEY, LONG, Duration.ofSeconds(1));
        }
        pass(MOMENT);
        one.shutdown();
        CompletableFuture<GroupPermit> asked = two.ask(KEY, LONG, MOMENT);
        pass(Duration.ofMillis(900));
        assertThat(asked).isNotDone();

        pass(Duration.ofMillis(150));
        assertThat(asked).isCompleted();
        pass(Duration.ofSeconds(1));
        assertThat(one.node().hasLeft()).isTrue();
        assertThat(cluster.store().remembered().alive()).hasSize(1);
    }

    @Test
    @Tag("CL41")
    void whoHasLeftSaysSoOnce() {
        int spoken = one.spoken();
        one.shutdown();
        pass(Duration.ofSeconds(1));

        assertThat(one.node().hasLeft()).isTrue();
        assertThat(one.spoken() - spoken).isEqualTo(1);
    }

    @Test
    void whatIsToBeForgottenGoesBackAtOnce() {
        one.ask(KEY, LONG, MOMENT);
        pass(Duration.ofSeconds(1));
        assertThat(one.leased(KEY)).isPositive();

        one.executor().evictGroup(KEY);
        one.step();
        pass(Duration.ofMillis(50));
        assertThat(one.executor().groupStats(KEY)).isEmpty();
        assertThat(one.holdsNothing()).isTrue();
    }

    @Test
    @Tag("CL10")
    void theSumIsAsMuchAsThereMayBe() {
        for (int i = 0; i < 10; i++) {
            one.ask(KEY, LONG, LONG);
            two.ask(KEY, LONG, LONG);
        }
        assertThat(runningAfter(Duration.ofSeconds(1))).isEqualTo(4);
    }
}
