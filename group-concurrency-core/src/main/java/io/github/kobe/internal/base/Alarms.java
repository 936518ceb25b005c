package io.github.kobe.internal.base;

import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What is due at some time of the engine's clock. Guarded by the housekeeper's lock, unless said otherwise.
 *
 * <p>Nothing here looks at all alarms at once. Each addition and each cancellation pays for a look at two of them, in
 * turn, and those that have become pointless are forgotten: so there are never many more than that are to come. Whatever
 * becomes pointless and says nothing, as a task that has left its queue does, the housekeeper comes by in time.
 */
final class Alarms {

    /** How many are looked at for each that is added or cancelled. */
    private static final int LOOKS = 2;

    /** So many cancellations are paid for together. */
    private static final int CANCELLATIONS = 64;

    /** At most so many are looked at in one critical section. */
    private static final int PORTION = 256;

    /** What is due at a time, unless it has become pointless by then. */
    static final class Alarm extends Linked {
        private final long at;
        private final BooleanSupplier pointless;
        private final LongConsumer action;
        private final boolean outlastsShutdown;

        Alarm(long at, boolean outlastsShutdown, BooleanSupplier pointless, LongConsumer action) {
            this.at = at;
            this.outlastsShutdown = outlastsShutdown;
            this.pointless = pointless;
            this.action = action;
        }

        @Override
        public void again(Core core) {
            try {
                action.accept(Math.max(at, core.now())); // also if the clock has gone back since it was due
            } catch (OutOfMemoryError oom) {
                core.housekeeper.retry(this);
            }
        }
    }

    /** A binary heap: the first is due first. */
    private @Nullable Alarm[] heap = new Alarm[16];

    private int size;
    /** Which is looked at next, from the last to the first. */
    private int hand;
    /** How many were cancelled; by anyone. */
    private final AtomicInteger cancelled = new AtomicInteger();

    /** Adds one; if there is no memory for it, nothing has come of it. */
    void add(Alarm alarm) {
        forgetPointless(LOOKS, false);
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        size++;
        moveUp(alarm, size - 1);
    }

    /** {@return how many are set, pointless ones included} */
    int size() {
        return size;
    }

    /**
     * One has become pointless; by anyone, without the lock.
     *
     * @return whether {@link #forgetCancelled} is to follow
     */
    boolean isLookDueAfterCancel() {
        return cancelled.incrementAndGet() % CANCELLATIONS == 0;
    }

    /** Forgets what is pointless in a portion. False if nothing was. */
    boolean forgetCancelled() {
        return forgetPointless(LOOKS * CANCELLATIONS, false);
    }

    /** Forgets a portion of what means nothing once the executor is shut down. False if there was nothing to forget. */
    boolean forgetAfterShutdown() {
        return forgetPointless(PORTION, true);
    }

    private boolean forgetPointless(int looks, boolean shutDown) {
        boolean some = false;
        for (int left = looks; left > 0 && size > 0; left--) {
            if (hand < 0 || hand >= size) {
                hand = size - 1;
            }
            Alarm alarm = at(hand);
            if (alarm.pointless.getAsBoolean() || (shutDown && !alarm.outlastsShutdown)) {
                removeAt(hand);
                some = true; // another is in its place now
            } else {
                hand--;
            }
        }
        return some;
    }

    // ---- heap

    private Alarm at(int place) {
        return Objects.requireNonNull(heap[place]);
    }

    private void removeAt(int place) {
        size--;
        Alarm last = at(size);
        heap[size] = null;
        if (place < size && !moveDown(last, place)) {
            moveUp(last, place);
        }
    }

    /** Puts {@code alarm} at {@code place}, which is free, or above. */
    private void moveUp(Alarm alarm, int place) {
        int free = place;
        for (int above = (free - 1) / 2; free > 0 && at(above).at > alarm.at; above = (free - 1) / 2) {
            heap[free] = heap[above];
            free = above;
        }
        heap[free] = alarm;
    }

    /** Puts {@code alarm} at {@code place}, which is free, or below. True if it is below. */
    private boolean moveDown(Alarm alarm, int place) {
        int free = place;
        for (int below = 2 * free + 1; below < size; below = 2 * free + 1) {
            if (below + 1 < size && at(below + 1).at < at(below).at) {
                below++;
            }
            if (at(below).at >= alarm.at) {
                break;
            }
            heap[free] = heap[below];
            free = below;
        }
        heap[free] = alarm;
        return free != place;
    }

    // ---- due

    /** {@return one that is due, which is set no more} */
    @Nullable
    Alarm pollDue(long now) {
        Alarm first = heap[0];
        if (first == null || first.at > now) {
            return null;
        }
        removeAt(0);
        return first;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** {@return when the next is due; {@link Long#MAX_VALUE}: none is set} */
    long nextAt() {
        Alarm first = heap[0];
        return first == null ? Long.MAX_VALUE : first.at;
    }
}
