package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TooManyFailuresTests extends RolloutsTestCase {

    private static final PlanId PLAN = PlanId.of("plan-x");

    private final Set<String> broken = ConcurrentHashMap.newKeySet();
    private final Set<String> held = ConcurrentHashMap.newKeySet();
    private final List<String> undone = new CopyOnWriteArrayList<>();
    private final Gate gate = new Gate();

    private final Stage stage = Stage.named("A")
            .step(ctx -> {
                if (held.contains(ctx.tenantId().value())) {
                    gate.pass();
                }
                if (broken.contains(ctx.tenantId().value())) {
                    gate.awaitArrived(held.size());
                    throw new IllegalStateException("broken");
                }
            })
            .rollback(ctx -> undone.add(ctx.tenantId().value()));

    private static RolloutPlan plan(String tenants, UnaryOperator<RolloutPlan.Builder> setup) {
        RolloutPlan.Builder plan = RolloutPlan.named(PLAN.value());
        Arrays.stream(tenants.split(" ")).map(Samples::change).forEach(plan::add);
        return setup.apply(plan).build();
    }

    private List<Occurrence> tooMany() {
        awaitTold(PLAN);
        return events.stream()
                .filter(event -> event.occurrence() instanceof Occurrence.TooManyFailures)
                .distinct()
                .map(RolloutEvent::occurrence)
                .toList();
    }

    @Test
    @Tag("R142")
    void aPercentageIsOfTheCurrentWaveAndRoundedDown() throws Exception {
        broken.addAll(List.of("a", "b", "c"));
        Rollouts rollouts = rollouts(stage);
        rollouts.start(
                plan("a b c d e f", plan -> plan.waves(1, 4).maxConcurrency(1).maxFailures(WaveSize.percent(25))));
        awaitStatus(rollouts, PLAN, PlanStatus.PAUSED);
        assertThat(rollouts.plan(PLAN).maxFailures()).isZero();
        assertThat(tooMany()).containsExactly(new Occurrence.TooManyFailures(1, 0, FailureReaction.PAUSE));

        rollouts.resume(PLAN);
        Deadline.until("it is paused in wave 2", () -> rollouts.plan(PLAN).wave() == 2 && isPaused(rollouts));
        assertThat(rollouts.plan(PLAN).maxFailures()).isOne();
        assertThat(rollouts.plan(PLAN).tasks()).isEqualTo(Map.of(TaskStatus.FAILED, 3, TaskStatus.PENDING, 3));
        assertThat(tooMany())
                .containsExactly(
                        new Occurrence.TooManyFailures(1, 0, FailureReaction.PAUSE),
                        new Occurrence.TooManyFailures(2, 1, FailureReaction.PAUSE));

        rollouts.resume(PLAN);
        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
    }

    @Test
    @Tag("R142")
    void eachWaveHasALimitOfItsOwn() {
        broken.addAll(List.of("b", "c"));
        Rollouts rollouts = rollouts(stage);
        rollouts.start(
                plan("a b c d e f", plan -> plan.waves(1, 4).maxConcurrency(1).maxFailures(WaveSize.percent(25))));

        awaitStatus(rollouts, PLAN, PlanStatus.PAUSED);

        assertThat(rollouts.plan(PLAN).tasks())
                .as("one of four may fail, though none of the wave before might have")
                .isEqualTo(Map.of(TaskStatus.COMPLETED, 1, TaskStatus.FAILED, 2, TaskStatus.PENDING, 3));
    }

    private static boolean isPaused(Rollouts rollouts) {
        return rollouts.plan(PLAN).status() == PlanStatus.PAUSED;
    }

    @Test
    @Tag("R142")
    void aPlanIsRolledBackByItselfWithWhatRunsAndWhatIsDone() throws Exception {
        broken.add("b");
        held.add("c");
        Rollouts rollouts = rollouts(stage);
        rollouts.start(plan(
                "a b c d", plan -> plan.maxConcurrency(2).maxFailures(0).onTooManyFailures(FailureReaction.ROLLBACK)));
        Deadline.until("it is rolled back", () -> rollouts.plan(PLAN).status() == PlanStatus.ROLLING_BACK);
        assertThat(rollouts.task(TenantId.of("c")).wish()).isEqualTo(Wish.of(Wish.Kind.ROLLBACK, "system"));
        gate.open();

        PlanInfo plan = settled(rollouts, PLAN);

        assertThat(plan.status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(plan.tasks()).isEqualTo(Map.of(TaskStatus.ROLLED_BACK, 3, TaskStatus.CANCELLED, 1));
        assertThat(undone).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(tooMany()).containsExactly(new Occurrence.TooManyFailures(1, 0, FailureReaction.ROLLBACK));
        assertThat(toldOfPlan(PLAN)).endsWith(PlanStatus.ROLLING_BACK, PlanStatus.ROLLED_BACK);
    }

    @Test
    @Tag("R132")
    @Tag("R142")
    void theTaskThatHasFailedKeepsItsTenantForItsRollback() throws Exception {
        broken.add("a");
        Gate undoing = new Gate();
        Rollouts rollouts = rollouts(stage.rollback(ctx -> undoing.pass()));
        rollouts.start(plan("a", plan -> plan.maxFailures(0).onTooManyFailures(FailureReaction.ROLLBACK)));
        undoing.awaitArrived(1);
        assertThat(rollouts.getRunningTaskId(TenantId.of("a"))).contains(onlyTask(rollouts, PLAN));
        PlanId other = rollouts.start(plan("y", Samples.change("a"))).planId();
        assertThat(settled(rollouts, other).status()).as("its tenant is taken").isEqualTo(PlanStatus.CANCELLED);
        undoing.open();

        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(rollouts.isRunning(TenantId.of("a"))).isFalse();
    }

    @Test
    @Tag("R142")
    void whatIsRetriedAfterThatIsRolledBackOnlyForFurtherFailures() throws Exception {
        broken.add("a");
        Rollouts rollouts = rollouts(stage);
        rollouts.start(RolloutPlan.named(PLAN.value())
                .add(Samples.changeWithoutSnapshot("a"))
                .add(Samples.change("b"))
                .maxConcurrency(1)
                .maxFailures(0)
                .onTooManyFailures(FailureReaction.ROLLBACK)
                .build());
        PlanInfo plan = settled(rollouts, PLAN);
        assertThat(plan.status()).as("a can't be rolled back").isEqualTo(PlanStatus.PARTIAL_FAILED);
        assertThat(plan.tasks()).isEqualTo(Map.of(TaskStatus.FAILED, 1, TaskStatus.CANCELLED, 1));

        broken.clear();
        rollouts.retry(PLAN, true);

        assertThat(settled(rollouts, PLAN).tasks()).isEqualTo(Map.of(TaskStatus.COMPLETED, 1, TaskStatus.CANCELLED, 1));
        assertThat(tooMany()).hasSize(1);
    }

    static Stream<Arguments> kills() {
        return Stream.of(true, false)
                .flatMap(before -> IntStream.rangeClosed(1, 9).mapToObj(commit -> arguments(before, commit)));
    }

    @ParameterizedTest(name = "before the commit: {0}, number {1}")
    @MethodSource("kills")
    @Tag("R121")
    @Tag("R142")
    void aRollbackThatBeganByItselfGoesOnAfterACrash(boolean before, int commit) throws Exception {
        broken.add("b");
        HaltingStore halting = new HaltingStore(store);
        try (GroupExecutor doomed =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            Rollouts first = Rollouts.builder(doomed)
                    .store(halting)
                    .stages(stage)
                    .sink(events::add)
                    .shutdownGrace(Duration.ZERO)
                    .build();
            first.create(plan(
                    "a b c",
                    plan -> plan.maxConcurrency(1).maxFailures(0).onTooManyFailures(FailureReaction.ROLLBACK)));
            first.start(PLAN);
            halting.haltAt(commit, before);
            Deadline.until(
                    "killed or at rest",
                    () -> halting.isHalted()
                            || store.findPlan(PLAN).orElseThrow().status().isSettled());
            halting.halt();
            first.close();
        }

        Rollouts second = rollouts(stage);

        assertThat(settled(second, PLAN).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(second.plan(PLAN).tasks()).isEqualTo(Map.of(TaskStatus.ROLLED_BACK, 2, TaskStatus.CANCELLED, 1));
        assertThat(tooMany()).containsExactly(new Occurrence.TooManyFailures(1, 0, FailureReaction.ROLLBACK));
    }

    @Test
    @Tag("R8")
    void aLimitHasItsRangeAndAReactionNeedsALimit() {
        Rollouts rollouts = rollouts(stage);
        assertThatThrownBy(() -> rollouts.create(plan("a", plan -> plan.maxFailures(WaveSize.percent(101)))))
                .hasMessageContaining("maxFailures is 101%; it must be at least 0, or a percentage from 1 to 100");
        assertThatThrownBy(() -> rollouts.create(plan("a", plan -> plan.onTooManyFailures(FailureReaction.ROLLBACK))))
                .hasMessageContaining("onTooManyFailures is ROLLBACK; it needs maxFailures, and the plan has none");
    }
}
