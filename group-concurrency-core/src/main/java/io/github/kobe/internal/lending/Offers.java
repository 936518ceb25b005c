package io.github.kobe.internal.lending;

import io.github.kobe.internal.base.Lineage;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The offers of a waiting thread to the family of a scope: an {@link Offer} in each engine in which it holds permits.
 *
 * <p>They are withdrawn together, because a borrower of one may not be able to end without the permits of another. So
 * all stay known until nothing is out of any of them.
 */
public final class Offers {

    private final Thread owner = Thread.currentThread();
    private final Offer[] each;

    /** How many loans of several offers have begun and not ended, and one more until all are withdrawn; zero for good. */
    private final AtomicInteger owed = new AtomicInteger(1);

    private Offers(Lineage scope, List<Lending> lenders) {
        each = new Offer[lenders.size()];
        for (int i = 0; i < each.length; i++) {
            each[i] = new Offer(lenders.get(i), scope, null, each.length == 1 ? null : this);
        }
    }

    /**
     * Offers what the current thread holds in some engines to the family of a scope.
     *
     * @throws IllegalStateException if something is offered to the family of that very scope already
     */
    public static Offers make(Lineage scope, List<Lending> lenders) {
        Offers offers = new Offers(scope, lenders);
        boolean made = false;
        try {
            for (Offer offer : offers.each) {
                offer.lending().offer(offer);
            }
            made = true;
            return offers;
        } finally {
            if (!made) {
                boolean unused = offers.withdraw(Lending.NOTHING);
            }
        }
    }

    /**
     * Returns when the owner, the current thread, has all its permits again; not interruptible, the flag is kept.
     *
     * @param onInterrupt run once if the owner is interrupted while it waits
     * @return whether it was
     */
    public boolean withdraw(Runnable onInterrupt) {
        Offer first = each[0];
        if (each.length == 1) {
            return first.lending().withdraw(first, onInterrupt);
        }
        for (Offer offer : each) {
            offer.lending().beginWithdraw(offer);
        }
        owesNoMore();
        boolean interrupted = first.awaitReturn(onInterrupt);
        for (Offer offer : each) {
            offer.lending().settle(offer);
            offer.lending().awaitOthers(offer);
            offer.unmark();
        }
        return interrupted;
    }

    // ---- what is out of several

    /** One more loan begins; false: nothing was out of any that was withdrawn, and the owner goes on. */
    boolean tryOwe() {
        int before;
        do {
            before = owed.get();
            if (before == 0) {
                return false;
            }
        } while (!owed.compareAndSet(before, before + 1));
        return true;
    }

    /** A loan has ended, or all are withdrawn. */
    void owesNoMore() {
        if (owed.decrementAndGet() == 0) {
            LockSupport.unpark(owner);
        }
    }

    boolean isReturned() {
        return owed.get() == 0;
    }
}
