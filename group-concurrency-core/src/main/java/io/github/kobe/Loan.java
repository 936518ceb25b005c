package io.github.kobe;

import org.jspecify.annotations.Nullable;

/**
 * What a thread has lent to the task that it waits for, until it has it all back. Guarded by the ledger's lock, but for
 * {@link #settled}.
 *
 * <pre>
 *   pending       lender ({@link Lending#lend})      others are at work on its permits
 *   -> lent       lender, or whoever leaves it alone  the pieces are the borrower's, or wait for it
 *   -> reclaiming lender, once its wait has ended    some piece is still out: takes what comes free first
 *   -> settled    lender, or whoever frees the last missing piece, or closes what lacks it
 * </pre>
 */
final class Loan extends Report {

    final Thread lender = Thread.currentThread();

    /** The borrower. */
    final Task<?> task;

    /**
     * The lender's hold in the borrower's group; {@code null}: only the global permit is lent, or this one was closed for
     * good.
     */
    @Nullable
    Hold groupHold;

    /** Whether the lender keeps {@link #groupHold} out, and has not opened it. */
    boolean kept;

    /** The lender's global permit; {@code null} before one was found. */
    @Nullable
    SharedGlobal shared;

    /** Whether anything was lent; if not, its lender isn't alone yet. */
    boolean begun;

    /** What the lender lacks. */
    boolean lacksConcurrency;

    boolean lacksInFlight;
    boolean lacksGlobal;

    /** Whether the lent global permit is set aside until the task starts. */
    boolean reserved;

    boolean reclaiming;

    /** The next of the reclaiming ones. */
    @Nullable
    Loan nextReclaimer;

    /** Whether the lender has everything again. */
    volatile boolean settled;

    Loan(Task<?> task) {
        this.task = task;
    }

    /** Tries again to lend, once somebody has left; on a fresh thread. */
    @Override
    public void run() {
        task.group.engine.lending.lendIfAlone(this);
    }

    boolean lacksNothing() {
        return !lacksConcurrency && !lacksInFlight && !lacksGlobal;
    }
}
