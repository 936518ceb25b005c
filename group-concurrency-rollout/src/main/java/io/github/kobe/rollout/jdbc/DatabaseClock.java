package io.github.kobe.rollout.jdbc;

import com.github.kagkarlsson.scheduler.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Gives the database's time, the same on all nodes, without asking the database each time: after a measurement, this
 * machine's {@link System#nanoTime()} is added. The machine's own clock isn't used.
 */
final class DatabaseClock implements Clock {

    private static final Logger LOG = LoggerFactory.getLogger(DatabaseClock.class);

    private static final Duration MEASURED_EVERY = Duration.ofSeconds(10);

    /** What took longer is less exact than what is known already. */
    private static final Duration LONGEST_ANSWER = Duration.ofSeconds(1);

    private final JdbcOperations database;
    private final Supplier<Dialect> dialect;
    private final ReentrantLock measuring = new ReentrantLock();

    private volatile @Nullable Measurement last;

    private volatile long triedAt;

    DatabaseClock(JdbcOperations database, Supplier<Dialect> dialect) {
        this.database = database;
        this.dialect = dialect;
    }

    /** That it was that time in the database when this machine counted so many nanoseconds. */
    private record Measurement(Instant time, long nanos) {}

    @Override
    public Instant now() {
        measureIfDue();
        Measurement measured = Objects.requireNonNull(last);
        return measured.time().plusNanos(System.nanoTime() - measured.nanos()).truncatedTo(ChronoUnit.MICROS);
    }

    /**
     * Asks the database, if that was some time ago. One that doesn't answer is asked again later, and no transaction suffers
     * from it.
     */
    void measureIfDue() {
        if (last == null) {
            measuring.lock();
        } else if (System.nanoTime() - triedAt < MEASURED_EVERY.toNanos()
                || TransactionSynchronizationManager.isActualTransactionActive()
                || !measuring.tryLock()) {
            return;
        }
        try {
            measure();
        } catch (DataAccessException e) {
            if (last == null) {
                throw e;
            }
            LOG.debug("The database's time could not be measured; trying again later", e);
        } finally {
            measuring.unlock();
        }
    }

    private void measure() {
        long before = System.nanoTime();
        triedAt = before;
        OffsetDateTime time = database.queryForObject(dialect.get().time(), OffsetDateTime.class);
        long took = System.nanoTime() - before;
        if (last == null || took < LONGEST_ANSWER.toNanos()) {
            last = new Measurement(Objects.requireNonNull(time).toInstant(), before + took / 2);
        }
    }
}
