package io.github.kobe;

import java.util.concurrent.Callable;

/**
 * Supplies the result of rejected tasks, and takes precedence over the {@link RejectionPolicy}. Neither applies to a
 * task of {@link GroupTask#withAbortOnRejection}.
 *
 * <pre>{@code
 * GroupPolicy policy = GroupPolicy.builder()
 *         .rejectionHandler((groupKey, taskId, task) ->
 *                 GroupResult.failed(groupKey, taskId, new IOException("busy"), 0, 0))
 *         .build();
 * }</pre>
 *
 * <p>For a full queue it is called on the submitting thread. For a queue time-out it is called on a fresh virtual
 * thread of its own, so that a handler that blocks delays nobody else. It is never called under a lock, and no permit
 * is held for it. A handler that waits for the handle of its own task gets an {@link IllegalStateException}. It may be
 * called by many threads at once.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RejectionHandler {

    /**
     * Supplies the result of a rejected task. If it throws, or returns {@code null}, the task is
     * {@link TaskStatus#FAILED} with that cause. If it returns a {@link TaskStatus#REJECTED} result without a reason,
     * the reason is added.
     *
     * @param groupKey the group that the task was for
     * @param taskId the task's id
     * @param task the task itself, decorated; it may be run here, without permits
     * @return what the task's handle completes with; its value, if any, must have the type that the task would return.
     *     Nothing checks that: a value of another type causes a {@link ClassCastException} where the value is used
     */
    GroupResult<?> onRejected(String groupKey, String taskId, Callable<?> task);
}
