package io.github.kobe.scope;

import io.github.kobe.internal.doors.ScopeBridge.Alarm;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * When the time of a scope is up, and the alarm that then ends it. A scope whose time is that of its outer scope needs
 * no alarm: the outer scope's alarm ends both.
 */
final class TimeLimit {

    /** How often a scope that has no time-out, or whose time is up, looks whether its owner still lives. */
    private static final long WATCH_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final OpenScope<?, ?, ?> scope;

    /** On the engine's clock; {@link Long#MAX_VALUE}: never. */
    private final long first;
    /** The same, if it was shortened; 0: it wasn't. By the owner. */
    private volatile long shortened;
    /** Whether it is nearer than the outer one's. By the owner. */
    private volatile boolean own;

    private @Nullable Alarm alarm;

    /** That by which it looks after its owner next; by the owner or the {@link #alarm}, and then by each of these. */
    private volatile @Nullable Alarm watch;

    /**
     * Begins with the opening of the scope.
     *
     * @param opened on the engine's clock
     * @param limit how much time it has; {@code null}: no limit
     * @param outer the limit of the one that it is inside of
     */
    TimeLimit(OpenScope<?, ?, ?> scope, long opened, @Nullable Duration limit, @Nullable TimeLimit outer) {
        this.scope = scope;
        long mine = limit == null ? Long.MAX_VALUE : after(opened, TimeUnit.NANOSECONDS.convert(limit));
        long outers = outer == null ? Long.MAX_VALUE : after(opened, outer.left());
        first = Math.min(mine, outers);
        own = mine < outers;
    }

    /** {@return a time so much after another on an engine's clock; {@link Long#MAX_VALUE}: never} */
    static long after(long start, long nanos) {
        return nanos > Long.MAX_VALUE - start ? Long.MAX_VALUE : start + nanos;
    }

    /** {@return on the engine's clock; {@link Long#MAX_VALUE}: never} */
    long deadline() {
        long sooner = shortened;
        return sooner == 0 ? first : sooner;
    }

    /** {@return how much is left, in nanoseconds; {@link Long#MAX_VALUE}: no limit} */
    private long left() {
        long due = deadline();
        return due == Long.MAX_VALUE ? due : due - scope.bridge.now();
    }

    /** {@return the scope whose time this is: it, or one that it is inside of} */
    OpenScope<?, ?, ?> whose() {
        OpenScope<?, ?, ?> at = scope;
        for (OpenScope<?, ?, ?> outer = at.parent(); outer != null && !at.time.own; outer = at.parent()) {
            at = outer;
        }
        return at;
    }

    // ---- by the owner

    void arm() {
        if (own) {
            Alarm next = new Alarm(scope::timeIsUp);
            alarm = scope.bridge.at(deadline(), next) ? next : null;
        } else if (first == Long.MAX_VALUE) {
            watchOwner();
        }
    }

    /** Has it end, unless it has, and be forgotten once its owner has ended: then nobody will close it. */
    void watchOwner() {
        cancel(watch);
        WeakReference<OpenScope<?, ?, ?>> watched = new WeakReference<>(scope); // only its forks may keep it reachable
        Alarm next = new Alarm(() -> {
            OpenScope<?, ?, ?> open = watched.get();
            if (open != null && open.goesOn()) {
                open.time.watchOwner();
            }
        });
        watch = next;
        boolean unused = scope.set(next, WATCH_NANOS);
        if (scope.isClosed()) {
            scope.bridge.cancel(next);
        }
    }

    /** Has it end sooner, if that is sooner. */
    void shorten(long due) {
        if (due < deadline()) {
            cancel();
            shortened = due;
            own = true;
            arm();
        }
    }

    /** There is no need of an alarm any more. */
    void cancel() {
        cancel(alarm);
    }

    /** As {@link #cancel()}, once the scope is closed. */
    void end() {
        cancel(alarm);
        cancel(watch);
    }

    private void cancel(@Nullable Alarm set) {
        if (set != null) {
            scope.bridge.cancel(set);
        }
    }

    /**
     * Parks until somebody wakes the owner; where no alarm could be set, until the time is up.
     *
     * @return false if it is up, and the owner has to end the scope
     */
    boolean park() {
        long left = own && alarm == null && !scope.isCancelled() ? left() : Long.MAX_VALUE;
        if (left == Long.MAX_VALUE) {
            LockSupport.park(scope);
        } else if (left > 0) {
            LockSupport.parkNanos(scope, left);
        }
        return left > 0;
    }
}
