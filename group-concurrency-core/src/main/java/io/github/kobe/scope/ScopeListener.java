package io.github.kobe.scope;

import java.time.Duration;

/**
 * Hears of scopes and of what becomes of their forks: {@link #onOpened}, then for each fork [{@link #onStart}, then]
 * exactly one of {@link #onSuccess}, {@link #onFailure} and {@link #onCancel}, and {@link #onClosed} at last. A fork that
 * is tried again starts and ends once.
 *
 * <p>The run of a scheduled fork is told as a fork's is.
 *
 * <p><b>Order.</b> The end of a fork is told when its permits are back and the joiner has heard; {@code join} may have
 * returned, {@code close} waits for it. Of several listeners each hears of everything, in the order in which they were
 * added.
 *
 * <p><b>Threads.</b> What a fork does is told on the thread of the fork, by many at once; the end of one that never ran on
 * the thread that ended it, or on a fresh virtual one. Opening and closing are told on the owner's. Never under a lock.
 *
 * <p><b>Errors.</b> What a method throws, an {@link Error} too, changes nothing; it is logged once for each method.
 *
 * @since 0.1.0
 */
public interface ScopeListener {

    /**
     * A scope was opened.
     *
     * @param scope the scope
     */
    default void onOpened(ScopeInfo scope) {}

    /**
     * A fork has its permits, and is about to run.
     *
     * @param fork the fork
     */
    default void onStart(ForkInfo fork) {}

    /**
     * A fork has ended with a value.
     *
     * @param fork the fork
     * @param ran how long its code ran, all attempts together
     */
    default void onSuccess(ForkInfo fork, Duration ran) {}

    /**
     * A fork has failed.
     *
     * @param fork the fork
     * @param failure what it threw, or why it never ran
     * @param ran how long its code ran, all attempts together; zero if it never did
     */
    default void onFailure(ForkInfo fork, Throwable failure, Duration ran) {}

    /**
     * A fork was cancelled, and its code has ended.
     *
     * @param fork the fork
     * @param ran how long its code ran, all attempts together; zero if it never did
     */
    default void onCancel(ForkInfo fork, Duration ran) {}

    /**
     * A scope was closed: none of its forks runs, its permits are back, and its clean-ups have run.
     *
     * @param scope the scope
     * @param totals how its forks have fared
     */
    default void onClosed(ScopeInfo scope, ScopeTotals totals) {}
}
