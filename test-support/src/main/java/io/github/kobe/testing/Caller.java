package io.github.kobe.testing;

import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** A thread of a test's own that does one thing, which may block. */
public final class Caller<T> {

    private final FutureTask<T> work;
    private final Thread thread;

    private Caller(Callable<T> work, boolean virtual) {
        this.work = new FutureTask<>(work);
        thread = virtual ? Thread.ofVirtual().unstarted(this.work) : new Thread(this.work, "caller");
        thread.setDaemon(true);
    }

    /** Starts a virtual thread. */
    public static <T> Caller<T> start(Callable<T> work) {
        Caller<T> caller = new Caller<>(work, true);
        caller.thread.start();
        return caller;
    }

    /** Starts a platform thread. */
    public static <T> Caller<T> startPlatform(Callable<T> work) {
        Caller<T> caller = new Caller<>(work, false);
        caller.thread.start();
        return caller;
    }

    public Thread thread() {
        return thread;
    }

    public boolean isDone() {
        return work.isDone();
    }

    public void interrupt() {
        thread.interrupt();
    }

    /** As {@link #awaitBlocked(Thread)}. */
    public Caller<T> awaitBlocked() {
        awaitBlocked(thread);
        return this;
    }

    /** Waits until the thread waits for {@code blocker}: a handle or a future of the engine's blocks who waits for it. */
    public Caller<T> awaitBlockedOn(Object blocker) {
        Deadline.until(
                () -> "blocked on " + blocker + ", but " + describe(thread),
                () -> isBlocked(thread) && blocker.equals(LockSupport.getBlocker(thread)));
        return this;
    }

    /** Waits until the thread waits for a condition: for quiet, for the end of a drain, for a termination. */
    public Caller<T> awaitBlockedOnACondition() {
        Deadline.until(
                () -> "blocked on a condition, but " + describe(thread),
                () -> isBlocked(thread) && LockSupport.getBlocker(thread) instanceof Condition);
        return this;
    }

    /**
     * Waits until {@code thread} waits for something that isn't a lock. It is for waits of which nobody else can tell; who
     * is in a queue is known to the engine.
     */
    public static void awaitBlocked(Thread thread) {
        Deadline.until(() -> "blocked, but " + describe(thread), () -> isBlocked(thread));
    }

    /**
     * {@return whether {@code thread} waits for something that isn't a lock} A thread on its way to where it is to wait is
     * waiting too, as the JVM has it, while it stands before a group's lock, or has a class loaded.
     */
    public static boolean isBlocked(Thread thread) {
        Object blocker = LockSupport.getBlocker(thread);
        boolean waits = switch (thread.getState()) {
            case WAITING, TIMED_WAITING -> true;
            default -> false;
        };
        return waits && (blocker == null ? isParked(thread) : blocker.getClass().getNestHost() != ReentrantLock.class);
    }

    /** {@return whether {@code thread} is parked} The JDK's own code doesn't always say what for. */
    private static boolean isParked(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(LockSupport.class.getName()));
    }

    private static String describe(Thread thread) {
        return thread.getState() + " on " + LockSupport.getBlocker(thread);
    }

    /** What the work returned; throws what it threw. */
    public T result() throws Exception {
        try {
            return work.get(Deadline.SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            switch (Objects.requireNonNull(e.getCause())) {
                case Exception exception -> throw exception;
                case Error error -> throw error;
                default -> throw e;
            }
        } catch (TimeoutException e) {
            AssertionError late = new AssertionError("the caller did not return in time", e);
            late.setStackTrace(thread.getStackTrace());
            throw late;
        }
    }
}
