package io.github.kobe.internal.lending;

import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Holds;
import io.github.kobe.internal.permits.Ledger;
import io.github.kobe.internal.permits.Lent;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Which holds run on which loans. A run knows its own loan; for calls and permits the loan is kept here, under a lock
 * that is a leaf. It is changed under the ledger's lock too, and other engines read it.
 */
public final class Borrowers {

    private final Ledger ledger;
    private final Holds holds;
    private final ReentrantLock lock = new ReentrantLock();
    private final IdentityHashMap<Hold, Loan> loans = new IdentityHashMap<>();

    Borrowers(Ledger ledger, Holds holds) {
        this.ledger = ledger;
        this.holds = holds;
    }

    /** {@code hold} was granted on {@code lent}; by its thread, before anyone else knows it. */
    public void add(Hold hold, Lent lent) {
        Loan loan = Objects.requireNonNull(Loan.of(lent));
        ledger.lock();
        lock.lock();
        try {
            loans.put(hold, loan);
            hold.setBorrowed();
            for (Loan each = loan; each != null; each = each.also) {
                each.offer.lending().changed(each.offer); // the thread is owed for from now on
            }
        } finally {
            lock.unlock();
            ledger.unlock();
        }
    }

    /** Takes back what {@link #add} did, if it did. */
    public void remove(Hold hold) {
        ledger.lock();
        try {
            Loan unused = removed(hold);
        } finally {
            ledger.unlock();
        }
    }

    /** {@return what {@code hold} was lent on, which is about to be handed back} */
    Loan loanOfEnded(Hold hold) {
        Loan own = Loan.of(hold.loan());
        return own != null ? own : Objects.requireNonNull(removed(hold));
    }

    private @Nullable Loan removed(Hold hold) {
        lock.lock();
        try {
            return loans.remove(hold);
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Loan loanOf(Hold hold) {
        Loan own = Loan.of(hold.loan());
        if (own != null) {
            return own;
        }
        lock.lock();
        try {
            return loans.get(hold);
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether {@code thread} has anything that is lent on {@code offer}} By anyone, who may read what has just been. */
    boolean has(Thread thread, Offer offer) {
        for (Hold hold = holds.topOpen(thread); hold != null; hold = Holds.open(hold.below)) {
            Loan loan = loanOf(hold);
            while (loan != null && (loan.offer != offer || loan.ended)) {
                loan = loan.also;
            }
            if (loan != null) {
                return true;
            }
        }
        return false;
    }

    boolean isEmpty() {
        lock.lock();
        try {
            return loans.isEmpty();
        } finally {
            lock.unlock();
        }
    }
}
