package io.github.kobe.internal.permits;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A global permit that several holds share: the hold that took it, and those that were requested from inside it. It is
 * made for the first such request, or when a thread begins to wait while others keep its hold out. The global permit is
 * returned when the last hold is closed.
 *
 * <pre>
 *   open   some hold shares it: others may join
 *   lent   its lender waits for a task, which has the global permit: nobody may join
 *   dead   the last one has left, for good
 *
 *   open -> open   {@link #tryJoin}: the granter of a request from inside; {@link #leave}: whoever closes a hold
 *   open -> lent   {@link #tryLend}, lent -> open  {@link #endLoan}: under the ledger's lock
 *   a thread less, or one more   {@link #rest}, {@link #workAgain}: by a thread that waits, under the ledger's lock
 *   any  -> dead   {@link #leave}, by the last one
 * </pre>
 *
 * <p>In the sums of the groups it counts in its home, the group in which it was taken, even if the hold that took it is
 * closed before others: see {@link Piece#nested}.
 */
public final class SharedGlobal extends Backing {

    private static final long LENT = 1L << 61;

    /** Its lender is to have its permits lent as soon as it is alone. */
    private static final long LENDS_WHEN_ALONE = 1L << 62;

    private static final long HOLDS = ONE_THREAD - 1;
    private static final long THREADS = (HOLDS << 31) & (LENT - 1);

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(SharedGlobal.class, "state", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** The group in which it was taken. */
    public final Group home;

    /** How many holds share it, how many of those are of threads that may be at work, and the flags. */
    private volatile long state;

    /** What it is lent on, or is to be once its lender is alone; written under the ledger's lock. */
    public volatile @Nullable Lent loan;

    /** Makes one that the hold which took it shares, as {@link #UNBOUND} or {@link #BOUND}. */
    SharedGlobal(Group home, long as) {
        this.home = home;
        STATE.set(this, as);
    }

    private static boolean isJoinable(long s) {
        return (s & HOLDS) != 0 && (s & LENT) == 0;
    }

    @Override
    boolean isJoinable() {
        return isJoinable(state);
    }

    @Override
    boolean isDead() {
        return (state & HOLDS) == 0;
    }

    public boolean isLent() {
        return (state & LENT) != 0;
    }

    @Override
    public boolean tryJoin(long as) {
        for (; ; ) {
            long s = state;
            if (!isJoinable(s)) {
                return false;
            }
            if (STATE.compareAndSet(this, s, s + as)) {
                return true;
            }
        }
    }

    /**
     * Has one more hold share it that was carried by one of the same thread which shares it: so it is alive, and if it is
     * lent, that one is inside of the loan too.
     */
    void joinFromInside(long as) {
        STATE.getAndAdd(this, as);
    }

    @Override
    void leaveUnused(long as, Batch batch) {
        long after = leave(as);
        if (wasLast(after)) {
            batch.free(this);
        } else {
            Lent awaited = takeAwaited(after);
            if (awaited != null) {
                batch.later(awaited);
            }
        }
    }

    @Override
    void free(@Nullable Batch batch) {
        home.ledger.sharingHasChanged();
        home.giveBack(Piece.GLOBAL, batch);
    }

    /** One that shares it leaves; returns the state after that. */
    public long leave(long as) {
        return (long) STATE.getAndAdd(this, -as) - as;
    }

    /** One that shares it belongs to no thread any more, which may leave an owner alone; by who holds no lock. */
    void unbind() {
        lendSoon(takeAwaited(leave(ONE_THREAD)));
    }

    /**
     * One of a thread that shares it waits from now on and offers what it has, so it is not at work; under the ledger's lock.
     *
     * @return the loan that waits for others to leave, which the caller has tried again; {@code null}: none does
     */
    public @Nullable Lent rest() {
        return takeAwaited(leave(ONE_THREAD));
    }

    /** Its wait has ended: from now on it isn't lent, but for what is lent already; under the ledger's lock. */
    public void workAgain() {
        STATE.getAndAdd(this, ONE_THREAD);
    }

    /**
     * Sees to what follows when one has left.
     *
     * @param after the state after it
     */
    public void follow(long after, @Nullable Batch batch) {
        if (wasLast(after)) {
            free(batch);
        } else {
            lendSoon(takeAwaited(after));
        }
    }

    private void lendSoon(@Nullable Lent awaited) {
        if (awaited != null) {
            home.engine.report(awaited);
        }
    }

    /** {@return whether the one that has left was the last} */
    static boolean wasLast(long after) {
        return (after & HOLDS) == 0;
    }

    /** {@return whether the one that has left was the last, and its global permit is here to be freed} */
    public static boolean isFree(long after) {
        return wasLast(after) && (after & (LENT | LENDS_WHEN_ALONE)) == 0;
    }

    /**
     * Asked by one that has left, and was not the last. Where no loan waits, but one could not be made because of those at
     * work here, all groups are looked at again.
     *
     * @param after the state after that
     * @return the loan that waits for others to leave, which the caller has tried again;
     *     {@code null}: none does, or somebody else has it tried
     */
    private @Nullable Lent takeAwaited(long after) {
        boolean awaited = (after & LENDS_WHEN_ALONE) != 0
                && ((long) STATE.getAndBitwiseAnd(this, ~LENDS_WHEN_ALONE) & LENDS_WHEN_ALONE) != 0;
        if (!awaited) {
            return null;
        }
        Lent waiting = loan; // only now: before, it may be of an owner that has given up, and not of the one who waits
        if (waiting == null) {
            home.ledger.lenders.othersHaveLeft();
            boolean unused = home.engine.housekeeper.retry(home);
        }
        return waiting;
    }

    // ---- lending, under the ledger's lock

    /**
     * Lends it, if nobody but the lender is at work on it; else it is to be tried again when one leaves.
     *
     * @param own how many of the holds of threads that may be at work are the lender's
     * @param waits whether that loan is what is tried again; if not, all lenders are looked at again
     */
    public boolean tryLend(Lent newLoan, int own, boolean waits) {
        loan = waits ? newLoan : null; // who leaves may look for it at once
        for (; ; ) {
            long s = state;
            boolean alone = (s & THREADS) == own * ONE_THREAD;
            long marked = (s & ~LENDS_WHEN_ALONE) | (alone ? LENT : LENDS_WHEN_ALONE);
            if (STATE.compareAndSet(this, s, marked)) {
                if (alone) {
                    loan = newLoan;
                }
                return alone;
            }
        }
    }

    /** Has the next one that leaves try again to lend it. */
    public void awaitOthers() {
        STATE.getAndBitwiseOr(this, LENDS_WHEN_ALONE);
    }

    /** It isn't lent any more, and is not to be. */
    public void endLoan() {
        loan = null;
        STATE.getAndBitwiseAnd(this, ~(LENT | LENDS_WHEN_ALONE));
    }

    /** Waits until it is not lent; by who holds no lock. */
    public void awaitReturned() throws InterruptedException {
        Ledger ledger = home.ledger;
        ledger.lock.lockInterruptibly();
        try {
            while (isLent()) {
                ledger.returned.await();
            }
        } finally {
            ledger.unlock();
        }
    }
}
