package io.github.kobe.rollout;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * How far a task had come after its last completed stage.
 *
 * @param taskId the task
 * @param lastCompletedStageIndex the index of the last completed stage, from 0
 * @param completedStageNames the names of all completed stages, in order
 * @param timestamp when the last of them was completed
 * @param run the run of the task to which it belongs; each retry from the beginning is a new run
 * @param attempt the attempt of the task to which it belongs; each retry is a new attempt
 * @param token the {@linkplain StageContext#fencingToken() fencing token} under which the stage ran
 * @param skipped whether the last of them had nothing to do
 * @param data what the stages have put into {@link StageContext#data()}
 * @since 0.1.0
 */
public record Checkpoint(
        TaskId taskId,
        int lastCompletedStageIndex,
        List<String> completedStageNames,
        Instant timestamp,
        int run,
        int attempt,
        long token,
        boolean skipped,
        Map<String, String> data) {

    /** Copies the collections. */
    public Checkpoint {
        completedStageNames = List.copyOf(completedStageNames);
        data = Map.copyOf(data);
    }

    /**
     * {@return whether this can belong to a task with these stages}
     *
     * @param stageNames the names of all stages of the task, in their order
     */
    public boolean fits(List<String> stageNames) {
        int count = lastCompletedStageIndex + 1;
        return count >= 1 && count <= stageNames.size() && completedStageNames.equals(stageNames.subList(0, count));
    }
}
