package io.github.kobe.internal.permits;

import org.jspecify.annotations.Nullable;

/**
 * The groups that could start something if only there were a free global permit, in the order of their turns. A group has
 * one place at most, and needs no memory for it. Guarded by the ledger's lock.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Ring {

    private @Nullable GroupState turn;

    boolean isEmpty() {
        return turn == null;
    }

    /** {@return whose turn it is; {@code null}: there is none} */
    @Nullable
    GroupState turn() {
        return turn;
    }

    /** Ends the turn of {@code group}, whose turn it is. */
    void passOn(GroupState group) {
        turn = group.ringNext;
    }

    /** Puts a group that has no place just before the one whose turn it is. */
    void join(GroupState group) {
        if (group.ringNext != null) {
            return;
        }
        GroupState first = turn;
        GroupState last = first == null ? null : first.ringPrevious;
        if (first == null || last == null) {
            turn = group;
            first = group;
            last = group;
        }
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
        if (next == group) {
            turn = null;
        } else {
            previous.ringNext = next;
            next.ringPrevious = previous;
            if (turn == group) {
                turn = next;
            }
        }
        group.ringNext = null;
        group.ringPrevious = null;
        group.leftInTurn = 0;
    }
}
