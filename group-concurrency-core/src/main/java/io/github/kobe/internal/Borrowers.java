package io.github.kobe.internal;

import java.util.IdentityHashMap;
import java.util.Objects;

/** What holds are lent on. A run knows it by itself; of calls and permits it is kept here. Guarded by the ledger's lock. */
final class Borrowers {

    private final Ledger ledger;
    private final Holds holds;
    private final IdentityHashMap<Hold, Loan> loans = new IdentityHashMap<>();

    Borrowers(Engine engine) {
        this.ledger = engine.ledger;
        this.holds = engine.holds;
    }

    /** {@code hold} was granted on {@code loan}; by its thread, before anyone else knows it. */
    void add(Hold hold, Loan loan) {
        ledger.lock();
        try {
            loans.put(hold, loan);
            hold.setBorrowed();
        } finally {
            ledger.unlock();
        }
    }

    /** Takes back what {@link #add} did, if it did. */
    void remove(Hold hold) {
        ledger.lock();
        try {
            loans.remove(hold);
        } finally {
            ledger.unlock();
        }
    }

    /** {@return what {@code hold} was lent on, which is about to be {@linkplain Lending#handBack handed back}} */
    Loan loanOfEnded(Hold hold) {
        return Objects.requireNonNull(hold instanceof Run run ? run.loan : loans.remove(hold));
    }

    /** {@return whether {@code thread} has anything that is lent on {@code offer}} */
    boolean has(Thread thread, Offer offer) {
        for (Hold hold = holds.topOpen(thread); hold != null; hold = Holds.open(hold.below)) {
            Loan loan = hold instanceof Run run ? run.loan : loans.get(hold);
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
        return loans.isEmpty();
    }
}
