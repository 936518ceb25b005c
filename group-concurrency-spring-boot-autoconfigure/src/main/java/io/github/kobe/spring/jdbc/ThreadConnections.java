package io.github.kobe.spring.jdbc;

import java.util.concurrent.atomic.AtomicReference;
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

    /**
     * The newest of the thread. It is kept for good, and empty while there is none: a class of the JDK's alone, for a thread may
     * outlive the application.
     */
    private final ThreadLocal<AtomicReference<@Nullable Entry>> newest = ThreadLocal.withInitial(AtomicReference::new);

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

    /** {@return the newest connection that is with a thread, the current one; {@code null}: there is none} */
    @Nullable
    Entry newest(Thread current) {
        AtomicReference<@Nullable Entry> own = newest.get();
        Entry top = own.getPlain();
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
        AtomicReference<@Nullable Entry> own = newest.get();
        Entry top = own.getPlain();
        if (top != null) {
            top = cleaned(own, top, current);
        }
        for (Entry each = top; each != null; each = each.below) {
            if (each.lease == lease) {
                return;
            }
        }
        own.setPlain(new Entry(lease, top));
    }

    /** Lets go a lease that was with the current thread. */
    void forget(Lease lease) {
        AtomicReference<@Nullable Entry> own = newest.get();
        Entry above = null;
        for (Entry each = own.getPlain(); each != null; each = each.below) {
            if (each.lease != lease) {
                above = each;
            } else if (above == null) {
                own.setPlain(each.below);
            } else {
                above.below = each.below;
            }
        }
    }

    /** Has what is with a thread, the current one, be with none. */
    void leave(Thread current) {
        AtomicReference<@Nullable Entry> own = newest.get();
        Entry top = own.getPlain();
        for (Entry each = top; each != null; each = each.below) {
            each.lease.leaveThread(current);
        }
        if (top != null) {
            cleaned(own, top, current);
        }
    }

    /** Lets go all that isn't with the current thread any more. */
    private static @Nullable Entry cleaned(AtomicReference<@Nullable Entry> own, Entry top, Thread current) {
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
        own.setPlain(first);
        return first;
    }
}
