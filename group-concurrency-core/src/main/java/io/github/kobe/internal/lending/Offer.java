package io.github.kobe.internal.lending;

import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.base.Log;
import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.GroupState;
import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Holds;
import io.github.kobe.internal.permits.Lent;
import io.github.kobe.internal.permits.Request;
import io.github.kobe.internal.permits.SharedGlobal;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The offer of a waiting thread: the family of a scope, or the one task that it waits for, may borrow the permits of
 * each of its open holds, one borrower of each at a time. Guarded by the ledger's lock, except for {@link #settled}.
 *
 * <pre>
 *   standing      owner ({@link Offers#make}, {@link Lending#lend})   the permits are the owner's until borrowed
 *   -> withdrawn  owner, once its wait has ended      what is out comes back, or other permits come free first; meanwhile
 *                                                     the rest is lent to all for whom a borrower may wait
 *   -> settled    owner, or whoever frees the last missing piece; with offers in
 *                 several engines the owner, once nothing is out of any
 * </pre>
 *
 * <p>Each group in which a possible borrower waits knows the offer, and stays pinned to the ledger. So each of its
 * critical sections starts that borrower as soon as it can.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
public final class Offer {

    final Thread owner = Thread.currentThread();
    private final Lending lending;

    /** Whose family may borrow; {@code null}: {@link #only} may. */
    final @Nullable Lineage family;

    /** The one that may borrow; {@code null}: the {@link #family}. */
    final @Nullable Request only;

    /** Those of the same thread in several engines, this one among them; {@code null}: it is the only one. */
    final @Nullable Offers together;

    /** The owner's newest hold, if this is what marks it as {@linkplain Hold#beginOffer offered}; by the owner. */
    private @Nullable Hold marked;

    /** What the owner shares with others, once for each hold, and is not at work on while it waits. */
    private List<SharedGlobal> resting = List.of();

    /** What it was {@link #resting} on, and has to have again. */
    private List<SharedGlobal> rested = List.of();

    /** The groups that know it, in whose turn they are. */
    final SequencedSet<Group> groups;

    /** What is lent, and what waits for its owner to be alone; linked by {@link Loan#nextOfOffer}. */
    @Nullable
    Loan firstLoan;

    /** Then it isn't for tasks of the scope itself: nobody but the owner waits for these. */
    boolean withdrawn;

    boolean reclaiming;

    /** The next of the reclaiming ones. */
    @Nullable
    Offer nextReclaimer;

    @Nullable
    Offer previousReclaimer;

    /** Owned by {@link ListedOffers}: whether it is to be looked at, now or once others have left, and the next of those. */
    boolean listed;

    @Nullable
    Offer nextListed;

    /** Whether it is withdrawn, and the owner has everything again. */
    public volatile boolean settled;

    Offer(Lending lending, @Nullable Lineage family, @Nullable Request only, @Nullable Offers together) {
        this.lending = lending;
        this.family = family;
        this.only = only;
        this.together = together;
        this.groups = new LinkedHashSet<>(family == null ? 1 : 16);
    }

    /** Nothing is carried by the owner any more: user code may run amid the wait, and what it has may be lent. By the owner. */
    void mark(@Nullable Hold newest) {
        if (newest != null && newest.beginOffer()) {
            marked = newest;
        }
    }

    /** The owner has everything again; by the owner. */
    void unmark() {
        Hold known = marked;
        if (known != null) {
            marked = null;
            known.endOffer();
        }
    }

    // ---- what the owner shares with others

    /**
     * The owner waits from now on, and is not at work on what it shares, unless it waits amid another wait: then it rests
     * already. Without memory to note that, it counts as at work.
     *
     * @param shared as {@link Holds#shared} has it
     */
    void rest(List<SharedGlobal> shared, Batch batch) {
        if (marked == null || shared.isEmpty() || !noteResting()) {
            return;
        }
        resting = shared;
        for (int i = 0; i < shared.size(); i++) {
            Lent awaited = shared.get(i).rest();
            if (awaited != null) {
                batch.later(awaited);
            }
        }
    }

    /** {@return false if there is no memory for it} */
    private boolean noteResting() {
        try {
            lending.resting.put(owner, this);
            return true;
        } catch (OutOfMemoryError oom) {
            lending.resting.remove(owner); // a map that finds no memory to grow may have the entry all the same
            return false;
        }
    }

    /** The owner's wait has ended. It needs no memory. */
    void workAgain() {
        if (!resting.isEmpty()) {
            lending.resting.remove(owner);
            rested = resting;
            resting = List.of();
            for (int i = 0; i < rested.size(); i++) {
                rested.get(i).workAgain();
            }
        }
    }

    /** {@return what others lend of that on which the owner rested; {@code null}: nothing any more} */
    @Nullable
    Loan lentByOthers() {
        for (int i = 0; i < rested.size(); i++) {
            Loan loan = Loan.of(rested.get(i).loan);
            if (loan != null && loan.begun && loan.offer != this) {
                return loan;
            }
        }
        return null;
    }

    boolean isResting() {
        return !resting.isEmpty();
    }

    boolean hasRested() {
        return !rested.isEmpty();
    }

    /** {@return how many holds of the owner are counted as at work on {@code shared}} */
    int countAtWork(SharedGlobal shared) {
        int count = lending.countSharing(owner, shared);
        Offer rests = lending.resting.get(owner);
        return rests == null ? count : count - rests.countResting(shared);
    }

    private int countResting(SharedGlobal shared) {
        int count = 0;
        for (int i = 0; i < resting.size(); i++) {
            count += resting.get(i) == shared ? 1 : 0;
        }
        return count;
    }

    /** {@return whether one waits in {@code group} that it is for; attached} */
    boolean isWantedIn(GroupState group) {
        if (family != null) {
            Offered offered = Offered.in(group);
            return offered != null && offered.kin().has(family);
        }
        return only != null && only.group == group && only.isUnclaimed();
    }

    public Lending lending() {
        return lending;
    }

    /** {@return whether it is withdrawn, and its owner has everything again, in whatever engine} */
    private boolean isReturned() {
        return settled || (together != null && together.isReturned());
    }

    /**
     * Returns when the owner, the current thread, has everything again of what is withdrawn; not interruptible, the flag is
     * kept.
     *
     * @param onInterrupt run once if the owner is interrupted while it waits
     * @return whether it was
     */
    boolean awaitReturn(Runnable onInterrupt) {
        boolean interrupted = false;
        while (!isReturned()) {
            LockSupport.park(this);
            if (Thread.interrupted() && !interrupted) {
                interrupted = true;
                tell(onInterrupt);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return interrupted;
    }

    private static void tell(Runnable onInterrupt) {
        try {
            onInterrupt.run();
        } catch (Throwable thrown) {
            Log.failed(thrown); // what is lent has to come back first
        }
    }

    // ---- loans

    /** One more loan is about to begin; false: its owner has everything again and goes on. */
    boolean tryOwe() {
        return together == null || together.tryOwe();
    }

    /** A loan has ended, or has not begun after all. */
    void owesNoMore() {
        if (together != null) {
            together.owesNoMore();
        }
    }

    void add(Loan loan) {
        loan.nextOfOffer = firstLoan;
        firstLoan = loan;
    }

    void remove(Loan loan) {
        Loan before = null;
        for (Loan at = firstLoan; at != loan && at != null; at = at.nextOfOffer) {
            before = at;
        }
        if (before == null) {
            firstLoan = loan.nextOfOffer;
        } else {
            before.nextOfOffer = loan.nextOfOffer;
        }
        loan.nextOfOffer = null;
    }

    /** {@return whether nothing is out of it} */
    boolean lacksNothing() {
        Loan loan = firstLoan;
        while (loan != null && loan.lacksNothing()) {
            loan = loan.nextOfOffer;
        }
        return loan == null;
    }

    /** {@return the loan on which the permits of a lent hold are} */
    @Nullable
    Loan loanOf(Hold lent) {
        Loan loan = firstLoan;
        while (loan != null && loan.groupHold != lent) {
            loan = loan.nextOfOffer;
        }
        return loan;
    }

    /** {@return the loan on which a global permit is; {@code null}: the owner has it} */
    @Nullable
    Loan loanOf(SharedGlobal shared) {
        Loan loan = firstLoan;
        while (loan != null && !(loan.shared == shared && loan.lacksGlobal)) {
            loan = loan.nextOfOffer;
        }
        return loan;
    }

    /** {@return whether what {@code loan} lacks of its group is free, for it and for those before it that lack the same} */
    boolean isGroupFree(Loan loan) {
        int concurrency = 0;
        int inFlight = 0;
        for (Loan at = firstLoan; at != null; at = at == loan ? null : at.nextOfOffer) {
            if (at.groupHold != null && at.group == loan.group) {
                concurrency += at.lacksConcurrency ? 1 : 0;
                inFlight += at.lacksInFlight ? 1 : 0;
            }
        }
        return loan.groupHold == null || loan.group.hasFree(concurrency, inFlight);
    }

    /** {@return another loan of what stands on {@code shared} that has begun} */
    @Nullable
    Loan otherOn(SharedGlobal shared, Loan than) {
        Loan loan = firstLoan;
        while (loan != null && !(loan != than && loan.shared == shared && loan.begun)) {
            loan = loan.nextOfOffer;
        }
        return loan;
    }
}
