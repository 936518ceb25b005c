package io.github.kobe.internal.permits;

import org.jspecify.annotations.Nullable;

/**
 * The groups that lack nothing but a free global permit, or a start of the global rate, in the order in which they get one: first
 * those below a guarantee of their own, then those below one by a rule, then the others; in each class by what they hold
 * for their weight, the least first; and where that is the same, by turns in a ring.
 *
 * <p>A class has a place for each level, and each place has a ring, which needs no memory. Levels up to {@value #SINGLE} have
 * a place each; from there on each doubling has {@value #PER_DOUBLING}, so what shares a place differs by 3 % at most. Two
 * layers of bits over the places show the lowest that has anybody.
 *
 * <p>Whoever changes what a group holds, or its weight or guarantee, has it {@linkplain #place placed} again before the next turn.
 * Guarded by the ledger's lock, but for what says otherwise.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Turns {

    /** How many levels have a place of their own. */
    static final int SINGLE = 64;

    static final int PER_DOUBLING = 32;

    /** A power of two above the number of places that a class needs. */
    private static final int CLASS_BITS = 10;

    private static final int WORDS_PER_CLASS = (1 << CLASS_BITS) / Long.SIZE;

    private static final int OWN_GUARANTEE = 0;
    private static final int RULES_GUARANTEE = 1 << CLASS_BITS;
    private static final int NO_GUARANTEE = 2 << CLASS_BITS;
    private static final int PLACES = 3 << CLASS_BITS;

    /** Whose turn it is at each place. */
    private final @Nullable GroupState[] turn = new GroupState[PLACES];

    /** Which places have anybody. */
    private final long[] taken = new long[PLACES / Long.SIZE];

    /** Which of those words have any. */
    private long words;

    /**
     * {@return the place of a group}
     *
     * @param held how many global permits it holds; less than none counts as none
     * @param guaranteed how many it is to have before others get more
     * @param own whether it is guaranteed that by its own name
     */
    static int placeOf(int held, int guaranteed, boolean own, int weight) {
        int holds = Math.max(0, held);
        return holds < guaranteed
                ? (own ? OWN_GUARANTEE : RULES_GUARANTEE) + placeOf(holds / weight)
                : NO_GUARANTEE + placeOf((holds - guaranteed) / weight);
    }

    /** {@return the place of a level in its class} */
    static int placeOf(int level) {
        if (level < SINGLE) {
            return level;
        }
        int doublings = Integer.numberOfTrailingZeros(Integer.highestOneBit(level / SINGLE));
        int width = doublings + 1; // SINGLE is two times PER_DOUBLING
        return SINGLE + doublings * PER_DOUBLING + ((level >>> width) & (PER_DOUBLING - 1));
    }

    boolean isEmpty() {
        return words == 0;
    }

    /** {@return whose turn it is; {@code null}: there is none} */
    @Nullable
    GroupState first() {
        if (words == 0) {
            return null;
        }
        int word = Long.numberOfTrailingZeros(words);
        return turn[word * Long.SIZE + Long.numberOfTrailingZeros(taken[word])];
    }

    /**
     * {@return whether another group waits below a guarantee by which it comes before {@code group}, or beside it} By anyone; may be
     * stale.
     */
    boolean isOthersGuarantee(GroupState group) {
        GroupState next = group.ringNext;
        int place = next == null ? group.placeNow() : group.place;
        int word = place / Long.SIZE;
        boolean alone = next == group && taken[word] == 1L << place;
        int classes = Math.min(place >> CLASS_BITS, 1) + 1;
        long guaranteed = words & ((1L << (classes * WORDS_PER_CLASS)) - 1);
        return (alone ? guaranteed & ~(1L << word) : guaranteed) != 0;
    }

    /** Ends the turn of {@code group}, whose turn it is at its place. */
    void passOn(GroupState group) {
        turn[group.place] = group.ringNext;
    }

    /** Puts a group at the end of the ring of its place, which is just before whose turn it is, unless it has that place. */
    void place(GroupState group) {
        int place = group.placeNow();
        if (group.ringNext != null) {
            if (group.place == place) {
                return;
            }
            leave(group);
        }
        GroupState first = turn[place];
        GroupState last = first == null ? null : first.ringPrevious;
        if (first == null || last == null) {
            turn[place] = group;
            taken[place / Long.SIZE] |= 1L << place;
            words |= 1L << (place / Long.SIZE);
            first = group;
            last = group;
        }
        group.place = place;
        group.ringNext = first;
        group.ringPrevious = last;
        last.ringNext = group;
        first.ringPrevious = group;
        group.leftInTurn = 0;
    }

    void leave(GroupState group) {
        GroupState next = group.ringNext;
        GroupState previous = group.ringPrevious;
        if (next == null || previous == null) {
            return;
        }
        int place = group.place;
        if (next == group) {
            turn[place] = null;
            long left = taken[place / Long.SIZE] & ~(1L << place);
            taken[place / Long.SIZE] = left;
            if (left == 0) {
                words &= ~(1L << (place / Long.SIZE));
            }
        } else {
            previous.ringNext = next;
            next.ringPrevious = previous;
            if (turn[place] == group) {
                turn[place] = next;
            }
        }
        group.ringNext = null;
        group.ringPrevious = null;
        group.leftInTurn = 0;
    }
}
