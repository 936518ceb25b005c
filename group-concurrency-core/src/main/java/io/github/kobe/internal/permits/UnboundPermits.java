package io.github.kobe.internal.permits;

import io.github.kobe.internal.base.Removal;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The permits of one group that no thread is known to have: those of no thread, those that may outlive their thread's
 * close, and those of open stages. If memory is short, one is missing here: then it isn't displayed, and a shutdown
 * doesn't cancel the stage, but waits for it.
 */
public final class UnboundPermits {

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

    /** One that has permits. Its hash code is its own: a tool that tries schedules may give others than the JVM. */
    public abstract static class Entry {
        private final int hash = ThreadLocalRandom.current().nextInt();

        @Override
        public final int hashCode() {
            return hash;
        }

        @Override
        public final boolean equals(@Nullable Object other) {
            return this == other;
        }
    }

    /** Adds one; an {@link OutOfMemoryError} doesn't tell whether it did. */
    public void add(Entry entry) {
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

    public void remove(Entry entry) {
        Set<Entry> known = entries;
        if (known != null) {
            Removal.from(known, entry);
        }
    }

    public void forEach(Consumer<Entry> action) {
        Set<Entry> known = entries;
        if (known != null) {
            known.forEach(action);
        }
    }
}
