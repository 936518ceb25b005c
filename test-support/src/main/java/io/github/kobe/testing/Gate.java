package io.github.kobe.testing;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Holds threads until a test lets them go; who waits too long at it fails. */
public final class Gate {

    private final CountDownLatch opened = new CountDownLatch(1);
    private final AtomicInteger arrived = new AtomicInteger();

    /** Waits until the gate is open; an interrupt ends the wait. */
    public void pass() throws InterruptedException {
        arrived.incrementAndGet();
        if (!opened.await(Deadline.SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the gate was not opened in time");
        }
    }

    /** Waits until the gate is open, through every interrupt; the flag is set again after it. */
    public void passStubbornly() {
        arrived.incrementAndGet();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Deadline.SECONDS);
        boolean interrupted = false;
        boolean passed = false;
        while (!passed && System.nanoTime() - end < 0) {
            try {
                passed = opened.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!passed) {
            throw new AssertionError("the gate was not opened in time");
        }
    }

    /** A task that waits at the gate and then returns a value. */
    public <T> Callable<T> then(T value) {
        return () -> {
            pass();
            return value;
        };
    }

    /** A task that waits at the gate, through interrupts, and then returns a value. */
    public <T> Callable<T> stubbornlyThen(T value) {
        return () -> {
            passStubbornly();
            return value;
        };
    }

    public void open() {
        opened.countDown();
    }

    public boolean isOpen() {
        return opened.getCount() == 0;
    }

    /** How many threads have come to the gate so far. */
    public int arrived() {
        return arrived.get();
    }

    /** Waits until that many threads have come to the gate. */
    public void awaitArrived(int count) {
        Deadline.until(() -> count + " at the gate, but " + arrived.get(), () -> arrived.get() >= count);
    }
}
