package io.github.kobe.rollout.internal.drive;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

/** Interrupts code that takes too long, but nothing that comes after it on the same thread. */
final class TimeLimit {

    private final Thread worker = Thread.currentThread();
    private final CountDownLatch done = new CountDownLatch(1);
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private boolean over;

    /** Guarded by the lock. */
    private boolean late;

    private TimeLimit() {}

    static void run(String what, Duration time, UserCode.Work<Exception> work) throws Exception {
        TimeLimit limit = new TimeLimit();
        Thread watch = Thread.ofVirtual().name("rollout-timeout").start(() -> limit.watch(time));
        Exception failure = null;
        try {
            UserCode.run(() -> limit.during(work));
        } catch (Exception e) {
            failure = e;
        }
        if (limit.late) {
            TimeoutException timeout = new TimeoutException(what + " took longer than " + time);
            if (failure != null) {
                timeout.addSuppressed(failure);
            }
            throw timeout;
        }
        watch.interrupt();
        if (failure != null) {
            throw failure;
        }
    }

    private void during(UserCode.Work<Exception> work) throws Exception {
        try {
            work.run();
        } finally {
            end();
        }
    }

    private void watch(Duration time) {
        try {
            if (!done.await(TimeUnit.NANOSECONDS.convert(time), TimeUnit.NANOSECONDS)) {
                interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void interrupt() {
        lock.lock();
        try {
            if (!over) {
                late = true;
                worker.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    private void end() {
        lock.lock();
        try {
            over = true;
        } finally {
            lock.unlock();
        }
        done.countDown();
    }
}
