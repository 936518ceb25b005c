package io.github.kobe.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupStats;
import io.github.kobe.LimitSource;
import io.github.kobe.SharedLimit;
import io.github.kobe.cluster.Cluster;
import io.github.kobe.cluster.ClusterState;
import io.github.kobe.cluster.ClusterState.Kind;
import io.github.kobe.cluster.ClusterTotals;
import io.github.kobe.testing.CapturedLog;
import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is shown of a node, and logged: how it stands with the store. */
@Tag("CL68")
class ClusterStateTests extends TwoNodes {

    private static final String BEGINS_ALONE =
            "The store of the limits over all instances is away: from now on this instance"
                    + " goes by its own numbers, so all together may have more in flight than these limits allow.";
    private static final String ENDS_ALONE =
            "This instance goes by its own numbers no more, but by what the store of the"
                    + " limits over all instances grants.";

    private static Cluster of(SimulatedNode node) {
        return node.executor().cluster().orElseThrow();
    }

    private static ClusterState state(SimulatedNode node) {
        return of(node).state();
    }

    @Test
    void whoIsConnectedKnowsHowManyThereAre() {
        ClusterState state = state(one);

        assertThat(state.kind()).isEqualTo(Kind.CONNECTED);
        assertThat(state.nodes()).isEqualTo(2);
        assertThat(state.epoch()).isPositive();
        assertThat(state.learning()).isZero();
        assertThat(state.counts()).isBetween(Duration.ofSeconds(9), Duration.ofSeconds(11));
        assertThat(state.silence().orElseThrow()).isLessThan(Duration.ofSeconds(2));
        assertThat(state.reason()).isEmpty();
        assertThat(state.alone()).isFalse();
    }

    @Test
    void whoHasJustBegunLearnsFirst() {
        SimulatedCluster fresh = new SimulatedCluster(1);
        SimulatedNode first = fresh.join();
        assertThat(state(first).kind()).isEqualTo(Kind.LOST);
        assertThat(state(first).reason()).contains("it has not answered yet");
        assertThat(state(first).silence()).isEmpty();
        assertThat(state(first).nodes()).isZero();

        fresh.run(Duration.ofSeconds(1));
        assertThat(state(first).kind()).isEqualTo(Kind.LEARNING);
        assertThat(state(first).learning()).isBetween(Duration.ofSeconds(13), Duration.ofSeconds(15));

        fresh.run(Duration.ofSeconds(15));
        assertThat(state(first).kind()).isEqualTo(Kind.CONNECTED);
        assertThat(Duration.between(state(first).since(), Instant.ofEpochMilli(16_000)))
                .isBetween(Duration.ZERO, Duration.ofSeconds(3));
    }

    @Test
    @Tag("CL51")
    void anOutageIsShownAndLoggedStepByStep() {
        try (CapturedLog log = CapturedLog.open()) {
            one.cutOff(true, true);
            pass(Duration.ofSeconds(7));
            assertThat(state(one).kind()).isEqualTo(Kind.STALE);
            assertThat(state(one).reason()).contains("it has not answered within 2.0 s");
            pass(Duration.ofSeconds(6));
            assertThat(state(one).kind()).isEqualTo(Kind.LOST);
            assertThat(state(one).counts()).isZero();
            assertThat(state(one).silence().orElseThrow()).isGreaterThan(Duration.ofSeconds(11));
            one.cutOff(false, false);
            pass(Duration.ofSeconds(10));
            assertThat(state(one).kind()).isEqualTo(Kind.CONNECTED);
            assertThat(state(one).reason()).isEmpty();

            assertThat(log.infos())
                    .anyMatch(line -> line.matches(
                            "The store of the limits over all instances doesn't answer: it has not answered"
                                    + " within 2\\.0 s\\. What this instance has serves for \\d\\.\\d s more\\."))
                    .anyMatch(line -> line.contains("'node-1' shares limits"));
            assertThat(log.warnings())
                    .containsExactly(
                            "The store of the limits over all instances is lost: it has not answered within 2.0 s."
                                    + " Nothing starts in groups with such a limit until it answers.");
        }
    }

    @Test
    void aStoreThatHasNeverAnsweredIsLogged() {
        try (CapturedLog log = CapturedLog.open()) {
            SimulatedCluster fresh = new SimulatedCluster(1);
            fresh.network.refused = 1;
            fresh.join();
            fresh.run(Duration.ofSeconds(20));

            assertThat(log.warnings())
                    .containsExactly(
                            "The store of the limits over all instances is lost: refused. Nothing starts in groups with"
                                    + " such a limit until it answers.");
        }
    }

    @Test
    void aStartBesideOthersWarnsOfNothing() {
        try (CapturedLog log = CapturedLog.open()) {
            cluster.join();
            pass(Duration.ofSeconds(20));

            assertThat(log.warnings()).isEmpty();
            assertThat(log.infos()).singleElement().asString().contains("'node-3' shares limits with others");
        }
    }

    @Test
    void whoComesAndGoesIsLoggedOnceAMinute() {
        try (CapturedLog log = CapturedLog.open()) {
            for (int i = 0; i < 10; i++) {
                one.cutOff(true, true);
                pass(Duration.ofSeconds(13));
                one.cutOff(false, false);
                pass(Duration.ofSeconds(5));
            }
            assertThat(log.warnings().size() + log.infos().size()).isBetween(10, 18);
        }
    }

    @Test
    @Tag("CL53")
    void whoServesAloneSaysSo() {
        SimulatedNode alone = joinThatServesAlone();
        try (CapturedLog log = CapturedLog.open()) {
            alone.cutOff(true, true);
            pass(Duration.ofSeconds(20));

            assertThat(state(alone).kind()).isEqualTo(Kind.LOST);
            assertThat(state(alone).alone()).isTrue();
            assertThat(log.warnings())
                    .hasSize(2)
                    .first()
                    .asString()
                    .startsWith(
                            "The store of the limits over all instances is lost: it has not answered within 2.0 s.");
            assertThat(log.warnings()).last().isEqualTo(BEGINS_ALONE);
            assertThat(log.infos()).noneMatch(ENDS_ALONE::equals);
        }
        var running = alone.ask(KEY, MOMENT, LONG);
        assertThat(running).isCompleted();
        assertThat(shared(alone).leased()).isEqualTo(SimulatedNode.OWN_LIMIT);
        assertThat(shared(alone).state()).isEqualTo(Kind.LOST);
        assertThat(shared(alone).alone()).isTrue();
    }

    @Test
    @Tag("CL53")
    void aGroupThatHasNoNumberOfItsOwnToGoByIsShownAsClosed() {
        SimulatedNode alone = joinThatServesAlone(policy -> policy.defaults(GroupLimits.unset()));
        alone.cutOff(true, true);
        pass(Duration.ofSeconds(20));
        var waiting = alone.ask(KEY, LONG, MOMENT);

        assertThat(waiting).isNotCompleted();
        assertThat(state(alone).alone()).isTrue();
        assertThat(shared(alone).alone()).isFalse();
        assertThat(shared(alone).leased()).isZero();
        assertThat(shared(alone).state()).isEqualTo(Kind.LOST);
    }

    @Test
    @Tag("CL53")
    void eachTimeAnInstanceServesAloneIsLoggedOnceWithItsEnd() {
        SimulatedNode alone = joinThatServesAlone();
        try (CapturedLog log = CapturedLog.open()) {
            for (int outage = 1; outage <= 2; outage++) {
                alone.cutOff(true, true);
                pass(Duration.ofSeconds(40));
                assertThat(log.warnings()).filteredOn(BEGINS_ALONE::equals).hasSize(outage);
                alone.cutOff(false, false);
                pass(Duration.ofSeconds(40));
                assertThat(log.infos()).filteredOn(ENDS_ALONE::equals).hasSize(outage);
            }
        }
    }

    @Test
    @Tag("CL53")
    void whoServesAloneWhileTheStoreLearnsSaysSo() {
        SimulatedNode alone = joinThatServesAlone();
        cluster.network.lost = 1;
        pass(Duration.ofSeconds(20));
        try (CapturedLog log = CapturedLog.open()) {
            cluster.network.lost = 0;
            pass(Duration.ofSeconds(2));

            assertThat(state(alone).kind()).isEqualTo(Kind.LEARNING);
            assertThat(state(alone).alone()).isTrue();
            assertThat(log.infos())
                    .anyMatch(line -> line.contains("goes by its own numbers until shortly before"))
                    .noneMatch(ENDS_ALONE::equals);
            pass(Duration.ofSeconds(20));
            assertThat(log.infos()).containsOnlyOnce(ENDS_ALONE);
            assertThat(log.warnings()).isEmpty();
        }
        assertThat(state(alone).kind()).isEqualTo(Kind.CONNECTED);
        assertThat(state(alone).alone()).isFalse();
    }

    @Test
    @Tag("CL57")
    void whoIsRefusedShowsWhy() {
        SimulatedNode other;
        try (CapturedLog log = CapturedLog.open()) {
            other = cluster.join(settings -> settings.withLease(Duration.ofSeconds(5)));
            pass(Duration.ofSeconds(1));
            assertThat(log.warnings())
                    .singleElement()
                    .asString()
                    .contains("This instance is refused")
                    .contains("lease 5s, cluster has 15s");
        }

        assertThat(state(other).kind()).isEqualTo(Kind.LOST);
        assertThat(state(other).reason().orElseThrow()).contains("lease");
    }

    @Test
    @Tag("CL41")
    void whoHasEndedIsClosed() {
        one.shutdown();
        pass(Duration.ofSeconds(1));

        assertThat(state(one).kind()).isEqualTo(Kind.CLOSED);
    }

    @Test
    void aThreadThatStandsStillDoesNotHideThatTheLeaseIsOver() {
        one.stop();
        pass(Duration.ofSeconds(12));

        assertThat(state(one).kind()).isEqualTo(Kind.LOST);
    }

    @Test
    void aGroupShowsTheLimitAndWhatIsLeased() {
        run(one, KEY, 2, LONG);
        pass(Duration.ofSeconds(1));

        assertThat(shared(one).limit()).isEqualTo(new EffectiveLimit<>(LIMIT, LimitSource.RESOLVER));
        assertThat(shared(one).leased()).isBetween(2, LIMIT);
        one.cutOff(true, true);
        pass(Duration.ofSeconds(12));
        assertThat(shared(one).leased()).isZero();
    }

    @Test
    void aGroupShowsHowTheExecutorStandsWithTheStore() {
        run(one, KEY, 2, LONG);
        pass(Duration.ofSeconds(1));
        assertThat(shared(one).state()).isEqualTo(Kind.CONNECTED);
        assertThat(shared(one).alone()).isFalse();

        cluster.flush();
        pass(Duration.ofSeconds(3));
        assertThat(shared(one).state()).isEqualTo(Kind.LEARNING);
        one.cutOff(true, true);
        pass(Duration.ofSeconds(7));
        assertThat(shared(one).state()).isEqualTo(Kind.STALE);
        pass(Duration.ofSeconds(6));
        assertThat(shared(one).state()).isEqualTo(Kind.LOST);
    }

    @Test
    void aGroupThatNobodySharesShowsNothingOfThat() {
        run(one, "own", 1, LONG);
        GroupStats stats = one.executor().groupStats("own").orElseThrow();

        assertThat(stats.cluster()).isEmpty();
    }

    private static SharedLimit shared(SimulatedNode node) {
        return node.executor().groupStats(KEY).flatMap(GroupStats::cluster).orElseThrow();
    }

    @Test
    void whatIsSaidIsCounted() {
        ClusterTotals before = of(one).totals();
        run(one, KEY, 1, LONG);
        run(two, KEY, LIMIT, LONG);
        pass(Duration.ofSeconds(10));
        one.cutOff(false, true);
        pass(Duration.ofSeconds(10));
        ClusterTotals after = of(one).totals();

        assertThat(after.answered() - before.answered()).isBetween(5L, 30L);
        assertThat(after.took()).isGreaterThan(before.took());
        assertThat(after.failed() - before.failed()).isBetween(2L, 6L);
        assertThat(after.demands()).isGreaterThan(before.demands());
        assertThat(after.hints()).isPositive();
    }

    @Test
    void theStoreTellsWhoHasWhat() {
        run(one, KEY, 1, LONG);
        run(two, KEY, 2, LONG);
        pass(Duration.ofSeconds(1));

        assertThat(of(one).look(KEY).toCompletableFuture().join())
                .extracting("node")
                .containsExactly("node-1", "node-2");
        assertThat(of(one).nodes().toCompletableFuture().join()).hasSize(2);
        assertThat(of(one).look("nobody's").toCompletableFuture().join()).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> of(one).look(""))
                .withMessage("groupKey must be the key of a group, was ''");
    }

    @Test
    void anotherLimitThanThatOfOthersIsLogged() {
        run(one, KEY, 1, LONG);
        pass(Duration.ofSeconds(1));
        cluster.limit(KEY, 2 * LIMIT);
        SimulatedNode late = cluster.join(UnaryOperator.identity());
        pass(Duration.ofSeconds(1));
        try (CapturedLog log = CapturedLog.open()) {
            run(late, KEY, 1, LONG);
            pass(Duration.ofSeconds(10));

            assertThat(log.infos())
                    .containsExactly(
                            "The group 'a' may have 8 in flight over all instances by the policy of this one, and 4 by"
                                    + " that of another: the smaller number is in force.");
        }
    }
}
