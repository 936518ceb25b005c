package io.github.kobe.testing;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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

    /** Waits until the thread waits for something. */
    public Caller<T> awaitBlocked() {
        Deadline.until(() -> "blocked, but " + thread.getState(), () -> switch (thread.getState()) {
            case WAITING, TIMED_WAITING -> true;
            default -> false;
        });
        return this;
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
