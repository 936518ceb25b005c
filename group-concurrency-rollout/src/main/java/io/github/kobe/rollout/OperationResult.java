package io.github.kobe.rollout;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What came of an operation that was accepted. It is done at the next boundary of each task.
 *
 * @param success whether it was accepted for all tasks that it was meant for
 * @param message what was accepted, in words
 * @param failure why not for all of them: that of the first one skipped
 * @param accepted the tasks that it was accepted for
 * @param skipped the others of the plan, and why
 * @since 0.1.0
 */
public record OperationResult(
        boolean success,
        String message,
        @Nullable FailureInfo failure,
        List<TaskId> accepted,
        Map<TaskId, FailureInfo> skipped) {}
