package io.github.kobe.internal.lending;

import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Lent;
import io.github.kobe.internal.permits.Piece;
import io.github.kobe.internal.permits.SharedGlobal;
import org.jspecify.annotations.Nullable;

/**
 * What one borrower has of an {@link Offer}: the permits of the group of one hold, a global permit, or both. Guarded by the
 * ledger's lock.
 *
 * <pre>
 *   pending   the thread that would lend             other threads work on the owner's permits
 *   -> gone   a thread that leaves the owner alone, and waiting nodes are retried; or the owner withdraws
 *   lent      the thread that starts a borrower      the pieces are the borrower's
 *   -> ended  the borrower, at its end; if the owner withdraws, whoever frees the last missing piece
 * </pre>
 */
final class Loan extends Lent {

    final Offer offer;

    /** The group of the borrower. */
    final Group group;

    /** The owner's global permit, which is what is lent, or what the hold that is stands on. */
    final SharedGlobal shared;

    /**
     * The owner's hold in the borrower's group, while its permits are out; {@code null}: only the global permit is.
     */
    @Nullable
    Hold groupHold;

    /** What else the borrower has: a global permit of another hold, or of another offer. */
    @Nullable
    Loan also;

    /** Whether anything was lent; if not, its owner isn't alone yet. */
    boolean begun;

    /** What the owner lacks. */
    boolean lacksConcurrency;

    boolean lacksInFlight;
    boolean lacksGlobal;

    /** Whether nothing is out of it any more. */
    boolean ended;

    /** The next of the same offer. */
    @Nullable
    Loan nextOfOffer;

    Loan(Offer offer, Group group, SharedGlobal shared) {
        this.offer = offer;
        this.group = group;
        this.shared = shared;
    }

    /** {@return the same, as those see it who lend} */
    static @Nullable Loan of(@Nullable Lent lent) {
        return (Loan) lent; // there is nothing else that permits are lent on
    }

    /** Tries again to lend, once somebody has left; on a fresh thread. */
    @Override
    public void run() {
        offer.lending().lendIfAlone(this);
    }

    /** What was lent of the group is back. */
    void endOfGroup() {
        if (groupHold != null) {
            groupHold.endLoan();
            groupHold = null;
        }
    }

    boolean lacksNothing() {
        return !lacksConcurrency && !lacksInFlight && !lacksGlobal;
    }

    /** Gives the owner what it lacks of {@code piece}, whether they are free or not. */
    void retake(Piece piece) {
        offer.lending().changed(offer);
        Hold hold = groupHold;
        if (hold != null) {
            if (piece.concurrency > 0 && lacksConcurrency) {
                hold.group.takeFromLedger(Piece.CONCURRENCY);
                lacksConcurrency = false;
            }
            if (piece.inFlight > 0 && lacksInFlight) {
                hold.group.takeFromLedger(Piece.FLIGHT_BUT_GLOBAL); // it doesn't stand for a global one yet
                hold.group.addLent(-1);
                lacksInFlight = false;
            }
            if (!lacksConcurrency && !lacksInFlight) {
                endOfGroup();
            }
        }
        if (piece.isGlobal() && lacksGlobal) {
            shared.home.takeFromLedger(Piece.GLOBAL);
            lacksGlobal = false;
        }
    }
}
