package io.github.kobe.internal.permits;

/**
 * Owners who lend their permits; what the {@link Ledger} knows of {@code ListedOffers}. They come before and after the groups that wait for their turns.
 * Guarded by the ledger's lock, except for {@link #othersHaveLeft}. Nothing here needs memory, but for what is granted.
 */
public interface Lenders {

    /** {@return whether there are any to be looked at again} */
    boolean isAny();

    /** Gives back to owners who want that what they lack, as far as it is free. */
    void reclaim(Batch batch);

    /** Lends what is of use where an owner is inside; the turns of groups come after it. */
    void lendInside(Batch batch);

    /** Lends on wherever that is of use, after the turns of groups; what is left off is for the next section. */
    void lendOn(Batch batch);

    /** Somebody has left permits that an owner shares with others, who may be alone now; by anyone. */
    void othersHaveLeft();

    /** {@return whether that may be so, and nobody has looked since} By anyone. */
    boolean haveOthersLeft();
}
