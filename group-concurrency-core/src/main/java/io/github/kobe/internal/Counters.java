package io.github.kobe.internal;

import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTotals;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** How the work of one group or of all ended. It is counted while the group is in use, so that no count is lost. */
final class Counters {

    private static final int SUCCEEDED = 0;
    private static final int FAILED = 1;
    private static final int CANCELLED = 2;
    private static final int FIRST_REJECTED = 3;
    private static final int PLACES = FIRST_REJECTED + RejectionReason.values().length;

    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

    /** Not an AtomicLongArray: each object on the way is a cache miss for a group that is seldom used. */
    private final long[] counts = new long[PLACES];

    /** Counts work that ended in any way but a rejection. */
    void ended(TaskStatus status) {
        add(
                switch (status) {
                    case SUCCESS -> SUCCEEDED;
                    case FAILED -> FAILED;
                    case CANCELLED -> CANCELLED;
                    case REJECTED -> throw new IllegalArgumentException("a rejection has a reason");
                },
                1);
    }

    void rejected(RejectionReason reason) {
        add(placeOf(reason), 1);
    }

    private void add(int place, long count) {
        COUNT.getAndAdd(counts, place, count);
    }

    private long get(int place) {
        return (long) COUNT.getVolatile(counts, place);
    }

    private static int placeOf(RejectionReason reason) {
        return FIRST_REJECTED
                + switch (reason) {
                    case GROUP_QUEUE_FULL -> 0;
                    case GLOBAL_QUEUE_FULL -> 1;
                    case QUEUE_TIMEOUT -> 2;
                    case SHUTDOWN -> 3;
                    case INTERRUPTED -> 4;
                };
    }

    /** Moves all counts to {@code other}; none is in both at any moment. */
    void moveTo(Counters other) {
        for (int i = 0; i < counts.length; i++) {
            if (get(i) != 0) {
                other.add(i, (long) COUNT.getAndSet(counts, i, 0L));
            }
        }
    }

    /** Adds all counts to {@code other}. */
    void addTo(Counters other) {
        for (int i = 0; i < counts.length; i++) {
            other.add(i, get(i));
        }
    }

    /** {@return the counts; {@code open} is how much waits or is in flight} */
    TaskTotals totals(long open) {
        Map<RejectionReason, Long> rejected = new EnumMap<>(RejectionReason.class);
        for (RejectionReason reason : RejectionReason.values()) {
            rejected.put(reason, get(placeOf(reason)));
        }
        long succeeded = get(SUCCEEDED);
        long failed = get(FAILED);
        long cancelled = get(CANCELLED);
        long sum = open + succeeded + failed + cancelled;
        for (long count : rejected.values()) {
            sum += count;
        }
        return new TaskTotals(sum, succeeded, failed, cancelled, rejected);
    }

    /** {@return how code has ended that threw {@code failure}, or nothing} */
    static TaskStatus statusAfter(@Nullable Throwable failure) {
        if (failure == null) {
            return TaskStatus.SUCCESS;
        }
        return failure instanceof InterruptedException || failure instanceof CancellationException
                ? TaskStatus.CANCELLED
                : TaskStatus.FAILED;
    }
}
