package io.github.kobe;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One submitted task: wait for it, cancel it, or chain code to it.
 *
 * <p>A handle completes exactly once. Methods may be called by any thread, any number of times.
 *
 * <p><b>Waiting inside a task.</b> Code that runs under a permit and waits <i>without a time-out</i> for a task that is
 * still queued lends its permits to that very task. So waiting for one's own work can't deadlock, at any limit. The
 * wait then returns only when the waiting code has its permits again. A task that waits for its own handle gets an
 * {@link IllegalStateException}. The executor can't see waits by other means (a future's {@code get}, a latch), so
 * these don't lend.
 *
 * <p><b>Memory effects.</b> What a thread did before it submitted the task happens-before the task; what the task did
 * happens-before the return of a wait for it, and before code chained to it.
 *
 * <p>Not for implementing: methods may be added.
 *
 * @param <T> the type of the task's value
 * @since 0.1.0
 */
public interface TaskHandle<T> {

    /** {@return the key of the task's group} */
    String groupKey();

    /** {@return the task's id} */
    String taskId();

    /**
     * Waits until the task has ended. If the handle is done, this returns at once, whether the caller is interrupted or
     * not.
     *
     * @return the task's result
     * @throws InterruptedException if the caller is interrupted while it waits; the task goes on
     * @throws RejectedTaskException if the task was rejected under {@link RejectionPolicy#ABORT}
     * @throws IllegalStateException if the caller is the task itself, or a listener or handler that is being told of its end
     */
    GroupResult<T> await() throws InterruptedException;

    /**
     * Waits until the task has ended, or the time is up. Lends nothing, because the time-out breaks a cycle.
     *
     * @param timeout how long to wait; zero or negative: not at all
     * @param unit its unit
     * @return the task's result; if the time is up, a {@link TaskStatus#CANCELLED} result of this wait with a
     *     {@link java.util.concurrent.TimeoutException}, and the task goes on
     * @throws InterruptedException if the caller is interrupted while it waits; the task goes on
     * @throws RejectedTaskException if the task was rejected under {@link RejectionPolicy#ABORT}
     * @throws IllegalStateException if the caller is the task itself, or a listener or handler that is being told of its end
     */
    GroupResult<T> await(long timeout, TimeUnit unit) throws InterruptedException;

    /**
     * As {@link #await()}, without a checked exception.
     *
     * @return the task's result; if the caller is interrupted while it waits, a {@link TaskStatus#CANCELLED} result of
     *     this wait with an {@link InterruptedException}; then the interrupt status is set again, and the task goes on
     * @throws RejectedTaskException if the task was rejected under {@link RejectionPolicy#ABORT}
     * @throws IllegalStateException if the caller is the task itself, or a listener or handler that is being told of its end
     */
    GroupResult<T> join();

    /**
     * As {@link #await(long, TimeUnit)}, without a checked exception.
     *
     * @param timeout how long to wait; zero or negative: not at all
     * @param unit its unit
     * @return the task's result; if the caller is interrupted while it waits, or the time is up, a
     *     {@link TaskStatus#CANCELLED} result of this wait, and the task goes on
     * @throws RejectedTaskException if the task was rejected under {@link RejectionPolicy#ABORT}
     * @throws IllegalStateException if the caller is the task itself, or a listener or handler that is being told of its end
     */
    GroupResult<T> join(long timeout, TimeUnit unit);

    /**
     * Cancels the task; its handle is {@link TaskStatus#CANCELLED} at once. A queued task then never runs, and its
     * place in the queue is free at once. The permits of a running task are returned only when its code has ended.
     *
     * @param mayInterruptIfRunning whether to interrupt the task's thread if the task runs
     * @return true if this call cancelled the task; false if it was done already, or if its end was decided and a
     *     listener or handler is just being told of it: then it is done as soon as that returns
     */
    boolean cancel(boolean mayInterruptIfRunning);

    /** {@return true if the task has ended, in any way} */
    boolean isDone();

    /**
     * Returns how long the task waited to start.
     *
     * @return nanoseconds from being queued to its start, its end in the queue, or now; 0 if it started at once
     */
    long queuedNanos();

    /**
     * Returns a future, a new one for each call, that completes as this handle does, on the thread that completes the
     * handle. Threads that wait for the handle wake before code chained to the future runs. Cancelling the future is
     * {@code cancel(true)} of the task; completing it in another way has no other effect.
     *
     * <p>It completes normally with any result, even a {@link TaskStatus#FAILED} one: {@code exceptionally} sees only
     * rejections.
     *
     * @return a future with the task's result, or with the {@link RejectedTaskException} of a task that was rejected
     *     under {@link RejectionPolicy#ABORT}
     */
    CompletableFuture<GroupResult<T>> toCompletableFuture();
}
