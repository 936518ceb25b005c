package io.github.kobe.scope;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * Is told about scopes and their forks: {@link #onOpened}, then for each fork [{@link #onStart}, then] exactly one of
 * {@link #onSuccess}, {@link #onFailure} and {@link #onCancel}, and finally {@link #onClosed}. A fork that is retried
 * is reported as starting once and ending once.
 *
 * <p>The run of a scheduled fork is reported in the same way.
 *
 * <p><b>Order.</b> The end of a fork is reported after its permits are back and the joiner was called; {@code join} may have
 * returned by then, {@code close} waits for it. If there are several listeners, each is called for everything, in the order
 * in which they were added.
 *
 * <p><b>Threads.</b> The methods for a fork are called on the fork's thread, many at once; for a fork that never ran, on
 * the thread that ended it, or on a fresh virtual thread. Opening and closing are reported on the owner's thread. No method
 * is called under a lock.
 *
 * <p><b>Errors.</b> What a method throws, even an {@link Error}, has no effect but a line in the log, once for each method.
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
     * A scope was opened. This one is for listeners that count: they ask how many forks have ended when somebody asks them,
     * and needn't hear of each fork. A listener that leaves all methods about forks as they are costs forks nothing.
     *
     * <p>By default this calls {@link #onOpened(ScopeInfo)}.
     *
     * @param scope the scope
     * @param totals gives how its forks have ended so far, to any thread, also once it is closed; it keeps nothing of the
     *     scope but these numbers
     */
    default void onOpened(ScopeInfo scope, Supplier<ScopeTotals> totals) {
        onOpened(scope);
    }

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
     * @param totals how its forks have ended
     */
    default void onClosed(ScopeInfo scope, ScopeTotals totals) {}
}
