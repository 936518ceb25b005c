package io.github.kobe.scope;

import io.github.kobe.scope.ScopeSnapshot.Owner;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** The owner's waits for its forks: any number of awaits, and one join, which gives the outcome. Used by the owner. */
final class Joining<R, X extends Throwable> {

    private final OpenScope<?, R, X> scope;
    private final Conclusion<?, R, X> conclusion;

    private boolean begun;
    /** Whether it has given the outcome. */
    private boolean done;
    /** Whether no fork can come that the owner would have to wait for: a late one is that of a scheduled run. */
    private boolean complete;

    Joining(OpenScope<?, R, X> scope, Conclusion<?, R, X> conclusion) {
        this.scope = scope;
        this.conclusion = conclusion;
    }

    /** {@return whether the owner forks no more} */
    boolean hasBegun() {
        return begun;
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
                throw new InterruptedException();
            }
            requireOwnerGoesOn();
        } finally {
            waited();
        }
        done = true;
        return conclusion.draw();
    }

    /** Waits for some, or a cancel. If that comes first this ends as join, which may still follow. */
    void await(Awaited some) throws X, InterruptedException {
        Forks forks = scope.forks;
        OwnerWait wait = scope.ownerWait;
        try {
            if (wait.block(
                    Owner.AWAITING, () -> forks.isCancelledAndTold() || (!forks.isCancelled() && some.areOver(wait)))) {
                throw new InterruptedException();
            }
        } finally {
            waited();
        }
        if (forks.isCancelled() && some.isAnyUnavailable()) {
            requireOwnerGoesOn();
            R unused = conclusion.draw();
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

    private void requireOwnerGoesOn() throws InterruptedException {
        if (scope.ownerIsToEnd()) {
            throw new InterruptedException();
        }
    }
}
