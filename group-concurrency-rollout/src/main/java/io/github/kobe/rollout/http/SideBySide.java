package io.github.kobe.rollout.http;

import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Makes calls side by side, each with a time limit, on threads that have the logging context of the caller. */
final class SideBySide {

    /** How long a call may take to end after its interrupt; one that ignores it is left alone then. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private SideBySide() {}

    /**
     * {@return what came of each call, in their order} All have ended then, and also if this is interrupted.
     *
     * @param most how many are made at once
     * @param timeout how long each may take
     * @param calls what to do
     * @param <T> what they give
     * @throws InterruptedException if the caller is interrupted
     */
    static <T extends @Nullable Object> List<Future<T>> run(int most, Duration timeout, List<Callable<T>> calls)
            throws InterruptedException {
        Map<String, String> logging = MDC.getCopyOfContextMap();
        ExecutorService threads =
                Executors.newFixedThreadPool(most, Thread.ofVirtual().factory());
        try {
            return threads.invokeAll(calls.stream()
                    .map(call -> (Callable<T>) () -> within(timeout, logging, call))
                    .toList());
        } finally {
            threads.shutdownNow();
            uninterrupted(() -> threads.awaitTermination(2 * GRACE.toNanos(), TimeUnit.NANOSECONDS));
        }
    }

    private static <T extends @Nullable Object> T within(
            Duration timeout, @Nullable Map<String, String> logging, Callable<T> call) throws Exception {
        FutureTask<T> task = new FutureTask<>(() -> {
            if (logging != null) {
                MDC.setContextMap(logging);
            }
            return call.call();
        });
        Thread thread = Thread.ofVirtual().name("rollout-http").start(task);
        try {
            return task.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new HttpTimeoutException("no answer in " + timeout);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception failure ? failure : e;
        } finally {
            thread.interrupt();
            uninterrupted(() -> thread.join(GRACE));
        }
    }

    /** What waits. */
    @FunctionalInterface
    private interface Wait {
        boolean end() throws InterruptedException;
    }

    /** Waits once more if it is interrupted, and has its caller interrupted then. */
    private static void uninterrupted(Wait wait) {
        boolean interrupted = false;
        while (true) {
            try {
                wait.end();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
