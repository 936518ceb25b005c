package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.rollout.internal.rules.DriveState;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class WavesTests extends RolloutsTestCase {

    private static final Duration LONG = Duration.ofHours(1);
    private static final PlanId PLAN = PlanId.of("plan-x");

    private final List<String> done = new CopyOnWriteArrayList<>();
    private final Set<String> broken = ConcurrentHashMap.newKeySet();
    private final Set<String> held = ConcurrentHashMap.newKeySet();
    private final Gate gate = new Gate();

    /** Waits for the test with those that are held, and fails for those that are broken, once all others are there. */
    private final Stage stage = Stage.named("A")
            .step(ctx -> {
                if (held.contains(ctx.tenantId().value())) {
                    gate.pass();
                }
            })
            .step(ctx -> done.add(ctx.tenantId().value()))
            .step(ctx -> {
                if (broken.contains(ctx.tenantId().value())) {
                    gate.awaitArrived(held.size());
                    throw new IllegalStateException("broken");
                }
            })
            .rollback(ctx -> done.add("undo " + ctx.tenantId()));

    private static RolloutPlan plan(String tenants, UnaryOperator<RolloutPlan.Builder> setup) {
        RolloutPlan.Builder plan = RolloutPlan.named(PLAN.value());
        Arrays.stream(tenants.split(" ")).map(Samples::change).forEach(plan::add);
        return setup.apply(plan).build();
    }

    private static WaveGate awaitGate(Rollouts rollouts, int wave) {
        Deadline.until(() -> "the gate after wave " + wave + " of " + rollouts.plan(PLAN), () -> {
            PlanInfo plan = rollouts.plan(PLAN);
            return plan.wave() == wave && plan.gate() != null;
        });
        return rollouts.plan(PLAN).gate();
    }

    private void awaitIdle() {
        Deadline.until(
                "no drive waits",
                () -> store.findPlan(PLAN).orElseThrow().drive().phase() != DriveState.Phase.RUNNING);
    }

    private List<Occurrence> toldOfWaves() {
        awaitTold(PLAN);
        return events.stream()
                .filter(event -> event.taskId() == null)
                .map(RolloutEvent::occurrence)
                .filter(occurrence -> !(occurrence instanceof Occurrence.PlanEntered))
                .toList();
    }

    private static TaskStatus statusOf(Rollouts rollouts, String tenant) {
        return rollouts.task(TenantId.of(tenant)).status();
    }

    @Test
    @Tag("R137")
    void aWaveBeginsWhenAllTasksOfThoseBeforeHaveEnded() throws Exception {
        held.add("b");
        broken.add("c");
        Rollouts rollouts = rollouts(stage);
        rollouts.start(plan("a b c d e", plan -> plan.waves(1, 2)));
        gate.awaitArrived(1);
        Deadline.until("c has failed", () -> statusOf(rollouts, "c") == TaskStatus.FAILED);

        PlanInfo second = rollouts.plan(PLAN);
        assertThat(List.of(second.wave(), second.waves())).containsExactly(2, 3);
        assertThat(second.gate()).isNull();
        assertThat(second.tasks())
                .isEqualTo(Map.of(
                        TaskStatus.COMPLETED, 1, TaskStatus.RUNNING, 1, TaskStatus.FAILED, 1, TaskStatus.PENDING, 2));
        gate.open();

        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        assertThat(done).startsWith("a", "c", "b").hasSize(5);
        assertThat(toldOfWaves())
                .containsExactly(
                        new Occurrence.WaveStarted(1, 3, 1),
                        new Occurrence.WaveStarted(2, 3, 2),
                        new Occurrence.WaveStarted(3, 3, 2));
    }

    @Test
    @Tag("R137")
    void withMoreFailuresThanMayNothingNewStartsUntilSomebodyResumes() throws Exception {
        held.add("b");
        broken.add("a");
        Rollouts rollouts = rollouts(stage);
        rollouts.start(plan("a b c", plan -> plan.maxConcurrency(2).maxFailures(0)));
        Deadline.until("it is to start nothing", () -> rollouts.plan(PLAN).pauseAsked());
        assertThat(rollouts.plan(PLAN).status()).as("what runs goes on").isEqualTo(PlanStatus.RUNNING);
        gate.open();
        awaitStatus(rollouts, PLAN, PlanStatus.PAUSED);
        assertThat(statusOf(rollouts, "b")).isEqualTo(TaskStatus.COMPLETED);
        assertThat(statusOf(rollouts, "c")).isEqualTo(TaskStatus.PENDING);

        broken.clear();
        rollouts.retry(TenantId.of("a"), false);
        awaitStatus(rollouts, TenantId.of("a"), TaskStatus.COMPLETED);
        awaitStatus(rollouts, PLAN, PlanStatus.PAUSED);
        rollouts.resume(PLAN);

        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(toldOfWaves()).containsExactly(new Occurrence.TooManyFailures(1, 0, FailureReaction.PAUSE));
        assertThat(events)
                .filteredOn(event -> event.occurrence() instanceof Occurrence.TooManyFailures)
                .extracting(event -> event.failure().errorType())
                .containsExactly(FailureInfo.TOO_MANY_FAILURES);
    }

    @Test
    @Tag("R137")
    void whoeverResumesAcceptsTheFailuresUntilTheNextOne() throws Exception {
        broken.addAll(List.of("a", "b"));
        Rollouts rollouts = rollouts(stage);
        rollouts.start(plan("a b c", plan -> plan.maxConcurrency(1).maxFailures(0)));
        awaitStatus(rollouts, PLAN, PlanStatus.PAUSED);
        assertThat(done).containsExactly("a");
        rollouts.resume(PLAN);
        awaitStatus(rollouts, TenantId.of("b"), TaskStatus.FAILED);
        awaitStatus(rollouts, PLAN, PlanStatus.PAUSED);
        rollouts.resume(PLAN);

        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        assertThat(statusOf(rollouts, "c")).isEqualTo(TaskStatus.COMPLETED);
        assertThat(toldOfWaves())
                .containsExactly(
                        new Occurrence.TooManyFailures(1, 0, FailureReaction.PAUSE),
                        new Occurrence.TooManyFailures(2, 0, FailureReaction.PAUSE));
    }

    @Test
    @Tag("R138")
    void aGateWaitsWithoutADriveUntilSomebodyApproves() throws Exception {
        Rollouts rollouts = rollouts(stage);
        rollouts.start(plan("a b", plan -> plan.maxConcurrency(1).waves(1).approval(LONG)));
        WaveGate waits = awaitGate(rollouts, 1);
        awaitIdle();
        assertThat(waits.needsApproval()).isTrue();
        assertThat(waits.expiresAt()).isEqualTo(waits.since().plus(LONG));
        assertThat(rollouts.plan(PLAN).status()).isEqualTo(PlanStatus.RUNNING);
        assertThat(executor.stats().running()).isZero();
        assertThat(done).containsExactly("a");

        PlanInfo approved = rollouts.by("ann").approve(PLAN, 1);

        assertThat(approved.wave()).isEqualTo(2);
        assertThat(approved.gate()).isNull();
        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(toldOfWaves())
                .containsExactly(
                        new Occurrence.WaveStarted(1, 2, 1),
                        new Occurrence.GateOpened(1, Duration.ZERO, LONG),
                        new Occurrence.GateApproved(1, "ann"),
                        new Occurrence.WaveStarted(2, 2, 1));
    }

    @Test
    @Tag("R138")
    void whereNoGateWaitsForAnApprovalItIsRefused() throws Exception {
        Rollouts rollouts = rollouts(stage);
        assertThatThrownBy(() -> rollouts.approve(PLAN, 1)).isInstanceOf(PlanNotFoundException.class);
        rollouts.create(plan("a b", plan -> plan.waves(1).bakeTime(LONG)));
        assertNoGate(rollouts, "READY in wave 1 of 2");
        rollouts.start(PLAN);
        awaitGate(rollouts, 1);
        assertNoGate(rollouts, "RUNNING in wave 1 of 2");

        rollouts.cancel(TenantId.of("b"));
        assertThat(settled(rollouts, PLAN).gate()).isNull();
        assertNoGate(rollouts, "PARTIAL_FAILED");
    }

    private static void assertNoGate(Rollouts rollouts, String where) {
        PlanInfo before = rollouts.plan(PLAN);
        assertThatThrownBy(() -> rollouts.approve(PLAN, 1))
                .isInstanceOfSatisfying(
                        TaskOperationException.class,
                        e -> assertThat(e.errorType()).isEqualTo("NO_GATE"))
                .hasMessageContaining(where);
        assertThat(rollouts.plan(PLAN)).isEqualTo(before);
    }

    @Test
    @Tag("R138")
    void afterTheBakeTimeTheNextWaveBeginsByItself() throws Exception {
        Duration bake = Duration.ofMillis(100);
        Rollouts rollouts = rollouts(stage);
        rollouts.start(plan("a b c", plan -> plan.waves(1, 1).bakeTime(bake).approval(LONG)));
        awaitGate(rollouts, 1);
        rollouts.by("ann").approve(PLAN, 1);
        awaitGate(rollouts, 2);
        rollouts.by("ann").approve(PLAN, 2);

        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(toldOfWaves())
                .contains(new Occurrence.GateApproved(1, "ann"), new Occurrence.GateApproved(2, "ann"));
        for (int wave = 1; wave <= 2; wave++) {
            Instant opened = timeOf(new Occurrence.GateOpened(wave, bake, LONG));
            assertThat(timeOf(new Occurrence.WaveStarted(wave + 1, 3, 1))).isAfterOrEqualTo(opened.plus(bake));
        }
    }

    private Instant timeOf(Occurrence occurrence) {
        return events.stream()
                .filter(event -> event.occurrence().equals(occurrence))
                .findFirst()
                .orElseThrow()
                .timestamp();
    }

    @Test
    @Tag("R138")
    void ifNobodyApprovesInTimeThePlanIsPausedAndGoesOnOnceApprovedAndResumed() throws Exception {
        Duration timeout = Duration.ofMillis(50);
        Rollouts rollouts = rollouts(stage);
        rollouts.start(plan("a b c", plan -> plan.waves(1, 1).approval(timeout)));
        awaitStatus(rollouts, PLAN, PlanStatus.PAUSED);
        assertThat(rollouts.plan(PLAN).gate()).isNotNull();

        rollouts.resume(PLAN);
        Deadline.until(
                "timed out again",
                () -> toldOfWaves().stream()
                                .filter(new Occurrence.GateTimedOut(1)::equals)
                                .count()
                        == 2);
        awaitStatus(rollouts, PLAN, PlanStatus.PAUSED);
        rollouts.approve(PLAN, 1);
        assertThat(rollouts.plan(PLAN).status()).isEqualTo(PlanStatus.PAUSED);
        assertThat(done).containsExactly("a");
        rollouts.resume(PLAN);
        Deadline.until("the next one", () -> rollouts.plan(PLAN).wave() == 2);
        awaitStatus(rollouts, PLAN, PlanStatus.PAUSED);
        rollouts.approve(PLAN, 2);
        rollouts.resume(PLAN);

        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(events)
                .filteredOn(event -> event.occurrence().equals(new Occurrence.GateTimedOut(1)))
                .extracting(RolloutEvent::failure)
                .extracting(FailureInfo::errorType)
                .containsOnly(FailureInfo.GATE_TIMED_OUT);
    }

    @Test
    @Tag("R43")
    @Tag("R53")
    @Tag("R138")
    void aPlanThatIsPausedAtAGateBeginsNoWaveHoweverItIsApproved() throws Exception {
        Rollouts rollouts = rollouts(stage);
        rollouts.start(plan("a b", plan -> plan.waves(1).approval(LONG)));
        awaitGate(rollouts, 1);
        rollouts.pause(PLAN);
        assertThat(rollouts.plan(PLAN).status()).isEqualTo(PlanStatus.PAUSED);

        rollouts.by("ann").approve(PLAN, 1);
        rollouts.by("bob").approve(PLAN, 1);
        awaitIdle();
        PlanInfo paused = rollouts.plan(PLAN);
        assertThat(paused.wave()).isEqualTo(1);
        assertThat(paused.gate()).extracting(WaveGate::approvedBy).isEqualTo("ann");
        rollouts.resume(PLAN);

        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(toldOfWaves())
                .filteredOn(Occurrence.GateApproved.class::isInstance)
                .containsExactly(new Occurrence.GateApproved(1, "ann"));
    }

    @Test
    @Tag("R45")
    @Tag("R138")
    void whatIsCancelledAtAGateNeverBegins() throws Exception {
        Rollouts rollouts = rollouts(stage);
        rollouts.start(plan("a b c d", plan -> plan.waves(1, 1).approval(LONG)));
        awaitGate(rollouts, 1);
        rollouts.cancel(TenantId.of("b"));
        awaitStatus(rollouts, TenantId.of("b"), TaskStatus.CANCELLED);
        assertThat(rollouts.approve(PLAN, 1).wave())
                .as("a wave without tasks has no gate after it")
                .isEqualTo(3);
        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);

        PlanId other = rollouts.start(RolloutPlan.named("plan-y")
                        .add(Samples.change("e"))
                        .add(Samples.change("f"))
                        .waves(1)
                        .bakeTime(LONG)
                        .build())
                .planId();
        Deadline.until("its gate", () -> rollouts.plan(other).gate() != null);
        rollouts.cancel(other);
        assertThat(settled(rollouts, other).tasks())
                .isEqualTo(Map.of(TaskStatus.COMPLETED, 1, TaskStatus.CANCELLED, 1));
        assertThat(done).containsExactlyInAnyOrder("a", "c", "d", "e");
    }

    @Test
    @Tag("R46")
    @Tag("R138")
    void aPlanIsTakenBackHalfWayWithoutWaitingAtGates() throws Exception {
        Rollouts rollouts = rollouts(stage);
        rollouts.start(plan("a b c", plan -> plan.waves(1, 1).approval(LONG)));
        awaitGate(rollouts, 1);
        rollouts.approve(PLAN, 1);
        awaitGate(rollouts, 2);

        rollouts.rollback(PLAN);

        PlanInfo plan = settled(rollouts, PLAN);
        assertThat(plan.status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(plan.gate()).isNull();
        assertThat(plan.tasks()).isEqualTo(Map.of(TaskStatus.ROLLED_BACK, 2, TaskStatus.CANCELLED, 1));
        assertThat(done).containsExactlyInAnyOrder("a", "b", "undo a", "undo b");
        assertThat(toldOfWaves().getLast()).isEqualTo(new Occurrence.GateOpened(2, Duration.ZERO, LONG));
    }

    @Test
    @Tag("R47")
    @Tag("R138")
    void whatIsTriedAgainAtAGateHasItOpenAnewAndALaterWaveGoesOnBesideIt() throws Exception {
        broken.addAll(List.of("a", "b"));
        Rollouts rollouts = rollouts(stage);
        rollouts.start(plan("a b c d", plan -> plan.waves(2, 1).approval(LONG)));
        WaveGate first = awaitGate(rollouts, 1);
        broken.remove("a");
        rollouts.retry(TenantId.of("a"), false);
        awaitStatus(rollouts, TenantId.of("a"), TaskStatus.COMPLETED);
        assertThat(awaitGate(rollouts, 1).since()).isAfter(first.since());

        held.addAll(List.of("b", "c"));
        broken.clear();
        rollouts.approve(PLAN, 1);
        gate.awaitArrived(1);
        rollouts.retry(TenantId.of("b"), false);
        gate.awaitArrived(2);
        assertThat(rollouts.plan(PLAN).wave()).isEqualTo(2);
        assertThat(rollouts.plan(PLAN).tasks())
                .isEqualTo(Map.of(TaskStatus.COMPLETED, 1, TaskStatus.RUNNING, 2, TaskStatus.PENDING, 1));
        gate.open();
        awaitGate(rollouts, 2);
        assertThat(rollouts.plan(PLAN).tasks())
                .as("the last wave waits for both")
                .isEqualTo(Map.of(TaskStatus.COMPLETED, 3, TaskStatus.PENDING, 1));
        rollouts.approve(PLAN, 2);

        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    @Test
    @Tag("R37")
    @Tag("R138")
    void aFirstWaveThatOthersHaveIsNoReasonToPassItsGate() throws Exception {
        held.add("a");
        Rollouts rollouts = rollouts(stage);
        PlanId other = rollouts.start(
                        RolloutPlan.named("plan-y").add(Samples.change("a")).build())
                .planId();
        gate.awaitArrived(1);
        rollouts.start(plan("a b", plan -> plan.waves(1).approval(LONG)));

        PlanInfo plan = rollouts.plan(PLAN);
        assertThat(plan.tasks()).isEqualTo(Map.of(TaskStatus.CANCELLED, 1, TaskStatus.PENDING, 1));
        assertThat(plan.gate()).isNotNull();
        assertThat(rollouts.getRunningTaskId(TenantId.of("b"))).isPresent();
        rollouts.approve(PLAN, 1);
        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        assertThat(done).containsExactly("b");
        gate.open();
        settled(rollouts, other);
    }

    @Test
    @Tag("R42")
    @Tag("R137")
    void aTenantOfALaterWaveTakesItsTurnWhenTheWaveBegins() throws Exception {
        held.add("b");
        Rollouts rollouts = rollouts(builder -> builder.stages(stage).conflict(ConflictPolicy.QUEUE));
        PlanId other = rollouts.start(
                        RolloutPlan.named("plan-y").add(Samples.change("b")).build())
                .planId();
        gate.awaitArrived(1);
        rollouts.start(plan("a b c", plan -> plan.waves(1, 1)));
        awaitStatus(rollouts, TenantId.of("a"), TaskStatus.COMPLETED);
        Deadline.until("the second wave", () -> rollouts.plan(PLAN).wave() == 2);
        awaitIdle();
        assertThat(rollouts.plan(PLAN).tasks()).isEqualTo(Map.of(TaskStatus.COMPLETED, 1, TaskStatus.PENDING, 2));

        gate.open();
        assertThat(settled(rollouts, other).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(done).containsExactly("a", "b", "b", "c");
    }

    @Test
    @Tag("R136")
    @Tag("R138")
    void aPlanAtAGateIsNotPurged() throws Exception {
        Rollouts rollouts = rollouts(stage);
        rollouts.start(plan("a b", plan -> plan.waves(1).approval(LONG)));
        awaitGate(rollouts, 1);
        awaitIdle();
        assertThat(rollouts.purge(Duration.ofDays(-1))).isZero();
        rollouts.approve(PLAN, 1);
        settled(rollouts, PLAN);
        assertThat(rollouts.purge(Duration.ofDays(-1))).isEqualTo(1);
    }

    @Test
    @Tag("R120")
    @Tag("R136")
    @Tag("R138")
    void aPlanOfTheSameNameDoesNotWaitForAGateOfOneThatWasPurged() throws Exception {
        Rollouts rollouts = rollouts(stage);
        rollouts.create(plan("a b", plan -> plan.waves(1).approval(LONG)));
        awaitOver();
        rollouts.start(PLAN);
        awaitGate(rollouts, 1);
        awaitIdle();
        rollouts.approve(PLAN, 1);
        settled(rollouts, PLAN);
        assertThat(rollouts.purge(Duration.ofDays(-1))).isEqualTo(1);

        rollouts.create(plan("a b", plan -> plan));
        awaitOver();
        rollouts.start(PLAN);
        settled(rollouts, PLAN);
        rollouts.rollback(PLAN);
        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.ROLLED_BACK);
    }

    private void awaitOver() {
        Deadline.until(
                "the drive is over",
                () -> store.findPlan(PLAN).orElseThrow().drive().phase() == DriveState.Phase.OVER);
    }
}
