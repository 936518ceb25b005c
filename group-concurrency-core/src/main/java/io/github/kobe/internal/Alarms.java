package io.github.kobe.internal;

import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** What is due at some time of the engine's clock. Guarded by the housekeeper's lock, unless said otherwise. */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Alarms {

    /** With fewer alarms than this, pointless ones don't matter. */
    private static final int LEAST_PURGE = 64;

    /** What is due at a time, unless it has become pointless by then. */
    static final class Alarm implements Comparable<Alarm> {
        private long at;
        private final BooleanSupplier pointless;
        final LongConsumer action;
        private final boolean outlastsShutdown;
        /** The next that is postponed. */
        private @Nullable Alarm next;

        Alarm(long at, boolean outlastsShutdown, BooleanSupplier pointless, LongConsumer action) {
            this.at = at;
            this.outlastsShutdown = outlastsShutdown;
            this.pointless = pointless;
            this.action = action;
        }

        @Override
        public int compareTo(Alarm other) {
            return Long.compare(at, other.at);
        }
    }

    private final PriorityQueue<Alarm> set = new PriorityQueue<>();
    /** At how many alarms pointless ones are looked for, so that it costs amortised nothing. */
    private int purgeAt = LEAST_PURGE;
    /** How many were cancelled since pointless ones were last looked for; by anyone. */
    private final AtomicInteger cancelled = new AtomicInteger();
    /**
     * Those for whose action there was no memory, linked by {@link Alarm#next}, so that none is lost for want of memory; each
     * is due at {@link Alarm#at}, and the first is due first.
     */
    private @Nullable Alarm firstPostponed;

    private @Nullable Alarm lastPostponed;

    void add(Alarm alarm) {
        if (set.size() >= purgeAt) {
            purge();
        }
        set.add(alarm);
    }

    void remove(Alarm alarm) {
        set.remove(alarm);
    }

    boolean isFirst(Alarm alarm) {
        return set.peek() == alarm;
    }

    /** {@return how many are set, pointless ones included} */
    int size() {
        return set.size();
    }

    /**
     * One has become pointless; by anyone, without the lock.
     *
     * @return whether {@link #purgeIfHalf} is to follow
     */
    boolean isPurgeDueAfterCancel() {
        return cancelled.incrementAndGet() % LEAST_PURGE == 0;
    }

    /**
     * Forgets those that were cancelled, once that is half of all: so they take no more memory than those that are to come,
     * and that costs each a constant time.
     */
    void purgeIfHalf() {
        if (2 * cancelled.get() >= set.size()) {
            purge();
        }
    }

    private void purge() {
        set.removeIf(alarm -> alarm.pointless.getAsBoolean());
        purgeAt = Math.max(LEAST_PURGE, 2 * set.size());
        cancelled.set(0);
    }

    /** Has an alarm, for whose action there was no memory, be due later; it needs no memory either. */
    void postpone(Alarm alarm, long until) {
        alarm.at = until;
        Alarm last = lastPostponed;
        if (last == null) {
            firstPostponed = alarm;
        } else {
            last.next = alarm;
        }
        lastPostponed = alarm;
    }

    /** {@return one that is due, which is set no more} */
    @Nullable
    Alarm pollDue(long now) {
        Alarm postponed = firstPostponed;
        if (postponed != null && postponed.at <= now) {
            firstPostponed = postponed.next;
            if (firstPostponed == null) {
                lastPostponed = null;
            }
            postponed.next = null;
            return postponed;
        }
        Alarm first = set.peek();
        return first == null || first.at > now ? null : set.poll();
    }

    /** Forgets all that mean nothing once the executor is shut down. */
    void shutDown() {
        set.removeIf(alarm -> !alarm.outlastsShutdown || alarm.pointless.getAsBoolean());
    }

    boolean isEmpty() {
        return set.isEmpty() && firstPostponed == null;
    }

    /** {@return when the next is due; {@link Long#MAX_VALUE}: none is set} */
    long nextAt() {
        Alarm first = set.peek();
        long next = first == null ? Long.MAX_VALUE : first.at;
        return firstPostponed == null ? next : Math.min(next, firstPostponed.at);
    }
}
