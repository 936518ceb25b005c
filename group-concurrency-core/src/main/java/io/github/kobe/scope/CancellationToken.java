package io.github.kobe.scope;

import java.util.concurrent.CancellationException;

/**
 * Lets any thread cancel a scope, or check whether it is cancelled, at any time. Use it in a shutdown hook, for a
 * closing connection, or in long computations that check for cancellation.
 *
 * <p>Not for implementing: methods may be added.
 *
 * @since 0.1.0
 */
public interface CancellationToken {

    /** {@return true once the scope is cancelled; a closed scope is cancelled too} */
    boolean isCancelled();

    /** Cancels the scope, as {@link GroupScope#cancel()} does. */
    void cancel();

    /**
     * Throws an exception if the scope is cancelled, to end code that should no longer run.
     *
     * @throws CancellationException if the scope is cancelled
     */
    void throwIfCancelled();
}
