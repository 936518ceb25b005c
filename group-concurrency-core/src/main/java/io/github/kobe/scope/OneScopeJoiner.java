package io.github.kobe.scope;

import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;

/** What the joiners of this library have in common: each of them serves one scope. */
abstract class OneScopeJoiner<T, R, X extends Throwable> implements Joiner<T, R, X> {

    private final AtomicBoolean taken = new AtomicBoolean();

    /**
     * Takes a joiner for a scope that is being opened.
     *
     * @throws IllegalStateException if it is one of ours, and was taken before
     */
    static void take(Joiner<?, ?, ?> joiner) {
        if (joiner instanceof OneScopeJoiner<?, ?, ?> ours && !ours.taken.compareAndSet(false, true)) {
            throw new IllegalStateException("A joiner serves one scope, and this one has served: " + joiner);
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

    static CancelledByTimeoutException timedOut() {
        return new CancelledByTimeoutException("The scope's time was up before its forks had ended");
    }

    static CancellationException cancelled() {
        return new CancellationException("The scope or one of its forks was cancelled");
    }

    @Override
    public String toString() {
        return getClass().getSimpleName();
    }
}
