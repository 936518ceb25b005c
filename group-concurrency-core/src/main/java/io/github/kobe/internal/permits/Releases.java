package io.github.kobe.internal.permits;

import io.github.kobe.internal.base.Core;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Returns permits when a hold has been closed for good.
 *
 * <p>The {@linkplain Hold state} before the last close says how. Three permits of its own are returned together. A hold
 * that shares a global permit returns those of its group, and the global one if it was the last. Permits that are
 * {@linkplain Loans borrowed}, or kept by a stage, take more.
 */
public final class Releases {

    private final Core core;
    private final Holds holds;
    private final Loans loans;

    public Releases(Core core, Holds holds, Loans loans) {
        this.core = core;
        this.holds = holds;
        this.loans = loans;
    }

    /**
     * Closes a hold for its thread and, if nobody else keeps it, gives back what it stands for and carries out what that
     * lets start; by that thread, without any lock.
     *
     * @param now as in {@link Batch#now}
     */
    public void close(Hold hold, long now) {
        Thread thread = hold.thread;
        if (thread != null && hold.isSole() && holds.removeNewest(hold, thread)) {
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
            holds.prune(thread);
        }
        if (Hold.wasLast(before)) {
            end(hold, before, now);
        } else if (Hold.wasSharing(before)) {
            sharedOf(hold).unbind();
        }
    }

    /** One that kept {@code hold} out keeps it no longer; on any thread, without any lock. */
    public void endKeep(Hold hold) {
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
     * @param now as in {@link Batch#now}
     */
    public void end(Hold hold, int before, long now) {
        hold.ending();
        if (hold.isInside()) {
            leave(hold, before, null, now);
        } else {
            giveBack(hold, before, now);
        }
        hold.ended();
    }

    private void giveBack(Hold hold, int before, long now) {
        if (Hold.wasPlain(before)) {
            hold.group.release(now, hold.stripe());
        } else if (Hold.wasSharer(before)) {
            closeSharer(hold, before, now);
        } else {
            Batch batch = Batch.orNull(core, now);
            giveBack(hold, before, batch);
            Batch.carryOutIfMade(batch);
        }
    }

    /** Closes one that was never registered; what that lets start is in {@code batch}. */
    public void closeUnregistered(Hold hold, Batch batch) {
        int before = hold.closeForThread();
        if (Hold.wasPlain(before)) {
            hold.group.giveBack(Piece.ALL, batch);
        } else {
            giveBack(hold, before, batch);
        }
    }

    private void giveBack(Hold hold, int before, @Nullable Batch batch) {
        if (Hold.wasStageOpen(before)) {
            closeBeforeStage(hold, before, batch);
        } else {
            loans.giveBack(hold, hold.leavesAs(before), Piece.ALL, batch);
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
        Batch batch = Batch.orNull(core, now);
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
            batch = Batch.orNull(core, now);
        }
        sharedOf(hold).follow(after, batch);
        Batch.carryOutIfMade(batch);
    }

    // ---- stages

    /** Gives back the concurrency permit of an asynchronous task, and what else if its stage has completed. */
    private void closeBeforeStage(Hold hold, int before, @Nullable Batch batch) {
        if (Hold.wasBorrowed(before)) {
            loans.giveBack(hold, SharedGlobal.UNBOUND, Piece.CONCURRENCY, batch);
        } else {
            hold.group.giveBack(Piece.CONCURRENCY, batch);
        }
        if (hold.sharesGlobal() && !Hold.wasClosed(before)) {
            sharedOf(hold).unbind();
        }
        if (hold.endsLastPart()) {
            flight(hold, batch);
        }
    }

    /** Gives back the in-flight permits of an asynchronous task, whose stage and whose code have ended. */
    public void flight(Hold hold, @Nullable Batch batch) {
        if (hold.isBorrowed()) {
            loans.giveBack(hold, SharedGlobal.UNBOUND, Piece.FLIGHT, batch);
        } else if (hold.sharesGlobal()) {
            hold.group.giveBack(Piece.FLIGHT_BUT_GLOBAL, batch);
            SharedGlobal shared = sharedOf(hold);
            shared.follow(shared.leave(SharedGlobal.UNBOUND), batch);
        } else {
            hold.group.giveBack(Piece.FLIGHT, batch);
        }
    }
}
