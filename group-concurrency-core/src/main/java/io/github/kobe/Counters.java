package io.github.kobe;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

/** How work ended, of one group or of all. Counted while the group is still in use, so that nothing is lost with it. */
final class Counters {

    private static final int SUCCEEDED = 0;
    private static final int FAILED = 1;
    private static final int CANCELLED = 2;
    private static final int FIRST_REJECTED = 3;

    private final AtomicLongArray counts = new AtomicLongArray(FIRST_REJECTED + RejectionReason.values().length);

    /** Counts work that ended in any way but a rejection. */
    void ended(TaskStatus status) {
        counts.getAndIncrement(
                switch (status) {
                    case SUCCESS -> SUCCEEDED;
                    case FAILED -> FAILED;
                    case CANCELLED -> CANCELLED;
                    case REJECTED -> throw new IllegalArgumentException("a rejection has a reason");
                });
    }

    void rejected(RejectionReason reason) {
        counts.getAndIncrement(placeOf(reason));
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

    /** Moves all counts to {@code other}. */
    void moveTo(Counters other) {
        for (int i = 0; i < counts.length(); i++) {
            if (counts.get(i) != 0) {
                other.counts.getAndAdd(i, counts.getAndSet(i, 0));
            }
        }
    }

    /** Adds all counts to {@code other}. */
    void addTo(Counters other) {
        for (int i = 0; i < counts.length(); i++) {
            other.counts.getAndAdd(i, counts.get(i));
        }
    }

    /** {@return the counts, with {@code open}, what waits or is in flight} */
    TaskTotals totals(long open) {
        Map<RejectionReason, Long> rejected = new EnumMap<>(RejectionReason.class);
        for (RejectionReason reason : RejectionReason.values()) {
            rejected.put(reason, counts.get(placeOf(reason)));
        }
        long succeeded = counts.get(SUCCEEDED);
        long failed = counts.get(FAILED);
        long cancelled = counts.get(CANCELLED);
        long sum = open + succeeded + failed + cancelled;
        for (long count : rejected.values()) {
            sum += count;
        }
        return new TaskTotals(sum, succeeded, failed, cancelled, rejected);
    }
}
