package io.github.kobe.internal.base;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Work that is done now and then, while there is a reason for it: by an alarm, on a fresh thread each time, unless it calls no
 * user code.
 */
public final class Rounds {

    private final Core core;
    private final LongSupplier nextIn;
    private final Runnable work;
    private final boolean callsUserCode;

    /** Odd: an alarm is set, or a round is under way. Rises with each of these, and when they begin anew. */
    private final AtomicInteger state = new AtomicInteger();

    /** Made beforehand: to try again needs no memory. */
    private final Following following = new Following();

    /** What the rounds go by; {@code null}: nobody has said it yet. */
    private volatile @Nullable Object reasons;

    /** Makes rounds that may call user code, of which none is due yet. */
    public Rounds(Core core, LongSupplier nextIn, Runnable work) {
        this(core, nextIn, work, true);
    }

    /**
     * Makes rounds, of which none is due yet.
     *
     * @param nextIn in how many nanoseconds the next one is due, at least 1; {@link Long#MAX_VALUE}: there is no reason for
     *     one. Asked after each round, and whenever somebody asks for the next
     * @param work what a round does; two of them overlap only if they begin anew meanwhile
     * @param callsUserCode whether it may; if not, the housekeeper does it
     */
    public Rounds(Core core, LongSupplier nextIn, Runnable work, boolean callsUserCode) {
        this.core = core;
        this.nextIn = nextIn;
        this.work = work;
        this.callsUserCode = callsUserCode;
    }

    /** Sets an alarm for the next round, if there is a reason for one and none is set. */
    public void next() {
        int before = state.get();
        if ((before & 1) == 1) {
            return;
        }
        long in = nextIn.getAsLong();
        int set = before + 1;
        if (in == Long.MAX_VALUE || !state.compareAndSet(before, set)) {
            return;
        }
        boolean armed = false;
        try {
            armed = core.housekeeper.at(core.now() + in, () -> state.get() != set, now -> due(set));
        } finally {
            if (!armed) {
                state.compareAndSet(set, set + 1);
            }
        }
    }

    /**
     * Says what the rounds go by. If that is something else than before, what is set is void.
     *
     * @param now what decides when the next one is due
     * @param first done before the rounds begin anew
     */
    public void goBy(Object now, Runnable first) {
        if (!now.equals(reasons)) {
            reasons = now;
            first.run();
            state.updateAndGet(before -> (before | 1) + 1);
        }
        next();
    }

    /** By the housekeeper, which runs no user code. */
    private void due(int set) {
        if (state.get() == set) {
            Round round = new Round(set);
            if (!callsUserCode) {
                round.run();
            } else if (!core.handOver(round)) {
                ended(set);
            }
        }
    }

    private void ended(int set) {
        if (state.compareAndSet(set, set + 1)) {
            following.again(core);
        }
    }

    /** Sets the alarm that follows on a round, once there is memory for it. */
    private final class Following extends Linked {
        @Override
        public void again(Core ignored) {
            try {
                next();
            } catch (OutOfMemoryError oom) {
                boolean unused = core.housekeeper.retry(this);
            }
        }
    }

    private final class Round extends Report {
        private final int set;

        Round(int set) {
            this.set = set;
        }

        @Override
        public void run() {
            try {
                work.run();
            } finally {
                ended(set);
            }
        }
    }
}
