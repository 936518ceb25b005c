package io.github.kobe.testing;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** How long a test waits for what must happen, before it fails. */
public final class Deadline {

    /** Deeper builds run beside others. The bench for mutants, where failures are expected, sets it shorter. */
    public static final int SECONDS = Integer.getInteger("deadline.seconds", Depth.pick(20, 40, 40));

    /** Long enough for any wait that has to end. */
    public static final Duration LONG = Duration.ofSeconds(SECONDS);

    /** Most waits are for something that takes some microseconds, so the first looks come soon after one another. */
    private static final long FIRST_PAUSE = TimeUnit.MICROSECONDS.toNanos(20);

    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(2);

    private Deadline() {}

    /** What is asserted again and again until it holds. */
    @FunctionalInterface
    public interface Assertion {
        void check() throws Exception;
    }

    public static void until(String what, BooleanSupplier condition) {
        until(() -> what, condition);
    }

    public static void until(Supplier<String> what, BooleanSupplier condition) {
        if (!reached(condition)) {
            throw new AssertionError("not in time: " + what.get());
        }
    }

    /** {@return whether the condition came true in time} An interrupt doesn't end the wait, and isn't lost. */
    public static boolean reached(BooleanSupplier condition) {
        long start = System.nanoTime();
        long pause = FIRST_PAUSE;
        boolean interrupted = false;
        try {
            while (!condition.getAsBoolean()) {
                if (System.nanoTime() - start > LONG.toNanos()) {
                    return condition.getAsBoolean();
                }
                LockSupport.parkNanos(pause);
                interrupted |= Thread.interrupted();
                pause = Math.min(2 * pause, LONGEST_PAUSE);
            }
            return true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void untilAsserted(Assertion assertion) {
        Attempt attempt = new Attempt(assertion);
        if (!reached(attempt)) {
            throw new AssertionError("not in time: " + attempt.failure, attempt.failure);
        }
    }

    private static final class Attempt implements BooleanSupplier {

        private final Assertion assertion;
        private @Nullable Throwable failure;

        private Attempt(Assertion assertion) {
            this.assertion = assertion;
        }

        @Override
        public boolean getAsBoolean() {
            try {
                assertion.check();
                return true;
            } catch (Exception | AssertionError notYet) {
                failure = notYet;
                return false;
            }
        }
    }

    /** Runs what may block on a thread of its own, and fails if it doesn't end in time. */
    public static <T> T within(Callable<T> work) throws Exception {
        return Caller.start(work).result();
    }

    /** Waits for the end of a thread, and fails if it doesn't come in time. */
    public static void join(Thread thread) throws InterruptedException {
        if (!thread.join(LONG)) {
            AssertionError late = new AssertionError("not in time: the end of " + thread);
            late.setStackTrace(thread.getStackTrace());
            throw late;
        }
    }

    /**
     * Ends a client, with all requests that have no answer yet. Its own {@code close} waits for those, and one whose test
     * has failed may never have one.
     */
    public static void close(HttpClient client) {
        client.shutdownNow();
        until("the client's end", client::isTerminated);
    }

    /** Waits until all that an executor was given has ended, and fails if that takes too long; it is interrupted then. */
    public static void close(ExecutorService executor) {
        executor.shutdown();
        if (!reached(executor::isTerminated)) {
            throw new AssertionError(
                    "not in time: the end of " + executor.shutdownNow() + " and what runs in " + executor);
        }
    }
}
