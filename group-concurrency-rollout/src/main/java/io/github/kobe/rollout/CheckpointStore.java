package io.github.kobe.rollout;

import io.github.kobe.rollout.internal.memory.MemoryCheckpoints;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Keeps checkpoints separately from the tasks. Without such a store they are part of the tasks.
 *
 * @since 0.1.0
 */
public interface CheckpointStore {

    /**
     * Saves a task's checkpoint, replacing the previous one.
     *
     * @param checkpoint the checkpoint
     */
    void save(Checkpoint checkpoint);

    /**
     * {@return a task's checkpoint, if there is one}
     *
     * @param taskId which
     */
    Optional<Checkpoint> load(TaskId taskId);

    /**
     * {@return the checkpoints of those tasks that have one}
     *
     * @param taskIds which
     */
    default List<Checkpoint> loadMultiple(Collection<TaskId> taskIds) {
        return taskIds.stream().flatMap(id -> load(id).stream()).toList();
    }

    /**
     * Removes a task's checkpoint, if there is one.
     *
     * @param taskId which
     */
    void remove(TaskId taskId);

    /** {@return a new store that keeps checkpoints in memory, until the process ends} */
    static CheckpointStore inMemory() {
        return new MemoryCheckpoints();
    }
}
