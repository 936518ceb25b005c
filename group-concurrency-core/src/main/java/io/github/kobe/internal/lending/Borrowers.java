package io.github.kobe.internal.lending;

import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Ledger;
import io.github.kobe.internal.permits.Lent;
import java.util.IdentityHashMap;
import java.util.Objects;

/**
 * Which holds run on which loans. A run knows its own loan; for calls and permits the loan is kept here, under the
 * ledger's lock.
 */
public final class Borrowers {

    private final Ledger ledger;
    private final IdentityHashMap<Hold, Loan> loans = new IdentityHashMap<>();

    Borrowers(Ledger ledger) {
        this.ledger = ledger;
    }

    /** {@code hold} was granted on {@code lent}; by its thread, before anyone else knows it. */
    public void add(Hold hold, Lent lent) {
        ledger.lock();
        try {
            loans.put(hold, Objects.requireNonNull(Loan.of(lent)));
            hold.setBorrowed();
        } finally {
            ledger.unlock();
        }
    }

    /** Takes back what {@link #add} did, if it did. */
    public void remove(Hold hold) {
        ledger.lock();
        try {
            loans.remove(hold);
        } finally {
            ledger.unlock();
        }
    }

    /** {@return what {@code hold} was lent on, which is about to be handed back} Under the ledger's lock. */
    Loan loanOfEnded(Hold hold) {
        Loan own = Loan.of(hold.loan());
        return own != null ? own : Objects.requireNonNull(loans.remove(hold));
    }

    boolean isEmpty() {
        return loans.isEmpty();
    }
}
