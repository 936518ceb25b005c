package io.github.kobe.scope;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of a scope: its joiner, and the one outcome that it has made.
 *
 * <h2>Which outcome wins</h2>
 *
 * <ol>
 *   <li>The owner is interrupted in its wait, or is itself a fork that was cancelled or whose own time is up:
 *       InterruptedException, whichever signal came first. Nothing is concluded, and the owner may join again.
 *   <li>The joiner's onComplete threw: IllegalStateException.
 *   <li>The time was up, and that cut off a fork: the joiner's timeout. The word of {@link Forks} says whether it did:
 *       there each fork's end is either before the cancel or not at all.
 *   <li>Otherwise the joiner's result, even after a cancel: it knows of which forks it was not told.
 * </ol>
 */
final class Conclusion<T, R, X extends Throwable> {

    private final Joiner<T, R, X> joiner;
    private final Forks forks;

    /** What the joiner's onComplete threw; by the thread of a fork. */
    private volatile @Nullable Throwable broken;

    /** Whether there is an outcome, or there just comes one: all forks can be read. By the owner, as what follows. */
    private volatile boolean drawn;

    private boolean concluded;
    private @Nullable R outcome;
    private @Nullable Throwable failure;

    Conclusion(Joiner<T, R, X> joiner, Forks forks) {
        this.joiner = joiner;
        this.forks = forks;
    }

    /** {@return whether the joiner cancels the scope} */
    @SuppressWarnings("unchecked") // a fork's type is narrower
    boolean forked(ForkedSubtask<?> fork) {
        return joiner.onFork((Subtask<T>) fork);
    }

    /** {@return whether the joiner cancels the scope, or has failed} */
    @SuppressWarnings("unchecked") // a fork's type is narrower
    boolean completed(ForkedSubtask<?> fork) {
        try {
            return joiner.onComplete((Subtask<T>) fork);
        } catch (Throwable thrown) {
            if (broken == null) {
                broken = thrown;
            }
            return true;
        }
    }

    boolean isDrawn() {
        return drawn;
    }

    /** {@return the outcome, or throws it; by the owner} */
    @SuppressWarnings({"unchecked", "NullAway"}) // what it threw is an X or unchecked; a result may be null if R may
    R draw() throws X {
        drawn = true;
        if (!concluded) {
            concluded = true;
            try {
                outcome = conclude();
            } catch (Throwable thrown) {
                failure = thrown;
            }
        }
        if (failure != null) {
            throw (X) failure;
        }
        return outcome;
    }

    private R conclude() throws X {
        Throwable thrown = broken;
        if (thrown != null) {
            throw new IllegalStateException("The joiner's onComplete failed", thrown);
        }
        return forks.isCutBy(Cause.TIMED_OUT) ? joiner.timeout() : joiner.result();
    }
}
