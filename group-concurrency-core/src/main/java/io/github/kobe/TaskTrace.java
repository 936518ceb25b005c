package io.github.kobe;

import java.util.concurrent.Callable;

/**
 * Follows one piece of work for a {@link TaskTracer}, from its submission to its end: a span or a timer, for example.
 * It is called for this work alone, in the same order and on the same threads as a {@link TaskLifecycleListener}, and
 * after it.
 *
 * <p>What a method throws, even an {@link Error}, has no effect on the work; it is logged once for each method.
 *
 * @since 0.1.0
 */
public interface TaskTrace {

    /**
     * Wraps the work, on the submitting thread, before anything decorates it. The wrapper can set a context that the
     * work's code will see on its own thread. This method is also called for work on the caller's own thread; a permit
     * has no work to wrap.
     *
     * <p>The wrapper may run even if the work was rejected: on the caller's thread, or in a rejection handler.
     *
     * @param task what to wrap
     * @param <T> the type of its value
     * @return what runs instead; it must return and throw what the task does
     */
    default <T> Callable<T> around(Callable<T> task) {
        return task;
    }

    /**
     * The work has its permits and is about to run.
     *
     * @param queuedNanos how long it waited, in nanoseconds; 0 if it started at once
     */
    default void onStarted(long queuedNanos) {}

    /**
     * The work was not admitted, or waited too long; no further call follows.
     *
     * @param reason why
     */
    default void onRejected(RejectionReason reason) {}

    /**
     * The work has ended, and its permits are back; no further call follows.
     *
     * @param result how it ended; never {@link TaskStatus#REJECTED}
     */
    default void onCompleted(GroupResult<?> result) {}
}
