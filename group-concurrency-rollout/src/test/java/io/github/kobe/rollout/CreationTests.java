package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.internal.rules.Samples;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CreationTests extends RolloutsTestCase {

    private final Stage stage = Stage.named("A");

    @Test
    @Tag("R2")
    @Tag("R25")
    @Tag("R112")
    @Tag("R129")
    void aPlanIsReadyOnceItsTasksAreFoundRight() {
        Rollouts rollouts = rollouts(stage, Stage.named("B"));

        PlanInfo plan = rollouts.create(plan("x", 3, Samples.change("acme").endpoints("http://h:1")));

        assertThat(plan.status()).isEqualTo(PlanStatus.READY);
        assertThat(plan.maxConcurrency()).isEqualTo(3);
        assertThat(plan.tasks()).isEqualTo(Map.of(TaskStatus.PENDING, 1));
        TaskInfo task = rollouts.tasks(plan.planId()).getFirst();
        assertThat(task.taskId().value()).matches("task-" + plan.planId() + "-[0-9]{13}-[0-9a-f]{16}");
        assertThat(task.unit()).isEqualTo(Samples.BLUE);
        assertThat(task.previous()).isEqualTo(Samples.GREEN);
        assertThat(rollouts.previous(task.taskId())).contains(new ConfigSnapshot(Samples.GREEN, "{\"version\":41}"));
        assertThat(task.totalStages()).isEqualTo(2);
        assertThat(task.stage()).isEqualTo("A");
        assertThat(task.maxRetry()).isEqualTo(3);
        assertThat(task.durationMillis()).isNull();
        assertThat(store.findById(task.taskId()).orElseThrow().stageNames()).containsExactly("A", "B");
        awaitTold(plan.planId());
        assertThat(told(task.taskId())).containsExactly("TaskCreated", "TaskValidated");
        assertThat(toldOfPlan(plan.planId()))
                .containsExactly(PlanStatus.CREATED, PlanStatus.VALIDATING, PlanStatus.READY);
    }

    @Test
    @Tag("R8")
    @Tag("R10")
    @Tag("R25")
    @Tag("R115")
    void allThatIsWrongOfAllTenantsIsToldAtOnceAndCanBeLookedAt() {
        Rollouts rollouts = rollouts(stage);

        assertThatThrownBy(() -> rollouts.create(plan(
                        "x",
                        Samples.change("acme"),
                        Samples.change("acme"),
                        Samples.change(" "),
                        Samples.change("a").endpoints("nowhere", "http://h"),
                        Samples.change("b").maxRetry(-1))))
                .isInstanceOfSatisfying(TaskCreationException.class, e -> {
                    assertThat(e.errors())
                            .hasSize(4)
                            .anySatisfy(error -> assertThat(error).contains("acme", "twice"))
                            .anySatisfy(error -> assertThat(error).contains("tenantId is ' '"))
                            .anySatisfy(error -> assertThat(error).contains("'nowhere'"))
                            .anySatisfy(error -> assertThat(error).contains("maxRetry is -1"));
                    assertThat(e).hasMessageContaining("plan-x");
                });

        PlanId planId = PlanId.of("plan-x");
        assertThat(rollouts.plan(planId).status()).isEqualTo(PlanStatus.FAILED);
        assertThat(rollouts.tasks(planId))
                .extracting(TaskInfo::status)
                .containsExactly(
                        TaskStatus.CANCELLED,
                        TaskStatus.VALIDATION_FAILED,
                        TaskStatus.VALIDATION_FAILED,
                        TaskStatus.VALIDATION_FAILED,
                        TaskStatus.VALIDATION_FAILED);
        assertThatThrownBy(() -> rollouts.start(planId)).isInstanceOf(TaskOperationException.class);
        awaitTold(planId);
        assertThat(events)
                .extracting(event -> event.occurrence().getClass().getSimpleName())
                .contains("TaskValidationFailed");
    }

    @Test
    @Tag("R8")
    void aPlanThatIsThereAlreadyOrHasNoNameIsRefusedAndLeavesNothing() {
        Rollouts rollouts = rollouts(stage);
        rollouts.create(plan("x", Samples.change("acme")));

        assertThatThrownBy(() -> rollouts.create(plan("x", Samples.change("zorg"))))
                .isInstanceOf(TaskCreationException.class)
                .hasMessageContaining("already");
        assertThatThrownBy(() -> rollouts.create(new RolloutPlan("", 0, List.of(Samples.change(" ")))))
                .isInstanceOfSatisfying(
                        TaskCreationException.class, e -> assertThat(e.errors()).hasSize(3));
        assertThat(rollouts.plans()).hasSize(1);
        assertThat(rollouts.plans().getFirst().status()).isEqualTo(PlanStatus.READY);
    }

    @Test
    @Tag("R8")
    @Tag("R124")
    void aPlanWhoseGroupTheExecutorWouldRefuseIsRefused() {
        try (GroupExecutor narrow = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().maxKeyLength(20).build());
                Rollouts rollouts = builder(narrow, store).stages(stage).buildClosed()) {
            rollouts.create(plan("1234567", Samples.change("acme")));

            assertThatThrownBy(() -> rollouts.create(plan("12345678", Samples.change("acme"))))
                    .isInstanceOf(TaskCreationException.class)
                    .hasMessageContaining("'rollout:plan-12345678' has 21 characters; allowed: at most 20");
            assertThat(rollouts.plans()).hasSize(1);
        }
    }

    @Test
    @Tag("R8")
    @Tag("R49")
    void aPlanIsNotStartedWhereTheExecutorWouldRefuseItsGroup() {
        RolloutPlan plan = plan("12345678", Samples.change("acme"));
        try (GroupExecutor narrow = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().maxKeyLength(20).build());
                Rollouts wide = builder(executor, store).stages(stage).buildClosed();
                Rollouts rollouts = builder(narrow, store).stages(stage).buildClosed()) {
            PlanId planId = wide.create(plan).planId();

            assertThatThrownBy(() -> rollouts.start(planId))
                    .isInstanceOf(TaskOperationException.class)
                    .hasMessageContaining("'rollout:plan-12345678' has 21 characters; allowed: at most 20");
            assertThatThrownBy(() -> rollouts.start(plan)).isInstanceOf(TaskCreationException.class);
            assertThat(rollouts.plan(planId).status()).isEqualTo(PlanStatus.READY);
        }
    }

    @Test
    @Tag("R7")
    void withoutStagesOrWithTwoOfOneNameATaskIsWrong() {
        assertThatThrownBy(() -> rollouts().create(plan("x", Samples.change("acme"))))
                .isInstanceOf(TaskCreationException.class)
                .hasMessageContaining("no stages");
        assertThatThrownBy(() -> rollouts(stage, stage).create(plan("y", Samples.change("acme"))))
                .isInstanceOf(TaskCreationException.class)
                .hasMessageContaining("same name");
    }

    @Test
    @Tag("R97")
    @Tag("R104")
    void stagesAreMadeForEachTaskOfItsOwnSettings() throws Exception {
        Rollouts rollouts = rollouts(builder -> builder.setting("stages", "2")
                .stages((task, change, settings, health) -> java.util.stream.IntStream.range(
                                0, settings.count("stages", 1))
                        .mapToObj(index -> Stage.named(change.tenant() + index))
                        .toList()));
        PlanId planId = rollouts.start(plan("x", Samples.change("a").setting("stages", "3"), Samples.change("b")))
                .planId();

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(rollouts.tasks(planId)).extracting(TaskInfo::totalStages).containsExactly(3, 2);
        assertThatThrownBy(() -> rollouts.create(plan("y", Samples.change("a").setting("stages", "many"))))
                .isInstanceOf(TaskCreationException.class)
                .hasMessageContaining("stages is 'many'");
    }
}
