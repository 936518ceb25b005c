package io.github.kobe.scope;

import java.time.Duration;

/**
 * How a scope's forks have ended so far.
 *
 * @param started how many have begun to run, each counted once, however many attempts it had
 * @param succeeded how many have ended with a value
 * @param failed how many have failed, those included that never ran
 * @param cancelled how many were cancelled, those included that never ran
 * @param total how long all that have ended ran, added up
 * @param longest how long the longest attempt took; zero if there was none
 * @param timedOut whether the scope's time was up while it was open
 * @since 0.1.0
 */
public record ScopeTotals(
        long started, long succeeded, long failed, long cancelled, Duration total, Duration longest, boolean timedOut) {

    /** {@return how many have ended, in any way} */
    public long completed() {
        return succeeded + failed + cancelled;
    }

    /**
     * {@return how long those that have ended ran on average, including those that never ran; zero if none has ended}
     */
    public Duration average() {
        return completed() == 0 ? Duration.ZERO : total.dividedBy(completed());
    }
}
