package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.internal.rules.DriveState;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A node is killed around a gate, at each of its commits, before it or after it; another one goes on. */
class GateDurabilityTests extends RolloutsTestCase {

    private final List<String> runs = new CopyOnWriteArrayList<>();

    private static RolloutPlan inTwoWaves(UnaryOperator<RolloutPlan.Builder> gate) {
        return gate.apply(RolloutPlan.named("plan-x")
                        .add(Samples.change("acme"))
                        .add(Samples.change("zorg"))
                        .waves(1))
                .build();
    }

    static Stream<Arguments> killsAroundAGate() {
        return DurabilityTests.beforeOrAfter()
                .flatMap(before -> IntStream.rangeClosed(1, 11).mapToObj(commit -> arguments(before, commit)));
    }

    @ParameterizedTest(name = "before the commit: {0}, number {1}")
    @MethodSource("killsAroundAGate")
    @Tag("R121")
    @Tag("R138")
    void aGateOutlivesItsNodeAndIsApprovedOnce(boolean before, int commit) throws Exception {
        PlanId planId = PlanId.of("plan-x");
        Stage stage = Stage.named("A")
                .step(ctx -> runs.add(ctx.tenantId() + " in wave "
                        + (store.findPlan(planId).orElseThrow().progress().current() + 1)));
        HaltingStore halting = new HaltingStore(store);
        try (GroupExecutor doomed =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            Rollouts first = Rollouts.builder(doomed)
                    .store(halting)
                    .stages(stage)
                    .sink(events::add)
                    .shutdownGrace(Duration.ZERO)
                    .build();
            first.create(inTwoWaves(plan -> plan.approval(Duration.ofHours(1))));
            awaitPhase(planId, DriveState.Phase.OVER);
            halting.haltAt(commit, before);
            try {
                first.start(planId);
                Deadline.until("killed or at the gate", () -> halting.isHalted() || waitsForApproval(planId));
                first.approve(planId, 1);
            } catch (HaltingStore.Halt e) {
                assertThat(halting.isHalted()).isTrue();
            }
            Deadline.until("killed or at rest", () -> halting.isHalted() || isAtRest(planId));
            halting.halt();
            first.close();
        }

        Rollouts second = rollouts(builder -> builder.stages(stage));
        if (store.findPlan(planId).orElseThrow().status() == PlanStatus.READY) {
            second.start(planId);
        }
        Deadline.until("at the gate or at rest", () -> waitsForApproval(planId) || isAtRest(planId));
        if (waitsForApproval(planId)) {
            second.approve(planId, 1);
        }

        assertThat(settled(second, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(runs.stream().distinct()).containsExactly("acme in wave 1", "zorg in wave 2");
        assertThat(runs).hasSizeLessThanOrEqualTo(3);
        assertEachEventOnce(planId, store.findPlan(planId).orElseThrow().sequence());
        for (Class<?> kind : List.of(Occurrence.GateOpened.class, Occurrence.GateApproved.class)) {
            assertThat(events.stream()
                            .filter(event -> kind.isInstance(event.occurrence()))
                            .distinct())
                    .hasSize(1);
        }
    }

    private boolean isAtRest(PlanId planId) {
        return store.findPlan(planId).orElseThrow().isAtRest();
    }

    private void awaitPhase(PlanId planId, DriveState.Phase phase) {
        Deadline.until(
                "the drive is " + phase,
                () -> store.findPlan(planId).orElseThrow().drive().phase() == phase);
    }

    private boolean waitsForApproval(PlanId planId) {
        WaveGate gate = store.findPlan(planId).orElseThrow().progress().gate();
        return gate != null && gate.needsApproval();
    }

    @Test
    @Tag("R120")
    @Tag("R138")
    void aDriveThatDoesntHearThatItHasEndedAtAGateLeavesTheNextOneAtItsTime() throws Exception {
        PlanId planId = PlanId.of("plan-x");
        Gate stops = new Gate();
        HaltingStore deaf = new HaltingStore(store);
        deaf.beforeClose(stops::open);
        Rollouts first =
                rollouts(builder -> builder.store(deaf).stages(Stage.named("A")).shutdownGrace(Duration.ZERO));
        AtomicReference<Caller<PlanId>> closing = new AtomicReference<>();
        deaf.afterCommits(() -> {
            if (waitsForApproval(planId)
                    && store.findPlan(planId).orElseThrow().drive().phase() == DriveState.Phase.DUE) {
                deaf.afterCommits(() -> {});
                closing.set(Caller.start(() -> {
                    first.close();
                    return planId;
                }));
                stops.passStubbornly();
                throw new IllegalStateException("no answer");
            }
        });
        first.start(inTwoWaves(plan -> plan.approval(Duration.ofHours(1))));
        Deadline.until("at the gate", () -> closing.get() != null);
        closing.get().result();

        Rollouts second = rollouts(builder -> builder.stages(Stage.named("A")));
        second.approve(planId, 1);

        assertThat(settled(second, planId).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    @Test
    @Tag("R120")
    @Tag("R138")
    void aBakeTimeGoesOnWithoutANode() throws Exception {
        Duration bake = Duration.ofSeconds(3);
        Rollouts first = rollouts(builder -> builder.stages(Stage.named("A")));
        PlanId planId = first.start(inTwoWaves(plan -> plan.bakeTime(bake))).planId();
        AtomicReference<WaveGate> gate = new AtomicReference<>();
        Deadline.until("at the gate", () -> {
            gate.set(first.plan(planId).gate());
            return gate.get() != null;
        });
        awaitPhase(planId, DriveState.Phase.DUE);
        first.close();

        Rollouts second = rollouts(builder -> builder.stages(Stage.named("A")));
        assertThat(settled(second, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(second.task(TenantId.of("zorg")).startedAt())
                .isAfterOrEqualTo(gate.get().since().plus(bake));
    }
}
