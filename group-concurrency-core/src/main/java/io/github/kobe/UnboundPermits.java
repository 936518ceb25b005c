package io.github.kobe;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The permits of one group that {@link Holds} needn't know: those of no thread, and those that may outlive their thread's
 * close. It is there to be looked at, and decides nothing: where memory is short, a permit is missing here.
 */
final class UnboundPermits {

    private static final VarHandle IDS;

    static {
        try {
            IDS = MethodHandles.lookup().findVarHandle(UnboundPermits.class, "ids", ConcurrentHashMap.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** Each with its task id; made for the first one. */
    private volatile @Nullable ConcurrentHashMap<Permit, String> ids;

    void add(Permit permit, String id) {
        try {
            made().putIfAbsent(permit, id);
        } catch (OutOfMemoryError lack) {
            // Then nobody sees it, or the map could not grow.
        }
    }

    @SuppressWarnings("unchecked")
    private ConcurrentHashMap<Permit, String> made() {
        ConcurrentHashMap<Permit, String> known = ids;
        if (known != null) {
            return known;
        }
        ConcurrentHashMap<Permit, String> made = new ConcurrentHashMap<>();
        Object faster = IDS.compareAndExchange(this, null, made);
        return faster == null ? made : (ConcurrentHashMap<Permit, String>) faster;
    }

    void remove(Permit permit) {
        ConcurrentHashMap<Permit, String> known = ids;
        if (known != null) {
            try {
                known.remove(permit);
            } catch (OutOfMemoryError lack) {
                // The map rebuilds a crowded bin after the removal.
            }
        }
    }

    void forEach(BiConsumer<Permit, String> action) {
        ConcurrentHashMap<Permit, String> known = ids;
        if (known != null) {
            known.forEach(action);
        }
    }
}
