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
 *     negative: it doesn't wait; {@code null}: the group's alone
 * @param abortOnRejection whether, when it is rejected, its handle carries a {@link RejectedTaskException}, whatever
 *     {@link RejectionPolicy} and {@link RejectionHandler} say
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
     * Returns the same task, whose rejection is reported by its handle alone: as with {@link RejectionPolicy#ABORT} and without
     * a {@link RejectionHandler}. For code that has to know of rejections, whatever the policy is.
     *
     * @return a task that neither policy nor handler speaks for
     */
    public GroupTask<T> withAbortOnRejection() {
        return new GroupTask<>(groupKey, taskId, task, queueTimeout, true);
    }
}
