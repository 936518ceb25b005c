package io.github.kobe;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A task with its group and its id, ready to be submitted.
 *
 * @param groupKey the group that the task is for
 * @param taskId names the task in results, events and exceptions; need not be unique
 * @param task what runs
 * @param queueTimeout how long it may wait to start: this or the group's time-out, whichever is shorter; zero or
 *     negative: it doesn't wait; {@code null}: only the group's time-out applies
 * @param abortOnRejection whether a rejection is always reported by a {@link RejectedTaskException} in its handle,
 *     whatever {@link RejectionPolicy} and {@link RejectionHandler} say
 * @param <T> the type of the task's value
 * @since 0.1.0
 */
public record GroupTask<T>(
        String groupKey,
        String taskId,
        Callable<T> task,
        @Nullable Duration queueTimeout,
        boolean abortOnRejection) {

    /**
     * Makes a task with all its parts.
     *
     * @throws NullPointerException if {@code groupKey}, {@code taskId} or {@code task} is {@code null}
     */
    public GroupTask {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(task, "task");
    }

    /**
     * Makes a task that waits as long as its group allows.
     *
     * @param groupKey the group that the task is for
     * @param taskId names the task in results, events and exceptions
     * @param task what runs
     */
    public GroupTask(String groupKey, String taskId, Callable<T> task) {
        this(groupKey, taskId, task, null, false);
    }

    /**
     * Returns the same task with a time-out of its own.
     *
     * @param timeout how long it may wait to start, at most; zero or negative: it doesn't wait
     * @return a task with that time-out
     */
    public GroupTask<T> withQueueTimeout(Duration timeout) {
        return new GroupTask<>(groupKey, taskId, task, Objects.requireNonNull(timeout, "timeout"), abortOnRejection);
    }

    /**
     * Returns the same task, except that only its handle reports a rejection, as with {@link RejectionPolicy#ABORT} and
     * without a {@link RejectionHandler}. Use it in code that has to know of rejections, whatever the policy is.
     *
     * @return a task to which neither rejection policy nor handler applies
     */
    public GroupTask<T> withAbortOnRejection() {
        return new GroupTask<>(groupKey, taskId, task, queueTimeout, true);
    }
}
