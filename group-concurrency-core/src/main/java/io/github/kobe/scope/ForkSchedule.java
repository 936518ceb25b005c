package io.github.kobe.scope;

import io.github.kobe.internal.doors.ScopeBridge;
import io.github.kobe.internal.doors.ScopeBridge.Alarm;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A task that a scope runs later, or repeatedly.
 *
 * <pre>
 *   WAITING -> RUNNING    its alarm: the run is a fork that the joiner doesn't know
 *   RUNNING -> WAITING    the run, once it is over, if another one follows
 *   RUNNING -> DONE       the run: it was the only one, or has failed
 *   WAITING, RUNNING -> CANCELLED    cancel; its scope, once that is cancelled
 * </pre>
 */
final class ForkSchedule implements ScheduledFork {

    private enum State {
        WAITING,
        RUNNING,
        DONE,
        CANCELLED
    }

    private final OpenScope<?, ?, ?> scope;
    private final String group;
    private final Object taken;
    /** Zero: it runs once. */
    private final long periodNanos;

    private final boolean atFixedRate;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    /** When the next run is due, on the engine's clock; by whoever moves the state. */
    private long dueAt;

    private volatile @Nullable Alarm alarm;
    private volatile @Nullable ForkedSubtask<?> run;

    ForkSchedule(OpenScope<?, ?, ?> scope, String group, Object taken, long periodNanos, boolean atFixedRate) {
        this.scope = scope;
        this.group = group;
        this.taken = taken;
        this.periodNanos = periodNanos;
        this.atFixedRate = atFixedRate;
    }

    /**
     * Begins one; by a thread of the subtree.
     *
     * @param period {@code null}: it runs once
     */
    static ScheduledFork begin(
            OpenScope<?, ?, ?> scope,
            String group,
            Duration initial,
            @Nullable Duration period,
            boolean atFixedRate,
            Callable<?> task) {
        Objects.requireNonNull(group, "group");
        Range.notNegative(initial, period == null ? "delay" : "initial");
        Objects.requireNonNull(task, "task");
        scope.requireMaySchedule(group);
        long periodNanos = period == null ? 0 : TimeUnit.NANOSECONDS.convert(period);
        ForkSchedule schedule =
                new ForkSchedule(scope, group, scope.bridge.take(group, "", task), periodNanos, atFixedRate);
        scope.schedules.add(schedule);
        schedule.begin(TimeUnit.NANOSECONDS.convert(initial));
        if (scope.isClosed()) {
            schedule.end(); // its owner has closed it meanwhile, or an outer scope before
        }
        return schedule;
    }

    private void begin(long delayNanos) {
        dueAt = TimeLimit.after(scope.bridge.now(), delayNanos);
        arm();
    }

    private void arm() {
        Alarm next = new Alarm(this::due);
        alarm = next; // before it may be due, and the run sets another
        if (!scope.bridge.at(dueAt, next)) {
            end();
            scope.bridge.scheduleFailed(group, new OutOfMemoryError("The thread for timers could not be started"));
        } else if (state.get() == State.CANCELLED) {
            scope.bridge.cancel(next);
        }
    }

    private void due() {
        if (!state.compareAndSet(State.WAITING, State.RUNNING)) {
            return;
        }
        ForkedSubtask<?> next = null;
        try {
            next = scope.forking.newRun(this, group, taken);
        } finally {
            if (next == null) { // its scope is cancelled, or there is no memory for a run
                state.set(State.CANCELLED);
                letGo(null);
            }
        }
        if (next == null) {
            return;
        }
        run = next;
        next.submitTakenOrFail();
        if (state.get() == State.CANCELLED) {
            next.cancelRun();
        }
    }

    /** A run is over, and its listeners have heard. */
    void ranOnce(ForkedSubtask<?> over) {
        run = null;
        Throwable failure = over.failureOrNull();
        if (failure != null && !RetryPolicy.isShutdown(failure) && !scope.audience.hearsOfForks()) {
            scope.bridge.scheduleFailed(group, failure);
        }
        boolean wouldGoOn = periodNanos > 0 && over.state() == Subtask.State.SUCCESS;
        if (!wouldGoOn || scope.isCancelled()) {
            boolean cut = wouldGoOn || over.state() == Subtask.State.UNAVAILABLE;
            state.compareAndSet(State.RUNNING, cut ? State.CANCELLED : State.DONE);
            letGo(failure);
            return;
        }
        long now = scope.bridge.now();
        dueAt = atFixedRate ? nextOf(dueAt, now) : TimeLimit.after(now, periodNanos);
        if (state.compareAndSet(State.RUNNING, State.WAITING)) {
            arm();
        } else {
            letGo(null);
        }
    }

    /** {@return the first time of the rate that is still to come: missed ones are dropped} */
    private long nextOf(long last, long now) {
        long next = TimeLimit.after(last, periodNanos);
        return next > now ? next : next + ((now - next) / periodNanos + 1) * periodNanos;
    }

    @Override
    public boolean cancel() {
        ScopeBridge.requireStack();
        return end();
    }

    /** Ends it, if it hasn't ended; by any thread. If it runs, that run lets go of it once it is over. */
    boolean end() {
        State before = state.getAndUpdate(was -> was == State.DONE ? was : State.CANCELLED);
        if (before == State.DONE || before == State.CANCELLED) {
            return false;
        }
        Alarm set = alarm;
        if (set != null) {
            scope.bridge.cancel(set);
        }
        ForkedSubtask<?> running = run;
        if (running != null) {
            running.cancelRun();
        }
        if (before == State.WAITING) {
            letGo(null);
        }
        return true;
    }

    /** Ends it for good, with no run under way: one that there was no memory to see to may not have let go of it. */
    void close() {
        end();
        letGo(null);
    }

    /** @param failure what its last run failed with; {@code null}: it didn't */
    private void letGo(@Nullable Throwable failure) {
        scope.schedules.remove(this);
        ScopeBridge.endTaken(taken, failure);
    }

    @Override
    public boolean isCancelled() {
        State now = state.get();
        return now == State.CANCELLED || (now != State.DONE && scope.isCancelled());
    }

    @Override
    public boolean isDone() {
        return state.get() == State.DONE || isCancelled();
    }
}
