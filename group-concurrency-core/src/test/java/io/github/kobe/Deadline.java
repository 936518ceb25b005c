package io.github.kobe;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.awaitility.core.ThrowingRunnable;

/** How long a test waits for what must happen, before it fails. */
final class Deadline {

    /** Shorter where a failure is expected. */
    static final int SECONDS = Integer.getInteger("deadline.seconds", 20);

    /** Long enough for any wait that has to end. */
    static final Duration LONG = Duration.ofSeconds(SECONDS);

    private static final Duration POLL = Duration.ofMillis(2);

    private Deadline() {}

    static void until(String what, BooleanSupplier condition) {
        until(() -> what, condition);
    }

    static void until(Supplier<String> what, BooleanSupplier condition) {
        try {
            Awaitility.await()
                    .pollInSameThread()
                    .atMost(LONG)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(POLL)
                    .until(condition::getAsBoolean);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("not in time: " + what.get(), e);
        }
    }

    static void untilAsserted(ThrowingRunnable assertion) {
        Awaitility.await()
                .pollInSameThread()
                .atMost(LONG)
                .pollDelay(Duration.ZERO)
                .pollInterval(POLL)
                .untilAsserted(assertion);
    }

    /** Runs what may block on a thread of its own, and fails if it doesn't end in time. */
    static <T> T within(Callable<T> work) throws Exception {
        return Caller.start(work).result();
    }
}
