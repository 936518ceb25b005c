package io.github.kobe.internal.permits;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The free global permits, or the starts of a global rate, while they are not short, spread over counters that share no cache line.
 *
 * <p>Each counter, a stripe, either holds the number of its credits or is frozen. On a frozen stripe every operation
 * fails; a thread that meets one goes to the {@link Ledger}, which freezes all of them together, and later fills them
 * again. Taking and giving are lock-free, and are safe for use under any lock.
 *
 * <p>A credit is taken from one stripe, or else from the next one that has any, so that no credit is idle while a
 * thread needs one. Tasks use the stripe of their group: one thread takes their credits, and many return them. Calls
 * use the stripe of their thread.
 */
public final class Credits {

    private static final VarHandle STRIPES = MethodHandles.arrayElementVarHandle(long[].class);

    private static final long FROZEN = Long.MIN_VALUE;

    /** How many longs lie between two stripes: 128 bytes, since processors fetch lines of 64 bytes in pairs. */
    private static final int DISTANCE = 16;

    private static final int MOST_STRIPES = 64;

    /** The stripes, with a distance before the first and after the last. */
    private final long[] stripes;

    private final int mask;

    /**
     * Makes frozen stripes for a limit: four for each processor, so that few groups share one, but one alone if there are
     * fewer credits than processors.
     */
    Credits(int limit, int processors) {
        int wanted = Math.min(MOST_STRIPES, Math.min(4 * processors, limit / processors));
        int count = Integer.highestOneBit(Math.max(1, wanted));
        stripes = new long[(count + 1) * DISTANCE];
        mask = count - 1;
        freeze();
    }

    int count() {
        return mask + 1;
    }

    private int index(int stripe) {
        return ((stripe & mask) + 1) * DISTANCE - 1;
    }

    /**
     * Takes a credit.
     *
     * @param home the stripe to look at first; any number
     * @return false if no stripe had one when it was looked at, or if they are frozen or being frozen
     */
    boolean tryTake(int home) {
        for (int i = 0; i <= mask; i++) {
            int at = index(home + i);
            long free = (long) STRIPES.getVolatile(stripes, at);
            while (free > 0) {
                long found = (long) STRIPES.compareAndExchange(stripes, at, free, free - 1);
                if (found == free) {
                    return true;
                }
                free = found;
            }
            if (free == FROZEN) {
                return false;
            }
        }
        return false;
    }

    /**
     * Gives credits back.
     *
     * @return false if they belong to the ledger now, as the stripe is frozen
     */
    boolean tryGive(int home, long credits) {
        int at = index(home);
        long free = (long) STRIPES.getVolatile(stripes, at);
        while (free != FROZEN) {
            long found = (long) STRIPES.compareAndExchange(stripes, at, free, free + credits);
            if (found == free) {
                return true;
            }
            free = found;
        }
        return false;
    }

    /** Freezes all stripes, and returns the credits that were in them; under the ledger's lock. */
    long freeze() {
        long collected = 0;
        for (int i = 0; i <= mask; i++) {
            long free = (long) STRIPES.getAndSet(stripes, index(i), FROZEN);
            collected += Math.max(0, free);
        }
        return collected;
    }

    /** {@return how many there are; it may be stale} */
    long sum() {
        long sum = 0;
        for (int i = 0; i <= mask; i++) {
            sum += Math.max(0, (long) STRIPES.getVolatile(stripes, index(i)));
        }
        return sum;
    }

    /** Spreads credits evenly over all stripes, which are frozen; under the ledger's lock. */
    void thaw(long credits) {
        long each = credits / count();
        long rest = credits % count();
        for (int i = 0; i <= mask; i++) {
            STRIPES.setVolatile(stripes, index(i), i < rest ? each + 1 : each);
        }
    }
}
