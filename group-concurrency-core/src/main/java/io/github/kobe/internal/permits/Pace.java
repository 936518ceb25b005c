package io.github.kobe.internal.permits;

import io.github.kobe.internal.base.Tempo;

/**
 * How far one rate is used up, exactly, in twenty bytes: in no window of a period, wherever it begins, are more units charged
 * than the limit.
 *
 * <p>It is the Generic Cell Rate Algorithm in its form of virtual scheduling (ATM Forum, Traffic Management 4.0; ITU-T I.371).
 * The state is its <i>theoretical arrival time</i>, here the time from which on the pace has <i>rested</i>: all that was
 * started would have been started by then at even intervals, and the full burst may start. A start of cost c is allowed from
 * {@code rested + (c - burst)} intervals on, and moves {@code max(rested, now)} on by c intervals.
 *
 * <p><b>Why no window has more.</b> Let units C be charged in a window, the first at t, and the last c of them at u. The first
 * moves {@code rested} to t at least, and each unit moves it on by an interval T. So before the last {@code rested} was {@code
 * t + (C - c)T} at least, and u is {@code t + (C - burst)T} at least. As u is less than a period after t, and a period is
 * {@code limit - burst + 1} intervals, C is less than {@code limit + 1}. That holds for a cost above the burst too, up to the
 * limit.
 *
 * <p>Times are readings of the engine's clock, from 0 to 146 years; of two, the later may be the same. A pace belongs to one
 * rate, whose {@link Tempo} the caller has. Guarded by whoever has it.
 */
final class Pace {

    /** From then on the pace has rested, in whole nanoseconds of the engine's clock ... */
    private long restedAt;

    /** ... and so many n-ths of one, where n is what {@link Tempo#sustained} says: 0 to n - 1. */
    private int part;

    // ---- as of the last change
    /** So many may have been started at once, and nothing was charged for a start since; 0: something was, or there was no change. */
    private int burstBefore;
    /** So many were owed besides, with what corrections have changed since. */
    private int owedBefore;

    /** {@return from when on nothing that was started is of any account, in whole nanoseconds; it may be over} */
    long restedFrom() {
        return restedAt + (part > 0 ? 1 : 0);
    }

    /** Forgets what was started. */
    void reset(long now) {
        restedAt = now;
        part = 0;
        burstBefore = 0;
    }

    /** One for which nothing was started, that is of any account now. */
    Pace(long now) {
        restedAt = now;
    }

    /** Takes over what was started at another, in the place of its own. */
    void copy(Pace other) {
        restedAt = other.restedAt;
        part = other.part;
        burstBefore = other.burstBefore;
        owedBefore = other.owedBefore;
    }

    /**
     * {@return the first nanosecond in which a start of that cost is allowed, if nothing is charged meanwhile; it may be over}
     *
     * @param cost 1 to the limit
     */
    long earliest(Tempo tempo, int cost) {
        return after(restedAt, part, tempo, (long) cost - tempo.burst());
    }

    /**
     * {@return when the last of so many units is started, if each is started as soon as it is allowed, and not before {@code from}}
     *
     * @param units at least 1
     */
    long earliestOfLast(Tempo tempo, long units, long from) {
        boolean rested = restedAt < from;
        return Math.max(from, after(rested ? from : restedAt, rested ? 0 : part, tempo, units - tempo.burst()));
    }

    /** {@return the first whole nanosecond that many intervals after a time} */
    private static long after(long whole, int fraction, Tempo tempo, long units) {
        return whole + tempo.wholes(units) + Math.ceilDiv(fraction + tempo.parts(units), tempo.sustained());
    }

    /** Charges a start, which is allowed now. */
    void take(Tempo tempo, int cost, long now) {
        catchUp(now);
        move(tempo, cost);
        burstBefore = 0;
    }

    /**
     * Corrects what was charged for a start. Less is free again at once. More counts as if it were started now, and delays
     * what follows, by ten years at most.
     *
     * @param used at least 0
     */
    void settle(Tempo tempo, int charged, long used, long now) {
        long more = used - charged;
        if (more > 0) {
            catchUp(now);
        }
        move(tempo, more);
        restedAt = Math.clamp(restedAt, now - Tempo.FARTHEST, now + Tempo.FARTHEST);
        owedBefore = Math.clamp(owedBefore + Math.min(more, Integer.MAX_VALUE), 0, Integer.MAX_VALUE);
    }

    /** Begins with nothing left of the burst, since nobody knows what was started before. */
    void beginEmpty(Tempo tempo, long now) {
        beginAfter(tempo, tempo.burst(), now);
    }

    /**
     * Goes on at another rate. Unless nothing is charged in a whole period, of the two the longer, it begins with nothing left
     * of the larger burst. So a window as long as the shorter period, in which the rate changes, even more than once, has no
     * more than the largest of the limits in force in it; and one in which it doesn't change, no more than its own.
     *
     * <p>If nothing has started since the last change, the rate before that one may as well go on to the new one at once.
     * Else each change would put the next start off further.
     */
    void change(Tempo before, Tempo after, long now) {
        if (restedAt < now - Math.max(before.period(), after.period())) {
            part = 0;
            burstBefore = 0;
            return;
        }
        // What a start above the burst, or a correction, has yet to pay off is owed at the new rate.
        long debt = after(restedAt, part, before, -before.burst()) - now;
        int owed = debt <= 0 ? 0 : (int) Math.min(Integer.MAX_VALUE, before.unitsOf(debt));
        int burst = before.burst();
        if (burstBefore == 0 || emptied(burst, owed, after) < emptied(burstBefore, owedBefore, after)) {
            burstBefore = burst;
            owedBefore = owed;
        }
        beginAfter(after, emptied(burstBefore, owedBefore, after), now);
    }

    /** {@return in how many intervals it will have rested, if nothing is left of the larger burst, and so many are owed} */
    private static long emptied(int burst, int owed, Tempo after) {
        return Math.max(burst, after.burst()) + (long) owed;
    }

    private void beginAfter(Tempo tempo, long units, long now) {
        restedAt = now;
        part = 0;
        move(tempo, units);
        restedAt = Math.min(restedAt, now + Tempo.FARTHEST);
    }

    /** What is saved up is no more than the burst. */
    private void catchUp(long now) {
        if (restedAt < now) {
            restedAt = now;
            part = 0;
        }
    }

    private void move(Tempo tempo, long units) {
        int parts = part + tempo.parts(units);
        restedAt += tempo.wholes(units) + Math.floorDiv(parts, tempo.sustained());
        part = Math.floorMod(parts, tempo.sustained());
    }
}
