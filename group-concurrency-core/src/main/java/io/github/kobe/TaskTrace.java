package io.github.kobe;

import java.util.concurrent.Callable;

/**
 * What a {@link TaskTracer} keeps of one piece of work, from its submission to its end: a span, a timer. It hears of
 * this work alone, as a {@link TaskLifecycleListener} does of all: in the same order, on the same threads, after it.
 *
 * <p>What a method throws, an {@link Error} too, changes nothing; it is logged once for each method.
 *
 * @since 0.1.0
 */
public interface TaskTrace {

    /**
     * Wraps the work, on the submitting thread, before anything decorates it: the place to put up on the work's own
     * thread what its code shall see. For work on the caller's own thread it is called too; a permit has no work to wrap.
     *
     * <p>What it returns may run although the work was rejected: on the caller's thread, or by a rejection handler.
     *
     * @param task what to wrap
     * @param <T> the type of its value
     * @return what runs in its stead, and returns and throws what it does
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
     * The work was not let in, or waited too long; nothing follows.
     *
     * @param reason why
     */
    default void onRejected(RejectionReason reason) {}

    /**
     * The work has ended, and its permits are back; nothing follows.
     *
     * @param result how it ended; never {@link TaskStatus#REJECTED}
     */
    default void onCompleted(GroupResult<?> result) {}
}
