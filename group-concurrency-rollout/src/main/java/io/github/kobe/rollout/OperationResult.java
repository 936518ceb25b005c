package io.github.kobe.rollout;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of an operation that was accepted. Each task carries it out at its next boundary.
 *
 * @param success whether it was accepted for all of its tasks
 * @param message what was accepted, in words
 * @param failure why it was not accepted for all of them: the failure of the first one skipped
 * @param accepted the tasks that it was accepted for
 * @param skipped the other tasks of the plan, and why they were skipped
 * @param notRolledBack after the rollback of a plan: the tenants that keep the new version, or what they have of it,
 *     in the plan's order
 * @since 0.1.0
 */
public record OperationResult(
        boolean success,
        String message,
        @Nullable FailureInfo failure,
        List<TaskId> accepted,
        Map<TaskId, FailureInfo> skipped,
        List<TenantId> notRolledBack) {}
