package io.github.kobe.spring.metrics;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The readings behind the meters of one executor: for a second, all meters show the same moment. So a scrape goes over
 * the groups once, however many meters it reads.
 */
final class Readings {

    /** How long a reading is shown. */
    static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier clock;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable Reading latest;

    Readings(LongSupplier clock) {
        this.clock = clock;
    }

    /**
     * Gives the reading to show.
     *
     * @param source takes one, of the moment that it is told; called under a lock
     * @param after what follows a new one; called without a lock
     * @return the reading
     */
    Reading current(LongFunction<Reading> source, Runnable after) {
        Reading known = latest;
        if (known != null && isFresh(known)) {
            return known;
        }
        lock.lock();
        try {
            known = latest;
            if (known != null && isFresh(known)) {
                return known;
            }
            known = source.apply(clock.getAsLong());
            latest = known;
        } finally {
            lock.unlock();
        }
        after.run();
        return known;
    }

    /** {@return what was last shown; {@code null}: nothing was} */
    @Nullable
    Reading latest() {
        return latest;
    }

    private boolean isFresh(Reading reading) {
        return clock.getAsLong() - reading.takenAt() < KEPT_NANOS;
    }
}
