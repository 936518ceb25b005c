package io.github.kobe;

import org.jspecify.annotations.Nullable;

/** Gives permits back, when a hold has been closed for good. */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Releases {

    private final Engine engine;
    private final Ledger ledger;

    Releases(Engine engine) {
        this.engine = engine;
        this.ledger = engine.ledger;
    }

    /**
     * Closes a hold once and, if that was the last time, gives back what it stands for and carries out what that lets
     * start; by its thread, if it has one, and without any lock.
     *
     * @param now as in {@link Batch#now}
     */
    void close(Hold hold, long now) {
        Thread thread = hold.thread;
        if (thread != null && hold.isAlone() && engine.holds.removeAlone(hold, thread)) {
            hold.closeAlone();
            hold.group.giveBackBoth(now);
        } else if (hold.closeOnceHere()) {
            lastClose(hold, now);
        }
    }

    /**
     * Gives back what {@code hold} stands for, after its last close, and carries out what that lets start; on any thread,
     * without any lock.
     *
     * @param now a recent reading of the clock, for the outside hop; 0: nothing hops
     */
    void lastClose(Hold hold, long now) {
        Thread thread = hold.thread;
        if (thread != null && isPlain(hold, thread)) {
            engine.holds.prune(thread);
            hold.group.giveBackBoth(now);
            return;
        }
        Batch batch = Batch.orNull(engine, now);
        lastClose(hold, batch);
        if (batch != null) {
            batch.carryOut();
        }
    }

    /** {@return whether a hold that has just been closed stood alone for its thread, on permits of its own} */
    private boolean isPlain(Hold hold, Thread thread) {
        return hold.ownsGlobal
                && !hold.lent
                && !(hold instanceof Run run && (run.loan != null || run.isTailed()))
                && engine.holds.top(thread) == hold
                && Holds.open(hold.below) == null;
    }

    /** As {@link #lastClose(Hold, long)}; what that lets start is in {@code batch}, unless there is no memory for one. */
    void lastClose(Hold hold, @Nullable Batch batch) {
        Thread thread = hold.thread;
        if (thread == null) {
            // A permit that belongs to no thread, or a run whose thread couldn't be made.
            if (hold instanceof Run run && run.loan != null) {
                giveBackBorrowed(run, run.loan, true, true, batch);
            } else {
                hold.group.giveBackBoth(batch);
            }
            return;
        }
        boolean plain = isPlain(hold, thread);
        engine.holds.prune(thread);
        if (plain) {
            hold.group.giveBackBoth(batch);
        } else if (hold instanceof Run run && run.isTailed()) {
            concurrency(run, batch);
            if (run.endsPart()) {
                flight(run, batch);
            }
        } else {
            amongOthers(hold, thread, batch);
        }
    }

    /** Gives back the permits of flight of an asynchronous task, whose stage and whose code have ended. */
    void flight(Run run, @Nullable Batch batch) {
        Loan loan = run.loan;
        Thread thread = run.thread;
        if (loan != null) {
            giveBackBorrowed(run, loan, false, true, batch);
        } else if (thread == null || engine.holds.topOpen(thread) == null) {
            run.group.giveBackFlight(false, batch);
        } else {
            // The thread has left a permit behind, which counts globally from now on.
            ledger.lock();
            try {
                boolean inherited = passGlobalOn(thread, batch);
                run.group.giveBackFlight(inherited, batch);
            } finally {
                ledger.unlock();
            }
        }
    }

    private void concurrency(Run run, @Nullable Batch batch) {
        Loan loan = run.loan;
        if (loan == null) {
            run.group.giveBackConcurrency(batch);
        } else {
            giveBackBorrowed(run, loan, true, false, batch);
        }
    }

    private void giveBackBorrowed(Run run, Loan loan, boolean concurrency, boolean flight, @Nullable Batch batch) {
        ledger.lock();
        try {
            Thread thread = run.thread;
            boolean inherited = flight && thread != null && passGlobalOn(thread, batch);
            run.group.enter();
            try {
                run.group.giveBack(concurrency ? 1 : 0, flight ? 1 : 0);
                if (inherited) {
                    run.group.countGlobal(-1);
                } else if (flight) {
                    run.group.freeGlobalToLedger();
                }
                engine.lending.handBack(loan, concurrency, flight, flight && !inherited, batch);
            } finally {
                run.group.exit(batch);
            }
        } finally {
            ledger.unlock();
        }
    }

    /**
     * Gives back the permits of one of several holds of a thread, or of a borrower. A global permit stays with the
     * thread while it has another hold.
     */
    private void amongOthers(Hold hold, Thread thread, @Nullable Batch batch) {
        ledger.lock();
        try {
            if (hold.lent) {
                engine.lending.closeLater(hold);
                return;
            }
            boolean nested = !hold.ownsGlobal;
            boolean inherited = !nested && passGlobalOn(thread, batch);
            Group group = hold.group;
            Loan loan = loanOf(hold);
            group.enter();
            try {
                group.giveBack(1, 1);
                if (nested) {
                    group.addNested(-1);
                } else if (inherited) {
                    group.countGlobal(-1);
                } else if (loan == null) {
                    group.freeGlobal();
                } else {
                    group.freeGlobalToLedger();
                }
                if (loan != null) {
                    engine.lending.handBack(loan, true, true, !nested && !inherited, batch);
                }
            } finally {
                group.exit(batch);
            }
        } finally {
            ledger.unlock();
        }
    }

    /** Makes another open hold of {@code thread} stand for its global permit, if there is one. */
    private boolean passGlobalOn(Thread thread, @Nullable Batch batch) {
        Hold heir = engine.holds.topOpen(thread);
        if (heir == null || heir.ownsGlobal) {
            return false;
        }
        heir.group.enter();
        try {
            heir.group.addNested(-1);
            heir.group.countGlobal(1);
        } finally {
            heir.group.exit(batch);
        }
        heir.ownsGlobal = true;
        return true;
    }

    private static @Nullable Loan loanOf(Hold hold) {
        return hold instanceof Run run ? run.loan : null;
    }
}
