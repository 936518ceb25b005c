package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.TaskId;
import java.util.List;

/** A task has other stages than this node: it belongs to a node of another version of the application. */
final class StagesElsewhereException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StagesElsewhereException(TaskId taskId, List<String> ofTask, List<String> here) {
        super(tell(taskId, ofTask, here));
    }

    static String tell(TaskId taskId, List<String> ofTask, List<String> here) {
        return "task " + taskId + " has the stages " + ofTask + ", and this node " + here;
    }
}
