package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CancelNowTests extends RolloutsTestCase {

    private static final TenantId ACME = TenantId.of("acme");

    private final List<String> done = new CopyOnWriteArrayList<>();
    private final Gate never = new Gate();

    private Stage stage(String name) {
        return Stage.named(name)
                .step(ctx -> done.add(name))
                .rollback(ctx -> done.add("undo " + name + " " + ctx.tenantId()));
    }

    private Stage hanging(String name) {
        return stage(name).step(ctx -> never.pass());
    }

    private PlanId start(Rollouts rollouts) {
        return rollouts.start(plan("x", Samples.change("acme"))).planId();
    }

    @Test
    @Tag("R50")
    @Tag("R141")
    void aStageThatRunsIsInterruptedAndItsTaskCancelled() throws Exception {
        Rollouts rollouts = rollouts(stage("A"), hanging("B").timeout(Duration.ofHours(1)), stage("C"));
        PlanId planId = start(rollouts);
        never.awaitArrived(1);

        OperationResult result = rollouts.by("ann").cancelNow(ACME);

        assertThat(result.message()).isEqualTo("cancel now accepted for 1 of 1 tasks");
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.CANCELLED);
        TaskInfo task = rollouts.task(ACME);
        assertThat(task.status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(task.failure()).isNull();
        assertThat(task.completedStages()).isOne();
        assertThat(done).containsExactly("A", "B");
        assertThat(rollouts.isRunning(ACME)).isFalse();
        awaitTold(planId);
        assertThat(events)
                .extracting(RolloutEvent::occurrence)
                .contains(new Occurrence.TaskCancelled("ann", "A", null));
        assertThat(told(task.taskId())).doesNotContain("StageFailed", "TaskFailed");
        assertThat(store.findPlan(planId).orElseThrow().abandoned()).isOne();
    }

    @Test
    @Tag("R123")
    @Tag("R141")
    void anyNodeMayAskForItAndAPlanIsCancelledWithAllThatWaits() throws Exception {
        Stage interrupted = Stage.named("A").step(ctx -> {
            try {
                never.pass();
            } catch (InterruptedException e) {
                done.add("interrupted");
                throw e;
            }
        });
        Rollouts driver = rollouts(interrupted);
        PlanId planId = driver.start(
                        plan("x", 2, Samples.change("acme"), Samples.change("zorg"), Samples.change("hooli")))
                .planId();
        never.awaitArrived(2);
        Rollouts other = builder(executor, store).stages(interrupted).buildClosed();

        assertThat(other.cancelNow(planId).success()).isTrue();

        assertThat(settled(driver, planId).tasks()).containsOnlyKeys(TaskStatus.CANCELLED);
        assertThat(driver.plan(planId).status()).isEqualTo(PlanStatus.CANCELLED);
        assertThat(done).containsExactly("interrupted", "interrupted");
    }

    @Test
    @Tag("R141")
    void aConditionIsInterruptedToo() throws Exception {
        Rollouts rollouts = rollouts(stage("A").skipIf(ctx -> {
            try {
                never.pass();
                return true;
            } catch (InterruptedException e) {
                done.add("interrupted");
                throw new IllegalStateException(e);
            }
        }));
        PlanId planId = start(rollouts);
        never.awaitArrived(1);

        rollouts.cancelNow(ACME);

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.CANCELLED);
        assertThat(done).containsExactly("interrupted");
    }

    @Test
    @Tag("R141")
    void whoMissesAnInterruptIsInterruptedAgain() throws Exception {
        Stage deaf = Stage.named("A").step(ctx -> {
            try {
                never.pass();
            } catch (InterruptedException e) {
                done.add("missed");
            }
            never.pass();
        });
        Rollouts rollouts = rollouts(deaf, stage("B"));
        PlanId planId = start(rollouts);
        never.awaitArrived(1);

        rollouts.cancelNow(ACME);

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.CANCELLED);
        assertThat(done).containsExactly("missed");
    }

    @Test
    @Tag("R51")
    @Tag("R141")
    void aStepThatEndsAllTheSameIsTheLastAndWhoIsDoneIsCompleted() throws Exception {
        Stage calm = Stage.named("A").step(ctx -> {
            try {
                never.pass();
            } catch (InterruptedException e) {
                done.add("calm");
            }
        });
        Rollouts rollouts = rollouts(calm);
        PlanId planId = start(rollouts);
        never.awaitArrived(1);
        rollouts.cancelNow(ACME);
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);

        Rollouts more = rollouts(calm.step(ctx -> done.add("never")));
        PlanId second = more.start(plan("y", Samples.change("acme"))).planId();
        never.awaitArrived(2);
        more.cancelNow(ACME);
        assertThat(settled(more, second).status()).isEqualTo(PlanStatus.CANCELLED);
        assertThat(done).containsExactly("calm", "calm");
    }

    @Test
    @Tag("R141")
    void aWaitForTheNextTryEndsToo() throws Exception {
        Rollouts rollouts = rollouts(Stage.named("A")
                .step(ctx -> {
                    done.add("A");
                    throw new IllegalStateException("busy");
                })
                .retry(3, Duration.ofMinutes(5)));
        PlanId planId = start(rollouts);
        Deadline.until("it has failed", () -> !done.isEmpty());

        rollouts.cancelNow(planId);

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.CANCELLED);
        assertThat(done).containsExactly("A");
    }

    @Test
    @Tag("R46")
    @Tag("R141")
    void whatIsToBeCancelledNowIsNotRolledBackWithItsPlan() throws Exception {
        Gate stubborn = new Gate();
        Rollouts rollouts = rollouts(Stage.named("A").step(ctx -> stubborn.passStubbornly()), stage("B"));
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"), Samples.change("zorg")))
                .planId();
        stubborn.awaitArrived(2);
        rollouts.cancelNow(ACME);

        OperationResult result = rollouts.rollback(planId);

        assertThat(result.notRolledBack()).containsExactly(ACME);
        assertThat(result.accepted())
                .containsExactly(rollouts.task(TenantId.of("zorg")).taskId());
        assertThat(result.failure().message()).contains("it is to be cancelled now");
        stubborn.open();
        assertThat(settled(rollouts, planId).tasks())
                .isEqualTo(Map.of(TaskStatus.CANCELLED, 1, TaskStatus.ROLLED_BACK, 1));
        assertThat(rollouts.plan(planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
    }

    @Test
    @Tag("R123")
    @Tag("R141")
    void itWinsOverARollbackThatHasNotBegunAndIsRefusedAfterThat() throws Exception {
        Rollouts rollouts = rollouts(hanging("A"));
        PlanId planId = start(rollouts);
        never.awaitArrived(1);
        rollouts.rollback(ACME);
        rollouts.cancelNow(ACME);
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.CANCELLED);
        assertThat(done).containsExactly("A");

        Gate undoing = new Gate();
        Rollouts back = rollouts(Stage.named("A").rollback(ctx -> undoing.pass()));
        PlanId second = back.start(plan("y", Samples.change("acme"))).planId();
        settled(back, second);
        back.rollback(second);
        undoing.awaitArrived(1);
        assertThatThrownBy(() -> back.cancelNow(ACME))
                .isInstanceOf(TaskOperationException.class)
                .hasMessageContaining("ROLLING_BACK");
        undoing.open();
        assertThat(settled(back, second).status()).isEqualTo(PlanStatus.ROLLED_BACK);
    }
}
