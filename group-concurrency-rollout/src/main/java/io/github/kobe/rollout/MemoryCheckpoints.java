package io.github.kobe.rollout;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps checkpoints in a map. */
final class MemoryCheckpoints implements CheckpointStore {

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
