package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.rollout.internal.memory.MemoryStore;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node that is about to save its checkpoint loses its plan, and saves it all the same, while another one runs the stage again. */
@Tag("R57")
@Tag("R121")
class StaleCheckpointsTests extends RolloutsTestCase {

    private final CheckpointStore checkpoints = CheckpointStore.inMemory();
    private final List<Integer> attempts = new CopyOnWriteArrayList<>();
    private final Gate late = new Gate();
    private PlanId planId;

    /** A database leaves a plan with the node that has it, as long as that lives. */
    @BeforeEach
    void keepInMemory() {
        store = new MemoryStore(InstantSource.system());
    }

    private Rollouts node(PlanStore itsStore, CheckpointStore itsCheckpoints, Step again) {
        return rollouts(builder -> builder.store(itsStore)
                .checkpoints(itsCheckpoints)
                .stages(
                        Stage.named("A"),
                        Stage.named("B")
                                .step(ctx -> attempts.add(ctx.attempt()))
                                .step(again))
                .shutdownGrace(Duration.ZERO));
    }

    private Rollouts node(PlanStore itsStore, Step again) {
        return node(itsStore, checkpoints, again);
    }

    private void startAndStandStill() {
        planId = node(store, new LateCheckpoints(), ctx -> {})
                .start(plan("x", Samples.change("acme")))
                .planId();
        late.awaitArrived(1);
    }

    private void goOnAndSave() {
        late.open();
        Deadline.until("saved", () -> checkpoints.load(onlyTask()).orElseThrow().lastCompletedStageIndex() == 1);
    }

    private TaskId onlyTask() {
        return store.findByPlanId(planId).getFirst().id();
    }

    @Test
    void whatTheNextNodeWasInTheMiddleOfIsNotTakenForDone() throws Exception {
        startAndStandStill();
        Gate second = new Gate();
        HaltingStore halting = new HaltingStore(store);
        Rollouts killed = node(halting, ctx -> second.pass());
        second.awaitArrived(1);
        goOnAndSave();
        halting.halt();
        killed.close();

        Rollouts third = node(store, ctx -> {});

        assertThat(settled(third, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(attempts).containsExactly(1, 1, 1);
    }

    @Test
    void whatFailedAtTheNextNodeIsNotTakenForDone() throws Exception {
        startAndStandStill();
        Rollouts second = node(store, ctx -> {
            if (ctx.attempt() == 1) {
                throw new IllegalStateException("broken");
            }
        });
        assertThat(settled(second, planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        goOnAndSave();

        second.retry(planId, true);

        assertThat(settled(second, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(attempts).containsExactly(1, 1, 2);
    }

    /** Stands still when the stage B is to be saved, whatever is learnt of the plan meanwhile. */
    private final class LateCheckpoints implements CheckpointStore {

        @Override
        public void save(Checkpoint checkpoint) {
            if (checkpoint.lastCompletedStageIndex() == 1) {
                late.passStubbornly();
            }
            checkpoints.save(checkpoint);
        }

        @Override
        public Optional<Checkpoint> load(TaskId taskId) {
            return checkpoints.load(taskId);
        }

        @Override
        public void remove(TaskId taskId) {
            checkpoints.remove(taskId);
        }
    }
}
