package io.github.kobe;

import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lends the permits of a thread to the task that it waits for, so that waiting for one's own work can't deadlock.
 *
 * <p>A loan is bookkeeping, not a transfer of objects: the lender's permits are given back and the borrower's taken in
 * one critical section, so nobody can come in between; when the borrower gives its permits back, the lender takes them
 * again in the same critical section, whatever the limits are by then. A lender whose wait ends earlier takes what comes
 * free first, all at once, ahead of every queue.
 *
 * <p>Everything here happens under the ledger's lock, with the groups concerned pinned to the ledger. Nobody joins the
 * lender's {@link SharedGlobal} while it is lent, and it is lent only while no other thread is at work on it: one that
 * comes waits until it is back, and a lender that isn't alone lends as soon as it is.
 *
 * <p>Who closes a lent hold for good waits for that lock as well, and finds it lent or not. If it is, what is out of it
 * stays with the borrower, for whom it is no loan any more ({@link #closeLent}, {@link #giveUpGlobal}).
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Lending {

    private final Engine engine;
    private final Ledger ledger;

    Lending(Engine engine) {
        this.engine = engine;
        this.ledger = engine.ledger;
    }

    /**
     * Lends what the current thread has to {@code task}, if that waits and it helps; at once, or as soon as it is alone on
     * what it lends.
     *
     * @return the loan, to {@link #reclaim}; {@code null} if nothing is lent
     */
    @Nullable
    Loan lend(Task<?> task) {
        if (engine.holds.topOpen(Thread.currentThread()) == null) {
            return null;
        }
        Batch batch = new Batch(engine);
        Loan loan = new Loan(task);
        ledger.lock();
        try {
            return tryLend(loan, batch) ? loan : null;
        } finally {
            ledger.unlock();
            batch.carryOut();
        }
    }

    /** One that shares {@code shared} belongs to no thread any more, which may leave a lender alone; by who holds no lock. */
    void unbind(SharedGlobal shared) {
        lendSoon(shared.takeAwaited(shared.leaveUnbound()));
    }

    /** Has a loan tried again, of which the caller has {@linkplain SharedGlobal#takeAwaited taken} that on; by who holds no lock. */
    void lendSoon(@Nullable Loan awaited) {
        if (awaited != null) {
            engine.dispatcher.report(awaited);
        }
    }

    /** Lends what waits for its lender to be alone, if it is now; else it goes on waiting. */
    void lendIfAlone(Loan loan) {
        try {
            Batch batch = new Batch(engine);
            ledger.lock();
            try {
                SharedGlobal shared = loan.shared;
                if (shared != null && shared.loan == loan && !loan.begun) {
                    shared.endLoan();
                    boolean unused = tryLend(loan, batch);
                }
            } finally {
                ledger.unlock();
                batch.carryOut();
            }
        } catch (OutOfMemoryError lack) {
            retryLater(loan);
        }
    }

    /** There was no memory to lend: the housekeeper tries again, or else whoever leaves next. */
    private void retryLater(Loan loan) {
        ledger.lock();
        try {
            SharedGlobal shared = loan.shared;
            if (shared != null && !loan.begun && !loan.settled) {
                shared.loan = loan; // its lender still waits for it
                if (!engine.housekeeper.reportLater(loan)) {
                    shared.awaitOthers();
                }
            }
        } finally {
            ledger.unlock();
        }
    }

    /** {@return whether the loan has begun, or will once its lender is alone} */
    private boolean tryLend(Loan loan, Batch batch) {
        while (mark(loan)) {
            SharedGlobal shared = Objects.requireNonNull(loan.shared);
            int own = engine.holds.countSharing(loan.lender, shared);
            if (own == 0) {
                continue; // another thread has closed them meanwhile
            }
            boolean alone = shared.tryLend(loan, own);
            if (engine.holds.countSharing(loan.lender, shared) != own) {
                shared.endLoan(); // as above, one of them
            } else if (!alone) {
                return true;
            } else if (loan.groupHold != null && !loan.groupHold.lend(loan.kept)) {
                shared.endLoan(); // there is one less
            } else {
                return begin(loan, batch);
            }
        }
        return false;
    }

    /** Finds what the lender can lend; false if there is nothing. */
    private boolean mark(Loan loan) {
        Hold inGroup = engine.holds.topOpen(loan.lender);
        while (inGroup != null && inGroup.group != loan.task.group) {
            inGroup = Holds.open(inGroup.below);
        }
        // Also with no global limit in force: it may be set while the lender waits.
        SharedGlobal shared = inGroup == null ? null : inGroup.share();
        loan.groupHold = shared == null || inGroup == null ? null : inGroup.real();
        loan.kept = inGroup instanceof Inside;
        loan.shared = shared == null ? engine.holds.shareOf(loan.lender) : shared;
        return loan.shared != null && loan.shared.loan == null;
    }

    private boolean begin(Loan loan, Batch batch) {
        boolean begun = false;
        try {
            begun = transfer(loan, batch);
            return begun;
        } finally {
            if (!begun) {
                unmark(loan);
            }
        }
    }

    private boolean transfer(Loan loan, Batch batch) {
        Group group = loan.task.group;
        ledger.pin(group);
        ledger.pin(home(loan));
        group.enter();
        try {
            loan.begun = loan.groupHold == null ? reserveGlobal(loan) : lendAll(loan, batch);
            return loan.begun;
        } finally {
            if (!loan.begun) {
                unpin(loan);
            }
            group.exit(batch);
        }
    }

    private static Group home(Loan loan) {
        return Objects.requireNonNull(loan.shared).home;
    }

    /** Has the task start at once on the lender's permits. */
    private boolean lendAll(Loan loan, Batch batch) {
        Group group = loan.task.group;
        separateGlobal(loan);
        group.giveBack(1, 1);
        group.addNested(-1);
        loan.lacksConcurrency = true;
        loan.lacksInFlight = true;
        group.addLent(1);
        boolean granted = false;
        try {
            granted = group.grantLent(loan.task, loan, batch);
            return granted;
        } finally {
            if (!granted) {
                retake(loan, true, true, true);
            }
        }
    }

    /** Has the task start as soon as its own group has room. */
    private boolean reserveGlobal(Loan loan) {
        if (!loan.task.group.reserveFor(loan.task, loan)) {
            return false;
        }
        separateGlobal(loan);
        ledger.reserve(loan);
        return true;
    }

    private static void separateGlobal(Loan loan) {
        home(loan).addNested(1);
        home(loan).freeGlobalToLedger();
        loan.lacksGlobal = true;
    }

    /** Gives the lender these of the permits that it lacks, whether they are free or not. */
    private void retake(Loan loan, boolean concurrency, boolean flight, boolean global) {
        Hold groupHold = loan.groupHold;
        if (groupHold != null && concurrency && loan.lacksConcurrency) {
            groupHold.group.retakeConcurrency();
            loan.lacksConcurrency = false;
        }
        if (groupHold != null && flight && loan.lacksInFlight) {
            groupHold.group.retakeFlight();
            groupHold.group.addLent(-1);
            loan.lacksInFlight = false;
        }
        if (global && loan.lacksGlobal) {
            unreserve(loan);
            home(loan).addNested(-1);
            home(loan).takeGlobalFromLedger();
            loan.lacksGlobal = false;
        }
    }

    private void unreserve(Loan loan) {
        if (loan.reserved) {
            loan.task.group.unreserve(loan);
            ledger.unreserve(loan);
        }
    }

    /** A borrower has just given back these permits: the lender takes them again, if it lacks them. */
    void handBack(Loan loan, boolean concurrency, boolean flight, boolean global, @Nullable Batch batch) {
        if (!loan.settled) {
            retake(loan, concurrency, flight, global);
            if (loan.lacksNothing()) {
                settle(loan, batch);
            }
        }
    }

    /** Gives a reclaiming lender all that it lacks, if that much is free. */
    void tryReclaim(Loan loan, Batch batch) {
        if (tryRetake(loan)) {
            settle(loan, batch);
        }
    }

    private boolean tryRetake(Loan loan) {
        Hold groupHold = loan.groupHold;
        if (groupHold != null
                && ((loan.lacksConcurrency && !groupHold.group.hasFreeConcurrency())
                        || (loan.lacksInFlight && !groupHold.group.hasFreeInFlight()))) {
            return false;
        }
        if (loan.lacksGlobal && !ledger.hasFree()) {
            return false;
        }
        retake(loan, true, true, true);
        return true;
    }

    private void settle(Loan loan, @Nullable Batch batch) {
        if (loan.reclaiming) {
            ledger.removeReclaimer(loan);
        }
        unmark(loan);
        unpin(loan);
        loan.settled = true;
        LockSupport.unpark(loan.lender);
        if (batch != null) {
            loan.task.group.offerIfIdle(batch);
        }
    }

    private void unmark(Loan loan) {
        Objects.requireNonNull(loan.shared).endLoan();
        ledger.returned.signalAll();
        if (loan.groupHold != null) {
            loan.groupHold.endLoan();
        }
    }

    private void unpin(Loan loan) {
        ledger.unpin(loan.task.group);
        ledger.unpin(home(loan));
    }

    /**
     * Ends what concerns the permits of the group of a hold that was closed for good while it was lent: what its lender
     * lacks of them is no longer owed, and the rest goes back.
     */
    void closeLent(Hold hold, @Nullable Batch batch) {
        Loan loan = Objects.requireNonNull(Objects.requireNonNull(hold.shared()).loan);
        Group group = hold.group;
        group.enter();
        try {
            group.giveBack(loan.lacksConcurrency ? 0 : 1, loan.lacksInFlight ? 0 : 1);
            if (loan.lacksInFlight) {
                group.addLent(-1);
            } else {
                group.addNested(-1);
            }
            loan.lacksConcurrency = false;
            loan.lacksInFlight = false;
            loan.groupHold = null;
            hold.endLoan();
            if (loan.lacksNothing()) {
                settle(loan, batch);
            }
        } finally {
            group.exit(batch);
        }
    }

    /**
     * The last hold that shares {@code shared} was closed for good: if it is lent, it is no longer owed.
     *
     * @return false if it isn't lent: it is to be freed
     */
    boolean giveUpGlobal(SharedGlobal shared, @Nullable Batch batch) {
        Loan loan = shared.loan;
        if (loan == null || !loan.lacksGlobal) {
            return false;
        }
        unreserve(loan);
        loan.lacksGlobal = false;
        if (loan.lacksNothing()) {
            settle(loan, batch);
        }
        drain(shared.home, batch);
        return true;
    }

    /** Waits until {@code shared} is not lent. */
    void awaitReturned(SharedGlobal shared) throws InterruptedException {
        ledger.lock.lockInterruptibly();
        try {
            while (shared.isLent()) {
                ledger.returned.await();
            }
        } finally {
            ledger.unlock();
        }
    }

    /** Returns when the lender, the current thread, has all its permits again; not interruptible, the flag is kept. */
    void reclaim(Loan loan) {
        if (!loan.settled) {
            Batch batch = Batch.orNull(engine, 0);
            ledger.lock();
            try {
                beginReclaim(loan, batch);
            } finally {
                ledger.unlock();
            }
            if (batch != null) {
                batch.carryOut();
            }
            boolean interrupted = false;
            while (!loan.settled) {
                LockSupport.park(loan);
                interrupted |= Thread.interrupted();
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void beginReclaim(Loan loan, @Nullable Batch batch) {
        if (loan.settled) {
            return;
        }
        if (!loan.begun) {
            if (loan.shared != null && loan.shared.loan == loan) {
                loan.shared.endLoan();
            }
            loan.settled = true;
            return;
        }
        if (loan.reserved) {
            retake(loan, false, false, true);
        }
        if (loan.lacksNothing()) {
            settle(loan, batch);
        } else {
            loan.reclaiming = true;
            ledger.addReclaimer(loan);
        }
        drain(loan.task.group, batch);
    }

    /** As far as there is memory for it: what is left is tried again when {@code group} is. Under the ledger's lock. */
    void drain(Group group, @Nullable Batch batch) {
        try {
            if (batch != null) {
                ledger.drain(batch);
                return;
            }
        } catch (OutOfMemoryError lack) {
            // As without a batch.
        }
        engine.housekeeper.retryLater(group);
    }
}
