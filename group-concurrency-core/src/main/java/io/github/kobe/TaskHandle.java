package io.github.kobe;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One submitted task: wait for it, cancel it, or chain on it.
 *
 * <p>A handle completes exactly once. Methods may be called by any thread, any number of times.
 *
 * <p><b>Waiting inside a task.</b> Code that runs under a permit and waits <i>without a time-out</i> for a task that is
 * still queued lends its permits to that very task, so waiting for one's own work can't deadlock, at any limit. The wait
 * then returns only when the waiting code has its permits again. A task that waits for its own handle gets an
 * {@link IllegalStateException}. Waits by other means (a future's {@code get}, a latch) can't be seen, and don't lend.
 *
 * <p><b>Memory effects.</b> What a thread did before it submitted the task happens-before the task; what the task did
 * happens-before the return of a wait for it, and before what is chained on it.
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
     * Waits until the task has ended. A handle that is done answers at once, whether the caller is interrupted or not.
     *
     * @return the task's result
     * @throws InterruptedException if the caller is interrupted while it waits; the task goes on
     * @throws RejectedTaskException if the task was rejected under {@link RejectionPolicy#ABORT}
     * @throws IllegalStateException if the caller is the task itself, or a listener or handler that is being told of its end
     */
    GroupResult<T> await() throws InterruptedException;

    /**
     * Waits until the task has ended, or the time is up. It lends nothing: the time-out breaks a cycle.
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
     * As {@link #await()}, with nothing checked to catch.
     *
     * @return the task's result; if the caller is interrupted while it waits, a {@link TaskStatus#CANCELLED} result of
     *     this wait with an {@link InterruptedException}, the flag is set again, and the task goes on
     * @throws RejectedTaskException if the task was rejected under {@link RejectionPolicy#ABORT}
     * @throws IllegalStateException if the caller is the task itself, or a listener or handler that is being told of its end
     */
    GroupResult<T> join();

    /**
     * As {@link #await(long, TimeUnit)}, with nothing checked to catch.
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
     * Cancels the task; its handle is {@link TaskStatus#CANCELLED} at once. A queued task never runs, and its place is
     * free at once. The permits of a running task come back only when its code has ended.
     *
     * @param mayInterruptIfRunning whether to interrupt the task's thread if the task runs
     * @return true if this call cancelled the task; false if it was done already, or if its end, which is decided,
     *     is just being told to a listener or handler: then it is done as soon as that returns
     */
    boolean cancel(boolean mayInterruptIfRunning);

    /** {@return true if the task has ended, in whatever way} */
    boolean isDone();

    /**
     * Tells how long the task waited to start.
     *
     * @return nanoseconds from being queued to its start, its end in the queue, or now; 0 if it started at once
     */
    long queuedNanos();

    /**
     * Gives a future of one's own, a new one for each call, that completes as this handle does, on the thread that
     * completes the handle. Threads that wait for the handle wake before what is chained on the future runs. Cancelling it
     * is {@code cancel(true)} of the task; completing it otherwise touches nothing else.
     *
     * <p>It completes normally with any result, a {@link TaskStatus#FAILED} one too: {@code exceptionally} sees rejections
     * alone.
     *
     * @return a future with the task's result, or with the {@link RejectedTaskException} of a task that was rejected
     *     under {@link RejectionPolicy#ABORT}
     */
    CompletableFuture<GroupResult<T>> toCompletableFuture();
}
