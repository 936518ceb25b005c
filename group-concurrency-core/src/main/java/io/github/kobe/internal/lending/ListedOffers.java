package io.github.kobe.internal.lending;

import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Ledger;
import io.github.kobe.internal.permits.Lenders;
import org.jspecify.annotations.Nullable;

/**
 * The offers that a critical section of the {@link Ledger} looks at, whichever group it is of: those whose owners want
 * their permits back, and those of which more may be lent than when they were last looked at. All others have nothing
 * that somebody could use who waits.
 *
 * <p>Guarded by the ledger's lock, except for {@link #othersHaveLeft}. Nothing here needs memory.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
public final class ListedOffers implements Lenders {

    /** Owners who want their permits back, eldest first. */
    private @Nullable Offer firstReclaimer;

    private @Nullable Offer lastReclaimer;

    /** Of which more may be lent, linked by {@link Offer#nextListed}. */
    private @Nullable Offer firstChanged;

    private @Nullable Offer lastChanged;

    /** Those that wait for others to leave the owner's permits, or to have them back, linked by {@link Offer#nextListed}. */
    private @Nullable Offer firstCrowded;

    /** Whether that may be so. Set by anyone. */
    private volatile boolean othersLeft;

    @Override
    public boolean isAny() {
        return firstReclaimer != null || firstChanged != null || (othersLeft && firstCrowded != null);
    }

    // ---- owners who want their permits back

    void addReclaimer(Offer offer) {
        Offer last = lastReclaimer;
        offer.previousReclaimer = last;
        if (last == null) {
            firstReclaimer = offer;
        } else {
            last.nextReclaimer = offer;
        }
        lastReclaimer = offer;
    }

    void removeReclaimer(Offer offer) {
        Offer before = offer.previousReclaimer;
        Offer after = offer.nextReclaimer;
        if (before == null) {
            firstReclaimer = after;
        } else {
            before.nextReclaimer = after;
        }
        if (after == null) {
            lastReclaimer = before;
        } else {
            after.previousReclaimer = before;
        }
        offer.previousReclaimer = null;
        offer.nextReclaimer = null;
    }

    @Override
    public void reclaim(Batch batch) {
        for (Offer offer = firstReclaimer, next; offer != null; offer = next) {
            next = offer.nextReclaimer;
            offer.lending().tryReclaim(offer, batch);
        }
    }

    // ---- of which more may be lent

    /** More of {@code offer} may be lent than before, or to others. */
    void changed(Offer offer) {
        if (offer.listed) {
            othersLeft = true; // it may be among the crowded
            return;
        }
        offer.listed = true;
        append(offer);
    }

    private void append(Offer offer) {
        offer.nextListed = null;
        if (lastChanged == null) {
            firstChanged = offer;
        } else {
            lastChanged.nextListed = offer;
        }
        lastChanged = offer;
    }

    /**
     * Others are at work on what {@code offer} might lend, or lend that themselves: so it changes when they leave, or when it
     * is back.
     */
    void crowded(Offer offer) {
        if (!offer.listed) {
            offer.listed = true;
            offer.nextListed = firstCrowded;
            firstCrowded = offer;
        }
    }

    boolean isAnyCrowded() {
        return firstCrowded != null;
    }

    @Override
    public void othersHaveLeft() {
        othersLeft = true;
    }

    @Override
    public boolean haveOthersLeft() {
        return othersLeft;
    }

    @Override
    public void lendInside(Batch batch) {
        if (othersLeft) {
            othersLeft = false;
            for (Offer offer = firstCrowded, next; offer != null; offer = next) {
                next = offer.nextListed;
                append(offer);
            }
            firstCrowded = null;
        }
        for (Offer offer = firstChanged; offer != null; offer = offer.nextListed) {
            offer.lending().borrowing.lendInside(offer, batch);
        }
    }

    @Override
    public void lendOn(Batch batch) {
        boolean done;
        for (Offer offer = pollChanged(); offer != null; offer = done ? pollChanged() : null) {
            done = false;
            try {
                done = offer.lending().borrowing.lendOn(offer, batch);
            } finally {
                if (!done) {
                    changed(offer);
                }
            }
        }
    }

    private @Nullable Offer pollChanged() {
        Offer first = firstChanged;
        if (first != null) {
            firstChanged = first.nextListed;
            if (firstChanged == null) {
                lastChanged = null;
            }
            first.nextListed = null;
            first.listed = false;
        }
        return first;
    }
}
