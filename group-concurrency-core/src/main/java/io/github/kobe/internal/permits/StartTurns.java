package io.github.kobe.internal.permits;

import org.jspecify.annotations.Nullable;

/**
 * The groups of {@link Turns}, in a ring, for while only the global rate keeps them from starting: in its turn each starts as many as
 * its weight, whatever it holds. Guarded by the ledger's lock.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class StartTurns {

    /** Whose turn it is. */
    private @Nullable GroupState first;

    @Nullable
    GroupState first() {
        return first;
    }

    /** Puts a group at the end, unless it is there. */
    void join(GroupState group) {
        if (group.startNext != null) {
            return;
        }
        GroupState next = first;
        GroupState last = next == null ? null : next.startPrevious;
        if (next == null || last == null) {
            first = group;
            next = group;
            last = group;
        }
        group.startNext = next;
        group.startPrevious = last;
        last.startNext = group;
        next.startPrevious = group;
        group.startsLeft = 0;
    }

    void leave(GroupState group) {
        GroupState next = group.startNext;
        GroupState previous = group.startPrevious;
        if (next == null || previous == null) {
            return;
        }
        previous.startNext = next;
        next.startPrevious = previous;
        if (first == group) {
            first = next == group ? null : next;
        }
        group.startNext = null;
        group.startPrevious = null;
    }

    /** The first has started one more in its turn. */
    void started(GroupState group) {
        group.startsLeft = group.leftOfTurn(group.startsLeft) - 1;
        if (group.startsLeft == 0) {
            first = group.startNext;
        }
    }
}
