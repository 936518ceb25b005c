package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.Checkpoint;
import io.github.kobe.rollout.CheckpointException;
import io.github.kobe.rollout.CheckpointStore;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The checkpoints of tasks that are kept apart from them. If there is no store for that, it does nothing. */
final class SeparateCheckpoints {

    private final RolloutEngine engine;
    private final @Nullable CheckpointStore store;

    SeparateCheckpoints(RolloutEngine engine) {
        this.engine = engine;
        store = engine.options().checkpoints();
    }

    /**
     * {@return the checkpoint of a task in its present run} That of another run is removed.
     *
     * @throws CheckpointException if the store fails
     */
    Optional<Checkpoint> load(TaskRecord task) {
        if (store == null) {
            return Optional.empty();
        }
        try {
            Optional<Checkpoint> found = UserCode.ask(() -> store.load(task.id()));
            if (found.isPresent() && found.get().run() != task.run()) {
                UserCode.run(() -> store.remove(task.id()));
                return Optional.empty();
            }
            return found;
        } catch (RuntimeException e) {
            throw new CheckpointException("the checkpoint could not be loaded: " + e.getMessage(), e);
        }
    }

    /**
     * {@return whether a checkpoint is one stage ahead of a task, and nobody has run the stage since} A node that has lost the
     * plan may save what it has done at any time later, when another one was in the middle of the same stage, or has failed at
     * it.
     */
    static boolean isNext(Checkpoint checkpoint, TaskRecord task) {
        return checkpoint.lastCompletedStageIndex() == task.stagesDone()
                && checkpoint.attempt() == task.attempt()
                && checkpoint.token() >= task.token() - 1;
    }

    /**
     * Saves that the stage at hand has passed.
     *
     * @throws CheckpointException if the store fails
     */
    void save(TaskRecord task, boolean skipped, Map<String, String> data) {
        if (store == null) {
            return;
        }
        try {
            Checkpoint checkpoint = task.checkpointAfter(task.stagesDone(), engine.now(), skipped, data);
            UserCode.run(() -> store.save(checkpoint));
        } catch (RuntimeException e) {
            throw new CheckpointException("the checkpoint could not be saved: " + e.getMessage(), e);
        }
    }

    /** Removes the checkpoint where nothing is left that could go on from it. */
    void forget(TaskRecord task) {
        if (task.status().isEnd() && !(task.status() == TaskStatus.FAILED && task.canRetry())) {
            UserCode.run(() -> engine.options().forgetCheckpoints(List.of(task.id())));
        }
    }
}
