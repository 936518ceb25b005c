package io.github.kobe.scope;

import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The base of this library's joiners: each is used for one scope only, and says in exceptions what became of that. */
abstract class OneScopeJoiner<T, R, X extends Throwable> implements Joiner<T, R, X> {

    /** By which call users have made it. */
    private final String call;

    /** The scope that it serves, by its name alone, so that who keeps a joiner doesn't keep the scope. */
    private final AtomicReference<@Nullable ScopeName> scope = new AtomicReference<>();

    // Written and read by the owner, at the end.
    private boolean anyLost;
    private @Nullable String why;

    /** @param call of which of {@link Joiner}'s methods it is made, with its arguments */
    OneScopeJoiner(String call) {
        this.call = call;
    }

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

    /** {@return what a joiner is called} Those of users aren't asked. */
    static String named(Joiner<?, ?, ?> joiner) {
        return joiner instanceof OneScopeJoiner<?, ?, ?> ours
                ? ours.toString()
                : joiner.getClass().getName();
    }

    /** {@return whether a scope calls it, and no joiner of a user's that it is inside of} */
    final boolean isTaken() {
        return scope.getPlain() != null;
    }

    /**
     * Its scope is about to ask for the outcome.
     *
     * @param lost whether there are forks that it wasn't told of, since they, or the scope, were cancelled
     * @param text why, if so
     */
    final void ends(boolean lost, @Nullable String text) {
        anyLost = lost;
        why = text;
    }

    /** {@return whether there are forks that it wasn't told of; once {@linkplain #isTaken a scope} asks for the outcome} */
    final boolean isAnyLost() {
        return anyLost;
    }

    /** {@return whether a completed subtask has failed} */
    final boolean failed(Subtask<T> completed) {
        boolean unused = Joiner.super.onComplete(completed);
        return completed.state() == Subtask.State.FAILED;
    }

    @Override
    public R timeout() throws X {
        throw timedOut();
    }

    final CancelledByTimeoutException timedOut() {
        return new CancelledByTimeoutException(
                why == null ? named() + " timed out before all its forks had ended" : why);
    }

    final CancellationException cancelled() {
        return new CancellationException(why == null ? named() + ", or one of its forks, was cancelled" : why);
    }

    /** A joiner that is called without a scope, as in a test of it, has none to name. */
    private String named() {
        ScopeName named = scope.get();
        return named == null ? "The scope" : named.toString();
    }

    @Override
    public String toString() {
        return "Joiner." + call;
    }
}
