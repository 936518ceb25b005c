package io.github.kobe.scope;

/**
 * A task that a scope runs later, or repeatedly. It ends with its scope at the latest. Methods may be called by any
 * thread.
 *
 * <p>Not for implementing: methods may be added.
 *
 * @since 0.1.0
 */
public interface ScheduledFork {

    /**
     * Ends the schedule. A waiting run never starts; a running one is interrupted.
     *
     * @return true if this call ended it; false if it was done
     */
    boolean cancel();

    /** {@return true if it was cancelled, alone or with its scope, before it ended by itself} */
    boolean isCancelled();

    /** {@return true if it will not run again: it has run for the last time, has thrown, or was cancelled} */
    boolean isDone();
}
