package io.github.kobe.spring.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * Which connections of a data source are with which thread. Each thread has a list that nobody else touches. What is over by
 * another thread is let go when the thread opens its next connection; so a list is never longer than the connections that were
 * open at once. A few that the thread has lost are kept, though it hasn't got them: the pool may have them back some time.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class ThreadConnections {

    /** How many that a thread has lost are kept for it. */
    static final int MOST_LOST = 8;

    /** Where a thread has its newest entry. */
    private static final int NEWEST = 0;

    /** Where it has something while it takes a turn, or gives one back. */
    private static final int IN_A_TURN = 1;

    /**
     * What each thread has here. It is kept for good, and empty while the thread has nothing: a class of the JDK's alone, for a
     * thread may outlive the application.
     */
    private final ThreadLocal<@Nullable Object[]> ofThread = ThreadLocal.withInitial(() -> new Object[2]);

    /** A lease in the list of a thread; one that has moved is in several. */
    static final class Entry {

        final Lease lease;
        private @Nullable Entry below;

        Entry(Lease lease, @Nullable Entry below) {
            this.lease = lease;
            this.below = below;
        }

        boolean isOnly() {
            return notLost(below) == null;
        }
    }

    private static @Nullable Entry newestOf(@Nullable Object[] own) {
        return (Entry) own[NEWEST];
    }

    /** {@return the newest connection that is with a thread, the current one; {@code null}: there is none} */
    @Nullable
    Entry newest(Thread current) {
        @Nullable Object[] own = ofThread.get();
        Entry top = newestOf(own);
        return top == null ? null : notLost(cleaned(own, top, current));
    }

    /** {@return the first entry, from this one on, whose connection isn't lost} */
    private static @Nullable Entry notLost(@Nullable Entry from) {
        Entry each = from;
        while (each != null && each.lease.isLost()) {
            each = each.below;
        }
        return each;
    }

    /** Has a lease be in the list of a thread, the current one. */
    void add(Lease lease, Thread current) {
        @Nullable Object[] own = ofThread.get();
        Entry top = newestOf(own);
        if (top != null) {
            top = cleaned(own, top, current);
        }
        for (Entry each = top; each != null; each = each.below) {
            if (each.lease == lease) {
                return;
            }
        }
        own[NEWEST] = new Entry(lease, top);
    }

    /** Lets go a lease that was with the current thread. */
    void forget(Lease lease) {
        @Nullable Object[] own = ofThread.get();
        Entry above = null;
        for (Entry each = newestOf(own); each != null; each = each.below) {
            if (each.lease != lease) {
                above = each;
            } else if (above == null) {
                own[NEWEST] = each.below;
            } else {
                above.below = each.below;
            }
        }
    }

    /** Has what is with a thread, the current one, be with none. */
    void leave(Thread current) {
        @Nullable Object[] own = ofThread.get();
        Entry top = newestOf(own);
        for (Entry each = top; each != null; each = each.below) {
            each.lease.leaveThread(current);
        }
        if (top != null) {
            cleaned(own, top, current);
        }
    }

    /**
     * {@return whether the current thread is taking a turn, or giving one back} Then what it opens is for a listener, which hears
     * of that: a turn for it would have to wait for the one that the thread has already, and the listener would hear of it again.
     */
    boolean isInATurn() {
        return ofThread.get()[IN_A_TURN] != null;
    }

    /** The current thread takes a turn. */
    void beginTaking() {
        ofThread.get()[IN_A_TURN] = true;
    }

    /** It has it, or gets none. */
    void endTaking() {
        ofThread.get()[IN_A_TURN] = null;
    }

    /** Has a turn be for one connection less, which was with the current thread. */
    void giveBack(Turn turn, @Nullable Throwable failure) {
        @Nullable Object[] own = ofThread.get();
        Object outer = own[IN_A_TURN];
        own[IN_A_TURN] = true;
        try {
            turn.leave(failure);
        } finally {
            own[IN_A_TURN] = outer;
        }
    }

    /** Lets go all that isn't with the current thread any more. */
    private static @Nullable Entry cleaned(@Nullable Object[] own, Entry top, Thread current) {
        Entry first = null;
        Entry last = null;
        int lost = 0;
        for (Entry each = top; each != null; each = each.below) {
            if (each.lease.isWith(current) && (!each.lease.isLost() || ++lost <= MOST_LOST)) {
                if (last == null) {
                    first = each;
                } else {
                    last.below = each;
                }
                last = each;
            }
        }
        if (last != null) {
            last.below = null;
        }
        own[NEWEST] = first;
        return first;
    }
}
