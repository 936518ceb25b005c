package io.github.kobe.scope;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * How forks of one scope have ended, and how long they ran; used by any thread. It refers to nothing, so that who reads it
 * later keeps no scope.
 */
final class Tally implements Supplier<ScopeTotals> {

    /** What was counted at one moment. */
    record Totals(
            long started,
            long succeeded,
            long failed,
            long cancelled,
            Duration total,
            Duration longest,
            boolean timedOut)
            implements ScopeTotals {}

    private static final int STARTED = 0;
    private static final int SUCCEEDED = 1;
    private static final int FAILED = 2;
    private static final int CANCELLED = 3;
    private static final int RAN_NANOS = 4;
    private static final int LONGEST_NANOS = 5;
    private static final int PLACES = 6;

    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] counts = new long[PLACES];

    private volatile boolean timedOut;

    void started() {
        add(STARTED, 1);
    }

    /** One has ended by itself. */
    void ended(int phase) {
        add(phase == ForkState.SUCCESS ? SUCCEEDED : FAILED, 1);
    }

    void cancelled() {
        add(CANCELLED, 1);
    }

    /** The code of one has run so long. */
    void ran(long nanos) {
        if (nanos > 0) {
            add(RAN_NANOS, nanos);
            for (long most = get(LONGEST_NANOS); nanos > most; most = get(LONGEST_NANOS)) {
                if (COUNT.compareAndSet(counts, LONGEST_NANOS, most, nanos)) {
                    return;
                }
            }
        }
    }

    private void add(int place, long count) {
        COUNT.getAndAdd(counts, place, count);
    }

    private long get(int place) {
        return (long) COUNT.getVolatile(counts, place);
    }

    /** The time of the scope was up while it was open. */
    void timeWasUp() {
        timedOut = true;
    }

    /** {@return what was counted so far} */
    @Override
    public ScopeTotals get() {
        return new Totals(
                get(STARTED),
                get(SUCCEEDED),
                get(FAILED),
                get(CANCELLED),
                Duration.ofNanos(get(RAN_NANOS)),
                Duration.ofNanos(get(LONGEST_NANOS)),
                timedOut);
    }
}
