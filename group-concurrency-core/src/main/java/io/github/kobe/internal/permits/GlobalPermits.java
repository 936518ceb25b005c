package io.github.kobe.internal.permits;

import io.github.kobe.internal.base.Core;
import io.github.kobe.internal.base.Tempo;
import org.jspecify.annotations.Nullable;

/**
 * The global permits that are free, and what the global rate lets start: a start that takes a permit here takes one of both.
 *
 * <p>While the {@link Ledger} is loose, the permits beyond the headroom are in stripes, and so are some starts; each thread takes
 * them there without a lock. While it is on, all are here.
 *
 * <p><b>Conservation.</b> Once there are credits, the limit is the sum of those in stripes, those here, those in a thread's hand, and
 * those that permits out stand for.
 *
 * <p>Guarded by the ledger's lock, but for what says otherwise.
 */
public final class GlobalPermits {

    private final Core core;

    /**
     * Where free permits lie while the ledger is loose; {@code null} until there is a limit, or a rate. Those that were replaced stay
     * frozen.
     */
    private volatile @Nullable Credits credits;

    /** {@code null}: there is none. It is replaced where its numbers change. */
    private volatile @Nullable GlobalRate rate;

    /** Whether the permits of all groups have been counted since there are credits. */
    private boolean allCapped;

    private int limit = Integer.MAX_VALUE;

    /** How many of the free permits are for groups that hold little; none in a drain. */
    private int headroom;

    private boolean drains;

    /**
     * The permits that are here: all that are free while the ledger is on, and the headroom while it is loose, at the end of a
     * critical section. It is negative while more are out than a smaller limit allows. Without credits, as if none were out: what
     * groups have out is counted when they are {@linkplain Group#attach capped}.
     */
    private long free = Integer.MAX_VALUE;

    GlobalPermits(Core core) {
        this.core = core;
    }

    /** {@return whether there are credits: for good, once a limit or a rate was set} By anyone. */
    boolean isCapped() {
        return credits != null;
    }

    /** {@return whether there is a rate} By anyone. */
    boolean isRated() {
        return rate != null;
    }

    /**
     * {@return how long after {@code from} the rate lets so many start, if nothing starts before; 0: at once} By anyone; it may be
     * stale.
     */
    long waitFor(long starts, long from) {
        GlobalRate known = rate;
        return known == null ? 0 : known.waitFor(starts, from);
    }

    // ---- numbers

    /** {@return whether {@link #makeFirst} is to come before these are set} */
    boolean areFirst(int newLimit, @Nullable Tempo tempo) {
        return !allCapped && (newLimit != Integer.MAX_VALUE || tempo != null);
    }

    /** Has what is out counted from now on. */
    void makeFirst(Credits first) {
        if (credits == null) {
            credits = first;
        }
    }

    Credits newCredits(int newLimit) {
        return new Credits(newLimit, core.environment.processors());
    }

    /** {@return whether these are in force} */
    boolean are(int newLimit, int newHeadroom, @Nullable Tempo tempo) {
        GlobalRate known = rate;
        return newLimit == limit
                && keptOf(newHeadroom) == headroom
                && (tempo == null ? known == null : known != null && known.is(tempo));
    }

    private int keptOf(int newHeadroom) {
        return drains ? 0 : newHeadroom;
    }

    /**
     * Puts these in force. All permits are here. If it fails, everything is as it was.
     *
     * @param begins whether nothing was ever started
     */
    void change(int newLimit, int newHeadroom, @Nullable Tempo tempo, boolean begins) {
        Credits stripes = newCredits(newLimit);
        rate = tempo == null ? null : rateBy(tempo, begins);
        credits = stripes;
        allCapped = true;
        free += (long) newLimit - limit;
        limit = newLimit;
        headroom = keptOf(newHeadroom);
    }

    private GlobalRate rateBy(Tempo tempo, boolean begins) {
        GlobalRate known = rate;
        int processors = core.environment.processors();
        long now = core.now();
        if (known == null) {
            return begins ? GlobalRate.rested(tempo, processors, now) : GlobalRate.empty(tempo, processors, now);
        }
        return known.is(tempo) ? known : known.changed(tempo, processors, now);
    }

    /** Keeps none for groups that hold little any more, for good; what that lets start is for {@link Ledger#drain}. */
    public void keepNoHeadroom() {
        drains = true;
        headroom = 0;
    }

    // ---- in stripes, or here

    int stripes() {
        Credits known = credits;
        return known == null ? 0 : known.count();
    }

    /** Has all here. */
    void freeze() {
        Credits stripes = credits;
        if (stripes != null) {
            free += stripes.freeze();
        }
        GlobalRate known = rate;
        if (known != null) {
            known.freeze();
        }
    }

    /** Has starts here to be spread; returns whether there are some, and enough permits, for many to take them without the lock. */
    boolean prepareThaw() {
        long spare = free - headroom;
        if (spare < Math.max(1, Math.min((limit - headroom) / 8, 2 * stripes()))) {
            return false;
        }
        GlobalRate known = rate;
        return known == null || known.fill(core.now());
    }

    /** Spreads them over the stripes, but for the headroom. */
    void thaw() {
        Credits stripes = credits;
        if (stripes != null) {
            stripes.thaw(free - headroom);
            free = headroom;
        }
        GlobalRate known = rate;
        if (known != null) {
            known.thaw();
        }
    }

    /** Spreads what is here beyond the headroom, while the ledger is loose; returns whether the headroom is here. */
    boolean spreadRest() {
        Credits stripes = credits;
        if (free > headroom && stripes != null && stripes.tryGive(0, free - headroom)) {
            free = headroom;
        }
        return free >= headroom;
    }

    /** Refills what may start, while the ledger is loose; returns whether that is what was lacking. */
    boolean refill() {
        GlobalRate known = rate;
        if (known == null) {
            return false;
        }
        known.freeze(); // first: what others take is started before what is charged now
        return known.refill(core.now());
    }

    // ---- from the stripes, without any lock

    /** Takes a permit; false if the ledger is on, or no stripe has one. */
    boolean tryTakeCredit(int home) {
        Credits stripes = credits;
        return stripes != null && stripes.tryTake(home);
    }

    /** Gives a permit back; false if the ledger is on. */
    boolean tryGiveCredit(int home) {
        Credits stripes = credits;
        return stripes != null && stripes.tryGive(home, 1);
    }

    /** Takes a start of the rate, if there is one; false if the ledger is on, or no stripe has one. What isn't used counts. */
    boolean tryStart(int home) {
        GlobalRate known = rate;
        return known == null || known.tryTakeSpread(home);
    }

    // ---- here

    /**
     * Takes a permit and a start, if {@code group} may have one.
     *
     * @param ofHeadroom whether it may be of the headroom, whatever the group holds
     */
    boolean tryTake(GroupState group, boolean ofHeadroom) {
        if (!(ofHeadroom ? free > 0 : mayTake(group))) {
            return false;
        }
        GlobalRate known = rate;
        if (known != null && !known.tryTake(core.now())) {
            return false;
        }
        free--;
        return true;
    }

    /** Gives back what was taken in the same critical section for a start that isn't one. */
    void untake() {
        GlobalRate known = rate;
        if (known != null) {
            known.giveBack(core.now());
        }
        free++;
    }

    /** {@return whether there is a permit that {@code group} may have, if it is its turn} Stale where the lock is not held. */
    boolean mayTake(GroupState group) {
        return free > headroom || (free > 0 && group.holdsLittle());
    }

    /** Counts a start on a permit that is lent; the caller has seen in this critical section that there is one. It doesn't fail. */
    public void startOnLent() {
        GlobalRate known = rate;
        if (known != null) {
            known.take(core.now());
        }
    }

    /** {@return whether the rate lets one start} Stale where the lock is not held. */
    boolean mayStart() {
        GlobalRate known = rate;
        return known == null || known.allowsAt(core.now());
    }

    /** Adds permits; a negative number takes them, whether they are free or not. */
    void give(long number) {
        free += number;
    }

    public boolean hasFree() {
        return free > 0;
    }

    /** {@return whether there are more than those for groups that hold little} */
    boolean hasSpare() {
        return free > headroom;
    }

    /** {@return whether every permit is here, and none in the hand of a thread that is about to give it back} */
    public boolean areAllHere() {
        return !isCapped() || free == limit;
    }

    /** {@return the rate; {@code null}: there is none} By anyone. */
    @Nullable
    GlobalRate rate() {
        return rate;
    }
}
