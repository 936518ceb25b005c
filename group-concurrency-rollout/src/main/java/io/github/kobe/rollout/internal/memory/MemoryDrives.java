package io.github.kobe.rollout.internal.memory;

import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.internal.rules.PlanStore.DriveRunner;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the drives of a store in memory, each on a virtual thread that first waits for its time. */
final class MemoryDrives {

    private static final Logger LOG = LoggerFactory.getLogger(MemoryDrives.class);

    private static final Duration AFTER_A_FAILURE = Duration.ofMillis(200);

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final Set<Thread> threads = new HashSet<>();

    /** Written under the lock. */
    private volatile @Nullable DriveRunner current;

    void open(DriveRunner runner) {
        lock.lock();
        try {
            current = runner;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            current = null;
            threads.forEach(LockSupport::unpark);
        } finally {
            lock.unlock();
        }
    }

    /** Does nothing while nobody runs drives: {@link #open} is followed by all that is due. */
    void begin(PlanId planId, long number, Duration after) {
        lock.lock();
        try {
            DriveRunner runner = current;
            if (runner != null) {
                Thread thread = Thread.ofVirtual()
                        .name("rollout-drive:" + planId)
                        .unstarted(() -> run(runner, planId, number, System.nanoTime() + after.toNanos()));
                threads.add(thread);
                thread.start();
            }
        } finally {
            lock.unlock();
        }
    }

    private void run(DriveRunner runner, PlanId planId, long number, long start) {
        try {
            long at = start;
            while (isDueAt(at, runner)) {
                try {
                    Duration again = runner.drive(planId, number);
                    if (again == null) {
                        return;
                    }
                    at = System.nanoTime() + again.toNanos();
                } catch (RuntimeException e) {
                    LOG.warn("The work for {} failed, and will be tried again", planId, e);
                    at = System.nanoTime() + AFTER_A_FAILURE.toNanos();
                }
            }
        } finally {
            lock.lock();
            try {
                threads.remove(Thread.currentThread());
            } finally {
                lock.unlock();
            }
        }
    }

    /** {@return whether the time has come; false as soon as that runner is no longer the one} */
    private boolean isDueAt(long time, DriveRunner runner) {
        while (runner.equals(current)) {
            long left = time - System.nanoTime();
            if (left <= 0) {
                return true;
            }
            LockSupport.parkNanos(this, left);
        }
        return false;
    }
}
