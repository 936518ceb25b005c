package io.github.kobe.spring.rollout;

import java.io.IOException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.MDC;
import org.springframework.web.client.ResourceAccessException;

/**
 * A call by a client without a time limit for single calls: on its own thread, which is interrupted when time is up.
 */
final class TimedCall {

    private TimedCall() {}

    /**
     * Makes a call. Its thread has the logging context of the caller's.
     *
     * @param timeout how long to wait
     * @param call what to do
     * @param <T> what it gives
     * @return what it gives
     * @throws IOException if there is no answer in time
     * @throws InterruptedException if the caller is interrupted
     */
    static <T> T within(Duration timeout, Callable<T> call) throws IOException, InterruptedException {
        Map<String, String> logging = MDC.getCopyOfContextMap();
        FutureTask<T> task = new FutureTask<>(() -> {
            if (logging != null) {
                MDC.setContextMap(logging);
            }
            return call.call();
        });
        Thread.ofVirtual().name("rollout-http").start(task);
        try {
            return task.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new HttpTimeoutException("no answer in " + timeout);
        } catch (ExecutionException e) {
            throw told(e);
        } finally {
            task.cancel(true);
        }
    }

    /** The interfaces that this is done for know of an {@link IOException} alone. */
    private static IOException told(ExecutionException failure) {
        Throwable cause = failure.getCause();
        if (cause instanceof ResourceAccessException access && access.getCause() instanceof IOException io) {
            return io;
        }
        return cause instanceof IOException io ? io : new IOException(cause);
    }
}
