package io.github.kobe.rollout.internal.memory;

import io.github.kobe.rollout.Checkpoint;
import io.github.kobe.rollout.CheckpointStore;
import io.github.kobe.rollout.TaskId;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps checkpoints in a map. */
public final class MemoryCheckpoints implements CheckpointStore {

    private final Map<TaskId, Checkpoint> checkpoints = new ConcurrentHashMap<>();

    @Override
    public void save(Checkpoint checkpoint) {
        checkpoints.put(checkpoint.taskId(), checkpoint);
    }

    @Override
    public Optional<Checkpoint> load(TaskId taskId) {
        return Optional.ofNullable(checkpoints.get(taskId));
    }

    @Override
    public void remove(TaskId taskId) {
        checkpoints.remove(taskId);
    }
}
