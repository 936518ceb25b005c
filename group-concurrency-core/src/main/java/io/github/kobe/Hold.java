package io.github.kobe;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The permits of one group that are out together: one of concurrency, one of flight, and perhaps the global one of its
 * thread.
 *
 * <p>It may be opened several times, by re-entry; the permits go back at the last close, on whichever thread that is.
 * 32 bytes, because {@code acquire} makes one each time.
 */
class Hold {

    /** Closed, and kept by its thread for the next call. */
    private static final int PARKED = 1 << 31;

    private static final int OWN_CLOSED = 1 << 30;
    /** Its thread may park it. */
    private static final int PARKABLE = 1 << 29;

    private static final int OPENS = PARKABLE - 1;
    private static final int OPEN_ONCE_PARKABLE = PARKABLE | 1;

    private static final VarHandle STATE;
    private static final VarHandle OWNS_GLOBAL;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(Hold.class, "state", int.class);
            OWNS_GLOBAL = lookup.findVarHandle(Hold.class, "ownsGlobal", boolean.class);
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

    /**
     * How often it is open, whether the one who got it first has closed it, and whether its thread may park it or has.
     * Zero opens are final, unless it is parked.
     */
    private volatile int state;

    /**
     * Whether it stands for a global permit. Exactly one of a thread's live holds does, unless that is lent. Written
     * under the ledger's lock once the hold is registered.
     */
    volatile boolean ownsGlobal;

    /** Whether its permits are lent; written under the ledger's lock. See {@link Lending}. */
    volatile boolean lent;

    /** Whether its last close came while it was lent; written under the ledger's lock, then by the lender. */
    volatile boolean closedWhileLent;

    /** Where {@link Holds} has it; written by the thread that puts it there, before others can find it. */
    byte place;

    Hold(@Nullable Thread thread, Group group, boolean ownsGlobal) {
        this.thread = thread;
        this.group = group;
        // Plainly, here and in subclasses: nobody knows it yet, and each volatile write would cost a fence.
        STATE.set(this, 1);
        OWNS_GLOBAL.set(this, ownsGlobal);
    }

    /** Lets its thread park it; before it is registered. */
    final void setParkable(boolean parkable) {
        STATE.set(this, parkable ? OPEN_ONCE_PARKABLE : 1);
    }

    /** Keeps its thread from parking it: it isn't where that would find it again. */
    final void keepFromParking() {
        STATE.getAndBitwiseAnd(this, ~PARKABLE);
    }

    final boolean isParked() {
        return state == PARKED;
    }

    /**
     * Closes it for its thread and keeps it for that thread's next call, which thus needs no new one and no change to
     * {@link Holds}. Only if nothing else has it open or is under it; the caller has to give the permits back.
     *
     * <p>By its thread, which is the only one that opens it; so who finds it open once has it alone, and a release write
     * is enough.
     */
    final boolean park() {
        if (state != OPEN_ONCE_PARKABLE || !ownsGlobal || below != null) {
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
        STATE.setRelease(this, OPEN_ONCE_PARKABLE);
    }

    /** {@return whether it still stands for permits that are out or lent} */
    final boolean isOpen() {
        return (state & OPENS) != 0;
    }

    /** {@return whether it is closed for good} */
    final boolean isGone() {
        return (state & (OPENS | PARKED)) == 0;
    }

    /** Opens it once more; false if it is closed for good. */
    final boolean reopen() {
        for (; ; ) {
            int s = state;
            if ((s & OPENS) == 0) {
                return false;
            }
            if (STATE.compareAndSet(this, s, s + 1)) {
                return true;
            }
        }
    }

    /** Closes it once; true if that was the last time, and the caller has to give the permits back. */
    final boolean closeOnce() {
        return (((int) STATE.getAndAdd(this, -1) - 1) & OPENS) == 0;
    }

    /** As {@link #closeOnce}, by its thread: who finds it open once has it alone, as for {@link #park}. */
    final boolean closeOnceHere() {
        if (state == 1) {
            STATE.setRelease(this, 0);
            return true;
        }
        return closeOnce();
    }

    /**
     * {@return whether nothing but its thread has it open, once, on permits of its own that go back together, with nothing
     * under it} By its thread: nobody else can change that, as for {@link #park}.
     */
    boolean isAlone() {
        return state == 1 && ownsGlobal && !lent && below == null;
    }

    /** Closes it for good, if {@link #isAlone}; by its thread. */
    final void closeAlone() {
        STATE.setRelease(this, 0);
    }

    /** Closes it for the one who got it first. */
    final Closing closeOwn() {
        for (; ; ) {
            int s = state;
            if ((s & OWN_CLOSED) != 0) {
                return Closing.ALREADY_CLOSED;
            }
            int next = (s - 1) | OWN_CLOSED;
            if (STATE.compareAndSet(this, s, next)) {
                return (next & OPENS) == 0 ? Closing.LAST : Closing.STILL_SHARED;
            }
        }
    }

    /** What a close by the first owner was. */
    enum Closing {
        ALREADY_CLOSED,
        /** Others have it open by re-entry. */
        STILL_SHARED,
        /** The caller has to give the permits back. */
        LAST
    }
}
