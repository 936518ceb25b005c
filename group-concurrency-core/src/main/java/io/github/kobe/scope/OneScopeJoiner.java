package io.github.kobe.scope;

import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The base of this library's joiners: each is used for one scope only, and names it in exceptions. */
abstract class OneScopeJoiner<T, R, X extends Throwable> implements Joiner<T, R, X> {

    /** The scope that it serves, by its name alone, so that who keeps a joiner doesn't keep the scope. */
    private final AtomicReference<@Nullable ScopeName> scope = new AtomicReference<>();

    /**
     * Takes a joiner for a scope that is being opened.
     *
     * @throws IllegalStateException if it is one of ours, and was taken before
     */
    static void take(Joiner<?, ?, ?> joiner, ScopeName scope) {
        if (joiner instanceof OneScopeJoiner<?, ?, ?> ours && !ours.scope.compareAndSet(null, scope)) {
            throw new IllegalStateException(
                    joiner + " serves " + ours.scope.get() + " already; make a new joiner for each scope");
        }
    }

    /** {@return whether a completed subtask has failed} */
    final boolean failed(Subtask<T> completed) {
        Joiner.super.onComplete(completed);
        return completed.state() == Subtask.State.FAILED;
    }

    @Override
    public R timeout() throws X {
        throw timedOut();
    }

    final CancelledByTimeoutException timedOut() {
        return new CancelledByTimeoutException(named() + " timed out before all its forks had ended");
    }

    final CancellationException cancelled() {
        return new CancellationException(named() + ", or one of its forks, was cancelled");
    }

    /** A joiner that is called without a scope, as in a test of it, has none to name. */
    private String named() {
        ScopeName named = scope.get();
        return named == null ? "The scope" : named.toString();
    }

    @Override
    public String toString() {
        return getClass().getSimpleName();
    }
}
