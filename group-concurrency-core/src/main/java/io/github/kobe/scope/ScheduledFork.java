package io.github.kobe.scope;

/**
 * A task that a scope runs later, or again and again. It ends with its scope at the latest. Methods may be called by any
 * thread.
 *
 * <p>Not for implementing: methods may be added.
 *
 * @since 0.1.0
 */
public interface ScheduledFork {

    /**
     * Ends the schedule. A run that waits never starts; one that runs is interrupted.
     *
     * @return true if this call ended it; false if it was done
     */
    boolean cancel();

    /** {@return true if it was cancelled, alone or with its scope, before it was done by itself} */
    boolean isCancelled();

    /** {@return true if nothing of it will run any more: it has run its last time, has thrown, or was cancelled} */
    boolean isDone();
}
