package io.github.kobe.scope;

import io.github.kobe.internal.doors.ScopeBridge;
import io.github.kobe.scope.ScopeSnapshot.Owner;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Adds forks to a scope; used by its owner and the threads of its subtree. */
final class Forking {

    private final OpenScope<?, ?, ?> scope;
    private final ScopeConfiguration configuration;
    private final Conclusion<?, ?, ?> conclusion;

    private final AtomicLong lastId = new AtomicLong();

    Forking(OpenScope<?, ?, ?> scope, ScopeConfiguration configuration, Conclusion<?, ?, ?> conclusion) {
        this.scope = scope;
        this.configuration = configuration;
        this.conclusion = conclusion;
    }

    <U> ForkedSubtask<U> fork(String group, Callable<? extends U> task, @Nullable ForkOptions options) {
        ScopeBridge.requireStack();
        scope.requireWithin();
        boolean byOwner = Thread.currentThread().equals(scope.owner);
        scope.requireForkable(byOwner);
        scope.bridge.requireKey(group);
        boolean inTime = !byOwner || configuration.mostForks() == 0 || awaitTurn();
        RetryPolicy retry = configuration.retry();
        ForkPlan plan = options == null && retry == RetryPolicy.none() && scope.audience.isEmpty()
                ? null
                : new ForkPlan(options, retry, null);
        ForkedSubtask<U> fork = unknown(group, plan);
        if (conclusion.forked(fork)) {
            scope.cancel(Cause.JOINER);
        }
        if (!(inTime || scope.isCancelled()) || !scope.forks.add(fork)) {
            fork.neverBegins();
            return fork;
        }
        start(fork, plan, task);
        return fork;
    }

    /** {@return a fork that nobody knows yet} */
    private <U> ForkedSubtask<U> unknown(String group, @Nullable ForkPlan plan) {
        return new ForkedSubtask<>(scope, group, lastId.incrementAndGet(), scope.bridge.now(), plan);
    }

    /** Waits until fewer forks are unfinished than there may be; false if that was cut short. */
    private boolean awaitTurn() {
        Forks forks = scope.forks;
        int most = configuration.mostForks();
        if (forks.unfinished() < most) {
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
        ForkPlan plan = new ForkPlan(null, RetryPolicy.none(), schedule);
        plan.taken = taken;
        ForkedSubtask<?> run = unknown(group, plan);
        if (scope.forks.addRun(run)) {
            return run;
        }
        scope.ownerWait.over(run, scope.forks.finished(run));
        return null;
    }
}
