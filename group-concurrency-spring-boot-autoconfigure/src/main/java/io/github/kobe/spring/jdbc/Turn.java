package io.github.kobe.spring.jdbc;

import io.github.kobe.GroupPermit;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What lets a thread have connections: the permit of the first, which those share that it opens while it has one. The last of
 * them gives it back, on whichever thread that is closed.
 */
final class Turn {

    private static final VarHandle CONNECTIONS;

    static {
        try {
            CONNECTIONS = MethodHandles.lookup().findVarHandle(Turn.class, "connections", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** How many turns without a permit have begun and not ended. */
    private final AtomicInteger withoutGroup;

    /** Set before others know this; {@code null}: no group was named. */
    private @Nullable GroupPermit permit;

    /** How many connections it is for; 0 is final. */
    @SuppressWarnings("UnusedVariable") // by its handle
    private volatile int connections;

    Turn(AtomicInteger withoutGroup) {
        this.withoutGroup = withoutGroup;
    }

    /**
     * Begins with one connection.
     *
     * @param taken what it gives back in the end; {@code null}: no group was named
     */
    void begin(@Nullable GroupPermit taken) {
        permit = taken;
        if (taken == null) {
            int unused = withoutGroup.incrementAndGet();
        }
        CONNECTIONS.set(this, 1); // plainly: nobody else knows it yet
    }

    /** {@return whether it is for one more connection now; else it has ended} */
    boolean join() {
        for (; ; ) {
            int now = connections;
            if (now == 0) {
                return false;
            }
            if (CONNECTIONS.compareAndSet(this, now, now + 1)) {
                return true;
            }
        }
    }

    /**
     * Is for one connection less.
     *
     * @param failure why there was none; {@code null}: there was
     */
    void leave(@Nullable Throwable failure) {
        if ((int) CONNECTIONS.getAndAdd(this, -1) != 1) {
            return;
        }
        GroupPermit taken = permit;
        if (taken == null) {
            int unused = withoutGroup.decrementAndGet();
        } else if (failure == null) {
            taken.close();
        } else {
            taken.closeExceptionally(failure);
        }
    }
}
