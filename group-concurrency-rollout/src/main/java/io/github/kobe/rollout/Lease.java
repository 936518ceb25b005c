package io.github.kobe.rollout;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What a drive knows of its plan: whether that is still its own, and since when it has known so. If it hasn't heard so for as
 * long as the store lets a silent node keep its plans, the plan counts as lost, and what runs is told to end. A thread of its
 * own sees to that: the drive's may be waiting for an answer of the store.
 */
final class Lease {

    private final Duration time;
    private final Runnable whenLost;
    private final Thread watch;
    private final ReentrantLock lock = new ReentrantLock();

    /** By {@link System#nanoTime()}. */
    private volatile long heardAt = System.nanoTime();

    /** Why the plan is lost; written under the lock. */
    private volatile @Nullable RuntimeException loss;

    private volatile boolean over;

    Lease(PlanId planId, Duration time, Runnable whenLost) {
        this.time = time;
        this.whenLost = whenLost;
        watch = Thread.ofVirtual().name("rollout-lease:" + planId).unstarted(this::watch);
    }

    /** From now on the plan is lost as soon as nothing was heard for too long. */
    void begin() {
        watch.start();
    }

    /** Nothing is written any more, whether or not the plan is lost. */
    void end() {
        over = true;
        LockSupport.unpark(watch);
    }

    /** The plan was still its own after that time: it is the time before the store was asked. */
    void heard(long at) {
        heardAt = at;
    }

    /** The plan is lost, or the store: nothing more is written, and all ends. */
    void lose(RuntimeException cause) {
        lock.lock();
        try {
            if (loss != null) {
                return;
            }
            loss = cause;
        } finally {
            lock.unlock();
        }
        whenLost.run();
    }

    @Nullable
    RuntimeException loss() {
        return loss;
    }

    /** {@return whether nothing may be written any more} */
    boolean isOver() {
        return over || loss != null;
    }

    /** {@return whether nothing was heard for too long} */
    boolean isStale() {
        return left() <= 0;
    }

    private long left() {
        return time.toNanos() - (System.nanoTime() - heardAt);
    }

    private void watch() {
        while (!isOver()) {
            long left = left();
            if (left > 0) {
                LockSupport.parkNanos(this, left);
            } else {
                lose(new StoreLostException("nothing was heard of it for " + time));
            }
        }
    }
}
