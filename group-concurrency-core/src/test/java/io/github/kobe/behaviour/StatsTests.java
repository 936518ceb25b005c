package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupStats;
import io.github.kobe.LimitSource;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTotals;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("E12")
class StatsTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();
    private final Gate gate = new Gate();

    private static GroupStats a(GroupExecutor executor) {
        return executor.groupStats("a").orElseThrow();
    }

    private static <T> Callable<T> failing() {
        return () -> {
            throw new IllegalStateException("no");
        };
    }

    @Test
    void gaugesTellWhatRunsIsInFlightAndWaits() {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(2)
                .globalMaxInFlight(9)
                .globalQueueThreshold(99)
                .build());
        for (int i = 0; i < 5; i++) {
            executor.submit("a", "task-" + i, gate.then("done"));
        }
        executor.submit("b", "1", gate.then("done"));

        GroupStats a = a(executor);
        GroupExecutorStats all = executor.stats();

        assertThat(a.groupKey()).isEqualTo("a");
        assertThat(a.running()).isEqualTo(2);
        assertThat(a.inFlight()).isEqualTo(2);
        assertThat(a.queued()).isEqualTo(3);
        assertThat(all.running()).isEqualTo(3);
        assertThat(all.inFlight()).isEqualTo(3);
        assertThat(all.queued()).isEqualTo(3);
        assertThat(all.groups()).isEqualTo(2);
        assertThat(all.globalMaxInFlight()).isEqualTo(9);
        assertThat(all.globalQueueThreshold()).isEqualTo(99);
        gate.open();
    }

    @Test
    void eachLimitComesWithItsSource() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .concurrencyResolver(key -> 5)
                .defaultQueueThresholdPerGroup(50)
                .pattern("a*", GroupLimits.unset().withWeight(6))
                .group("a", GroupLimits.unset().withMaxInFlight(7))
                .build());
        executor.submit("a", "1", () -> "done").await();
        executor.setLimits("a", GroupLimits.unset().withQueueTimeout(Duration.ofSeconds(8)));

        GroupStats stats = a(executor);

        assertThat(stats.maxConcurrency()).isEqualTo(new EffectiveLimit<>(5, LimitSource.RESOLVER));
        assertThat(stats.maxInFlight()).isEqualTo(new EffectiveLimit<>(7, LimitSource.CONFIGURED));
        assertThat(stats.queueThreshold()).isEqualTo(new EffectiveLimit<>(50, LimitSource.DEFAULT));
        assertThat(stats.queueTimeout()).isEqualTo(new EffectiveLimit<>(Duration.ofSeconds(8), LimitSource.OVERRIDDEN));
        assertThat(stats.weight()).isEqualTo(new EffectiveLimit<>(6, LimitSource.PATTERN));
    }

    @Test
    void theRuleIsTheExactKeyOrThePatternOrNone() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .group("exact", GroupLimits.unset())
                .pattern("vip:*", GroupLimits.unset().withWeight(2))
                .build());
        for (String key : Set.of("exact", "vip:1", "other")) {
            executor.submit(key, "1", () -> "done").await();
        }

        assertThat(executor.groupStats("exact").orElseThrow().rule()).contains("exact");
        assertThat(executor.groupStats("vip:1").orElseThrow().rule()).contains("vip:*");
        assertThat(executor.groupStats("other").orElseThrow().rule()).isEmpty();
    }

    @Test
    void anOverrideTellsSinceWhen() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Instant before = Instant.now();

        executor.setLimits("a", GroupLimits.unset().withMaxConcurrency(2));

        assertThat(a(executor).overriddenSince())
                .hasValueSatisfying(since -> assertThat(since).isBetween(before, Instant.now()));
        executor.submit("a", "1", () -> "done").join();
        executor.resetLimits("a");
        assertThat(executor.groupStats("a").flatMap(GroupStats::overriddenSince))
                .isEmpty();
    }

    @Test
    void theOldestWaitIsThatOfTheFirstInTheQueue() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build(), clock);
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        assertThat(a(executor).oldestWait()).isZero();
        TaskHandle<String> oldest = executor.submit("a", "1", () -> "done");
        clock.advance(Duration.ofSeconds(2));
        executor.submit("a", "2", () -> "done");
        clock.advance(Duration.ofSeconds(3));

        assertThat(a(executor).oldestWait()).isEqualTo(Duration.ofSeconds(5));
        oldest.cancel(true);
        assertThat(a(executor).oldestWait()).isEqualTo(Duration.ofSeconds(3));

        gate.open();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(a(executor).oldestWait()).isZero();
    }

    @Test
    void theOldestWaitPassesOverThoseThatHaveLeft() throws Exception {
        Gate second = new Gate();
        GroupExecutor executor = engines.start(GroupPolicy.builder().build(), clock);
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        executor.submit("a", "next", second.then("held"));
        List<TaskHandle<String>> gone =
                List.of(executor.submit("a", "gone-1", () -> "no"), executor.submit("a", "gone-2", () -> "no"));
        clock.advance(Duration.ofSeconds(2));
        executor.submit("a", "last", () -> "done");
        clock.advance(Duration.ofSeconds(3));
        gone.forEach(handle -> handle.cancel(true));

        gate.open();
        second.awaitArrived(1);

        assertThat(a(executor).queued()).isEqualTo(1);
        assertThat(a(executor).oldestWait()).isEqualTo(Duration.ofSeconds(3));
        second.open();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
    }

    @Test
    void totalsCountEveryOutcome() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder()
                        .defaultQueueThresholdPerGroup(2)
                        .globalQueueThreshold(3)
                        .queueTimeout(Duration.ofSeconds(1))
                        .build(),
                clock);
        executor.submit("a", "ok", () -> "done").await();
        executor.submit("a", "bad", failing()).await();
        executor.submit("a", "holder", gate.then("held"));
        executor.submit("b", "holder", gate.then("held"));
        gate.awaitArrived(2);
        TaskHandle<String> cancelled = executor.submit("a", "cancelled", () -> "no");
        cancelled.cancel(true);
        executor.submit("a", "late-1", () -> "no");
        executor.submit("a", "late-2", () -> "no");
        executor.submit("a", "group-full", () -> "no");
        executor.submit("b", "late-3", () -> "no");
        executor.submit("b", "global-full", () -> "no");

        TaskTotals waiting = a(executor).totals();
        assertThat(waiting.submitted()).isEqualTo(7);
        assertThat(waiting.submitted())
                .isEqualTo(waiting.succeeded()
                        + waiting.failed()
                        + waiting.cancelled()
                        + waiting.rejected()
                        + a(executor).queued()
                        + a(executor).inFlight());
        clock.advance(Duration.ofSeconds(1), executor);
        gate.open();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();

        TaskTotals totals = a(executor).totals();
        assertThat(totals.succeeded()).isEqualTo(2);
        assertThat(totals.failed()).isEqualTo(1);
        assertThat(totals.cancelled()).isEqualTo(1);
        assertThat(totals.rejectedByReason())
                .containsEntry(RejectionReason.GROUP_QUEUE_FULL, 1L)
                .containsEntry(RejectionReason.QUEUE_TIMEOUT, 2L)
                .containsEntry(RejectionReason.GLOBAL_QUEUE_FULL, 0L)
                .containsOnlyKeys(RejectionReason.values());
        TaskTotals all = executor.stats().totals();
        assertThat(all.submitted()).isEqualTo(10);
        assertThat(all.rejectedByReason())
                .containsEntry(RejectionReason.GROUP_QUEUE_FULL, 1L)
                .containsEntry(RejectionReason.GLOBAL_QUEUE_FULL, 1L)
                .containsEntry(RejectionReason.QUEUE_TIMEOUT, 3L);
        assertThat(all.rejected()).isEqualTo(5);
    }

    @Test
    void aCallCountsByItsOutcomeAndAPermitAsSucceededAtItsClose() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        executor.call("a", () -> "done");
        assertThatThrownBy(() -> executor.call("a", failing())).isInstanceOf(IllegalStateException.class);
        try (GroupPermit permit = executor.acquire("a")) {
            assertThat(permit.groupKey()).isEqualTo("a");
            assertThat(a(executor).totals().submitted()).isEqualTo(3);
            assertThat(a(executor).totals().succeeded()).isEqualTo(1);
            assertThat(a(executor).inFlight()).isEqualTo(1);
        }

        assertThat(a(executor).totals().succeeded()).isEqualTo(2);
        assertThat(a(executor).totals().failed()).isEqualTo(1);
    }

    @Test
    void aWaitThatIsGivenUpCountsAsCancelled() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        Caller<String> caller = Caller.start(() -> executor.call("a", () -> "never"));
        Deadline.until("it waits", () -> a(executor).queued() == 1);

        caller.interrupt();

        assertThatThrownBy(caller::result).isInstanceOf(InterruptedException.class);
        assertThat(a(executor).totals().cancelled()).isEqualTo(1);
        assertThat(a(executor).queued()).isZero();
        gate.open();
    }

    @Test
    void reentrantWorkIsNotCounted() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        executor.call("a", () -> executor.call("a", () -> "nested"));

        assertThat(a(executor).totals().submitted()).isEqualTo(1);
        assertThat(a(executor).totals().succeeded()).isEqualTo(1);
    }

    @Test
    void whatTheCallerRunsCountsAsRejectedOnly() {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.CALLER_RUNS)
                .build());
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);

        assertThat(executor.submit("a", "1", () -> "ran").join().status()).isEqualTo(TaskStatus.SUCCESS);

        assertThat(a(executor).totals().rejected()).isEqualTo(1);
        assertThat(a(executor).totals().succeeded()).isZero();
        gate.open();
    }

    @Test
    void whatAHandlerSuppliesCountsAsRejectedOnly() {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultQueueThresholdPerGroup(0)
                .rejectionHandler((groupKey, taskId, task) -> {
                    return GroupResult.success(groupKey, taskId, null, 0, 0);
                })
                .build());
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);

        assertThat(executor.submit("a", "1", () -> "ran").join().status()).isEqualTo(TaskStatus.SUCCESS);

        assertThat(a(executor).totals().rejected()).isEqualTo(1);
        assertThat(a(executor).totals().succeeded()).isZero();
        gate.open();
    }

    @Test
    void totalsOfAllSurviveGroupsThatAreGone() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().maxIdleGroups(0).build());
        for (int i = 0; i < 50; i++) {
            executor.submit("key-" + i, "1", () -> "done").await();
        }
        Deadline.untilAsserted(() -> assertThat(executor.groupKeys()).isEmpty());

        assertThat(executor.stats().totals().submitted()).isEqualTo(50);
        assertThat(executor.stats().totals().succeeded()).isEqualTo(50);
    }

    @Test
    void afterAShutdownGaugesFallToZeroAndTotalsStay() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        executor.submit("a", "1", () -> "done").await();
        executor.submit("a", "2", gate.stubbornlyThen("done"));
        executor.submit("a", "3", () -> "done");
        gate.awaitArrived(1);

        executor.shutdown();

        assertThat(executor.stats().running()).isEqualTo(1);
        assertThat(executor.stats().inFlight()).isEqualTo(1);
        Deadline.untilAsserted(() -> assertThat(executor.stats().queued()).isZero());
        gate.open();
        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
        assertThat(executor.stats().running()).isZero();
        assertThat(executor.stats().inFlight()).isZero();
        Deadline.untilAsserted(() -> {
            TaskTotals totals = executor.stats().totals();
            assertThat(totals.submitted()).isEqualTo(3);
            assertThat(totals.succeeded()).isEqualTo(2);
            assertThat(totals.cancelled()).isEqualTo(1);
        });
    }

    @Test
    void anUnknownGroupHasNoStatsAndGetsNoneByBeingAskedFor() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        assertThat(executor.groupStats("unknown")).isEmpty();
        assertThat(executor.groupKeys()).isEmpty();
        assertThatNullPointerException().isThrownBy(() -> executor.groupStats(null));
    }

    @Test
    void theKeysAreASnapshot() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        executor.submit("a", "1", () -> "done").await();
        Set<String> keys = executor.groupKeys();

        executor.submit("b", "1", () -> "done").await();

        assertThat(keys).containsExactly("a");
        assertThatThrownBy(() -> keys.add("c")).isInstanceOf(UnsupportedOperationException.class);
        assertThat(executor.groupKeys()).containsExactlyInAnyOrder("a", "b");
    }
}
