package io.github.kobe.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The permits of one group that {@link Holds} needn't know: those of no thread, and those that may outlive their
 * thread's close. It is for display only: if memory is short, a permit is missing here.
 */
final class UnboundPermits {

    private static final VarHandle ENTRIES;

    static {
        try {
            ENTRIES = MethodHandles.lookup().findVarHandle(UnboundPermits.class, "entries", Set.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** Made for the first one; a concurrent set. */
    private volatile @Nullable Set<Entry> entries;

    /** A permit with its task id. Its hash code is its own: a tool that tries schedules may give others than the JVM. */
    static final class Entry {
        final Permit permit;
        final String id;
        private final int hash = ThreadLocalRandom.current().nextInt();

        Entry(Permit permit, String id) {
            this.permit = permit;
            this.id = id;
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }
    }

    /** Adds one; an {@link OutOfMemoryError} doesn't tell whether it did. */
    void add(Entry entry) {
        made().add(entry);
    }

    @SuppressWarnings("unchecked")
    private Set<Entry> made() {
        Set<Entry> known = entries;
        if (known != null) {
            return known;
        }
        Set<Entry> made = ConcurrentHashMap.newKeySet();
        Object faster = ENTRIES.compareAndExchange(this, null, made);
        return faster == null ? made : (Set<Entry>) faster;
    }

    void remove(Entry entry) {
        Set<Entry> known = entries;
        if (known != null) {
            try {
                known.remove(entry);
            } catch (OutOfMemoryError oom) {
                // The map rebuilds a crowded bin after the removal.
            }
        }
    }

    void forEach(Consumer<Entry> action) {
        Set<Entry> known = entries;
        if (known != null) {
            known.forEach(action);
        }
    }
}
