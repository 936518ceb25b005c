package io.github.kobe;

import java.util.concurrent.Callable;

/**
 * Supplies the result of tasks that are rejected; it wins over the {@link RejectionPolicy}. Neither speaks for a task of
 * {@link GroupTask#withAbortOnRejection}.
 *
 * <pre>{@code
 * GroupPolicy policy = GroupPolicy.builder()
 *         .rejectionHandler((groupKey, taskId, task) ->
 *                 GroupResult.failed(groupKey, taskId, new IOException("busy"), 0, 0))
 *         .build();
 * }</pre>
 *
 * <p>It is called on the submitting thread for a full queue, and on a fresh virtual thread of its own for a queue
 * time-out, where one that blocks delays nobody else; never under a lock, and no permit is held for it. One that waits for
 * the handle of the task that it is asked about gets an {@link IllegalStateException}. It may be called by many threads at
 * once.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RejectionHandler {

    /**
     * Supplies the result of a rejected task. If it throws, or returns {@code null}, the task is
     * {@link TaskStatus#FAILED} with that cause. A {@link TaskStatus#REJECTED} result that names no reason gets it.
     *
     * @param groupKey the group that the task was for
     * @param taskId the task's id
     * @param task the task itself, decorated; it may be run here, without permits
     * @return what the task's handle completes with; its value, if any, is of the type that the task would return.
     *     Nothing checks that: of another type, it is a {@link ClassCastException} where the value is used
     */
    GroupResult<?> onRejected(String groupKey, String taskId, Callable<?> task);
}
