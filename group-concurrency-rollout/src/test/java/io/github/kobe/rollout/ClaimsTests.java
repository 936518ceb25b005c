package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.rollout.internal.rules.TenantRecord;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ClaimsTests extends RolloutsTestCase {

    private static final TenantId ACME = TenantId.of("acme");

    private final Gate gate = new Gate();
    private final List<String> done = new CopyOnWriteArrayList<>();
    private final AtomicInteger failures = new AtomicInteger();

    private final Stage stage = Stage.named("A")
            .step(ctx -> gate.pass())
            .step(ctx -> done.add(ctx.planId() + " " + ctx.tenantId()))
            .step(ctx -> {
                if (failures.getAndDecrement() > 0) {
                    throw new IllegalStateException("broken");
                }
            });

    @Test
    @Tag("R37")
    @Tag("R38")
    @Tag("R39")
    @Tag("R41")
    void theLaterTaskOfATenantIsCancelledAndItsPlanGoesOn() throws Exception {
        Rollouts rollouts = rollouts(stage);
        PlanId first = rollouts.start(plan("x", Samples.change("acme"))).planId();
        assertThat(rollouts.isRunning(ACME)).isTrue();
        assertThat(rollouts.getRunningTaskId(ACME)).contains(onlyTask(rollouts, first));

        PlanId second;
        try (CapturedLog log = CapturedLog.open()) {
            second = rollouts.start(plan("y", Samples.change("acme"), Samples.change("zorg")))
                    .planId();
            assertThat(log.warnings()).anySatisfy(line -> assertThat(line).contains("acme is claimed by"));
        }
        assertThat(rollouts.tasks(second).getFirst().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(rollouts.tasks(second).getFirst().failure())
                .extracting(FailureInfo::errorType)
                .isEqualTo(FailureInfo.CONFLICT);
        assertThat(rollouts.getRunningTaskId(ACME)).contains(onlyTask(rollouts, first));
        gate.open();

        assertThat(settled(rollouts, first).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(settled(rollouts, second).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        assertThat(done).containsExactlyInAnyOrder("plan-x acme", "plan-y zorg");
        assertThat(rollouts.isRunning(ACME)).isFalse();
    }

    /** A plan may wait for those of another one in many places: a thread or a question for each would keep its own waiting. */
    @Test
    @Tag("R42")
    void aTaskThatWaitsForItsTenantTakesNeitherThreadNorPermit() throws Exception {
        Gate own = new Gate();
        Stage held = Stage.named("A").step(ctx -> (ctx.tenantId().value().equals("own") ? own : gate).pass());
        Rollouts rollouts = rollouts(builder -> builder.stages(held).conflict(ConflictPolicy.QUEUE));
        List<TenantChange> shared = IntStream.range(0, 50)
                .mapToObj(index -> Samples.change("t" + index))
                .toList();
        PlanId first =
                rollouts.start(plan("x", shared.toArray(TenantChange[]::new))).planId();
        gate.awaitArrived(1);
        PlanId second = rollouts.start(plan(
                        "y",
                        Stream.concat(shared.stream(), Stream.of(Samples.change("own")))
                                .toArray(TenantChange[]::new)))
                .planId();
        own.awaitArrived(1);

        assertThat(executor.groupStats("rollout:" + second)
                        .orElseThrow()
                        .totals()
                        .submitted())
                .isEqualTo(1);
        gate.open();
        assertThat(settled(rollouts, first).status()).isEqualTo(PlanStatus.COMPLETED);
        Deadline.until(
                "its turn has come",
                () -> rollouts.plan(second).tasks().equals(Map.of(TaskStatus.COMPLETED, 50, TaskStatus.RUNNING, 1)));
        own.open();
        assertThat(settled(rollouts, second).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    @Test
    @Tag("R41")
    @Tag("R42")
    void withAQueueTheyTakeTurnsInTheOrderOfTheirStart() throws Exception {
        Rollouts rollouts = rollouts(builder -> builder.stages(stage).conflict(ConflictPolicy.QUEUE));
        List<PlanId> plans = List.of("x", "z", "y").stream()
                .map(name -> rollouts.start(plan(name, Samples.change("acme"))).planId())
                .toList();
        assertThat(rollouts.tasks(plans.get(1)).getFirst().status()).isEqualTo(TaskStatus.PENDING);
        gate.open();

        for (PlanId planId : plans) {
            assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        }
        assertThat(done).containsExactly("plan-x acme", "plan-z acme", "plan-y acme");
    }

    @Test
    @Tag("R40")
    @Tag("R42")
    void whoLeavesTheQueueLetsTheNextOneIn() throws Exception {
        Rollouts rollouts = rollouts(builder -> builder.stages(stage).conflict(ConflictPolicy.QUEUE));
        PlanId first = rollouts.start(plan("x", Samples.change("acme"))).planId();
        PlanId second = rollouts.start(plan("y", Samples.change("acme"))).planId();
        PlanId third = rollouts.start(plan("z", Samples.change("acme"))).planId();

        rollouts.cancel(second);
        assertThat(settled(rollouts, second).status()).isEqualTo(PlanStatus.CANCELLED);
        assertThat(rollouts.getRunningTaskId(ACME)).contains(onlyTask(rollouts, first));
        gate.open();

        assertThat(settled(rollouts, third).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(done).containsExactly("plan-x acme", "plan-z acme");
    }

    @Test
    @Tag("R39")
    @Tag("R132")
    void aRetryTakesTheTenantAgainUnlessAnotherHasItOrCameAfter() throws Exception {
        failures.set(1);
        gate.open();
        Rollouts rollouts = rollouts(stage, Stage.named("B").step(ctx -> done.add("B")));
        PlanId failed = rollouts.start(plan("x", Samples.change("acme"))).planId();
        settled(rollouts, failed);
        assertThat(rollouts.isRunning(ACME)).isFalse();
        TaskId old = onlyTask(rollouts, failed);

        Gate other = new Gate();
        Rollouts later = rollouts(stage.step(ctx -> other.pass()));
        PlanId next = later.start(plan("y", Samples.change("acme"))).planId();
        assertConflict(() -> later.retry(old, true), "claimed by");
        assertConflict(() -> later.rollback(failed), "claimed by");
        other.open();
        settled(later, next);
        assertConflict(() -> later.rollback(old), "is newer");
        assertThat(later.isRunning(ACME)).isFalse();
    }

    private static void assertConflict(Runnable operation, String why) {
        assertThatThrownBy(operation::run)
                .isInstanceOfSatisfying(
                        TaskOperationException.class,
                        e -> assertThat(e.errorType()).isEqualTo(FailureInfo.CONFLICT))
                .hasMessageContaining(why);
    }

    @Test
    @Tag("R75")
    @Tag("R128")
    void whatWasConfirmedIsWhatTheNextTaskFindsAsPrevious() throws Exception {
        gate.open();
        Rollouts rollouts = rollouts(stage.confirmsHealth());
        settled(
                rollouts,
                rollouts.start(plan("x", Samples.changeWithoutSnapshot("acme"))).planId());

        DeployUnit newer = DeployUnit.of(7, 43, "red");
        PlanId second =
                rollouts.start(plan("y", TenantChange.of("acme", newer, "{}"))).planId();
        settled(rollouts, second);
        TaskInfo task = rollouts.task(ACME);
        assertThat(task.previous()).isEqualTo(Samples.BLUE);
        assertThat(rollouts.previous(task.taskId())).contains(new ConfigSnapshot(Samples.BLUE, "{\"version\":42}"));
        assertThat(task.lastKnownGood()).isEqualTo(newer.version());

        rollouts.rollback(task.taskId());
        awaitStatus(rollouts, task.taskId(), TaskStatus.ROLLED_BACK);
        assertThat(lastKnownGood(ACME)).isEqualTo(new ConfigSnapshot(Samples.BLUE, "{\"version\":42}"));
    }

    @Test
    @Tag("R75")
    void withoutAConfirmationNothingIsKnownToBeGood() throws Exception {
        gate.open();
        Rollouts rollouts = rollouts(stage, Stage.named("B").skipIf(ctx -> true).confirmsHealth());
        settled(rollouts, rollouts.start(plan("x", Samples.change("acme"))).planId());

        assertThat(store.findTenant(ACME).lastKnownGood()).isNull();
    }

    @Test
    @Tag("R40")
    void onlyTheHolderLetsGo() {
        TaskId mine = Samples.taskId(Samples.PLAN);
        TaskId other = Samples.taskId(Samples.PLAN);
        TenantRecord claimed = TenantRecord.unknown(ACME).claimedBy(mine);

        assertThat(claimed.leftBy(other).claim()).isEqualTo(mine);
        assertThatThrownBy(() -> claimed.claimedBy(other)).isInstanceOf(IllegalStateException.class);
        assertThat(claimed.leftBy(mine).claim()).isNull();
    }
}
