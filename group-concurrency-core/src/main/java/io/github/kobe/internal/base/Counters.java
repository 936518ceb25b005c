package io.github.kobe.internal.base;

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
public final class Counters {

    private static final int SUCCEEDED = 0;
    private static final int FAILED = 1;
    private static final int CANCELLED = 2;
    private static final int FIRST_REJECTED = 3;
    private static final int PLACES = FIRST_REJECTED + RejectionReason.values().length;

    /** Calls that are carried: how many have begun, without those that have ended otherwise than well; marked once capped. */
    private static final int CARRIED = PLACES;
    /** How many of those have ended well. Marked once capped. */
    private static final int CARRIED_SUCCEEDED = PLACES + 1;

    private static final long CAPPED = Long.MIN_VALUE / 2;

    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

    static {
        // Finds the classes that it compares with, which takes more stack than there may be when a permit is given
        // back.
        TaskStatus unused = statusAfter(new CancellationException());
    }

    /** Not an AtomicLongArray: each object on the way is a cache miss for a group that is seldom used. */
    private final long[] counts = new long[PLACES + 2];

    /** Counts work that ended in any way but a rejection. */
    public void ended(TaskStatus status) {
        ended(
                switch (status) {
                    case SUCCESS -> SUCCEEDED;
                    case FAILED -> FAILED;
                    case CANCELLED -> CANCELLED;
                    case REJECTED -> throw new IllegalArgumentException("a rejection has a reason");
                },
                1);
    }

    public void rejected(RejectionReason reason) {
        ended(placeOf(reason), 1);
    }

    private void ended(int place, long count) {
        long unused = add(place, count);
    }

    private long add(int place, long count) {
        return (long) COUNT.getAndAdd(counts, place, count);
    }

    private long get(int place) {
        long count = (long) COUNT.getVolatile(counts, place);
        return place == SUCCEEDED ? count + unmarked(CARRIED_SUCCEEDED) : count;
    }

    // ---- calls that are carried, which have no global permit: each is counted with its end by one atomic change

    /**
     * One begins, which has its permits.
     *
     * @return whether the group was capped before, so that the capping hasn't seen it here
     */
    public boolean carriedBegins() {
        return add(CARRIED, 1) < 0;
    }

    /**
     * One has ended, which still has its permits; counted as that, too.
     *
     * @return whether the group was capped before, so that the capping has seen it here, or it wasn't counted then either
     */
    public boolean carriedEnded(TaskStatus status) {
        if (status == TaskStatus.SUCCESS) {
            return add(CARRIED_SUCCEEDED, 1) < 0;
        }
        boolean capped = carriedNoMore();
        ended(status);
        return capped;
    }

    /** One goes on, and is carried no longer; as {@link #carriedEnded}. */
    public boolean carriedNoMore() {
        return add(CARRIED, -1) < 0;
    }

    /**
     * The group is capped from now on; under its guard, while it is slow.
     *
     * @return how many there are at this moment, as each of them learns
     */
    public long cap() {
        // First those that have ended: so none is counted as that and not as begun, which would take a credit in vain.
        long succeeded = add(CARRIED_SUCCEEDED, CAPPED);
        return add(CARRIED, CAPPED) - succeeded;
    }

    /** {@return how many there are; it may be stale} */
    public long carried() {
        long succeeded = unmarked(CARRIED_SUCCEEDED);
        return unmarked(CARRIED) - succeeded;
    }

    private long unmarked(int place) {
        long count = (long) COUNT.getVolatile(counts, place);
        return count < 0 ? count - CAPPED : count;
    }

    /** {@return how much work has ended in any way, also by a rejection} */
    public long ended() {
        long sum = 0;
        for (int i = 0; i < PLACES; i++) {
            sum += get(i);
        }
        return sum;
    }

    private static int placeOf(RejectionReason reason) {
        return FIRST_REJECTED
                + switch (reason) {
                    case GROUP_QUEUE_FULL -> 0;
                    case GLOBAL_QUEUE_FULL -> 1;
                    case QUEUE_TIMEOUT -> 2;
                    case SHUTDOWN -> 3;
                    case INTERRUPTED -> 4;
                    case RATE_LIMITED -> 5;
                };
    }

    /** Moves all counts to {@code other}; none is in both at any moment. */
    public void moveTo(Counters other) {
        long carried = unmarked(CARRIED_SUCCEEDED);
        long unused = add(CARRIED_SUCCEEDED, -carried) + add(CARRIED, -carried);
        other.ended(SUCCEEDED, carried);
        for (int i = 0; i < PLACES; i++) {
            if (get(i) != 0) {
                other.ended(i, (long) COUNT.getAndSet(counts, i, 0L));
            }
        }
    }

    /** Adds all counts to {@code other}. */
    public void addTo(Counters other) {
        for (int i = 0; i < PLACES; i++) {
            other.ended(i, get(i));
        }
    }

    /** {@return the counts; {@code open} is how much waits or is in flight} */
    public TaskTotals totals(long open) {
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
    public static TaskStatus statusAfter(@Nullable Throwable failure) {
        if (failure == null) {
            return TaskStatus.SUCCESS;
        }
        return failure instanceof InterruptedException || failure instanceof CancellationException
                ? TaskStatus.CANCELLED
                : TaskStatus.FAILED;
    }
}
