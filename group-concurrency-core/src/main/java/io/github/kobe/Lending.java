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
 * <p>Everything here happens under the ledger's lock, with the groups concerned pinned to the ledger. The thread's global
 * permit is first separated from the hold that stands for it ({@link Hold#ownsGlobal}), which makes that hold count as a
 * nested one.
 *
 * <p>Who closes a lent hold for good waits for that lock as well, and finds it lent or not. If it is, what is out of it
 * stays with the borrower, for whom it is no loan any more ({@link #closeLent}).
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
        Thread thread = Thread.currentThread();
        if (engine.holds.topOpen(thread) == null) {
            return null;
        }
        Batch batch = new Batch(engine);
        ledger.lock();
        try {
            Loan loan = mark(task, thread, batch);
            boolean lent = false;
            try {
                lent = loan != null && transfer(loan, batch);
            } finally {
                if (loan != null && !lent) {
                    unmark(loan);
                }
            }
            return lent ? loan : null;
        } finally {
            ledger.unlock();
            batch.carryOut();
        }
    }

    /** Marks as lent what {@code thread} can lend to {@code task}; {@code null}: nothing. */
    private @Nullable Loan mark(Task<?> task, Thread thread, Batch batch) {
        // Again if another thread closes one of them first; then there is one less.
        while (engine.releases.settleGlobal(thread, batch)) {
            Hold inGroup = null;
            Hold global = null;
            for (Hold h = engine.holds.topOpen(thread); h != null; h = Holds.open(h.below)) {
                if (inGroup == null && h.group == task.group) {
                    inGroup = h;
                }
                if (h.ownsGlobal()) {
                    global = h;
                }
            }
            // Also with no global limit in force: it may be set while the lender waits.
            if (global != null) {
                Loan loan = new Loan(task, inGroup, global);
                if (global.lend(loan)) {
                    if (inGroup == null || inGroup.lend(loan)) {
                        return loan;
                    }
                    global.endLoan();
                }
            }
        }
        return null;
    }

    private boolean transfer(Loan loan, Batch batch) {
        Group group = loan.task.group;
        ledger.pin(group);
        ledger.pin(globalHold(loan).group);
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
        Hold hold = globalHold(loan);
        boolean unused = hold.disown();
        hold.group.addNested(1);
        ledger.give(1);
        loan.lacksGlobal = true;
    }

    /** {@return the hold for the lender's global permit} There is one as long as it lacks that. */
    private static Hold globalHold(Loan loan) {
        return Objects.requireNonNull(loan.globalHold);
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
            unreserve(loan);
            Hold globalHold = globalHold(loan);
            globalHold.own();
            globalHold.group.addNested(-1);
            ledger.give(-1);
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
        if (loan.globalHold != null) {
            loan.globalHold.endLoan();
        }
        if (loan.groupHold != null) {
            loan.groupHold.endLoan();
        }
    }

    private void unpin(Loan loan) {
        ledger.unpin(loan.task.group);
        if (loan.globalHold != null) {
            ledger.unpin(loan.globalHold.group);
        }
    }

    /**
     * Ends what concerns a hold that was closed for good while it was lent: what its lender lacks of it is no longer owed,
     * and the rest goes back.
     */
    void closeLent(Hold hold, @Nullable Batch batch) {
        Loan loan = Objects.requireNonNull(hold.lentOn);
        Group group = hold.group;
        boolean owned = hold.disown(); // it has that back, but not all else
        boolean inherited = owned && engine.releases.passGlobalOn(loan.lender, batch);
        group.enter();
        try {
            boolean concurrency = true;
            boolean flight = true;
            if (hold == loan.groupHold) {
                concurrency = !loan.lacksConcurrency;
                flight = !loan.lacksInFlight;
                if (!flight) {
                    group.addLent(-1);
                }
                loan.lacksConcurrency = false;
                loan.lacksInFlight = false;
                loan.groupHold = null;
            }
            if (hold == loan.globalHold) {
                replaceGlobalHold(loan, hold);
            }
            hold.endLoan();
            group.giveBack(concurrency ? 1 : 0, flight ? 1 : 0);
            if (flight) {
                group.addNested(-1);
            }
            if (owned) {
                group.addNested(1);
                group.endGlobal(inherited);
            }
            if (loan.lacksNothing()) {
                settle(loan, batch);
            }
        } finally {
            group.exit(batch);
        }
    }

    /**
     * Has another hold of the lender stand for its global permit once that is back; if it has none, or one that stands for
     * a global permit already, it is not owed.
     */
    private void replaceGlobalHold(Loan loan, Hold closed) {
        boolean owed = loan.lacksGlobal && !engine.holds.hasGlobal(loan.lender);
        Hold heir = owed ? engine.holds.topOpen(loan.lender) : null;
        while (heir != null && !heir.lend(loan)) {
            heir = Holds.open(heir.below);
        }
        if (heir == null) {
            unreserve(loan);
            loan.lacksGlobal = false;
        } else {
            ledger.pin(heir.group);
        }
        loan.globalHold = heir;
        ledger.unpin(closed.group);
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
