package io.github.kobe.internal.lending;

import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Groups;
import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Holds;
import io.github.kobe.internal.permits.Ledger;
import io.github.kobe.internal.permits.Node;
import io.github.kobe.internal.permits.Piece;
import io.github.kobe.internal.permits.Request;
import io.github.kobe.internal.permits.SharedGlobal;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lends the permits of a waiting thread to the work that it waits for, so that waiting for one's own work can't
 * deadlock.
 *
 * <p>The thread makes an {@link Offer}, and withdraws it when its wait has ended. In between {@link Borrowing} lends
 * its permits to one borrower after the other, and the thread need not wake.
 *
 * <p>A loan is bookkeeping, not a transfer of objects: the owner's permits are returned and the borrower's taken in one
 * critical section, so nobody can come in between. When the borrower returns its permits, the owner takes them again in
 * the same critical section, whatever the limits are by then. For permits that are out when the offer is withdrawn, the
 * owner takes the first that come free, ahead of every queue: global permits one by one, then those of the groups all
 * at once.
 *
 * <p>Everything here happens under the ledger's lock, with the groups concerned pinned to the ledger.
 *
 * <p>Nobody can return permits that are lent: the owner is inside of them as long as it waits.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
public final class Lending {

    /** Made beforehand: whoever gives up for want of memory withdraws what it has offered. */
    @SuppressWarnings("UnnecessaryLambda") // linking one takes memory
    static final Runnable NOTHING = () -> {};

    private final Groups engine;
    private final Holds holds;
    private final Ledger ledger;
    private final ListedOffers listed;
    final Families families = new Families();

    /** By which of their offers owners rest, the first of those that they have made. Guarded by the ledger's lock. */
    final IdentityHashMap<Thread, Offer> resting = new IdentityHashMap<>();

    public final Borrowers borrowers;
    final Borrowing borrowing;

    public Lending(Groups engine, Holds holds, ListedOffers listed) {
        this.engine = engine;
        this.holds = holds;
        this.ledger = engine.ledger;
        this.listed = listed;
        this.borrowers = new Borrowers(ledger);
        this.borrowing = new Borrowing(ledger, holds, this, listed);
    }

    /** {@return how many open holds of {@code owner} share {@code shared}} */
    int countSharing(Thread owner, SharedGlobal shared) {
        return holds.countSharing(owner, shared);
    }

    /** {@return what {@code group} needs once it has to do with lending} */
    public Offered newIn(Group group) {
        return new Offered(group, families, borrowing);
    }

    // ---- offers

    /**
     * Offers what the current thread has to {@code task}, if that waits; at once, or as soon as it helps.
     *
     * @return the offer, to {@link #withdraw}; {@code null} if there is none
     */
    public @Nullable Offer lend(Request task) {
        Hold newest = holds.topOpen(Thread.currentThread());
        if (newest == null) {
            return null;
        }
        Offer offer = new Offer(this, null, task, null);
        List<SharedGlobal> shared = holds.shared(offer.owner);
        Batch batch = new Batch(engine);
        ledger.lock();
        try {
            register(offer, task.group, batch);
            if (offer.firstLoan == null && offer.groups.isEmpty()) {
                return null;
            }
            offer.mark(newest);
            offer.rest(shared, batch);
            return offer;
        } finally {
            ledger.unlock();
            batch.carryOut();
        }
    }

    /**
     * Makes an offer to the family of a scope known: to what waits, and what will.
     *
     * @throws IllegalStateException if something is offered to the family of that very scope already
     */
    void offer(Offer offer) {
        offer.mark(holds.topOpen(offer.owner));
        List<SharedGlobal> shared = holds.shared(offer.owner);
        for (Group group : families.add(Objects.requireNonNull(offer.family), offer)) {
            register(offer, group);
        }
        if (!shared.isEmpty()) {
            Batch batch = new Batch(engine);
            ledger.lock();
            try {
                offer.rest(shared, batch);
            } finally {
                ledger.unlock();
                batch.carryOut();
            }
        }
    }

    private void register(Offer offer, Group group) {
        Batch batch = new Batch(engine);
        ledger.lock();
        try {
            register(offer, group, batch);
        } finally {
            ledger.unlock();
            batch.carryOut();
        }
    }

    /** Has {@code group} know the offer for as long as one waits there that it is for, and lends what helps there. */
    private void register(Offer offer, Group group, Batch batch) {
        ledger.pin(group);
        boolean alive = group.enter();
        try {
            if (alive && !offer.settled && offer.isWantedIn(group) && !knows(group, offer)) {
                offer.groups.add(group);
                boolean known = false;
                try {
                    Offered.made(group).learn(offer, holds.hasOpen(offer.owner, group));
                    ledger.pin(group);
                    known = true;
                } finally {
                    if (!known) {
                        offer.groups.remove(group);
                    }
                }
            }
        } finally {
            ledger.unpin(group);
            group.exit(batch);
        }
    }

    private static boolean knows(Group group, Offer offer) {
        Offered offered = Offered.in(group);
        return offered != null && offered.knows(offer);
    }

    /** A group has nothing waiting any more that {@code offer} is for. */
    void unregister(Offer offer, Group group, @Nullable Batch batch) {
        leave(offer, group, batch);
        settleIfOver(offer, batch);
    }

    private void leave(Offer offer, Group group, @Nullable Batch batch) {
        offer.groups.remove(group);
        Offered.made(group).forget(offer);
        unpin(group, batch);
    }

    private void unpin(Group group, @Nullable Batch batch) {
        ledger.unpin(group);
        if (batch != null) {
            group.offerIfIdle(batch);
        } else {
            engine.housekeeper.retry(group);
        }
    }

    /** {@code node} has been queued: an offer for it may have been made that {@code group} doesn't know; by who holds no lock. */
    public void queued(Node node, Group group) {
        if (families.isAnyOffered()) {
            try {
                for (Lineage scope = node.lineage(); scope != null; scope = scope.parent()) {
                    Offer offer = families.offerTo(scope);
                    if (offer != null) {
                        register(offer, group);
                    }
                }
            } catch (OutOfMemoryError oom) {
                engine.housekeeper.retry(group); // which comes by registerAll
            }
        }
    }

    /** Has {@code group} know all offers for what waits there; by who holds no lock. */
    public void registerAll(Group group) {
        if (families.isAnyOffered()) {
            try {
                for (Lineage scope : group.scopesWaiting()) {
                    Offer offer = families.offerTo(scope);
                    if (offer != null) {
                        register(offer, group);
                    }
                }
            } catch (OutOfMemoryError oom) {
                engine.housekeeper.retry(group);
            }
        }
    }

    // ---- alone

    /** Has tried again what waits for an owner to be alone. */
    void lendIfAlone(Loan loan) {
        try {
            Batch batch = new Batch(engine);
            ledger.lock();
            try {
                if (loan.shared.loan == loan && !loan.begun) {
                    endPending(loan);
                    borrowing.lookAgain(loan.offer, batch);
                    if (ledger.isOn()) {
                        drain(loan.group, batch);
                    }
                }
            } finally {
                ledger.unlock();
                batch.carryOut();
            }
        } catch (OutOfMemoryError oom) {
            retryLater(loan);
        }
    }

    private void endPending(Loan loan) {
        changed(loan.offer);
        loan.shared.endLoan();
        othersMayLend();
        loan.offer.remove(loan);
    }

    /** There was no memory to lend: the housekeeper tries again, or else whoever leaves next. */
    private void retryLater(Loan loan) {
        ledger.lock();
        try {
            if (loan.shared.loan == loan && !loan.begun && !engine.housekeeper.tryRetry(loan)) {
                loan.shared.awaitOthers();
            }
        } finally {
            ledger.unlock();
        }
    }

    // ---- back to the owner

    /** Something of {@code loan} is out; nothing fails here. */
    void begun(Loan loan) {
        Offer offer = loan.offer;
        offer.add(loan);
        if (offer.withdrawn) {
            reclaim(offer);
        }
    }

    /** More of {@code offer} may be lent than before, or to others: nothing else has its groups looked at again. */
    void changed(Offer offer) {
        if (ledger.isOn()) { // else each group that lacks something sees to it itself
            listed.changed(offer);
        }
        ledger.sharingHasChanged();
    }

    /** Has the ledger look at {@code offer} in each section; so it stays on. */
    private void reclaim(Offer offer) {
        if (!offer.reclaiming) {
            offer.reclaiming = true;
            ledger.bind();
            listed.addReclaimer(offer);
        }
    }

    private void reclaimNoMore(Offer offer) {
        if (offer.reclaiming) {
            listed.removeReclaimer(offer);
            offer.reclaiming = false;
        }
    }

    /** Nothing is out of {@code loan} any more. */
    void end(Loan loan, @Nullable Batch batch) {
        Offer offer = loan.offer;
        offer.remove(loan);
        loan.ended = true;
        offer.owesNoMore();
        unmark(loan);
        othersMayLend();
        unpin(loan.shared.home, batch);
        unpin(loan.group, batch);
        settleIfOver(offer, batch);
    }

    /** Of a task alone an offer is over as soon as that has been granted, and what was lent for it is back. */
    private void settleIfOver(Offer offer, @Nullable Batch batch) {
        boolean over = offer.only != null && offer.groups.isEmpty();
        if (offer.firstLoan == null && offer.together == null && (offer.withdrawn || over)) {
            settle(offer, batch);
        }
    }

    /** What {@code loan} was marked for is lent no longer. */
    void unmark(Loan loan) {
        SharedGlobal shared = loan.shared;
        if (shared.loan == loan) {
            Loan other = loan.offer.otherOn(shared, loan);
            if (other != null) {
                shared.loan = other;
            } else {
                shared.endLoan();
                ledger.returned.signalAll();
            }
        }
        loan.endOfGroup();
    }

    /** What was lent, or was to be, is with those who share it: others of them may lend it, in this section or the next. */
    private void othersMayLend() {
        if (listed.isAnyCrowded()) {
            ledger.bind();
            listed.othersHaveLeft();
        }
    }

    private void settle(Offer offer, @Nullable Batch batch) {
        reclaimNoMore(offer);
        if (offer.family != null) {
            families.remove(offer.family, offer);
        }
        while (!offer.groups.isEmpty()) {
            leave(offer, offer.groups.getFirst(), batch);
        }
        offer.settled = true;
        LockSupport.unpark(offer.owner);
    }

    // ---- the end of an offer

    /** Returns when the owner, the current thread, has all its permits again; not interruptible, the flag is kept. */
    public void withdraw(Offer offer) {
        boolean unused = withdraw(offer, NOTHING);
    }

    /**
     * As {@link #withdraw(Offer)}.
     *
     * @param onInterrupt run once if the owner is interrupted while it waits
     * @return whether it was
     */
    public boolean withdraw(Offer offer, Runnable onInterrupt) {
        boolean interrupted = false;
        if (!offer.settled || offer.isResting()) {
            beginWithdraw(offer);
            interrupted = offer.awaitReturn(onInterrupt);
        }
        awaitOthers(offer);
        offer.unmark();
        return interrupted;
    }

    void beginWithdraw(Offer offer) {
        Batch batch = Batch.orNull(engine, 0);
        ledger.lock();
        try {
            offer.workAgain();
            if (!offer.settled) {
                beginWithdraw(offer, batch);
            }
            Loan foreign = offer.lentByOthers();
            if (foreign != null) {
                reclaim(foreign.offer); // whoever comes first gets what is free
            }
            Hold newest = holds.topOpen(offer.owner);
            if (newest != null && listed.isAny()) {
                drain(newest.group, batch);
            }
        } finally {
            ledger.unlock();
        }
        Batch.carryOutIfMade(batch);
    }

    /** Returns when nobody lends any more what the owner, the current thread, shares; not interruptible, the flag is kept. */
    void awaitOthers(Offer offer) {
        if (!offer.hasRested()) {
            return;
        }
        ledger.lock();
        try {
            while (offer.lentByOthers() != null) {
                ledger.returned.awaitUninterruptibly();
            }
        } finally {
            ledger.unlock();
        }
    }

    /** Has nobody know an offer any more that was withdrawn together with others; nothing is out of any. */
    void settle(Offer offer) {
        Batch batch = Batch.orNull(engine, 0);
        ledger.lock();
        try {
            settle(offer, batch);
        } finally {
            ledger.unlock();
        }
        Batch.carryOutIfMade(batch);
    }

    private void beginWithdraw(Offer offer, @Nullable Batch batch) {
        offer.withdrawn = true;
        for (Loan loan = offer.firstLoan, next; loan != null; loan = next) {
            next = loan.nextOfOffer;
            if (!loan.begun) {
                ledger.bind(); // what waited for the owner to be alone is looked at again
                endPending(loan);
            }
        }
        if (offer.firstLoan != null) {
            reclaim(offer);
        } else if (offer.together == null) {
            settle(offer, batch);
        }
    }

    /**
     * Gives a reclaiming owner what it lacks, as far as that is free. The global permits first and one by one, as everybody
     * takes them before those of a group: while one of the two is short, the other is taken by somebody else again and again.
     */
    void tryReclaim(Offer offer, Batch batch) {
        boolean free = true;
        for (Loan loan = offer.firstLoan; loan != null; loan = loan.nextOfOffer) {
            if (loan.lacksGlobal && ledger.permits.hasFree()) {
                loan.retake(Piece.GLOBAL);
            }
            free &= !loan.lacksGlobal && offer.isGroupFree(loan);
        }
        for (Loan loan = offer.firstLoan, next; loan != null; loan = next) {
            next = loan.nextOfOffer;
            if (free) {
                loan.retake(Piece.ALL_BUT_GLOBAL);
            }
            if (loan.begun && loan.lacksNothing()) {
                end(loan, batch);
            }
        }
        if (!offer.withdrawn && offer.lacksNothing()) {
            reclaimNoMore(offer); // what another owner shares is back, for whom it was
        }
    }

    /** As far as there is memory for it: what is left is tried again when {@code group} is. Under the ledger's lock. */
    void drain(Group group, @Nullable Batch batch) {
        try {
            if (batch != null) {
                ledger.drain(null, batch);
                return;
            }
        } catch (OutOfMemoryError oom) {
            // As without a batch.
        }
        engine.housekeeper.retry(group);
    }

    /** {@return whether nothing is offered, lent or waits for a family; for tests} */
    public boolean isAtRest() {
        ledger.lock();
        try {
            return families.isEmpty() && borrowers.isEmpty();
        } finally {
            ledger.unlock();
        }
    }
}
