package io.github.kobe.scope;

import io.github.kobe.internal.doors.ScopeBridge;
import io.github.kobe.scope.ScopeSnapshot.Owner;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Adds forks to a scope; used by its owner and the threads of its subtree. */
final class Forking {

    private final OpenScope<?, ?, ?> scope;
    private final GivenSettings settings;
    private final Joining<?, ?, ?> joining;

    /** The group of the first fork of a race. Benign if two threads write it: what follows is but a line in the log. */
    private @Nullable String racedIn;

    private boolean raceLookedAt;

    Forking(OpenScope<?, ?, ?> scope, GivenSettings settings, Joining<?, ?, ?> joining) {
        this.scope = scope;
        this.settings = settings;
        this.joining = joining;
    }

    <U> ForkedSubtask<U> fork(String group, Callable<? extends U> task, @Nullable ForkOptions options) {
        ScopeBridge.requireStack();
        scope.requireWithin();
        boolean byOwner = Thread.currentThread().equals(scope.owner);
        scope.requireForkable(byOwner);
        scope.bridge.requireKey(group);
        boolean inTime = !byOwner || settings.mostForks() == 0 || awaitTurn();
        RetryPolicy retry = settings.retry();
        ForkPlan plan = options == null && retry == RetryPolicy.none() && !scope.audience.hearsOfForks()
                ? null
                : new ForkPlan(scope.bridge.now(), options, retry, null);
        ForkedSubtask<U> fork = unknown(group, plan);
        if (joining.forked(fork)) {
            scope.cancel(Cause.JOINER);
        }
        if (!(inTime || scope.isCancelled())) {
            scope.forks.lose(fork);
            return neverBegun(fork);
        }
        if (!scope.forks.add(fork)) {
            return neverBegun(fork);
        }
        start(fork, plan, task);
        if (joining.isRace() && !raceLookedAt) {
            lookAtRace(group);
        }
        return fork;
    }

    /** It is over at once, for an owner too that its joiner has given it to, and that awaits it. */
    private <U> ForkedSubtask<U> neverBegun(ForkedSubtask<U> fork) {
        fork.neverBegins();
        scope.ownerWait.over(fork, scope.forks.unfinished());
        return fork;
    }

    /** Once for a scope: whoever forks a race means its forks to run beside each other. */
    private void lookAtRace(String group) {
        if (racedIn == null) {
            racedIn = group;
        } else if (group.equals(racedIn)) {
            raceLookedAt = true;
            scope.bridge.raceIn(group, scope);
        }
    }

    /** {@return a fork that nobody knows yet} */
    private <U> ForkedSubtask<U> unknown(String group, @Nullable ForkPlan plan) {
        return new ForkedSubtask<>(scope, group, scope.forks.nextId(), plan);
    }

    /** Waits until fewer forks are unfinished than there may be; false if that was cut short. */
    private boolean awaitTurn() {
        Forks forks = scope.forks;
        int most = settings.mostForks();
        if (forks.unfinished() < most || ScopeBridge.tellsOf(scope.owner, scope)) { // that fork ends when it has told
            return true;
        }
        if (scope.ownerWait.block(Owner.FORKING, () -> forks.unfinished() < most || forks.isCancelled())) {
            scope.owner.interrupt();
            return false;
        }
        return !forks.isCancelled();
    }

    /** Has a fork that is added submitted, now or later; if there is no memory for that, nothing has come of it. */
    private void start(ForkedSubtask<?> fork, @Nullable ForkPlan plan, Callable<?> task) {
        boolean started = false;
        try {
            fork.start(task);
            started = true;
        } finally {
            if (!started) {
                if (plan != null) {
                    plan.cancelAlarms(scope.bridge);
                }
                scope.ownerWait.over(fork, scope.forks.drop(fork, plan != null && plan.delayNanos > 0));
            }
        }
    }

    /** {@return a run of {@code schedule}; {@code null} if the scope is cancelled} */
    @Nullable
    ForkedSubtask<?> newRun(ForkSchedule schedule, String group, Object taken) {
        ForkPlan plan = new ForkPlan(scope.bridge.now(), null, RetryPolicy.none(), schedule);
        plan.taken = taken;
        ForkedSubtask<?> run = unknown(group, plan);
        if (scope.forks.addRun(run)) {
            return run;
        }
        scope.ownerWait.over(run, scope.forks.finished(run));
        return null;
    }
}
