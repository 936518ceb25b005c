package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What can be changed in a plan while it runs. */
class RunningPlansTests extends RolloutsTestCase {

    private static final PlanId PLAN = PlanId.of("plan-x");

    private final List<String> done = new CopyOnWriteArrayList<>();
    private final Set<String> broken = ConcurrentHashMap.newKeySet();
    private final Set<String> held = ConcurrentHashMap.newKeySet();
    private final Gate gate = new Gate();

    private final Stage stage = Stage.named("A")
            .step(ctx -> {
                done.add(ctx.tenantId().value());
                if (held.contains(ctx.tenantId().value())) {
                    gate.pass();
                }
                if (broken.contains(ctx.tenantId().value())) {
                    throw new IllegalStateException("broken");
                }
            })
            .rollback(ctx -> done.add("undo " + ctx.tenantId()));

    private static RolloutPlan.Builder plan(String tenants) {
        RolloutPlan.Builder plan = RolloutPlan.named(PLAN.value());
        Arrays.stream(tenants.split(" ")).map(Samples::change).forEach(plan::add);
        return plan;
    }

    private static TaskStatus statusOf(Rollouts rollouts, String tenant) {
        return rollouts.task(TenantId.of(tenant)).status();
    }

    @Test
    void whatIsWantedOfTasksIsReadWhenMoreIsAndNotInEachLook() throws Exception {
        HaltingStore counting = new HaltingStore(store);
        Stage undone = stage.rollback(ctx -> gate.pass());
        Rollouts rollouts = rollouts(builder -> builder.store(counting).stages(undone));
        rollouts.start(plan("a b c d e").maxConcurrency(1).build());
        settled(rollouts, PLAN);

        rollouts.rollback(PLAN);
        gate.awaitArrived(1);
        int wishesRead = counting.wishesRead();
        for (int look = 0; look < 10; look++) {
            int plansRead = counting.plansRead();
            rollouts.changeConcurrency(PLAN, 1);
            Deadline.until("it looks", () -> counting.plansRead() > plansRead);
        }
        assertThat(counting.wishesRead()).isEqualTo(wishesRead);

        gate.open();
        assertThat(settled(rollouts, PLAN).tasks()).isEqualTo(Map.of(TaskStatus.ROLLED_BACK, 5));
    }

    @Test
    @Tag("R144")
    void aTaskBeginsOnceItsTenantIsFreeThoughAnotherWasAddedWhenNothingRan() throws Exception {
        Gate holding = new Gate();
        Gate last = new Gate();
        Stage waiting = Stage.named("A").step(ctx -> {
            done.add(ctx.tenantId().value());
            switch (ctx.tenantId().value()) {
                case "a" -> gate.pass();
                case "b" -> last.pass();
                default -> {
                    if (!ctx.planId().equals(PLAN)) {
                        holding.pass();
                    }
                }
            }
        });
        HaltingStore slow = new HaltingStore(store);
        Rollouts rollouts =
                rollouts(builder -> builder.store(slow).stages(waiting).conflict(ConflictPolicy.QUEUE));
        Rollouts other = builder(executor, store)
                .stages(waiting)
                .conflict(ConflictPolicy.QUEUE)
                .buildClosed();
        rollouts.start(RolloutPlan.named("plan-y").add(Samples.change("h")).build());
        holding.awaitArrived(1);
        rollouts.start(plan("a h").build());
        gate.awaitArrived(1);
        awaitTold(PlanId.of("plan-y"));
        awaitTold(PLAN);
        slow.afterRead(() -> other.add(PLAN, List.of(Samples.change("b"))));
        gate.open();
        last.awaitArrived(1);

        holding.open();
        Deadline.until("the tenant is changed once more", () -> done.indexOf("h") < done.lastIndexOf("h"));

        last.open();
        assertThat(settled(rollouts, PLAN).tasks()).isEqualTo(Map.of(TaskStatus.COMPLETED, 3));
    }

    @Test
    @Tag("R34")
    @Tag("R144")
    void moreTasksRunAtOnceAsSoonAsSomebodySaysSoAndFewerAfterThose() throws Exception {
        held.addAll(Set.of("a", "b", "c"));
        Rollouts rollouts = rollouts(stage);
        rollouts.start(plan("a b c d e").maxConcurrency(1).build());
        gate.awaitArrived(1);

        assertThat(rollouts.by("ann").changeConcurrency(PLAN, 3).maxConcurrency())
                .isEqualTo(3);
        gate.awaitArrived(3);
        assertThat(rollouts.plan(PLAN).tasks()).isEqualTo(Map.of(TaskStatus.RUNNING, 3, TaskStatus.PENDING, 2));
        rollouts.changeConcurrency(PLAN, 1);
        Deadline.until(
                "the driver knows",
                () -> executor.groupStats("rollout:" + PLAN)
                                .orElseThrow()
                                .maxConcurrency()
                                .value()
                        == 1);
        gate.open();

        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(done).endsWith("d", "e");
        assertThat(events)
                .extracting(RolloutEvent::occurrence)
                .contains(new Occurrence.ConcurrencyChanged(3, "ann"), new Occurrence.ConcurrencyChanged(1, "system"));
    }

    @Test
    @Tag("R49")
    @Tag("R144")
    void aLimitIsAtLeastOneAndAPlanThatHasEndedHasNone() throws Exception {
        Rollouts rollouts = rollouts(stage);
        rollouts.create(plan("a").build());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> rollouts.changeConcurrency(PLAN, 0))
                .withMessage("maxConcurrency is 0; it must be at least 1");
        rollouts.cancel(PLAN);
        assertThatThrownBy(() -> rollouts.changeConcurrency(PLAN, 2))
                .isInstanceOf(TaskOperationException.class)
                .hasMessageContaining("CANCELLED");
        assertThatThrownBy(() -> rollouts.changeConcurrency(PlanId.of("plan-none"), 2))
                .isInstanceOf(PlanNotFoundException.class);
    }

    @Test
    @Tag("R47")
    @Tag("R144")
    void whatHasFailedIsRetriedOrRolledBackWhileTheOthersRun() throws Exception {
        held.add("c");
        broken.addAll(Set.of("a", "b"));
        Rollouts rollouts = rollouts(stage);
        rollouts.start(plan("a b c").build());
        Deadline.until(
                "two have failed",
                () -> statusOf(rollouts, "a") == TaskStatus.FAILED && statusOf(rollouts, "b") == TaskStatus.FAILED);
        gate.awaitArrived(1);
        broken.remove("a");

        OperationResult retried = rollouts.retry(PLAN, true);
        awaitStatus(rollouts, TenantId.of("a"), TaskStatus.COMPLETED);
        Deadline.until(
                "b has failed again",
                () -> rollouts.task(TenantId.of("b")).retryCount() == 1
                        && statusOf(rollouts, "b") == TaskStatus.FAILED);
        OperationResult back = rollouts.rollbackFailed(PLAN);
        awaitStatus(rollouts, TenantId.of("b"), TaskStatus.ROLLED_BACK);

        assertThat(retried.accepted()).hasSize(2);
        assertThat(back.accepted()).hasSize(1);
        assertThat(back.skipped()).isEmpty();
        assertThat(rollouts.plan(PLAN).status()).isEqualTo(PlanStatus.RUNNING);
        assertThatThrownBy(() -> rollouts.rollbackFailed(PLAN)).hasMessageContaining("none has failed");
        gate.open();
        assertThat(settled(rollouts, PLAN).tasks())
                .isEqualTo(Map.of(TaskStatus.COMPLETED, 2, TaskStatus.ROLLED_BACK, 1));
    }

    @Test
    @Tag("R144")
    void tasksThatAreAddedRunInTheLastWaveAndHaveTheirTenantsAtOnce() throws Exception {
        held.add("b");
        Rollouts rollouts = rollouts(stage);
        rollouts.start(plan("a b").waves(1).maxConcurrency(2).build());
        gate.awaitArrived(1);

        PlanInfo plan = rollouts.by("ann").add(PLAN, List.of(Samples.change("c"), Samples.change("d")));

        assertThat(plan.tasks().values().stream().mapToInt(Integer::intValue).sum())
                .isEqualTo(4);
        awaitStatus(rollouts, TenantId.of("c"), TaskStatus.COMPLETED);
        awaitStatus(rollouts, TenantId.of("d"), TaskStatus.COMPLETED);
        assertThat(gate.isOpen()).isFalse();
        gate.open();
        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(done).containsExactly("a", "b", "c", "d");
        assertThat(rollouts.tasks(PLAN))
                .extracting(task -> task.tenantId().value())
                .containsExactly("a", "b", "c", "d");
        assertThat(events).extracting(RolloutEvent::occurrence).contains(new Occurrence.TasksAdded(2, "ann"));
        assertThatThrownBy(() -> rollouts.add(PLAN, List.of(Samples.change("e"))))
                .isInstanceOf(TaskOperationException.class)
                .hasMessageContaining("COMPLETED");
    }

    @Test
    @Tag("R115")
    @Tag("R144")
    void allThatIsWrongWithWhatIsAddedIsSaidAtOnceAndNothingIsAdded() throws Exception {
        held.add("a");
        Rollouts rollouts = rollouts(stage);
        rollouts.start(plan("a b").maxConcurrency(1).build());
        gate.awaitArrived(1);

        assertThatThrownBy(() -> rollouts.add(
                        PLAN,
                        List.of(
                                Samples.change("b"),
                                Samples.change("c").endpoints("nowhere"),
                                Samples.change("d").maxRetry(-1),
                                Samples.change("d"))))
                .isInstanceOfSatisfying(
                        TaskCreationException.class,
                        e -> assertThat(e.errors())
                                .hasSize(4)
                                .anyMatch(error -> error.contains("'b': it is in the plan already"))
                                .anyMatch(error -> error.contains("nowhere"))
                                .anyMatch(error -> error.contains("maxRetry is -1"))
                                .anyMatch(error -> error.contains("'d': it is in the plan twice")));
        assertThatIllegalArgumentException().isThrownBy(() -> rollouts.add(PLAN, List.of()));

        assertThat(rollouts.tasks(PLAN)).hasSize(2);
        gate.open();
        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    @Test
    @Tag("R144")
    void whatIsAddedToAPlanThatHasNotStartedStartsWithIt() throws Exception {
        Rollouts rollouts = rollouts(stage);
        rollouts.create(plan("a").build());
        rollouts.add(PLAN, List.of(Samples.change("b")));
        assertThat(rollouts.isRunning(TenantId.of("b"))).isFalse();

        rollouts.start(PLAN);

        assertThat(settled(rollouts, PLAN).tasks()).isEqualTo(Map.of(TaskStatus.COMPLETED, 2));
    }

    @Test
    @Tag("R144")
    void whatHasFailedAndCannotBeRolledBackKeepsItsRetry() throws Exception {
        Gate gate = new Gate();
        AtomicInteger failures = new AtomicInteger(3);
        Rollouts rollouts = rollouts(Stage.named("A").step(ctx -> {
            if (failures.getAndDecrement() > 0) {
                throw new IllegalStateException("broken");
            }
            gate.pass();
        }));
        PlanId planId = rollouts.start(plan(
                        "x",
                        1,
                        Samples.change("first"),
                        Samples.changeWithoutSnapshot("second"),
                        Samples.change("third")))
                .planId();
        settled(rollouts, planId);
        rollouts.retry(TenantId.of("first"), true);
        gate.awaitArrived(1);
        rollouts.retry(TenantId.of("second"), true);

        assertThat(rollouts.rollbackFailed(planId).accepted()).hasSize(1);

        gate.open();
        settled(rollouts, planId);
        assertThat(rollouts.task(TenantId.of("second")).status()).isEqualTo(TaskStatus.COMPLETED);
        assertThat(rollouts.task(TenantId.of("third")).status()).isEqualTo(TaskStatus.ROLLED_BACK);
    }
}
