package io.github.kobe.internal.permits;

import io.github.kobe.internal.base.Core;
import io.github.kobe.internal.base.Tempo;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * What all groups together have of the global rate. A part of the burst, an eighth at most, is spread: charged before it is used.
 * While the ledger is loose, it lies in stripes, where a start needs neither a lock nor the clock; while the ledger is on, it is
 * here. Who finds none in the stripes refills them, under the ledger's lock.
 *
 * <p><b>Why no window has more than the limit.</b> Let s starts be spread at most. A start is charged only when the pace would
 * allow s more. So by its own proof it is charged no more than limit - s in a window; and what starts in a window was charged in
 * it, or was spread when it began. A thread that has taken one of those and can't start doesn't give it back: it counts.
 *
 * <p>Guarded by the ledger's lock, but for what says otherwise.
 */
final class GlobalRate {

    /** So much of a burst may be missing after a pause: what was taken from the stripes before it. */
    private static final int SPREAD_DIVISOR = 8;

    private final Tempo tempo;
    private final Pace pace;

    /** How many starts are spread, or here, at most. */
    private final int spread;

    /** Where those are while the ledger is loose. */
    private final Credits stripes;

    /** Those that are here. Read by anyone, who may see a stale number. */
    private int here;

    /** When the pace lets one more be charged; it may be over. Read by anyone, who may see a stale one. */
    private long next;

    /** When the earliest alarm of the housekeeper is due; 0: none is set. */
    private long alarmAt;

    private GlobalRate(Tempo tempo, Pace pace, int processors) {
        this.tempo = tempo;
        this.pace = pace;
        this.spread = tempo.burst() / SPREAD_DIVISOR;
        this.stripes = new Credits(spread, processors);
    }

    /** {@return that of an executor that has started nothing} */
    static GlobalRate rested(Tempo tempo, int processors, long now) {
        GlobalRate rate = new GlobalRate(tempo, new Pace(now), processors);
        rate.begin(true);
        return rate;
    }

    /** {@return that of an executor that has run without a rate} */
    static GlobalRate empty(Tempo tempo, int processors, long now) {
        GlobalRate rate = new GlobalRate(tempo, new Pace(now), processors);
        rate.pace.beginEmpty(tempo, now);
        rate.begin(false);
        return rate;
    }

    /** {@return what goes on in its place, with other numbers} The caller has frozen the stripes. If it fails, nothing has come of it. */
    GlobalRate changed(Tempo after, int processors, long now) {
        GlobalRate changed = new GlobalRate(after, pace, processors);
        pace.change(tempo, after, now);
        boolean rested = pace.restedFrom() < now;
        if (rested) {
            pace.settle(after, 0, spread - here, now); // nobody knows when those started
        }
        changed.begin(rested);
        return changed;
    }

    private void begin(boolean rested) {
        here = rested ? spread : 0;
        next = earliest();
    }

    private long earliest() {
        return pace.earliest(tempo, 1 + spread);
    }

    boolean is(Tempo other) {
        return tempo.equals(other);
    }

    // ---- starts

    /** Takes a start from the stripes, by anyone; false if there is none, or the ledger is on. */
    boolean tryTakeSpread(int home) {
        return stripes.tryTake(home);
    }

    /** {@return whether there is one at that time} By anyone; it may be stale. */
    boolean allowsAt(long now) {
        return here > 0 || next <= now;
    }

    /** Takes one, if there is one. */
    boolean tryTake(long now) {
        boolean allowed = allowsAt(now);
        if (allowed) {
            take(now);
        }
        return allowed;
    }

    /** Takes one, of which the caller knows that it is allowed. */
    void take(long now) {
        if (here > 0) {
            here--;
        } else {
            charge(1, now);
        }
    }

    /** Gives one back that was taken in the same critical section. */
    void giveBack(long now) {
        if (here < spread) {
            here++;
        } else {
            pace.settle(tempo, 1, 0, now);
            next = earliest();
        }
    }

    private void charge(int starts, long now) {
        pace.take(tempo, starts, now);
        next = earliest();
    }

    // ---- the stripes

    /** Has those that are spread here. */
    void freeze() {
        here += (int) stripes.freeze();
    }

    /** Charges what is missing of those that are spread, as far as the pace allows; returns whether any are here. */
    boolean fill(long now) {
        int lacking = spread - here;
        if (lacking > 0 && next <= now) {
            int allowed = (int) Math.min(lacking, allowedAt(now));
            while (pace.earliest(tempo, allowed + spread) > now) {
                allowed--; // what is rounded may be one too many
            }
            charge(allowed, now);
            here += allowed;
        }
        return here > 0;
    }

    /** Spreads those that are here. */
    void thaw() {
        stripes.thaw(here);
        here = 0;
    }

    /** Spreads more, if none was left; returns whether that is so. Else those that are left are here. */
    boolean refill(long now) {
        if (here > 0 || !fill(now)) {
            return false;
        }
        thaw();
        return true;
    }

    // ---- when

    /** {@return in how long it lets so many start, if nothing else takes one before; 0: now} By anyone; it may be stale. */
    long waitFor(long starts, long now) {
        long beyond = starts - here - stripes.sum();
        if (beyond <= 0) {
            return 0;
        }
        long first = Math.max(next, now - tempo.wholes(tempo.burst() - spread - 1L));
        return Math.max(0, first + tempo.wholes(beyond - 1) - now);
    }

    /** {@return how many of the burst are used up at that time: with all of them, nothing starts} By anyone; it may be stale. */
    int usedAt(long now) {
        return Math.clamp(tempo.burst() - allowedAt(now) - here - stripes.sum(), 0, tempo.burst());
    }

    /** {@return how many the pace allows at that time, in addition to those that are spread} */
    private long allowedAt(long now) {
        long since = now - next;
        // What is allowed from some part of a nanosecond on is so from the next whole one on.
        return since < 0 ? 0 : Math.min(tempo.burst() - spread, 1 + tempo.unitsIn(since + 1));
    }

    /** {@return whether an alarm is to be set: there is none, or none early enough} */
    boolean wantsAlarm() {
        return alarmAt == 0 || next < alarmAt;
    }

    /**
     * Has the housekeeper do something when the next start is allowed; returns false if there is no thread for it, or no memory.
     *
     * @param pointless whether another rate, or none, has taken its place
     */
    boolean arm(Core core, BooleanSupplier pointless, LongConsumer action) {
        try {
            if (core.housekeeper.at(next, pointless, action)) {
                alarmAt = next;
                return true;
            }
        } catch (OutOfMemoryError oom) {
            // As without a thread.
        }
        return false;
    }

    /** An alarm has come. If an earlier one was set after it, that may have come already, and {@code alarmAt} is that of a later one. */
    void alarmHasCome(long now) {
        if (alarmAt <= now) {
            alarmAt = 0;
        }
    }
}
