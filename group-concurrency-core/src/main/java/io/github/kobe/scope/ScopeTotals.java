package io.github.kobe.scope;

import java.time.Duration;

/**
 * How a scope's forks have ended so far.
 *
 * <p>Only scopes implement it; it may get more methods.
 *
 * @since 0.1.0
 */
public interface ScopeTotals {

    /** {@return how many have begun to run, each counted once, however many attempts it had} */
    long started();

    /** {@return how many have ended with a value} */
    long succeeded();

    /** {@return how many have failed, those included that never ran} */
    long failed();

    /** {@return how many were cancelled, those included that never ran} */
    long cancelled();

    /** {@return how long all that have ended ran, added up} */
    Duration total();

    /** {@return how long the longest attempt took; zero if there was none} */
    Duration longest();

    /** {@return whether the scope's time was up while it was open} */
    boolean timedOut();

    /** {@return how many have ended, in any way} */
    default long completed() {
        return succeeded() + failed() + cancelled();
    }

    /**
     * {@return how long those that have ended ran on average, including those that never ran; zero if none has ended}
     */
    default Duration average() {
        return completed() == 0 ? Duration.ZERO : total().dividedBy(completed());
    }
}
