package io.github.kobe;

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
 * <p>Everything here happens under the ledger's lock, with the groups concerned pinned to the ledger. The thread's global
 * permit is first separated from the hold that stands for it ({@link Hold#ownsGlobal}), which makes that hold count as a
 * nested one.
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
     * Lends what the current thread has to {@code task}, if that waits and it helps.
     *
     * @return the loan, to {@link #reclaim}; {@code null} if nothing is lent
     */
    @Nullable
    Loan lend(Task<?> task) {
        Hold top = engine.holds.topOpen(Thread.currentThread());
        if (top == null) {
            return null;
        }
        Batch batch = new Batch(engine);
        ledger.lock();
        try {
            return lend(task, top, batch);
        } finally {
            ledger.unlock();
            batch.carryOut();
        }
    }

    private @Nullable Loan lend(Task<?> task, Hold top, Batch batch) {
        Hold inGroup = null;
        Hold global = null;
        for (Hold h = top; h != null; h = Holds.open(h.below)) {
            if (inGroup == null && h.group == task.group) {
                inGroup = h;
            }
            if (h.ownsGlobal) {
                global = h;
            }
        }
        // Also with no global limit in force: it may be set while the lender waits.
        if (global == null) {
            return null;
        }
        Loan loan = new Loan(task, inGroup, global);
        boolean lent = false;
        try {
            // Marked first, looked at then: a thread that closes one of them is either seen, or sees the mark and
            // waits.
            global.lent = true;
            if (inGroup != null) {
                inGroup.lent = true;
            }
            lent = global.isOpen() && (inGroup == null || inGroup.isOpen()) && transfer(loan, batch);
        } finally {
            if (!lent) {
                unmark(loan);
            }
        }
        return lent ? loan : null;
    }

    private boolean transfer(Loan loan, Batch batch) {
        Group group = loan.task.group;
        ledger.pin(group);
        ledger.pin(loan.globalHold.group);
        boolean lent = false;
        group.enter();
        try {
            lent = loan.groupHold == null ? reserveGlobal(loan) : lendAll(loan, batch);
            return lent;
        } finally {
            if (!lent) {
                unpin(loan);
            }
            group.exit(batch);
        }
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
                retake(loan);
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

    private void separateGlobal(Loan loan) {
        loan.globalHold.ownsGlobal = false;
        loan.globalHold.group.addNested(1);
        ledger.give(1);
        loan.lacksGlobal = true;
    }

    /** Gives the lender what it lacks, whether it is free or not. */
    private void retake(Loan loan) {
        retake(loan, true, true, true);
    }

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
            if (loan.reserved) {
                loan.task.group.unreserve(loan);
                ledger.unreserve(loan);
            }
            loan.globalHold.ownsGlobal = true;
            loan.globalHold.group.addNested(-1);
            ledger.give(-1);
            loan.lacksGlobal = false;
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
        retake(loan);
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

    private static void unmark(Loan loan) {
        loan.globalHold.lent = false;
        if (loan.groupHold != null) {
            loan.groupHold.lent = false;
        }
    }

    private void unpin(Loan loan) {
        ledger.unpin(loan.task.group);
        ledger.unpin(loan.globalHold.group);
    }

    /** Leaves it to the lender to give back the permits of a hold that was closed for good while it was lent. */
    void closeLater(Hold hold) {
        hold.closedWhileLent = true;
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
        closeIfOwed(loan.globalHold);
        closeIfOwed(loan.groupHold);
    }

    /** Gives back the permits of a hold whose last close came while it was lent. */
    private void closeIfOwed(@Nullable Hold hold) {
        if (hold != null && hold.closedWhileLent) {
            hold.closedWhileLent = false;
            engine.releases.lastClose(hold, 0);
        }
    }

    private void beginReclaim(Loan loan, @Nullable Batch batch) {
        if (loan.settled) {
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
            drain(loan.task.group, batch);
        }
    }

    /** As far as there is memory for it: what is left is tried again when {@code group} is. */
    private void drain(Group group, @Nullable Batch batch) {
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
