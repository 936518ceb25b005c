package io.github.kobe.internal.work;

import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.base.Removal;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Threads that call user code about a fork that they don't run, or no longer run. Their calls belong to its family too,
 * because its scope waits until they have finished.
 */
@SuppressWarnings("ReferenceEquality") // forks and scopes have identity
public final class Tellers {

    private static final ConcurrentHashMap<Thread, Telling> TELLING = new ConcurrentHashMap<>();

    private record Telling(Fork fork, @Nullable Telling outer) {}

    private Tellers() {}

    /** {@return the fork that {@code thread} tells of} */
    public static @Nullable Fork forkOf(Thread thread) {
        Telling telling = TELLING.get(thread);
        return telling == null ? null : telling.fork;
    }

    /**
     * {@return the scope of the innermost fork that {@code thread} tells of, of those inside {@code outer}; {@code outer}:
     * there is none}
     *
     * @param outer {@code null}: all are inside it
     */
    public static @Nullable Lineage scopeInside(Thread thread, @Nullable Lineage outer) {
        for (Telling at = TELLING.get(thread); at != null; at = at.outer) {
            if (outer == null || isInside(at.fork.scope(), outer)) {
                return at.fork.scope();
            }
        }
        return outer;
    }

    /** {@return whether {@code thread} tells of a fork of {@code scope} or of one inside it} */
    public static boolean tellsInside(Thread thread, Lineage scope) {
        Telling at = TELLING.get(thread);
        while (at != null && !isInside(at.fork.scope(), scope)) {
            at = at.outer;
        }
        return at != null;
    }

    private static boolean isInside(Lineage inner, Lineage scope) {
        Lineage at = inner;
        while (at != null && at != scope) {
            at = at.parent();
        }
        return at != null;
    }

    /** {@return whether {@code thread} tells of a fork of {@code scope}} Perhaps amid which it tells of another one. */
    public static boolean tellsOf(Thread thread, Lineage scope) {
        Telling telling = TELLING.get(thread);
        while (telling != null && telling.fork.scope() != scope) {
            telling = telling.outer;
        }
        return telling != null;
    }

    /** The current thread begins to tell of {@code fork}; {@link #end} has to follow. */
    public static void begin(Fork fork) {
        Thread thread = Thread.currentThread();
        try {
            TELLING.put(thread, new Telling(fork, TELLING.get(thread)));
        } catch (OutOfMemoryError oom) {
            // It tells all the same. It is lent nothing, and if it forks one more than there may be, it may wait for
            // the very fork that it tells of, until their scope is cancelled.
        }
    }

    /** The current thread has told. */
    public static void end(Fork fork) {
        Thread thread = Thread.currentThread();
        Telling telling = TELLING.get(thread);
        if (telling == null || telling.fork != fork) {
            return; // there was no memory to begin
        }
        if (telling.outer == null) {
            boolean unused = Removal.from(TELLING, thread, telling);
        } else {
            TELLING.put(thread, telling.outer);
        }
    }
}
