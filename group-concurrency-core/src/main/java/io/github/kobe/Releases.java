package io.github.kobe;

import org.jspecify.annotations.Nullable;

/**
 * Gives permits back, when a hold has been closed for good, and sees to who stands for a thread's global permit then.
 *
 * <p>Which way they go is told by the {@linkplain Hold state} before the last close. A hold that stood alone for its
 * thread, and one that was nested, concern their own group only. Where another hold of the thread may inherit the global
 * permit, or a loan is open, it is decided under the ledger's lock.
 */
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
     * start; by its thread, if it has one, which has that one open, and without any lock.
     *
     * @param now as in {@link Batch#now}
     */
    void close(Hold hold, long now) {
        Thread thread = hold.thread;
        if (thread != null && hold.isSole() && engine.holds.removeAlone(hold, thread)) {
            hold.closeSole();
            hold.group.giveBackBoth(now);
        } else {
            closeOnce(hold, now);
        }
    }

    /** As {@link #close}, on any thread. */
    void closeOnce(Hold hold, long now) {
        int before = hold.closeOnce();
        if (Hold.wasLast(before)) {
            lastClose(hold, before, now);
        }
    }

    /** As {@link #closeOnce(Hold, long)}; what that lets start is in {@code batch}. */
    void closeOnce(Hold hold, Batch batch) {
        int before = hold.closeOnce();
        if (Hold.wasLast(before)) {
            lastClose(hold, before, batch);
        }
    }

    /**
     * Gives back what {@code hold} stands for, after its last close, and carries out what that lets start; on any thread,
     * without any lock.
     *
     * @param before its state before that close
     * @param now a recent reading of the clock, for the outside hop; 0: nothing hops
     */
    void lastClose(Hold hold, int before, long now) {
        Thread thread = hold.thread;
        if (thread != null && takeOffOnly(hold, before, thread)) {
            hold.group.giveBackBoth(now);
            return;
        }
        if (thread != null && Hold.wasNested(before) && hold.group.tryGiveBackNested()) {
            engine.holds.prune(thread);
            return;
        }
        Batch batch = Batch.orNull(engine, now);
        giveBack(hold, before, thread, batch);
        if (batch != null) {
            batch.carryOut();
        }
    }

    private void lastClose(Hold hold, int before, Batch batch) {
        Thread thread = hold.thread;
        if (thread != null && takeOffOnly(hold, before, thread)) {
            hold.group.giveBackBoth(batch);
        } else {
            giveBack(hold, before, thread, batch);
        }
    }

    /** Takes a hold off the thread that has no other one, so that its permits go back together; false if it takes more. */
    private boolean takeOffOnly(Hold hold, int before, Thread thread) {
        if (!Hold.wasOwner(before) || engine.holds.hasOther(thread, hold)) {
            return false;
        }
        // Claimed last: another thread's own may have registered more meanwhile, and seen to it itself.
        if (!(thread == Thread.currentThread() ? hold.disownHere() : hold.disown())) {
            return false;
        }
        engine.holds.prune(thread);
        return true;
    }

    private void giveBack(Hold hold, int before, @Nullable Thread thread, @Nullable Batch batch) {
        if (thread == null) {
            // A permit that belongs to no thread, or a run whose thread couldn't be made.
            if (hold instanceof Run run && run.loan != null) {
                giveBackBorrowed(run, run.loan, true, true, batch);
            } else {
                hold.group.giveBackBoth(batch);
            }
        } else if (Hold.wasTailed(before)) {
            tailed((Run) hold, thread, batch);
        } else if (Hold.wasNested(before)) {
            engine.holds.prune(thread);
            hold.group.giveBackNested(batch);
        } else {
            amongOthers(hold, thread, batch);
        }
    }

    /** Gives back the permit of concurrency of an asynchronous task, and what else if its stage has completed. */
    private void tailed(Run run, Thread thread, @Nullable Batch batch) {
        boolean unused = run.disown(); // the stage has it
        engine.holds.prune(thread);
        Loan loan = run.loan;
        if (loan == null) {
            run.group.giveBackConcurrency(batch);
        } else {
            giveBackBorrowed(run, loan, true, false, batch);
        }
        if (run.endsPart()) {
            flight(run, batch);
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
     * Gives back the permits of one of several holds of a thread, or of a borrower, or of one that is lent. A global permit
     * stays with the thread while it has another hold.
     */
    private void amongOthers(Hold hold, Thread thread, @Nullable Batch batch) {
        ledger.lock();
        try {
            // Looked at again, for until now the lender or its thread may have changed it.
            if (hold.isLent()) {
                engine.lending.closeLent(hold, batch);
            } else {
                giveBackOneOf(hold, thread, batch);
            }
        } finally {
            ledger.unlock();
        }
        engine.holds.prune(thread);
    }

    private void giveBackOneOf(Hold hold, Thread thread, @Nullable Batch batch) {
        boolean owned = hold.disown();
        boolean inherited = owned && passGlobalOn(thread, batch);
        Group group = hold.group;
        Loan loan = hold instanceof Run run ? run.loan : null;
        group.enter();
        try {
            group.giveBack(1, 1);
            if (!owned) {
                group.addNested(-1);
            } else if (loan != null && !inherited) {
                group.freeGlobalToLedger();
            } else {
                group.endGlobal(inherited);
            }
            if (loan != null) {
                engine.lending.handBack(loan, true, true, owned && !inherited, batch);
            }
        } finally {
            group.exit(batch);
        }
    }

    // ---- who stands for a thread's global permit

    /**
     * Makes an open hold of {@code thread} stand for its global permit, if there is one that can; else what the thread asks
     * for needs one of its own. Under the ledger's lock.
     *
     * @return whether one has come to stand for it
     */
    boolean passGlobalOn(Thread thread, @Nullable Batch batch) {
        if (engine.holds.hasGlobal(thread) || hasLentGlobal(thread)) {
            return false;
        }
        ledger.keepAttached(true);
        try {
            return passGlobalOnInside(thread, batch);
        } finally {
            ledger.keepAttached(false);
        }
    }

    /** {@return whether an open hold of {@code thread} gets back a global permit that is lent} */
    private boolean hasLentGlobal(Thread thread) {
        for (Hold h = engine.holds.topOpen(thread); h != null; h = Holds.open(h.below)) {
            Loan loan = h.lentOn;
            if (loan != null && loan.lacksGlobal && loan.globalHold == h) {
                return true;
            }
        }
        return false;
    }

    private boolean passGlobalOnInside(Thread thread, @Nullable Batch batch) {
        // So that nothing of the thread's is granted meanwhile. What it registers later, it looks after itself.
        for (Hold h = engine.holds.top(thread); h != null; h = h.below) {
            if (h.isLive()) {
                ledger.attach(h.group);
            }
        }
        for (Hold h = engine.holds.topOpen(thread); h != null; h = Holds.open(h.below)) {
            if (inherit(h, batch)) {
                return true;
            }
        }
        for (Hold h = engine.holds.top(thread); h != null; h = h.below) {
            if (h.asks() && needGlobal(h, batch)) {
                return true;
            }
        }
        return false;
    }

    private boolean inherit(Hold heir, @Nullable Batch batch) {
        Group group = heir.group;
        group.enter();
        try {
            return inheritInside(heir, group);
        } finally {
            group.exit(batch);
        }
    }

    private static boolean inheritInside(Hold heir, Group group) {
        if (!heir.inherit()) {
            return false;
        }
        group.addNested(-1);
        group.countGlobal(1);
        return true;
    }

    /** {@return whether it has been granted in the meantime, and stands for the global permit now} */
    private boolean needGlobal(Hold asking, @Nullable Batch batch) {
        Group group = asking.group;
        group.enter();
        try {
            if (asking.needGlobal()) {
                group.dropExemptThatNeedGlobal();
                return false;
            }
            return inheritInside(asking, group);
        } finally {
            group.exit(batch);
        }
    }

    /**
     * Registers what {@code thread}, the current one, is about to ask for from inside another group. It can do without a
     * global permit of its own as long as the thread has one.
     */
    void registerAsking(Hold asking, Thread thread) {
        engine.holds.push(asking, thread);
        // Registered first, looked at then: whoever closes the one that stands for it is either seen here, or sees this
        // one.
        if (engine.holds.hasGlobal(thread)) {
            return;
        }
        Batch batch = Batch.orNull(engine, 0);
        ledger.lock();
        try {
            if (!settleGlobal(thread, batch)) {
                boolean unused = asking.needGlobal();
            }
        } finally {
            ledger.unlock();
        }
        if (batch != null) {
            batch.carryOut();
        }
    }

    /**
     * Has an open hold of {@code thread}, the current one, stand for its global permit, if that can be: another thread may
     * have closed the one that did, and not have come further yet. Under the ledger's lock.
     *
     * @return whether one stands for it
     */
    boolean settleGlobal(Thread thread, @Nullable Batch batch) {
        if (engine.holds.hasGlobal(thread)) {
            return true;
        }
        for (Hold h = engine.holds.top(thread); h != null; h = h.below) {
            if (h.isLeaving() && engine.holds.topOpen(thread) != null && h.disown()) {
                boolean inherited = passGlobalOn(thread, batch);
                // From now on it is a nested one, and given back as such.
                Group group = h.group;
                group.enter();
                try {
                    group.addNested(1);
                    group.endGlobal(inherited);
                } finally {
                    group.exit(batch);
                }
                return inherited;
            }
        }
        return false;
    }
}
