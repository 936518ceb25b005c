package io.github.kobe;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The permits of one group that are out together: one of concurrency, one of flight, and perhaps the global one of its
 * thread.
 *
 * <p>It may be opened several times, by re-entry; the permits go back at the last close, on whichever thread that is.
 *
 * <p>All that closing depends on is in one {@link #state}. So a close is one atomic change, and the state before it says
 * what has to go back. {@code docs/internals/concurrency.md} lists the states and who causes each change.
 *
 * <p>32 bytes, because {@code acquire} makes one each time.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
class Hold {

    /** How often it is open. Zero is final, unless it is parked or asks. */
    private static final int OPENS = (1 << 20) - 1;

    /** Where {@link Holds} has it: a number with a sign, in the bits above the opens. */
    private static final int PLACE_SHIFT = 20;

    private static final int PLACE_BITS = 3;
    private static final int PLACE = ((1 << PLACE_BITS) - 1) << PLACE_SHIFT;

    /** Its thread waits for it, inside another group; or is about to, or has just been granted it. */
    private static final int ASKS = 1 << 23;
    /**
     * It stands for the global permit of its thread; one that asks: it needs one of its own. Who closes it for good
     * clears this once it is settled who has that permit next.
     */
    private static final int OWNS_GLOBAL = 1 << 24;
    /** Its permits are lent; changed under the ledger's lock. */
    private static final int LENT = 1 << 25;
    /** It was granted on the permits of a lender. */
    private static final int BORROWED = 1 << 26;
    /** A stage keeps its permits of flight, the global one included. */
    private static final int TAILED = 1 << 27;
    /** It was registered on top of another one. */
    private static final int HAS_BELOW = 1 << 28;
    /** Its thread may park it. */
    private static final int PARKABLE = 1 << 29;
    /** The one who got it first has closed it. */
    private static final int OWN_CLOSED = 1 << 30;
    /** Closed, and kept by its thread for the next call. */
    private static final int PARKED = 1 << 31;

    /** Nothing but its thread has it open, once, on permits of its own that go back together, with nothing below. */
    private static final int SOLE = OWNS_GLOBAL | 1;

    private static final int SOLE_AND_PARKABLE = SOLE | PARKABLE;

    private static final VarHandle STATE;
    private static final VarHandle BELOW;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(Hold.class, "state", int.class);
            BELOW = lookup.findVarHandle(Hold.class, "below", Hold.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** The thread that is inside the group by it; {@code null}: none is. Set before it is registered in {@link Holds}. */
    @Nullable
    Thread thread;

    /** Changed only while it is parked, by its thread. */
    Group group;

    /** The one below of the same thread; see {@link Holds}. */
    @Nullable
    volatile Hold below;

    private volatile int state;

    /** What it is lent on, while it is; guarded by the ledger's lock. */
    @Nullable
    Loan lentOn;

    /**
     * @param granted whether it has permits, the global one included; else its thread {@linkplain #asks asks} for it, on the
     *     global permit that the thread has
     */
    Hold(@Nullable Thread thread, Group group, boolean granted) {
        this.thread = thread;
        this.group = group;
        // Plainly, here and wherever nobody else knows it yet: a volatile write would cost a fence.
        STATE.set(this, granted ? SOLE : ASKS);
    }

    // ---- before others know it

    /** Lets its thread park it. */
    final void setParkable(boolean parkable) {
        STATE.set(this, parkable ? SOLE_AND_PARKABLE : SOLE);
    }

    /** Notes that it is on the permits of a lender. */
    final void setBorrowed() {
        STATE.set(this, (int) STATE.get(this) | BORROWED);
    }

    /**
     * Notes where it is registered, by the thread that is about to do it. In any place but the first its thread wouldn't
     * look for what it has parked.
     */
    final void setPlace(int place, @Nullable Hold onTopOf) {
        int s = (int) STATE.get(this) & ~(PLACE | HAS_BELOW | (place == 0 ? 0 : PARKABLE));
        STATE.set(this, s | ((place << PLACE_SHIFT) & PLACE) | (onTopOf == null ? 0 : HAS_BELOW));
        BELOW.set(this, onTopOf);
    }

    // ---- what it is

    final int place() {
        return state << (Integer.SIZE - PLACE_SHIFT - PLACE_BITS) >> (Integer.SIZE - PLACE_BITS);
    }

    final boolean isParked() {
        return state == PARKED;
    }

    /** {@return whether its thread is inside the group by it} */
    final boolean isOpen() {
        return (state & OPENS) != 0;
    }

    /** {@return whether it isn't closed for good, or it isn't settled yet who has its global permit next} */
    final boolean isLive() {
        return (state & (OPENS | ASKS | OWNS_GLOBAL | LENT)) != 0;
    }

    /** {@return whether {@link Holds} may forget it} */
    final boolean isGone() {
        return (state & (OPENS | ASKS | OWNS_GLOBAL | LENT | PARKED)) == 0;
    }

    final boolean ownsGlobal() {
        return (state & OWNS_GLOBAL) != 0;
    }

    final boolean isLent() {
        return (state & LENT) != 0;
    }

    final boolean asks() {
        return (state & ASKS) != 0;
    }

    /** {@return whether it is closed for good, but not settled yet who has its global permit next} */
    final boolean isLeaving() {
        return (state & (OPENS | ASKS | OWNS_GLOBAL | LENT | TAILED)) == OWNS_GLOBAL;
    }

    // ---- from call to call of a platform thread

    /**
     * Closes it for its thread and keeps it for that thread's next call, which thus needs no new one and no change to
     * {@link Holds}. Only if nothing else has it open or is under it, and the caller has seen that nothing is on top of it;
     * the caller has to give the permits back.
     *
     * <p>By its thread, which is the only one that opens it; so who finds it open once has it alone, and a release write
     * is enough.
     */
    final boolean park() {
        if (state != SOLE_AND_PARKABLE) {
            return false;
        }
        STATE.setRelease(this, PARKED);
        return true;
    }

    /** Opens what its thread has parked, on permits of its own; by that thread. */
    final void unpark(Group entered) {
        if (group != entered) {
            group = entered;
        }
        STATE.setRelease(this, SOLE_AND_PARKABLE);
    }

    // ---- opening and closing

    /** Opens it once more; false if it is closed for good. */
    final boolean reopen() {
        for (; ; ) {
            int s = state;
            if ((s & OPENS) == 0) {
                return false;
            }
            if ((s & OPENS) == OPENS) {
                throw new IllegalStateException("A thread may have at most " + OPENS + " permits of a group open");
            }
            if (STATE.compareAndSet(this, s, s + 1)) {
                return true;
            }
        }
    }

    /** {@return whether {@link #closeSole} may close it} By its thread: nobody else can change that, as for {@link #park}. */
    final boolean isSole() {
        return (state & ~PLACE) == SOLE;
    }

    /** Closes it for good, if {@link #isSole}; by its thread. */
    final void closeSole() {
        STATE.setRelease(this, 0);
    }

    /** Closes it once; returns the state before. */
    final int closeOnce() {
        return (int) STATE.getAndAdd(this, -1);
    }

    /** Closes it for the one who got it first, unless that is done; returns the state before. */
    final int closeOwn() {
        for (; ; ) {
            int s = state;
            if ((s & OWN_CLOSED) != 0 || STATE.compareAndSet(this, s, (s - 1) | OWN_CLOSED)) {
                return s;
            }
        }
    }

    // ---- what the state before a close says

    /** {@return whether {@link #closeOwn} had nothing to do} */
    static boolean wasClosedByOwner(int before) {
        return (before & OWN_CLOSED) != 0;
    }

    /** {@return whether that was the last close, and the caller has to give the permits back} */
    static boolean wasLast(int before) {
        return (before & OPENS) == 1;
    }

    /** {@return whether the permits are its own and go back together, global one included, if the thread has no other} */
    static boolean wasOwner(int before) {
        return (before & (OWNS_GLOBAL | LENT | BORROWED | TAILED)) == OWNS_GLOBAL;
    }

    /** {@return whether just the permits of the group go back} */
    static boolean wasNested(int before) {
        return (before & (OWNS_GLOBAL | LENT | BORROWED | TAILED)) == 0;
    }

    static boolean wasTailed(int before) {
        return (before & TAILED) != 0;
    }

    // ---- asking from inside another group

    /** Opens one that asks, if nobody has yet: it is granted. */
    final void grant() {
        int s = state;
        while ((s & ASKS) != 0 && !STATE.compareAndSet(this, s, (s & ~ASKS) | 1)) {
            s = state;
        }
    }

    /** Closes one that asks for good: it was not granted. */
    final void giveUp() {
        STATE.getAndBitwiseAnd(this, ~(ASKS | OWNS_GLOBAL));
    }

    /** Has one that asks need a global permit of its own; false if it asks no more. Its group's guard is held, or its thread is the current one and hasn't asked yet. */
    final boolean needGlobal() {
        for (; ; ) {
            int s = state;
            if ((s & ASKS) == 0) {
                return false;
            }
            if (STATE.compareAndSet(this, s, s | OWNS_GLOBAL)) {
                return true;
            }
        }
    }

    // ---- the global permit, and lending

    /** Has it stand for the global permit of its thread; false if it isn't open, or does already. */
    final boolean inherit() {
        for (; ; ) {
            int s = state;
            if ((s & OPENS) == 0 || (s & OWNS_GLOBAL) != 0) {
                return false;
            }
            if (STATE.compareAndSet(this, s, s | OWNS_GLOBAL)) {
                return true;
            }
        }
    }

    /** Has it no longer stand for a global permit; false if it didn't. Of several that do this, one succeeds. */
    final boolean disown() {
        return ((int) STATE.getAndBitwiseAnd(this, ~OWNS_GLOBAL) & OWNS_GLOBAL) != 0;
    }

    /** As {@link #disown}, once it is closed for good, by its thread: nobody else has anything to do with it then. */
    final boolean disownHere() {
        int s = state;
        STATE.setRelease(this, s & ~OWNS_GLOBAL);
        return (s & OWNS_GLOBAL) != 0;
    }

    /** The lender has its global permit again; under the ledger's lock. */
    final void own() {
        STATE.getAndBitwiseOr(this, OWNS_GLOBAL);
    }

    /** Marks it as lent, unless it is closed for good; under the ledger's lock. */
    final boolean lend(Loan loan) {
        for (; ; ) {
            int s = state;
            if ((s & OPENS) == 0) {
                return false;
            }
            if (STATE.compareAndSet(this, s, s | LENT)) {
                lentOn = loan;
                return true;
            }
        }
    }

    /** It is lent no longer; under the ledger's lock. */
    final void endLoan() {
        lentOn = null;
        STATE.getAndBitwiseAnd(this, ~LENT);
    }

    /** A stage takes its permits of flight over; by its thread, which has it open. */
    final void setTailed() {
        STATE.getAndBitwiseOr(this, TAILED);
    }
}
