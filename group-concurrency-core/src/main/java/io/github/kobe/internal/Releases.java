package io.github.kobe.internal;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Returns permits when a hold has been closed for good.
 *
 * <p>The {@linkplain Hold state} before the last close says how. Three permits of its own are returned together. A hold
 * that shares a global permit returns those of its group, and the global one if it was the last. Permits that are lent,
 * borrowed, or kept by a stage take more.
 */
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
        if (thread != null && hold.isSole() && engine.holds.removeSole(hold, thread)) {
            hold.closeSole();
            hold.group.release(now, hold.stripe());
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

    /**
     * Gives back what {@code hold} stands for, after its last close, and carries out what that lets start; on any thread,
     * without any lock.
     *
     * @param before its state before that close
     * @param now a recent reading of the clock, for the outside hop; 0: nothing hops
     */
    void lastClose(Hold hold, int before, long now) {
        takeOff(hold);
        if (hold instanceof Permit permit) {
            closeForThread(permit, before, now);
        } else if (hold instanceof Inside inside) {
            leave(inside, null, now);
            inside.entered.release();
        } else {
            giveBack(hold, before, now);
        }
    }

    private void closeForThread(Permit permit, int before, long now) {
        if (permit.thread != null && Hold.wasSharing(before)) {
            engine.lending.unbind(sharedOf(permit));
        }
        if (permit.endKeep()) {
            giveBackPermit(permit, now);
        }
    }

    /** Gives back what {@code permit} stands for, which nobody keeps any more. */
    void giveBackPermit(Permit permit, long now) {
        permit.group.counters.ended(permit.status());
        permit.unregister();
        giveBack(permit, permit.lastState(), now);
        permit.reportEnd();
    }

    private void giveBack(Hold hold, int before, long now) {
        if (Hold.wasPlain(before)) {
            hold.group.release(now, hold.stripe());
        } else if (Hold.wasSharer(before)) {
            closeSharer(hold, before, now);
        } else {
            Batch batch = Batch.orNull(engine, now);
            giveBack(hold, before, batch);
            if (batch != null) {
                batch.carryOut();
            }
        }
    }

    private void takeOff(Hold hold) {
        Thread thread = hold.thread;
        if (thread != null) {
            engine.holds.prune(thread);
        }
    }

    /** Gives back the permits of a run whose code never began; what that lets start is in {@code batch}. */
    void closeUnstarted(Run run, Batch batch) {
        int before = run.closeOnce();
        if (Hold.wasPlain(before)) {
            run.group.giveBack(Piece.ALL, batch);
        } else {
            giveBack(run, before, batch);
        }
    }

    private void giveBack(Hold hold, int before, @Nullable Batch batch) {
        if (hold instanceof Run run && Hold.wasStageOpen(before)) {
            closeBeforeStage(run, batch);
        } else if (Hold.wasBorrowed(before)) {
            giveBackBorrowed(hold, Piece.ALL, batch);
        } else {
            closeAmongLoans(hold, batch);
        }
    }

    // ---- shared global permits

    private void closeSharer(Hold hold, int before, long now) {
        Group group = hold.group;
        if (!Hold.wasNested(before)) {
            long after = sharedOf(hold).leave(hold.sharesAs());
            if (SharedGlobal.isFree(after)) {
                group.release(now, hold.stripe());
            } else {
                left(hold, after, giveBackNested(group, now), now);
            }
        } else {
            leave(hold, giveBackNested(group, now), now);
        }
    }

    /** {@return what is to be carried out; {@code null}: nothing, or there is no memory for it} */
    private @Nullable Batch giveBackNested(Group group, long now) {
        if (group.tryGiveBackNested()) {
            return null;
        }
        Batch batch = Batch.orNull(engine, now);
        group.giveBack(Piece.ALL_BUT_GLOBAL, batch);
        return batch;
    }

    private static SharedGlobal sharedOf(Hold hold) {
        return Objects.requireNonNull(hold.shared());
    }

    private void leave(Hold hold, @Nullable Batch batch, long now) {
        left(hold, sharedOf(hold).leave(hold.sharesAs()), batch, now);
    }

    /** Sees to what follows when {@code hold} has left what it shared, and carries {@code batch} out. */
    private void left(Hold hold, long after, @Nullable Batch givenBatch, long now) {
        long as = hold.sharesAs();
        Batch batch = givenBatch;
        if (batch == null && (SharedGlobal.wasLast(after) || (SharedGlobal.isTask(as) && ledger.isOn()))) {
            batch = Batch.orNull(engine, now);
        }
        follow(sharedOf(hold), as, after, batch);
        if (batch != null) {
            batch.carryOut();
        }
    }

    private void leave(Hold hold, @Nullable Batch batch) {
        SharedGlobal shared = sharedOf(hold);
        long as = hold.sharesAs();
        follow(shared, as, shared.leave(as), batch);
    }

    /**
     * Sees to what follows when one has left {@code shared}.
     *
     * @param as as what it shared that
     * @param after the state after it
     */
    private void follow(SharedGlobal shared, long as, long after, @Nullable Batch batch) {
        if (SharedGlobal.wasLast(after)) {
            free(shared, batch);
        } else {
            engine.lending.lendSoon(shared.takeAwaited(after));
        }
        if (SharedGlobal.isTask(as)) {
            lendToNextTask(shared, batch);
        }
    }

    /** A task has left {@code shared}: another one that waits may borrow it. */
    void lendToNextTask(SharedGlobal shared, @Nullable Batch batch) {
        ledger.sharingHasChanged();
        if (ledger.isOn()) {
            ledger.lock();
            try {
                engine.lending.drain(shared.home, batch);
            } finally {
                ledger.unlock();
            }
        }
    }

    /** Frees a global permit that the last one has left. */
    void free(SharedGlobal shared, @Nullable Batch batch) {
        ledger.sharingHasChanged();
        if (!shared.hasLoan()) {
            shared.home.giveBack(Piece.GLOBAL, batch);
            return;
        }
        ledger.lock();
        try {
            if (!engine.lending.giveUpGlobal(shared, batch)) {
                shared.home.giveBack(Piece.GLOBAL, batch);
            }
        } finally {
            ledger.unlock();
        }
    }

    /**
     * Gives back what was granted to one that doesn't use it, and carries out what that lets start.
     *
     * @param joined the global permit that it shares, if it does
     * @param as as what
     * @param loan what the permits are lent on, if they are
     */
    void giveBackUnused(Group group, @Nullable SharedGlobal joined, long as, @Nullable Loan loan) {
        Batch batch = Batch.orNull(engine, 0);
        Piece piece = Piece.all(joined == null);
        if (loan == null) {
            group.giveBack(piece, batch);
        } else {
            ledger.lock();
            try {
                group.enter();
                try {
                    group.putBackToLedger(piece);
                    engine.lending.handBack(loan, piece, batch);
                } finally {
                    group.exit(batch);
                }
            } finally {
                ledger.unlock();
            }
        }
        if (joined != null) {
            follow(joined, as, joined.leave(as), batch);
        }
        if (batch != null) {
            batch.carryOut();
        }
    }

    // ---- stages and loans

    /** Gives back the concurrency permit of an asynchronous task, and what else if its stage has completed. */
    private void closeBeforeStage(Run run, @Nullable Batch batch) {
        if (run.loan == null) {
            run.group.giveBack(Piece.CONCURRENCY, batch);
        } else {
            giveBackBorrowed(run, Piece.CONCURRENCY, batch);
        }
        if (run.sharesGlobal()) {
            engine.lending.unbind(sharedOf(run));
        }
        if (run.endsLastPart()) {
            flight(run, batch);
        }
    }

    /** Gives back the in-flight permits of an asynchronous task, whose stage and whose code have ended. */
    void flight(Run run, @Nullable Batch batch) {
        if (run.loan != null) {
            giveBackBorrowed(run, Piece.FLIGHT, batch);
        } else {
            run.group.giveBack(run.sharesGlobal() ? Piece.FLIGHT_BUT_GLOBAL : Piece.FLIGHT, batch);
            if (run.sharesGlobal()) {
                leave(run, batch);
            }
        }
    }

    private void giveBackBorrowed(Hold hold, Piece ended, @Nullable Batch batch) {
        Group group = hold.group;
        Piece piece = ended;
        long left = 0;
        boolean stays = false;
        ledger.lock();
        try {
            group.enter();
            try {
                ledger.sharingHasChanged();
                if (ended.isGlobal() && hold.sharesGlobal()) {
                    left = sharedOf(hold).leave(hold.sharesAs());
                    stays = hold.isNested()
                            || !SharedGlobal.isFree(left); // with what shares it, or that is freed at home
                    if (stays) {
                        piece = ended.butGlobal();
                    }
                }
                Loan loan = engine.lending.borrowers.loanOfEnded(hold);
                if (hold.isLent()) {
                    engine.lending.closeLent(hold, loan, batch);
                } else {
                    group.putBackToLedger(piece);
                    engine.lending.handBack(loan, piece, batch);
                }
            } finally {
                group.exit(batch);
            }
        } finally {
            ledger.unlock();
        }
        if (stays) {
            follow(sharedOf(hold), hold.sharesAs(), left, batch);
        }
    }

    /** Gives back the permits of a hold that was lent when it was closed, and may be still. */
    private void closeAmongLoans(Hold hold, @Nullable Batch batch) {
        ledger.lock();
        try {
            Group group = hold.group;
            group.enter();
            try {
                ledger.sharingHasChanged();
                if (hold.isLent()) {
                    engine.lending.closeLent(hold, null, batch);
                } else {
                    group.putBackToLedger(Piece.ALL_BUT_GLOBAL);
                }
            } finally {
                group.exit(batch);
            }
        } finally {
            ledger.unlock();
        }
        leave(hold, batch);
    }
}
