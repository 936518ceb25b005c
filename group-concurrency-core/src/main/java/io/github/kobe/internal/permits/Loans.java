package io.github.kobe.internal.permits;

import org.jspecify.annotations.Nullable;

/** What {@link Releases} leaves to lending, where {@code Returns} does it. */
public interface Loans {

    /**
     * Gives back permits that are borrowed, first to those whose they were.
     *
     * @param as as what the hold leaves the global permit that it shares, if it does
     * @param ended what of the hold has ended
     */
    void giveBack(Hold hold, long as, Piece ended, @Nullable Batch batch);
}
