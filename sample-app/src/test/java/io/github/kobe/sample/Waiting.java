package io.github.kobe.sample;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;

/** Waits for a state, with a deadline that fails. */
final class Waiting {

    static final Duration DEADLINE = Duration.ofSeconds(30);

    private Waiting() {}

    static void until(Callable<Boolean> state) {
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .atMost(DEADLINE)
                .until(state);
    }

    static void untilAsserted(ThrowingRunnable assertion) {
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .atMost(DEADLINE)
                .untilAsserted(assertion);
    }
}
