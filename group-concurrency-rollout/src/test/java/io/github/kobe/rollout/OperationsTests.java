package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.rollout.internal.rules.DriveState;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class OperationsTests extends RolloutsTestCase {

    private final List<String> done = new CopyOnWriteArrayList<>();
    private final Gate gate = new Gate();
    private final AtomicInteger failures = new AtomicInteger();

    private Stage stage(String name) {
        return Stage.named(name)
                .step(ctx -> done.add(name + " " + ctx.tenantId()))
                .rollback(ctx -> done.add("undo " + name + " " + ctx.tenantId()));
    }

    private Stage gated(String name) {
        return stage(name).step(ctx -> gate.pass());
    }

    /** Fails as often as was set. */
    private Stage failing(String name) {
        return stage(name).step(ctx -> {
            if (failures.getAndDecrement() > 0) {
                throw new IllegalStateException("broken");
            }
        });
    }

    @Test
    @Tag("R1")
    @Tag("R3")
    @Tag("R4")
    @Tag("R13")
    @Tag("R48")
    @Tag("R111")
    void aPlanTakesEachTenantThroughAllStages() throws Exception {
        Rollouts rollouts = rollouts(stage("A"), stage("B"));

        PlanInfo plan = rollouts.start(plan("x", Samples.change("acme"), Samples.change("zorg")));

        assertThat(settled(rollouts, plan.planId()).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(done).containsExactlyInAnyOrder("A acme", "B acme", "A zorg", "B zorg");
        TaskInfo task = rollouts.task(TenantId.of("acme"));
        assertThat(task.status()).isEqualTo(TaskStatus.COMPLETED);
        assertThat(task.completedStages()).isEqualTo(2);
        assertThat(task.durationMillis()).isNotNull();
        assertThat(task.taskId().belongsToPlan(plan.planId())).isTrue();
        assertThat(rollouts.task(task.taskId())).isEqualTo(task);
        assertThat(rollouts.tasks(plan.planId())).hasSize(2).contains(task);
        assertThat(rollouts.plans()).extracting(PlanInfo::planId).containsExactly(plan.planId());
    }

    @Test
    @Tag("R3")
    @Tag("R14")
    @Tag("R86")
    void theFirstStepThatFailsEndsStageAndTask() throws Exception {
        failures.set(1);
        Rollouts rollouts = rollouts(failing("A").step(ctx -> done.add("never")), stage("B"));

        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        TaskInfo task = rollouts.task(TenantId.of("acme"));
        assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(task.failure()).isEqualTo(new FailureInfo("IllegalStateException", "broken"));
        assertThat(done).containsExactly("A acme");
        assertThat(told(task.taskId())).containsSubsequence("StageStarted", "StageFailed", "TaskFailed");
    }

    @Test
    @Tag("R12")
    @Tag("R43")
    @Tag("R44")
    @Tag("R50")
    @Tag("R52")
    @Tag("R54")
    @Tag("R57")
    @Tag("R61")
    void aTaskIsPausedAtTheBoundaryAndGoesOnFromThere() throws Exception {
        Rollouts rollouts = rollouts(gated("A"), stage("B"));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        TaskId taskId = onlyTask(rollouts, planId);
        gate.awaitArrived(1);

        assertThat(rollouts.by("ann").pause(taskId).success()).isTrue();
        assertThat(rollouts.task(taskId).wish()).isEqualTo(Wish.of(Wish.Kind.PAUSE, "ann"));
        assertThat(rollouts.task(taskId).status()).isEqualTo(TaskStatus.RUNNING);
        gate.open();
        awaitStatus(rollouts, taskId, TaskStatus.PAUSED);
        assertThat(done).containsExactly("A acme");
        assertThat(rollouts.isRunning(TenantId.of("acme"))).isTrue();
        assertThat(rollouts.checkpoint(taskId))
                .hasValueSatisfying(checkpoint ->
                        assertThat(checkpoint.completedStageNames()).containsExactly("A"));
        Deadline.until("no thread is kept", () -> executor.stats().running() == 0);

        rollouts.by("bob").resume(taskId);
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(done).containsExactly("A acme", "B acme");
        assertThat(events)
                .extracting(RolloutEvent::occurrence)
                .contains(new Occurrence.TaskPaused("ann", "B"))
                .containsSubsequence(new Occurrence.TaskResumed("bob", "B"), new Occurrence.TaskProgress(1, 2));
    }

    @Test
    @Tag("R54")
    @Tag("R123")
    void aPauseIsWithdrawnBeforeTheBoundary() throws Exception {
        Rollouts rollouts = rollouts(gated("A"), stage("B"));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        gate.awaitArrived(1);
        rollouts.pause(TenantId.of("acme"));
        rollouts.pause(TenantId.of("acme"));

        rollouts.resume(TenantId.of("acme"));
        gate.open();

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(told(onlyTask(rollouts, planId))).doesNotContain("TaskPaused");
    }

    @Test
    @Tag("R15")
    @Tag("R45")
    void aRunningTaskIsCancelledAtTheBoundary() throws Exception {
        Rollouts rollouts = rollouts(gated("A"), stage("B"));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        gate.awaitArrived(1);

        rollouts.by("ann").cancel(TenantId.of("acme"));
        gate.open();

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.CANCELLED);
        assertThat(done).containsExactly("A acme");
        assertThat(events)
                .extracting(RolloutEvent::occurrence)
                .contains(new Occurrence.TaskCancelled("ann", "A", null));
        assertThat(rollouts.isRunning(TenantId.of("acme"))).isFalse();
    }

    @Test
    @Tag("R45")
    @Tag("R119")
    void whatWaitsIsCancelledAtOnceAndCantBePaused() throws Exception {
        Rollouts rollouts = rollouts(gated("A"));
        PlanId planId = rollouts.start(plan("x", 1, Samples.change("acme"), Samples.change("zorg")))
                .planId();
        gate.awaitArrived(1);
        TenantId waiting = TenantId.of("zorg");

        assertThatThrownBy(() -> rollouts.pause(waiting))
                .isInstanceOf(TaskOperationException.class)
                .hasMessageContaining("PENDING");
        rollouts.cancel(waiting);
        awaitStatus(rollouts, waiting, TaskStatus.CANCELLED);
        assertThat(gate.isOpen()).isFalse();

        gate.open();
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
    }

    @Test
    @Tag("R51")
    void whatIsDoneIsCompletedWhoeverCancels() throws Exception {
        Rollouts rollouts = rollouts(gated("A"));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        gate.awaitArrived(1);
        rollouts.cancel(TenantId.of("acme"));
        gate.open();

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    @Test
    @Tag("R16")
    @Tag("R46")
    @Tag("R71")
    @Tag("R72")
    @Tag("R76")
    @Tag("R87")
    void aRollbackTakesTheStagesBackInReverse() throws Exception {
        Rollouts rollouts = rollouts(stage("A"), gated("B"), stage("C"));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        gate.awaitArrived(1);

        rollouts.by("ann").pause(TenantId.of("acme"));
        rollouts.by("bob").rollback(TenantId.of("acme"));
        gate.open();

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(done).containsExactly("A acme", "B acme", "undo B acme", "undo A acme");
        TaskInfo task = rollouts.task(TenantId.of("acme"));
        assertThat(task.status()).isEqualTo(TaskStatus.ROLLED_BACK);
        assertThat(rollouts.checkpoint(task.taskId())).isEmpty();
        assertThat(rollouts.isRunning(task.tenantId())).isFalse();
        assertThat(task.unit()).isEqualTo(Samples.GREEN);
        assertThat(told(task.taskId()))
                .endsWith(
                        "TaskRollingBack",
                        "StageRollingBack",
                        "StageRolledBack",
                        "StageRollingBack",
                        "StageRolledBack",
                        "TaskRolledBack");
        assertThat(events)
                .extracting(RolloutEvent::occurrence)
                .contains(new Occurrence.TaskRollingBack("requested by bob", List.of("B", "A")));
    }

    @Test
    @Tag("R16")
    void aFailedTaskIsTakenBack() throws Exception {
        failures.set(1);
        Rollouts rollouts = rollouts(stage("A"), gated("B"), failing("C"));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        gate.awaitArrived(1);
        gate.open();
        settled(rollouts, planId);

        rollouts.rollback(TenantId.of("acme"));

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(done).endsWith("undo C acme", "undo B acme", "undo A acme");
    }

    @Test
    @Tag("R20")
    @Tag("R21")
    @Tag("R73")
    void oneStageThatCantBeTakenBackDoesntStopTheOthersAndIsTriedAgain() throws Exception {
        failures.set(1);
        Stage stubborn = Stage.named("B").step(ctx -> done.add("B")).rollback(ctx -> {
            if (failures.getAndDecrement() > 0) {
                throw new IllegalStateException("stuck");
            }
            done.add("undo B");
        });
        Rollouts rollouts = rollouts(stage("A"), stubborn);
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        settled(rollouts, planId);

        rollouts.rollback(planId);
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        TaskInfo task = rollouts.task(TenantId.of("acme"));
        assertThat(task.status()).isEqualTo(TaskStatus.ROLLBACK_FAILED);
        assertThat(task.failure()).isEqualTo(new FailureInfo("IllegalStateException", "stuck"));
        assertThat(done).containsExactly("A acme", "B", "undo A acme");

        rollouts.rollback(planId);
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(done).containsExactly("A acme", "B", "undo A acme", "undo B");
    }

    @Test
    @Tag("R71")
    void withoutASnapshotARollbackIsRefused() throws Exception {
        Rollouts rollouts = rollouts(stage("A"));
        PlanId planId =
                rollouts.start(plan("x", Samples.changeWithoutSnapshot("acme"))).planId();
        settled(rollouts, planId);

        for (Target target : List.of(planId, TenantId.of("acme"))) {
            assertThatThrownBy(() -> rollouts.rollback(target))
                    .isInstanceOfSatisfying(
                            TaskOperationException.class,
                            e -> assertThat(e.errorType()).isEqualTo("NO_SNAPSHOT"));
        }
        assertThat(rollouts.plan(planId).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    @Test
    @Tag("R47")
    @Tag("R79")
    @Tag("R80")
    @Tag("R88")
    @Tag("R125")
    void aRetryGoesOnFromTheCheckpointWithAnotherKey() throws Exception {
        failures.set(1);
        List<String> keys = new CopyOnWriteArrayList<>();
        Rollouts rollouts = rollouts(
                stage("A"),
                Stage.named("B").step(ctx -> keys.add(ctx.idempotencyKey())).step(ctx -> {
                    if (failures.getAndDecrement() > 0) {
                        throw new IllegalStateException("broken");
                    }
                }));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        settled(rollouts, planId);
        TaskId taskId = onlyTask(rollouts, planId);

        rollouts.retry(planId, true);

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(done).containsExactly("A acme");
        assertThat(keys).containsExactly(taskId + "/1/B/1", taskId + "/2/B/1");
        assertThat(rollouts.task(taskId).retryCount()).isEqualTo(1);
        assertThat(told(taskId)).containsSubsequence("TaskFailed", "TaskRetryStarted", "TaskRetryCompleted");
        assertThat(events).extracting(RolloutEvent::occurrence).contains(new Occurrence.TaskRetryCompleted(true));
    }

    @Test
    @Tag("R47")
    @Tag("R58")
    void aFreshRetryBeginsWithTheFirstStage() throws Exception {
        failures.set(1);
        Rollouts rollouts = rollouts(stage("A"), failing("B"));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        settled(rollouts, planId);

        rollouts.retry(TenantId.of("acme"), false);

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(done).containsExactly("A acme", "B acme", "A acme", "B acme");
    }

    @Test
    @Tag("R18")
    @Tag("R47")
    void afterTheLastRetryThereIsNoOther() throws Exception {
        failures.set(10);
        Rollouts rollouts = rollouts(failing("A"));
        PlanId planId =
                rollouts.start(plan("x", Samples.change("acme").maxRetry(1))).planId();
        settled(rollouts, planId);
        rollouts.retry(planId, true);
        settled(rollouts, planId);

        assertThatThrownBy(() -> rollouts.retry(planId, true))
                .isInstanceOfSatisfying(
                        TaskOperationException.class,
                        e -> assertThat(e.errorType()).isEqualTo("NO_RETRY_LEFT"));
    }

    @Test
    @Tag("R27")
    @Tag("R28")
    @Tag("R43")
    @Tag("R53")
    @Tag("R77")
    void aPausedPlanStartsNothingUntilItIsResumed() throws Exception {
        Rollouts rollouts = rollouts(gated("A"), stage("B"));
        PlanId planId = rollouts.start(plan("x", 1, Samples.change("acme"), Samples.change("zorg")))
                .planId();
        gate.awaitArrived(1);

        OperationResult result = rollouts.pause(planId);
        assertThat(result.success()).isFalse();
        assertThat(result.accepted()).hasSize(1);
        assertThat(result.skipped().values()).extracting(FailureInfo::errorType).containsExactly("ILLEGAL_STATE");
        gate.open();
        awaitStatus(rollouts, planId, PlanStatus.PAUSED);
        assertThat(done).containsExactly("A acme");
        assertThat(rollouts.task(TenantId.of("zorg")).status()).isEqualTo(TaskStatus.PENDING);

        rollouts.resume(planId);
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(toldOfPlan(planId))
                .containsSubsequence(PlanStatus.RUNNING, PlanStatus.PAUSED, PlanStatus.RUNNING, PlanStatus.COMPLETED);
    }

    @Test
    @Tag("R43")
    @Tag("R53")
    void aPauseWithdrawsAResumeThatHasNotBegun() throws Exception {
        Rollouts first = rollouts(gated("A"), stage("B"));
        PlanId planId = first.start(plan("x", Samples.change("acme"))).planId();
        gate.awaitArrived(1);
        first.pause(planId);
        gate.open();
        awaitStatus(first, planId, PlanStatus.PAUSED);
        first.close();

        Rollouts second = rollouts(gated("A"), stage("B"));
        second.close();
        for (Target target : List.of(planId, onlyTask(second, planId))) {
            second.resume(target);
            assertThat(second.pause(target).accepted()).hasSize(1);
            assertThat(second.task(TenantId.of("acme")).wish()).isNull();
        }
        second.open();
        Deadline.until(
                "nothing is left to do",
                () -> store.findPlan(planId).orElseThrow().drive().phase() == DriveState.Phase.OVER);

        assertThat(second.plan(planId).status()).isEqualTo(PlanStatus.PAUSED);
        assertThat(second.task(TenantId.of("acme")).status()).isEqualTo(TaskStatus.PAUSED);
        second.resume(planId);
        assertThat(settled(second, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(done).containsExactly("A acme", "B acme");
    }

    @Test
    @Tag("R26")
    @Tag("R45")
    void aPlanIsCancelledBeforeItsStartAndAfterIt() throws Exception {
        Rollouts rollouts = rollouts(gated("A"), stage("B"));
        PlanId ready = rollouts.create(plan("x", Samples.change("acme"))).planId();
        rollouts.cancel(ready);
        assertThat(settled(rollouts, ready).status()).isEqualTo(PlanStatus.CANCELLED);
        assertThat(rollouts.tasks(ready)).extracting(TaskInfo::status).containsExactly(TaskStatus.CANCELLED);

        PlanId running = rollouts.start(plan("y", 1, Samples.change("acme"), Samples.change("zorg")))
                .planId();
        gate.awaitArrived(1);
        rollouts.cancel(running);
        gate.open();
        assertThat(settled(rollouts, running).status()).isEqualTo(PlanStatus.CANCELLED);
        assertThat(toldOfPlan(running)).endsWith(PlanStatus.PAUSED, PlanStatus.CANCELLED);
        assertThat(done).containsExactly("A acme");
    }

    @Test
    @Tag("R30")
    @Tag("R31")
    @Tag("R46")
    void aPlanIsTakenBackAsAWholeOneAfterTheOther() throws Exception {
        Rollouts rollouts = rollouts(stage("A"));
        PlanId planId = rollouts.start(plan("x", 1, Samples.change("acme"), Samples.change("zorg")))
                .planId();
        settled(rollouts, planId);

        assertThat(rollouts.rollback(planId).accepted()).hasSize(2);
        assertThat(rollouts.plan(planId).status()).isIn(PlanStatus.ROLLING_BACK, PlanStatus.ROLLED_BACK);

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(done).containsExactly("A acme", "A zorg", "undo A acme", "undo A zorg");
    }

    @Test
    @Tag("R46")
    void aPlansRollbackCancelsWhatWaits() throws Exception {
        Rollouts rollouts = rollouts(gated("A"), stage("B"));
        PlanId planId = rollouts.start(plan("x", 1, Samples.change("acme"), Samples.change("zorg")))
                .planId();
        gate.awaitArrived(1);

        rollouts.rollback(planId);
        gate.open();

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(rollouts.tasks(planId))
                .extracting(TaskInfo::status)
                .containsExactly(TaskStatus.ROLLED_BACK, TaskStatus.CANCELLED);
    }

    @Test
    @Tag("R31")
    @Tag("R33")
    @Tag("R46")
    @Tag("R77")
    void aPlansRollbackThatLeavesTenantsWithTheNewVersionFailsInPartAndNamesThem() throws Exception {
        Rollouts rollouts = rollouts(
                stage("A").step(ctx -> {
                    if (ctx.tenantId().equals(TenantId.of("slow"))) {
                        gate.pass();
                    }
                }),
                stage("B"));
        PlanId planId = rollouts.start(plan(
                        "x",
                        1,
                        Samples.changeWithoutSnapshot("new"),
                        Samples.change("acme"),
                        Samples.changeWithoutSnapshot("slow"),
                        Samples.changeWithoutSnapshot("zorg")))
                .planId();
        gate.awaitArrived(1);

        OperationResult result = rollouts.rollback(planId);
        gate.open();

        assertThat(result.success()).isFalse();
        assertThat(result.message())
                .isEqualTo("rollback accepted for 2 of 4 tasks; not rolled back are the tenants new, slow");
        assertThat(result.notRolledBack()).containsExactly(TenantId.of("new"), TenantId.of("slow"));
        assertThat(result.skipped().values())
                .extracting(FailureInfo::errorType)
                .containsExactly("NO_SNAPSHOT", "NO_SNAPSHOT");
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        assertThat(rollouts.tasks(planId))
                .extracting(TaskInfo::status)
                .containsExactly(
                        TaskStatus.COMPLETED, TaskStatus.ROLLED_BACK, TaskStatus.CANCELLED, TaskStatus.CANCELLED);
        assertThat(done).contains("A slow").doesNotContain("B slow", "A zorg");
        assertThat(rollouts.giveUp(planId).status()).isEqualTo(PlanStatus.FAILED);
    }

    @Test
    @Tag("R33")
    void aPlansRollbackOfWhatOnlyWaitedOrWasRolledBackIsComplete() throws Exception {
        Rollouts rollouts = rollouts(gated("A"), stage("B"));
        PlanId planId = rollouts.start(plan("x", 1, Samples.change("acme"), Samples.changeWithoutSnapshot("zorg")))
                .planId();
        gate.awaitArrived(1);

        OperationResult result = rollouts.rollback(planId);
        gate.open();

        assertThat(result.message()).isEqualTo("rollback accepted for 2 of 2 tasks");
        assertThat(result.notRolledBack()).isEmpty();
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.ROLLED_BACK);
    }

    @Test
    @Tag("R33")
    void aPlansRollbackFailsInPartIfATenantWasCancelledOnItsWay() throws Exception {
        Rollouts rollouts = rollouts(gated("A"), stage("B"));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"), Samples.change("zorg")))
                .planId();
        gate.awaitArrived(2);
        rollouts.cancel(TenantId.of("zorg"));
        gate.open();
        settled(rollouts, planId);

        assertThat(rollouts.rollback(planId).notRolledBack()).containsExactly(TenantId.of("zorg"));

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
    }

    @Test
    @Tag("R33")
    void aPlansRollbackEndsWhatIsPausedAndCantBeRolledBack() throws Exception {
        Rollouts rollouts = rollouts(gated("A"), stage("B"));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"), Samples.changeWithoutSnapshot("new")))
                .planId();
        gate.awaitArrived(2);
        rollouts.pause(planId);
        gate.open();
        awaitStatus(rollouts, planId, PlanStatus.PAUSED);

        assertThat(rollouts.rollback(planId).notRolledBack()).containsExactly(TenantId.of("new"));

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        assertThat(rollouts.task(TenantId.of("new")).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(rollouts.isRunning(TenantId.of("new"))).isFalse();
    }

    @Test
    @Tag("R33")
    @Tag("R39")
    void aPlansRollbackWithdrawsRetriesThatHaveNotBegun() throws Exception {
        failures.set(2);
        Rollouts rollouts = rollouts(failing("A").step(ctx -> {
            if (ctx.attempt() > 1) {
                gate.pass();
            }
        }));
        PlanId planId = rollouts.start(plan(
                        "x",
                        1,
                        Samples.changeWithoutSnapshot("new"),
                        Samples.changeWithoutSnapshot("late"),
                        Samples.change("acme")))
                .planId();
        settled(rollouts, planId);
        rollouts.retry(planId, true);
        gate.awaitArrived(1);

        assertThat(rollouts.rollback(planId).notRolledBack()).containsExactly(TenantId.of("new"), TenantId.of("late"));
        assertThat(rollouts.isRunning(TenantId.of("late"))).isFalse();
        gate.open();

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        assertThat(rollouts.task(TenantId.of("late")).status()).isEqualTo(TaskStatus.FAILED);
        assertThat(rollouts.task(TenantId.of("late")).retryCount()).isZero();
    }

    @Test
    @Tag("R29")
    @Tag("R47")
    void aRetryAfterARollbackInPartTakesThePlanForward() throws Exception {
        failures.set(1);
        Rollouts rollouts = rollouts(failing("A"));
        PlanId planId = rollouts.start(plan("x", 1, Samples.changeWithoutSnapshot("new"), Samples.change("acme")))
                .planId();
        settled(rollouts, planId);
        rollouts.rollback(planId);
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);

        rollouts.retry(TenantId.of("new"), true);

        awaitStatus(rollouts, TenantId.of("new"), TaskStatus.COMPLETED);
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        awaitTold(planId);
        assertThat(toldOfPlan(planId))
                .endsWith(
                        PlanStatus.PARTIAL_FAILED,
                        PlanStatus.ROLLING_BACK,
                        PlanStatus.PARTIAL_FAILED,
                        PlanStatus.RUNNING,
                        PlanStatus.PARTIAL_FAILED);
    }

    @Test
    @Tag("R59")
    @Tag("R130")
    void aPlanThatFailedInPartIsGivenUp() throws Exception {
        failures.set(1);
        Rollouts rollouts = rollouts(stage("A"), failing("B"));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        settled(rollouts, planId);
        TaskId taskId = onlyTask(rollouts, planId);
        assertThat(rollouts.checkpoint(taskId)).isPresent();

        assertThat(rollouts.giveUp(planId).status()).isEqualTo(PlanStatus.FAILED);

        assertThat(rollouts.checkpoint(taskId)).isEmpty();
        assertThatThrownBy(() -> rollouts.retry(taskId, true)).isInstanceOf(TaskOperationException.class);
        assertThatThrownBy(() -> rollouts.giveUp(planId)).isInstanceOf(TaskOperationException.class);
    }

    @Test
    @Tag("R49")
    void whatIsNotThereIsToldByItsOwnException() {
        Rollouts rollouts = rollouts(stage("A"));
        PlanId noPlan = PlanId.of("plan-none");
        TaskId noTask = Samples.taskId(noPlan);
        TenantId noTenant = TenantId.of("nobody");

        for (Target target : List.of(noTask, noTenant)) {
            assertThatThrownBy(() -> rollouts.pause(target)).isInstanceOf(TaskNotFoundException.class);
        }
        assertThatThrownBy(() -> rollouts.task(noTask)).isInstanceOf(TaskNotFoundException.class);
        assertThatThrownBy(() -> rollouts.task(noTenant)).isInstanceOf(TaskNotFoundException.class);
        assertThatThrownBy(() -> rollouts.checkpoint(noTask)).isInstanceOf(TaskNotFoundException.class);
        assertThatThrownBy(() -> rollouts.resume(noPlan)).isInstanceOf(PlanNotFoundException.class);
        assertThatThrownBy(() -> rollouts.start(noPlan)).isInstanceOf(PlanNotFoundException.class);
        assertThatThrownBy(() -> rollouts.plan(noPlan)).isInstanceOf(PlanNotFoundException.class);
        assertThatThrownBy(() -> rollouts.tasks(noPlan)).isInstanceOf(PlanNotFoundException.class);
        assertThatThrownBy(() -> rollouts.await(noPlan, Duration.ofSeconds(1)))
                .isInstanceOf(PlanNotFoundException.class);
    }

    @Test
    @Tag("R131")
    void withoutANameItIsTheSystem() throws Exception {
        Rollouts rollouts = rollouts(gated("A"), stage("B"));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        gate.awaitArrived(1);
        rollouts.cancel(planId);
        gate.open();
        settled(rollouts, planId);

        assertThat(events)
                .extracting(RolloutEvent::occurrence)
                .contains(new Occurrence.TaskCancelled("system", "A", null));
        assertThat(rollouts.by("ann").create(plan("y", Samples.change("b"))).createdBy())
                .isEqualTo("ann");
    }

    @Test
    @Tag("R114")
    @Tag("R136")
    void whatHasEndedIsRemovedAfterAWhile() throws Exception {
        failures.set(1);
        Rollouts rollouts = rollouts(failing("A"));
        PlanId failed = rollouts.start(plan("x", Samples.change("acme"))).planId();
        settled(rollouts, failed);
        PlanId completed = rollouts.start(plan("y", Samples.change("acme"))).planId();
        settled(rollouts, completed);

        assertThat(rollouts.purge(Duration.ofHours(1))).isZero();
        assertThat(rollouts.purge(Duration.ofSeconds(Long.MAX_VALUE))).isZero();
        Deadline.until("removed", () -> rollouts.purge(Duration.ZERO) == 1);

        assertThat(rollouts.plans()).extracting(PlanInfo::planId).containsExactly(failed);
        assertThat(rollouts.task(TenantId.of("acme")).planId()).isEqualTo(failed);
        assertThatThrownBy(() -> rollouts.plan(completed)).isInstanceOf(PlanNotFoundException.class);
    }
}
