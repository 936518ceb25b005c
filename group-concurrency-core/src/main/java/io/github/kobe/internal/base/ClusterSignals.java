package io.github.kobe.internal.base;

import io.github.kobe.cluster.Cluster;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Between an engine and who leases capacity for it, where several instances share the limits of some groups. The engine
 * tells which groups are to be looked at, and asks until when what is leased counts; it knows nothing else of the others. Which
 * groups these are is in their limits.
 *
 * <p>{@link #NONE} is there where there are no such limits. It is never told anything.
 */
public abstract class ClusterSignals {

    /** No limit is shared. */
    public static final ClusterSignals NONE = new None();

    private static final VarHandle NEWEST;

    static {
        try {
            NEWEST = MethodHandles.lookup().findVarHandle(ClusterSignals.class, "newest", Lease.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The one that goes on, or the last one. Written by who leases. */
    private volatile Term term = new Term();

    /** Those that are to be looked at, the newest first, linked by {@link Lease#next}. */
    private volatile @Nullable Lease newest;

    /**
     * How long what is leased counts without a break. Once that is lost, the term is over for good, and another one begins with
     * what is leased then. So who has taken permits in this term, and looks at it late, finds that they don't count.
     */
    public static final class Term {

        /** Until when, by the engine's clock ({@link Core#now}); 0: it doesn't any more. Written by who leases. */
        private volatile long until;

        /** {@return whether what was taken in it counts no more at that time} */
        public boolean isOver(long now) {
            return now >= until;
        }
    }

    /** There is something to {@link #take}; by any thread, without any lock. It doesn't block. */
    protected abstract void wake();

    /** {@return how the engine stands with the others, for people; empty: no limit is shared} */
    public Optional<Cluster> shown() {
        return Optional.empty();
    }

    /**
     * {@return whether what is leased counts no more}
     *
     * @param now read before this is called: so who {@linkplain #setDeadline sets} another deadline, and reads the clock after
     *     that, finds that one has come which anybody has found over
     */
    public final boolean isOver(long now) {
        return term.isOver(now);
    }

    /** {@return the present term, to be read before permits are taken} */
    public final Term term() {
        return term;
    }

    /**
     * Has what is leased count until then; 0: it counts no more.
     *
     * @return the deadline that there was
     */
    public final long setDeadline(long next) {
        long before = term.until;
        if (before == 0 && next != 0) {
            Term another = new Term();
            another.until = next;
            term = another;
        } else {
            term.until = next;
        }
        return before;
    }

    /** The engine is shut down, or drains; by who holds no lock. */
    public final void ending() {
        wake();
    }

    /** A group is to be looked at; by who holds no lock. It needs no memory, and doesn't fail. */
    public final void touched(Lease lease) {
        put(lease);
        try {
            wake();
        } catch (Throwable failure) {
            Log.failed(failure);
        }
    }

    private void put(Lease lease) {
        Lease before;
        do {
            before = newest;
            lease.linkTo(before);
        } while (!NEWEST.compareAndSet(this, before, lease));
    }

    /**
     * Takes all that are to be looked at, the eldest first, each once. What happens to one from then on is told anew. If {@code
     * each} fails, that one and all that follow are to be looked at still, by who asks again: nobody is woken.
     *
     * @param each is told the key of the group, and looks at it
     */
    public final void take(Consumer<String> each) {
        Lease eldest = null;
        for (Lease lease = (Lease) NEWEST.getAndSet(this, null); lease != null; ) {
            Lease older = lease.unlink();
            lease.linkTo(eldest);
            eldest = lease;
            lease = older;
        }
        Lease looking = null;
        try {
            while (eldest != null) {
                looking = eldest;
                eldest = looking.unlink();
                looking.taken();
                each.accept(looking.key);
            }
            looking = null;
        } finally {
            if (looking != null && looking.isNews()) {
                put(looking);
            }
            while (eldest != null) { // it has failed for the one before
                Lease lease = eldest;
                eldest = lease.unlink();
                put(lease);
            }
        }
    }

    private static final class None extends ClusterSignals {

        @Override
        protected void wake() {
            // Nobody leases.
        }
    }
}
