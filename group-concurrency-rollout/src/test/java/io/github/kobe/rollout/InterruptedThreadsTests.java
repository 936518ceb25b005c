package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.internal.memory.MemoryStore;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A thread that comes interrupted from a stage does not come so to the store. */
class InterruptedThreadsTests {

    private final List<String> interrupted = new CopyOnWriteArrayList<>();

    @Test
    @Tag("R42")
    @Tag("R127")
    void whoHandsATenantOverAsksNothingOfTheStoreWhileInterrupted() throws Exception {
        Gate gate = new Gate();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().build());
                Rollouts rollouts = Rollouts.builder(executor)
                        .store(watched(PlanStore.class, new MemoryStore(InstantSource.system())))
                        .conflict(ConflictPolicy.QUEUE)
                        .stages(Stage.named("A").step(ctx -> {
                            gate.pass();
                            Thread.currentThread().interrupt();
                        }))
                        .build()) {
            PlanId first = start(rollouts, "plan-x");
            gate.awaitArrived(1);
            PlanId second = start(rollouts, "plan-y");
            gate.open();
            for (PlanId planId : List.of(first, second)) {
                assertThat(rollouts.await(planId, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
            }
        }
        assertThat(interrupted).isEmpty();
    }

    @Test
    @Tag("R55")
    void aCheckpointIsSavedByAThreadThatIsNotInterruptedWhateverItsStepHasLeft() throws Exception {
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().build());
                Rollouts rollouts = Rollouts.builder(executor)
                        .checkpoints(watched(CheckpointStore.class, CheckpointStore.inMemory()))
                        .stages(Stage.named("A")
                                .step(ctx -> Thread.currentThread().interrupt()))
                        .build()) {
            PlanId planId = start(rollouts, "plan-x");
            assertThat(rollouts.await(planId, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
        }
        assertThat(interrupted).isEmpty();
    }

    @Test
    @Tag("R153")
    void noStageIsInterruptedByWhatTheLookForThePreviousStateHasLeft() throws Exception {
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().build());
                Rollouts rollouts = Rollouts.builder(executor)
                        .previous((ctx, health) -> {
                            Thread.currentThread().interrupt();
                            return Optional.empty();
                        })
                        .stages(Stage.named("A").step(ctx -> note("A")))
                        .build()) {
            PlanId planId = rollouts.start(RolloutPlan.named("plan-x")
                            .add(Samples.changeWithoutSnapshot("acme"))
                            .build())
                    .planId();
            assertThat(rollouts.await(planId, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
        }
        assertThat(interrupted).isEmpty();
    }

    @Test
    @Tag("R106")
    void noStageIsInterruptedByWhatAStoreOfCheckpointsHasLeft() throws Exception {
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().build());
                Rollouts rollouts = Rollouts.builder(executor)
                        .checkpoints(watched(CheckpointStore.class, interrupting(CheckpointStore.inMemory())))
                        .stages(
                                Stage.named("A").step(ctx -> note("A")),
                                Stage.named("B").step(ctx -> note("B")))
                        .build()) {
            PlanId planId = start(rollouts, "plan-x");
            assertThat(rollouts.await(planId, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
        }
        assertThat(interrupted).isEmpty();
    }

    @Test
    @Tag("R74")
    void aCheckpointIsRemovedByAThreadThatIsNotInterruptedWhateverAVerifierHasLeft() throws Exception {
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().build());
                Rollouts rollouts = Rollouts.builder(executor)
                        .checkpoints(watched(CheckpointStore.class, CheckpointStore.inMemory()))
                        .verifier((ctx, health) -> {
                            Thread.currentThread().interrupt();
                            return true;
                        })
                        .stages(Stage.named("A"))
                        .build()) {
            PlanId planId = start(rollouts, "plan-x");
            rollouts.await(planId, Deadline.LONG);
            rollouts.rollback(planId);
            assertThat(rollouts.await(planId, Deadline.LONG).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        }
        assertThat(interrupted).isEmpty();
    }

    private void note(String stage) {
        if (Thread.currentThread().isInterrupted()) {
            interrupted.add(stage);
        }
    }

    private static PlanId start(Rollouts rollouts, String name) {
        return rollouts.start(
                        RolloutPlan.named(name).add(Samples.change("acme")).build())
                .planId();
    }

    private <T> T watched(Class<T> type, T store) {
        return type.cast(Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (Thread.currentThread().isInterrupted()) {
                        interrupted.add(method.getName());
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    /** The same store, which interrupts whoever has loaded or saved something. */
    private static CheckpointStore interrupting(CheckpointStore store) {
        return new CheckpointStore() {

            @Override
            public void save(Checkpoint checkpoint) {
                store.save(checkpoint);
                Thread.currentThread().interrupt();
            }

            @Override
            public Optional<Checkpoint> load(TaskId taskId) {
                Optional<Checkpoint> found = store.load(taskId);
                Thread.currentThread().interrupt();
                return found;
            }

            @Override
            public void remove(TaskId taskId) {
                store.remove(taskId);
            }
        };
    }
}
