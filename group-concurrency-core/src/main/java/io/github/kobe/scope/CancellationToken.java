package io.github.kobe.scope;

import java.util.concurrent.CancellationException;

/**
 * The right to cancel a scope, and to ask whether it is cancelled, for any thread at any time: for a shutdown hook, a
 * closing connection, or code that computes for long and looks for it.
 *
 * <p>Not for implementing: methods may be added.
 *
 * @since 0.1.0
 */
public interface CancellationToken {

    /** {@return true once the scope is cancelled; a closed scope is} */
    boolean isCancelled();

    /** Cancels the scope, as {@link GroupScope#cancel()} does. */
    void cancel();

    /**
     * Ends code that is to run no longer.
     *
     * @throws CancellationException if the scope is cancelled
     */
    void throwIfCancelled();
}
