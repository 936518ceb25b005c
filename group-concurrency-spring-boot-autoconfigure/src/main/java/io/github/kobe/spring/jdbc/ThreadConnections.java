package io.github.kobe.spring.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * Which connections of a data source are with which thread. Each thread has a list that nobody else touches. What has ended
 * on another thread, or has been lost, is let go when the thread opens its next connection; so a list is never longer
 * than the connections that were open at once.
 */
final class ThreadConnections {

    /** The newest of the thread. Where there is none it is set to {@code null} and kept: to remove it takes longer. */
    private final ThreadLocal<@Nullable Entry> newest = new ThreadLocal<>();

    /** A lease in the list of a thread; one that has moved is in several. */
    static final class Entry {

        final Lease lease;
        private @Nullable Entry below;

        Entry(Lease lease, @Nullable Entry below) {
            this.lease = lease;
            this.below = below;
        }

        boolean isOnly() {
            return below == null;
        }
    }

    /** {@return the newest connection that is with a thread, the current one; {@code null}: there is none} */
    @Nullable
    Entry newest(Thread current) {
        Entry top = newest.get();
        return top == null ? null : forgetEnded(top, current);
    }

    void add(Lease lease, Thread current) {
        Entry top = newest(current);
        for (Entry each = top; each != null; each = each.below) {
            if (each.lease.equals(lease)) {
                return;
            }
        }
        newest.set(new Entry(lease, top));
    }

    /** Lets go what isn't with a thread, the current one, any more. */
    void forgetEnded(Thread current) {
        Entry unused = newest(current);
    }

    @SuppressWarnings("ReferenceEquality") // identity is meant
    private @Nullable Entry forgetEnded(Entry top, Thread current) {
        Entry first = open(top, current);
        if (first != top) {
            newest.set(first);
        }
        for (Entry each = first; each != null; each = each.below) {
            each.below = open(each.below, current);
        }
        return first;
    }

    /** {@return the first entry, from this one on, whose connection is with the thread} */
    private static @Nullable Entry open(@Nullable Entry from, Thread current) {
        Entry each = from;
        while (each != null && !each.lease.isWith(current)) {
            each = each.below;
        }
        return each;
    }
}
