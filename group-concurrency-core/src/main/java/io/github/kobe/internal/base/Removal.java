package io.github.kobe.internal.base;

import java.util.Set;
import java.util.concurrent.ConcurrentMap;

/**
 * Removes an entry, and needs no memory for that. Once a {@link java.util.concurrent.ConcurrentHashMap} has removed one,
 * it may need a counter, and any hash map rebuilds a bin that isn't crowded any more. If there is no memory for that, the
 * map throws, and the entry is gone. While such a map grows, or where keys collide by the dozen, it may lack memory before:
 * then the entry stays.
 */
public final class Removal {

    private Removal() {}

    /** {@return whether the current thread has removed the entry of {@code key}, which was {@code value} itself} */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    public static boolean from(ConcurrentMap<?, ?> map, Object key, Object value) {
        try {
            return map.remove(key, value);
        } catch (OutOfMemoryError oom) {
            return map.get(key) != value;
        }
    }

    public static void from(Set<?> set, Object element) {
        try {
            set.remove(element);
        } catch (OutOfMemoryError oom) {
            // It is gone.
        }
    }
}
