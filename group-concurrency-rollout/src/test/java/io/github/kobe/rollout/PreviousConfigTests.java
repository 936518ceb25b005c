package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a tenant has before its first change, if nobody says it. */
@Tag("R153")
class PreviousConfigTests extends RolloutsTestCase {

    private static final ConfigSnapshot FOUND = new ConfigSnapshot(Samples.GREEN, "found");

    private final List<String> done = new CopyOnWriteArrayList<>();
    private volatile PreviousConfig present = (context, health) -> {
        done.add("look at " + context.tenantId() + ", " + context.previous().isPresent());
        return Optional.of(FOUND);
    };

    private Rollouts looking(UnaryOperator<RolloutsBuilder> setup) {
        return rollouts(builder -> setup.apply(builder.previous((context, health) -> present.find(context, health))));
    }

    private Rollouts looking() {
        return looking(builder -> builder.stages(stage("A"), stage("B").confirmsHealth()));
    }

    private Stage stage(String name) {
        return Stage.named(name)
                .step(ctx -> done.add(name + " after "
                        + ctx.previous().map(ConfigSnapshot::config).orElse("nothing")))
                .rollback(ctx -> done.add("back to " + ctx.config()));
    }

    private TaskInfo ran(Rollouts rollouts, String plan, TenantChange change) throws InterruptedException {
        settled(rollouts, rollouts.start(plan(plan, change)).planId());
        return rollouts.task(TenantId.of(change.tenant()));
    }

    @Test
    @Tag("R128")
    void whatIsFoundIsWhatARollbackRestores() throws Exception {
        Rollouts rollouts = looking();

        TaskInfo task = ran(rollouts, "x", Samples.changeWithoutSnapshot("acme"));
        assertThat(task.status()).isEqualTo(TaskStatus.COMPLETED);
        rollouts.rollback(task.taskId());
        awaitStatus(rollouts, task.taskId(), TaskStatus.ROLLED_BACK);

        assertThat(done)
                .containsExactly(
                        "look at acme, false", "A after found", "B after found", "back to found", "back to found");
        assertThat(rollouts.task(task.taskId()).lastKnownGood()).isEqualTo(Samples.GREEN.version());
    }

    @Test
    @Tag("R128")
    void whatIsSaidOrKnownIsNotLookedFor() throws Exception {
        Rollouts rollouts = looking();
        ran(rollouts, "said", Samples.change("acme"));
        ran(rollouts, "known", Samples.changeWithoutSnapshot("acme"));

        assertThat(done).hasSize(4).noneMatch(what -> what.startsWith("look"));
    }

    @Test
    void whereNothingIsFoundNothingCanBeRestored() throws Exception {
        present = (context, health) -> Optional.empty();
        Rollouts rollouts = looking();
        TaskInfo task = ran(rollouts, "x", Samples.changeWithoutSnapshot("acme"));

        assertThat(task.status()).isEqualTo(TaskStatus.COMPLETED);
        assertThatExceptionOfType(TaskOperationException.class)
                .isThrownBy(() -> rollouts.rollback(task.taskId()))
                .withMessageContaining("its previous configuration is unknown");
    }

    @Test
    void aLookThatFailsFailsTheTaskBeforeAnythingHasChangedAndARetryLooksAgain() throws Exception {
        AtomicInteger failures = new AtomicInteger(2);
        PreviousConfig well = present;
        present = (context, health) -> {
            if (failures.getAndDecrement() > 0) {
                throw new IllegalStateException("not now");
            }
            return well.find(context, health);
        };
        Rollouts rollouts = looking();
        TaskInfo task = ran(rollouts, "x", Samples.changeWithoutSnapshot("acme"));

        assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(task.failure())
                .isEqualTo(new FailureInfo("NO_PREVIOUS", "what the tenant has could not be found out: not now"));
        for (TaskStatus end : List.of(TaskStatus.FAILED, TaskStatus.COMPLETED)) {
            assertThat(done).isEmpty();
            rollouts.retry(task.planId(), true);
            settled(rollouts, task.planId());
            assertThat(rollouts.task(task.taskId()).status()).isEqualTo(end);
        }
        assertThat(done).containsExactly("look at acme, false", "A after found", "B after found");
        awaitTold(task.planId());
        assertThat(told(task.taskId())).doesNotContain("StageFailed");
    }

    @Test
    @Tag("R33")
    @Tag("R46")
    void whatCouldNotBeLookedAtKeepsNothingNewWhenItsPlanIsRolledBack() throws Exception {
        PreviousConfig well = present;
        present = (context, health) -> {
            if (context.tenantId().value().equals("zorg")) {
                throw new IllegalStateException("not now");
            }
            return well.find(context, health);
        };
        Rollouts rollouts = looking();
        PlanId planId = rollouts.start(
                        plan("x", Samples.changeWithoutSnapshot("acme"), Samples.changeWithoutSnapshot("zorg")))
                .planId();
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);

        OperationResult result = rollouts.rollback(planId);

        assertThat(result.notRolledBack()).isEmpty();
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(rollouts.task(TenantId.of("zorg")).status()).isEqualTo(TaskStatus.FAILED);
    }

    @Test
    @Tag("R33")
    void whatBeganAfterALookThatFailedCountsWhenItsPlanIsRolledBack() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        present = (context, health) -> {
            if (context.tenantId().value().equals("zorg") && looks.getAndIncrement() == 0) {
                throw new IllegalStateException("not now");
            }
            return context.tenantId().value().equals("zorg") ? Optional.empty() : Optional.of(FOUND);
        };
        Rollouts rollouts = looking();
        PlanId planId = rollouts.start(
                        plan("x", Samples.changeWithoutSnapshot("acme"), Samples.changeWithoutSnapshot("zorg")))
                .planId();
        settled(rollouts, planId);
        rollouts.retry(planId, true);
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);

        assertThat(rollouts.rollback(planId).notRolledBack()).containsExactly(TenantId.of("zorg"));
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
    }

    @Test
    @Tag("R6")
    void aLookThatFailsBeginsNoStage() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        present = (context, health) -> {
            if (looks.getAndIncrement() == 0) {
                throw new IllegalStateException("not now");
            }
            return Optional.of(FOUND);
        };
        Rollouts rollouts = looking(builder -> builder.stages(stage("A").skipIf(ctx -> true)));
        TaskInfo task = ran(rollouts, "x", Samples.changeWithoutSnapshot("acme"));
        awaitTold(task.planId());
        assertThat(told(task.taskId())).doesNotContain("StageStarted");

        rollouts.retry(task.planId(), true);
        settled(rollouts, task.planId());
        awaitTold(task.planId());
        assertThat(told(task.taskId())).containsOnlyOnce("StageStarted").contains("StageSkipped");
    }

    /** The retry begins and ends in one transaction: the tenant was never let go, and no later plan could change it. */
    @Test
    void aRetryWhoseLookFailsAgainLetsItsTenantGo() throws Exception {
        PreviousConfig well = present;
        present = (context, health) -> {
            throw new IllegalStateException("not now");
        };
        Rollouts rollouts = looking();
        TaskInfo task = ran(rollouts, "x", Samples.changeWithoutSnapshot("acme"));
        rollouts.retry(task.planId(), true);
        settled(rollouts, task.planId());
        assertThat(rollouts.task(task.taskId()).status()).isEqualTo(TaskStatus.FAILED);
        assertThat(rollouts.isRunning(TenantId.of("acme"))).isFalse();

        present = well;
        assertThat(ran(rollouts, "y", Samples.changeWithoutSnapshot("acme")).status())
                .isEqualTo(TaskStatus.COMPLETED);
    }

    @Test
    void afterACrashItIsNotLookedForOnceAStageMayHaveChangedIt() throws Exception {
        Gate never = new Gate();
        Stage held = Stage.named("A").step(ctx -> {
            done.add("A after " + ctx.previous().orElseThrow().config());
            never.pass();
        });
        Rollouts stopped = looking(builder -> builder.stages(held).shutdownGrace(Duration.ZERO));
        PlanId planId =
                stopped.start(plan("x", Samples.changeWithoutSnapshot("acme"))).planId();
        never.awaitArrived(1);
        stopped.close();
        never.open();

        Rollouts next = looking(builder -> builder.stages(held));
        assertThat(settled(next, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(done).containsExactly("look at acme, false", "A after found", "A after found");
    }

    @Test
    void aLookThatIsInterruptedIsMadeAgain() throws Exception {
        Gate never = new Gate();
        PreviousConfig well = present;
        present = (context, health) -> {
            never.pass();
            return Optional.empty();
        };
        UnaryOperator<RolloutsBuilder> setup =
                builder -> builder.stages(stage("A")).shutdownGrace(Duration.ZERO);
        Rollouts stopped = looking(setup);
        PlanId planId =
                stopped.start(plan("x", Samples.changeWithoutSnapshot("acme"))).planId();
        never.awaitArrived(1);
        assertThat(stopped.tasks(planId).getFirst().status()).isEqualTo(TaskStatus.PENDING);
        stopped.close();

        present = well;
        Rollouts next = looking(setup);
        assertThat(settled(next, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(done).containsExactly("look at acme, false", "A after found");
    }

    @Test
    void whatIsCancelledDuringTheLookChangesNothing() throws Exception {
        Gate gate = new Gate();
        present = (context, health) -> {
            gate.pass();
            return Optional.of(FOUND);
        };
        Rollouts rollouts = looking();
        PlanId planId =
                rollouts.start(plan("x", Samples.changeWithoutSnapshot("acme"))).planId();
        gate.awaitArrived(1);
        rollouts.cancel(planId);
        Deadline.until("cancelled", () -> rollouts.tasks(planId).getFirst().status() == TaskStatus.CANCELLED);
        gate.open();

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.CANCELLED);
        assertThat(done).isEmpty();
    }

    /** Either the thread that looks sees to the cancel, or the drive does: whoever comes first. */
    @Test
    void whoIsCancelledNowByItsOwnLookWhichFailsThenIsCancelled() throws Exception {
        AtomicReference<Rollouts> opened = new AtomicReference<>();
        present = (context, health) -> {
            Rollouts rollouts = opened.get();
            rollouts.cancelNow(rollouts.task(context.tenantId()).taskId());
            throw new IllegalStateException("not now");
        };
        opened.set(looking());
        TenantChange[] changes = IntStream.range(0, 50)
                .mapToObj(index -> Samples.changeWithoutSnapshot("t" + index))
                .toArray(TenantChange[]::new);

        PlanInfo plan =
                settled(opened.get(), opened.get().start(plan("x", changes)).planId());

        assertThat(plan.tasks()).isEqualTo(Map.of(TaskStatus.CANCELLED, changes.length));
        assertThat(done).isEmpty();
    }
}
