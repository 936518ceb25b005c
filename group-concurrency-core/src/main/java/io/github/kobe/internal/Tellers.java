package io.github.kobe.internal;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Threads that tell user code of a fork which they don't run, or run no more: their calls are of its family too, for its scope
 * waits until they have told.
 */
final class Tellers {

    private static final ConcurrentHashMap<Thread, Fork> TELLING = new ConcurrentHashMap<>();

    private Tellers() {}

    /** {@return the fork that {@code thread} tells of} */
    static @Nullable Fork forkOf(Thread thread) {
        return TELLING.get(thread);
    }

    /** Has {@code told} run by the current thread for the sake of {@code fork}. */
    static void tell(Fork fork, Runnable told) {
        Thread thread = Thread.currentThread();
        Fork before = TELLING.put(thread, fork);
        try {
            told.run();
        } finally {
            if (before == null) {
                TELLING.remove(thread);
            } else {
                TELLING.put(thread, before);
            }
        }
    }

    /** The current thread begins to tell of {@code fork}, unless it tells of another one; {@link #end} has to follow. */
    static void begin(Fork fork) {
        try {
            TELLING.putIfAbsent(Thread.currentThread(), fork);
        } catch (OutOfMemoryError oom) {
            // It tells all the same, and is lent nothing.
        }
    }

    static void end(Fork fork) {
        TELLING.remove(Thread.currentThread(), fork);
    }
}
