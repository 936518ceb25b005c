package io.github.kobe.scope;

import io.github.kobe.scope.ScopeSnapshot.Owner;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The owner's waits for its forks, any number of awaits and one join, and the outcome that its joiner makes.
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
 *
 * <p>Threads that fork or have run a fork call the joiner; everything else is done by the owner.
 */
final class Joining<T, R, X extends Throwable> {

    private final OpenScope<T, R, X> scope;
    private final Joiner<T, R, X> joiner;

    /** What the joiner's onComplete threw; by the thread of a fork. */
    private volatile @Nullable Throwable broken;

    /** Whether there is an outcome, or there just comes one: all forks can be read. */
    private volatile boolean drawn;

    private boolean begun;
    /** Whether it has given the outcome. */
    private boolean done;
    /** Whether no fork can come that the owner would have to wait for: a late one is that of a scheduled run. */
    private boolean complete;

    private boolean concluded;
    private @Nullable R outcome;
    private @Nullable Throwable failure;

    Joining(OpenScope<T, R, X> scope, Joiner<T, R, X> joiner) {
        this.scope = scope;
        this.joiner = joiner;
    }

    // ---- the joiner hears

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

    /** {@return whether it is enough for its joiner if one of its forks, or some, succeed} */
    boolean isRace() {
        return joiner instanceof AnySuccessful || joiner instanceof Quorum;
    }

    // ---- the owner waits

    /** {@return whether the owner forks no more} */
    boolean hasBegun() {
        return begun;
    }

    boolean isDrawn() {
        return drawn;
    }

    void begin() {
        if (done) {
            throw new IllegalStateException(scope + " was joined already; a scope can be joined only once");
        }
        begun = true;
    }

    /** The scope's time is up then, if that is sooner. */
    void limit(Instant until) {
        long now = scope.bridge.now();
        long due = TimeLimit.after(now, TimeUnit.NANOSECONDS.convert(Duration.between(Instant.now(), until)));
        if (due <= now) {
            scope.cancel(Cause.TIMED_OUT);
        } else {
            scope.time.shorten(due);
        }
    }

    /** Waits for all, or a cancel. */
    R join() throws X, InterruptedException {
        Forks forks = scope.forks;
        try {
            if (scope.ownerWait.block(Owner.JOINING, forks::isReady)) {
                throw interrupted("join");
            }
            requireOwnerGoesOn();
        } finally {
            waited();
        }
        done = true;
        return draw();
    }

    /**
     * Waits for some, or a cancel. If that comes first, or the joiner cancels where one of them has failed, this ends as join,
     * which may still follow.
     */
    void await(Awaited some) throws X, InterruptedException {
        Forks forks = scope.forks;
        OwnerWait wait = scope.ownerWait;
        try {
            if (wait.block(
                    Owner.AWAITING, () -> forks.isCancelledAndTold() || (!forks.isCancelled() && some.areOver(wait)))) {
                throw interrupted("await");
            }
        } finally {
            waited();
        }
        if (forks.isCancelledAndTold() // a cancel that has only just come is too late for those that are over
                && (some.areAny(Subtask.State.UNAVAILABLE)
                        || (forks.cause() == Cause.JOINER && some.areAny(Subtask.State.FAILED)))) {
            requireOwnerGoesOn();
            R unused = draw();
        }
        some.show();
    }

    private void waited() {
        scope.forks.joined();
        complete |= begun || scope.forks.isCancelled();
    }

    /** {@return whether something was forked that the owner hasn't waited for} */
    boolean isIncomplete() {
        return !complete && scope.forks.isUnjoined();
    }

    private InterruptedException interrupted(String method) {
        return new InterruptedException("The owner of " + scope + " was interrupted in " + method);
    }

    private void requireOwnerGoesOn() throws InterruptedException {
        if (scope.ownerIsToEnd()) {
            throw new InterruptedException("The owner of " + scope + " runs " + scope.ownerFork
                    + ", which was cancelled, or whose own time is up");
        }
    }

    // ---- the outcome

    /** {@return the outcome, or throws it} */
    @SuppressWarnings({"unchecked", "NullAway"}) // what it threw is an X or unchecked; a result may be null if R may
    private R draw() throws X {
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
            throw new IllegalStateException(
                    "onComplete of " + OneScopeJoiner.named(joiner) + ", the joiner of " + scope + ", failed", thrown);
        }
        if (joiner instanceof OneScopeJoiner<?, ?, ?> ours) {
            ours.ends(scope.forks.isAnyLost(), scope.whyCutOff());
        }
        return scope.forks.isCutBy(Cause.TIMED_OUT) ? joiner.timeout() : joiner.result();
    }
}
