package io.github.kobe.internal;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Returns permits when a hold has been closed for good.
 *
 * <p>The {@linkplain Hold state} before the last close says how. Three permits of its own are returned together. A hold
 * that shares a global permit returns those of its group, and the global one if it was the last. Permits that are
 * borrowed, or kept by a stage, take more.
 */
final class Releases {

    private final Engine engine;
    private final Ledger ledger;

    Releases(Engine engine) {
        this.engine = engine;
        this.ledger = engine.ledger;
    }

    /**
     * Closes a hold for its thread and, if nobody else keeps it, gives back what it stands for and carries out what that
     * lets start; by that thread, without any lock.
     *
     * @param now as in {@link Batch#now}
     */
    void close(Hold hold, long now) {
        Thread thread = hold.thread;
        if (thread != null && hold.isSole() && engine.holds.removeNewest(hold, thread)) {
            hold.closeSole();
            hold.group.release(now, hold.stripe());
        } else {
            closeForThread(hold, now);
        }
    }

    private void closeForThread(Hold hold, long now) {
        int before = hold.closeForThread();
        Thread thread = hold.thread;
        if (thread != null) {
            engine.holds.prune(thread);
        }
        if (Hold.wasLast(before)) {
            end(hold, before, now);
        } else if (Hold.wasSharing(before)) {
            engine.lending.unbind(sharedOf(hold));
        }
    }

    /** One that kept {@code hold} out keeps it no longer; on any thread, without any lock. */
    void endKeep(Hold hold) {
        int before = hold.endKeep();
        if (Hold.wasLast(before)) {
            end(hold, before, 0);
        }
    }

    /**
     * Gives back what {@code hold} stands for, which nobody keeps any more, and carries out what that lets start; on any
     * thread, without any lock.
     *
     * @param before its state before the last left
     * @param now a recent reading of the clock, for the outside hop; 0: nothing hops
     */
    void end(Hold hold, int before, long now) {
        if (hold instanceof Permit permit) {
            permit.group.counters.ended(permit.status());
            permit.unregister();
            giveBack(permit, before, now);
            permit.reportEnd();
        } else if (hold instanceof Inside inside) {
            leave(inside, before, null, now);
            inside.entered.release();
        } else {
            giveBack(hold, before, now);
        }
    }

    private void giveBack(Hold hold, int before, long now) {
        if (Hold.wasPlain(before)) {
            hold.group.release(now, hold.stripe());
        } else if (Hold.wasSharer(before)) {
            closeSharer(hold, before, now);
        } else {
            Batch batch = Batch.orNull(engine, now);
            giveBack(hold, before, batch);
            Batch.carryOutIfMade(batch);
        }
    }

    /** Gives back the permits of a run whose code never began; what that lets start is in {@code batch}. */
    void closeUnstarted(Run run, Batch batch) {
        int before = run.closeForThread();
        if (Hold.wasPlain(before)) {
            run.group.giveBack(Piece.ALL, batch);
        } else {
            giveBack(run, before, batch);
        }
    }

    private void giveBack(Hold hold, int before, @Nullable Batch batch) {
        if (hold instanceof Run run && Hold.wasStageOpen(before)) {
            closeBeforeStage(run, before, batch);
        } else {
            giveBackBorrowed(hold, hold.leavesAs(before), Piece.ALL, batch);
        }
    }

    // ---- shared global permits

    private void closeSharer(Hold hold, int before, long now) {
        Group group = hold.group;
        if (!Hold.wasNested(before)) {
            long after = sharedOf(hold).leave(hold.leavesAs(before));
            if (SharedGlobal.isFree(after)) {
                group.release(now, hold.stripe());
            } else {
                left(hold, after, giveBackNested(group, now), now);
            }
        } else {
            leave(hold, before, giveBackNested(group, now), now);
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

    private void leave(Hold hold, int before, @Nullable Batch batch, long now) {
        left(hold, sharedOf(hold).leave(hold.leavesAs(before)), batch, now);
    }

    /** Sees to what follows when {@code hold} has left what it shared, and carries {@code batch} out. */
    private void left(Hold hold, long after, @Nullable Batch givenBatch, long now) {
        Batch batch = givenBatch;
        if (batch == null && SharedGlobal.wasLast(after)) {
            batch = Batch.orNull(engine, now);
        }
        follow(sharedOf(hold), after, batch);
        Batch.carryOutIfMade(batch);
    }

    /**
     * Sees to what follows when one has left {@code shared}.
     *
     * @param after the state after it
     */
    private void follow(SharedGlobal shared, long after, @Nullable Batch batch) {
        if (SharedGlobal.wasLast(after)) {
            free(shared, batch);
        } else {
            engine.lending.lendSoon(shared.takeAwaited(after));
        }
    }

    /** Frees a global permit that the last one has left. */
    void free(SharedGlobal shared, @Nullable Batch batch) {
        ledger.sharingHasChanged();
        shared.home.giveBack(Piece.GLOBAL, batch);
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
            follow(joined, joined.leave(as), batch);
        }
        Batch.carryOutIfMade(batch);
    }

    // ---- stages and loans

    /** Gives back the concurrency permit of an asynchronous task, and what else if its stage has completed. */
    private void closeBeforeStage(Run run, int before, @Nullable Batch batch) {
        if (run.loan == null) {
            run.group.giveBack(Piece.CONCURRENCY, batch);
        } else {
            giveBackBorrowed(run, SharedGlobal.UNBOUND, Piece.CONCURRENCY, batch);
        }
        if (run.sharesGlobal() && !Hold.wasClosed(before)) {
            engine.lending.unbind(sharedOf(run));
        }
        if (run.endsLastPart()) {
            flight(run, batch);
        }
    }

    /** Gives back the in-flight permits of an asynchronous task, whose stage and whose code have ended. */
    void flight(Run run, @Nullable Batch batch) {
        if (run.loan != null) {
            giveBackBorrowed(run, SharedGlobal.UNBOUND, Piece.FLIGHT, batch);
        } else if (run.sharesGlobal()) {
            run.group.giveBack(Piece.FLIGHT_BUT_GLOBAL, batch);
            SharedGlobal shared = sharedOf(run);
            follow(shared, shared.leave(SharedGlobal.UNBOUND), batch);
        } else {
            run.group.giveBack(Piece.FLIGHT, batch);
        }
    }

    private void giveBackBorrowed(Hold hold, long as, Piece ended, @Nullable Batch batch) {
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
                    left = sharedOf(hold).leave(as);
                    stays = hold.isNested()
                            || !SharedGlobal.isFree(left); // with what shares it, or that is freed at home
                    if (stays) {
                        piece = ended.butGlobal();
                    }
                }
                Loan loan = engine.lending.borrowers.loanOfEnded(hold);
                group.putBackToLedger(piece);
                engine.lending.handBack(loan, piece, batch);
            } finally {
                group.exit(batch);
            }
        } finally {
            ledger.unlock();
        }
        if (stays) {
            follow(sharedOf(hold), left, batch);
        }
    }
}
