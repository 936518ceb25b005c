package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.InvalidPolicyException;
import io.github.kobe.LimitSource;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.Witness;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("E9")
class LiveControlTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    private static GroupLimits concurrency(int value) {
        return GroupLimits.unset().withMaxConcurrency(value);
    }

    private List<TaskHandle<String>> submit(GroupExecutor executor, int count) {
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            handles.add(executor.submit("a", "task-" + i, gate.then("done")));
        }
        return handles;
    }

    @Test
    void aLargerLimitStartsWaitingTasksAtOnce() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        submit(executor, 5);
        gate.awaitArrived(1);

        executor.setLimits("a", concurrency(3));

        assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(3);
        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(2);
        gate.awaitArrived(3);
        gate.open();
    }

    @Test
    @Tag("I1")
    void aSmallerLimitLetsTheSurplusDrainAndBlocksNobody() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(3)
                .defaultMaxInFlightPerGroup(Integer.MAX_VALUE) // which would keep back the same tasks
                .build());
        List<Gate> gates = List.of(new Gate(), new Gate(), new Gate());
        for (Gate each : gates) {
            executor.submit("a", "early", each.then("done"));
            each.awaitArrived(1);
        }
        TaskHandle<String> waiting = executor.submit("a", "late", () -> "done");

        Deadline.within(() -> {
            executor.setLimits("a", concurrency(1));
            return true;
        });

        assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(3);
        for (int i = 0; i < 2; i++) {
            int left = 2 - i;
            gates.get(i).open();
            Deadline.until(
                    "one less", () -> executor.groupStats("a").orElseThrow().running() == left);
            assertThat(waiting.isDone()).isFalse();
            assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(1);
        }
        gates.get(2).open();
        assertThat(waiting.await().value()).isEqualTo("done");
    }

    @Test
    void theNumberInFlightChangesLiveToo() {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(5)
                .defaultMaxInFlightPerGroup(1)
                .build());
        submit(executor, 4);
        gate.awaitArrived(1);

        executor.setLimits("a", GroupLimits.unset().withMaxInFlight(2));

        gate.awaitArrived(2);
        assertThat(executor.groupStats("a").orElseThrow().inFlight()).isEqualTo(2);
        gate.open();
    }

    @Test
    void theQueueThresholdChangesLiveAndEvictsNobody() {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().rejectionPolicy(RejectionPolicy.DISCARD).build());
        List<TaskHandle<String>> handles = submit(executor, 4);
        gate.awaitArrived(1);

        executor.setLimits("a", GroupLimits.unset().withQueueThreshold(1));
        TaskHandle<String> refused = executor.submit("a", "refused", () -> "done");

        assertThat(refused.join().status()).isEqualTo(TaskStatus.REJECTED);
        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(3);
        gate.open();
        assertThat(handles).allMatch(handle -> handle.join().status() == TaskStatus.SUCCESS);
    }

    @Test
    void anOverrideReplacesTheOneBeforeAndLeavesTheRestToThePolicy() {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .group("a", GroupLimits.unset().withMaxConcurrency(2).withWeight(3))
                .build());

        executor.setLimits("a", GroupLimits.unset().withMaxConcurrency(9));
        executor.setLimits("a", GroupLimits.unset().withWeight(8));

        GroupStats stats = executor.groupStats("a").orElseThrow();
        assertThat(stats.maxConcurrency()).isEqualTo(new EffectiveLimit<>(2, LimitSource.CONFIGURED));
        assertThat(stats.weight()).isEqualTo(new EffectiveLimit<>(8, LimitSource.OVERRIDDEN));
    }

    @Test
    void anUpdateChangesOneNumberAndLeavesTheRest() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        assertThat(executor.overrideOf("a")).isEmpty();

        executor.updateLimits("a", limits -> limits.withMaxConcurrency(3).withQueueThreshold(7));
        executor.updateLimits("a", limits -> limits.withMaxConcurrency(8));

        assertThat(executor.overrideOf("a")).contains(concurrency(8).withQueueThreshold(7));
        assertThat(executor.groupStats("a").orElseThrow().maxConcurrency().value())
                .isEqualTo(8);
        executor.updateLimits("a", limits -> GroupLimits.unset());
        assertThat(executor.overrideOf("a")).isEmpty();
    }

    @Test
    void anUpdateThatFailsChangesNothing() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        executor.setLimits("a", concurrency(2));

        assertThatExceptionOfType(InvalidPolicyException.class)
                .isThrownBy(() -> executor.updateLimits("a", limits -> limits.withWeight(0)))
                .withMessageContaining("weight");
        assertThatNullPointerException()
                .isThrownBy(() -> executor.updateLimits("a", limits -> null))
                .withMessage("The update returned null");
        assertThatIllegalStateException()
                .isThrownBy(() -> executor.updateLimits("a", limits -> {
                    throw new IllegalStateException("as if");
                }))
                .withMessage("as if");

        assertThat(executor.overrideOf("a")).contains(concurrency(2));
    }

    @Test
    void noneOfManyUpdatesAtATimeIsLost() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        executor.setLimits("a", concurrency(1));
        List<Caller<Object>> updaters = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            updaters.add(Caller.start(() -> {
                for (int n = 0; n < 250; n++) {
                    executor.updateLimits(
                            "a",
                            limits -> limits.withMaxConcurrency(
                                    limits.maxConcurrency().orElseThrow() + 1));
                }
                return null;
            }));
        }
        for (Caller<Object> updater : updaters) {
            updater.result();
        }

        assertThat(executor.overrideOf("a")).contains(concurrency(1_001));
    }

    @Test
    void resetTakesTheOverrideBack() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        submit(executor, 3);
        gate.awaitArrived(1);
        executor.setLimits("a", concurrency(2));
        gate.awaitArrived(2);

        executor.resetLimits("a");

        GroupStats stats = executor.groupStats("a").orElseThrow();
        assertThat(stats.maxConcurrency()).isEqualTo(new EffectiveLimit<>(1, LimitSource.DEFAULT));
        assertThat(stats.overriddenSince()).isEmpty();
        assertThat(stats.queued()).isEqualTo(1);
        gate.open();
    }

    @Test
    void anOverrideOutOfItsRangeIsRefusedAndChangesNothing() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        executor.setLimits("a", concurrency(2));

        assertThatExceptionOfType(InvalidPolicyException.class)
                .isThrownBy(() -> executor.setLimits("a", concurrency(3).withWeight(0)))
                .withMessageContaining("weight")
                .withMessageContaining("'a'");
        assertThatExceptionOfType(InvalidPolicyException.class)
                .isThrownBy(() -> executor.setLimits("unknown", concurrency(0)));

        assertThat(executor.groupStats("a").orElseThrow().maxConcurrency().value())
                .isEqualTo(2);
        assertThat(executor.groupKeys()).containsOnly("a");
    }

    @Test
    void limitsMayBeSetBeforeTheGroupIsUsed() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        executor.setLimits("a", concurrency(4));

        submit(executor, 6);

        assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(4);
        gate.awaitArrived(4);
        gate.open();
    }

    @Test
    void aPausedGroupAcceptsAndStartsNothingAndLetsWhatRunsFinish() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        TaskHandle<String> running = executor.submit("a", "1", gate.then("one"));
        gate.awaitArrived(1);

        executor.pause("a");
        TaskHandle<String> waiting = executor.submit("a", "2", () -> "two");
        gate.open();

        assertThat(running.await().value()).isEqualTo("one");
        Deadline.until(
                "nothing runs", () -> executor.groupStats("a").orElseThrow().running() == 0);
        assertThat(waiting.isDone()).isFalse();
        assertThat(executor.groupStats("a").orElseThrow().paused()).isTrue();
        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(1);
        assertThat(executor.submit("b", "1", () -> "other").await().value()).isEqualTo("other");

        executor.resume("a");
        assertThat(waiting.await().value()).isEqualTo("two");
    }

    @Test
    void resumeStartsAsManyAsTheLimitsLet() {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build());
        executor.pause("a");
        executor.pause("a");
        submit(executor, 5);
        assertThat(gate.arrived()).isZero();

        executor.resume("a");

        gate.awaitArrived(2);
        assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(2);
        assertThat(executor.groupStats("a").orElseThrow().paused()).isFalse();
        gate.open();
    }

    @Test
    void aFullQueueRejectsAlsoWhenPaused() {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultQueueThresholdPerGroup(1)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .build());
        executor.pause("a");
        TaskHandle<String> waiting = executor.submit("a", "1", () -> "done");

        TaskHandle<String> refused = executor.submit("a", "2", () -> "done");

        assertThat(refused.join().status()).isEqualTo(TaskStatus.REJECTED);
        executor.resume("a");
        assertThat(waiting.join().status()).isEqualTo(TaskStatus.SUCCESS);
    }

    @Test
    void aNewPolicyHoldsAtOnceForKnownAndUnknownGroups() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        submit(executor, 4);
        gate.awaitArrived(1);
        GroupPolicy wider = executor.policy().toBuilder()
                .pattern("a*", concurrency(3))
                .defaultMaxConcurrencyPerGroup(2)
                .build();

        executor.updatePolicy(wider);

        assertThat(executor.policy()).isSameAs(wider);
        gate.awaitArrived(3);
        GroupStats stats = executor.groupStats("a").orElseThrow();
        assertThat(stats.maxConcurrency()).isEqualTo(new EffectiveLimit<>(3, LimitSource.PATTERN));
        assertThat(stats.rule()).contains("a*");
        gate.open();
        executor.submit("new", "1", () -> "done").join();
        assertThat(executor.groupStats("new").orElseThrow().maxConcurrency().value())
                .isEqualTo(2);
    }

    @Test
    void aNewGlobalLimitHoldsAtOnceInBothDirections() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .globalMaxInFlight(1)
                .defaultMaxConcurrencyPerGroup(10)
                .build());
        submit(executor, 5);
        gate.awaitArrived(1);
        Witness witness = engines.witness(executor);

        witness.changingGlobal(
                3,
                () -> executor.updatePolicy(
                        executor.policy().toBuilder().globalMaxInFlight(3).build()));
        gate.awaitArrived(3);
        assertThat(executor.stats().inFlight()).isEqualTo(3);
        assertThat(executor.stats().globalMaxInFlight()).isEqualTo(3);

        witness.changingGlobal(
                1,
                () -> executor.updatePolicy(
                        executor.policy().toBuilder().globalMaxInFlight(1).build()));
        assertThat(executor.stats().queued()).isEqualTo(2);
        gate.open();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        witness.settle();
    }

    @Test
    void aGlobalLimitCanBeSetAndLiftedWhileTasksRun() throws Exception {
        GroupExecutor executor = engines.startPlain(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(10).build());
        submit(executor, 3);
        gate.awaitArrived(3);

        executor.updatePolicy(executor.policy().toBuilder().globalMaxInFlight(2).build());
        TaskHandle<String> waiting = executor.submit("b", "1", gate.then("done"));
        assertThat(executor.stats().queued()).isEqualTo(1);

        executor.updatePolicy(executor.policy().toBuilder()
                .globalMaxInFlight(Integer.MAX_VALUE)
                .build());
        gate.awaitArrived(4);
        assertThat(executor.stats().queued()).isZero();
        gate.open();
        assertThat(waiting.await().value()).isEqualTo("done");
    }

    @Test
    void aNewPolicyKeepsOverridesAndPauses() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        executor.setLimits("a", concurrency(4));
        executor.pause("b");

        executor.updatePolicy(executor.policy().toBuilder()
                .group("a", GroupLimits.unset().withMaxConcurrency(2).withMaxInFlight(6))
                .build());

        GroupStats a = executor.groupStats("a").orElseThrow();
        assertThat(a.maxConcurrency()).isEqualTo(new EffectiveLimit<>(4, LimitSource.OVERRIDDEN));
        assertThat(a.maxInFlight()).isEqualTo(new EffectiveLimit<>(6, LimitSource.CONFIGURED));
        assertThat(executor.groupStats("b").orElseThrow().paused()).isTrue();
        executor.resume("b");
    }

    @Test
    void nothingGivenIsNull() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        assertThatNullPointerException().isThrownBy(() -> executor.setLimits(null, concurrency(1)));
        assertThatNullPointerException().isThrownBy(() -> executor.setLimits("a", null));
        assertThatNullPointerException().isThrownBy(() -> executor.resetLimits(null));
        assertThatNullPointerException().isThrownBy(() -> executor.pause(null));
        assertThatNullPointerException().isThrownBy(() -> executor.resume(null));
        assertThatNullPointerException().isThrownBy(() -> executor.updatePolicy(null));
        assertThat(executor.groupKeys()).isEmpty();
    }
}
