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
 * @param costs what it costs of its group's rates, as far as that isn't what each says by default
 * @param <T> the type of the task's value
 * @since 0.1.0
 */
public record GroupTask<T>(
        String groupKey,
        String taskId,
        Callable<T> task,
        @Nullable Duration queueTimeout,
        boolean abortOnRejection,
        Costs costs) {

    /**
     * Makes a task with all its parts.
     *
     * @throws NullPointerException if {@code groupKey}, {@code taskId}, {@code task} or {@code costs} is {@code null}
     */
    public GroupTask {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(task, "task");
        Objects.requireNonNull(costs, "costs");
    }

    /**
     * Makes a task that waits as long as its group allows.
     *
     * @param groupKey the group that the task is for
     * @param taskId names the task in results, events and exceptions
     * @param task what runs
     */
    public GroupTask(String groupKey, String taskId, Callable<T> task) {
        this(groupKey, taskId, task, null, false, Costs.unsaid());
    }

    /**
     * Returns the same task with a time-out of its own.
     *
     * @param timeout how long it may wait to start, at most; zero or negative: it doesn't wait
     * @return a task with that time-out
     */
    public GroupTask<T> withQueueTimeout(Duration timeout) {
        return new GroupTask<>(
                groupKey, taskId, task, Objects.requireNonNull(timeout, "timeout"), abortOnRejection, costs);
    }

    /**
     * Returns the same task with what it costs of one of its group's {@linkplain GroupLimits#withRates rates}.
     *
     * @param rate the {@linkplain Rate#name name of the rate}
     * @param cost 0 to 1,000,000,000; 0: it isn't counted
     * @return a task with that cost, and those that it has of other rates
     * @throws IllegalArgumentException if the cost is out of its range
     * @since 0.1.0
     */
    public GroupTask<T> withCost(String rate, int cost) {
        return new GroupTask<>(groupKey, taskId, task, queueTimeout, abortOnRejection, costs.and(rate, cost));
    }

    /**
     * Returns the same task, except that only its handle reports a rejection, as with {@link RejectionPolicy#ABORT} and
     * without a {@link RejectionHandler}. Use it in code that has to know of rejections, whatever the policy is.
     *
     * @return a task to which neither rejection policy nor handler applies
     */
    public GroupTask<T> withAbortOnRejection() {
        return new GroupTask<>(groupKey, taskId, task, queueTimeout, true, costs);
    }
}
