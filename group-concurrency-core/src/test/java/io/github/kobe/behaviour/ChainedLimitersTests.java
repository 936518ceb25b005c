package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.Rate;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A rate of the executor beside a limiter that callers ask before the executor, under the same requests. The limiter knows nothing
 * of permits: who waits for one in vain has used up a start.
 */
@Tag("RA3")
class ChainedLimitersTests {

    private static final int LIMIT = 60;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration BETWEEN_REQUESTS = Duration.ofMillis(500);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final String KEY = "partner";

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();
    private boolean isHeld;

    /** So many in any minute, exactly, by a log. */
    private static final class Limiter {

        private final Deque<Long> taken = new ArrayDeque<>();

        boolean tryTake(long now) {
            while (!taken.isEmpty() && now - taken.element() >= MINUTE.toNanos()) {
                taken.remove();
            }
            return taken.size() < LIMIT && taken.add(now);
        }
    }

    private GroupExecutor start(Rate rate) {
        return engines.start(
                GroupPolicy.builder()
                        .group(
                                KEY,
                                GroupLimits.unset()
                                        .withMaxConcurrency(1)
                                        .withQueueTimeout(PATIENCE)
                                        .withRate(rate))
                        .build(),
                clock);
    }

    private static long started(GroupExecutor executor) {
        return executor.groupStats(KEY).orElseThrow().totals().succeeded();
    }

    private void pass(GroupExecutor... executors) {
        clock.advance(BETWEEN_REQUESTS);
        for (GroupExecutor executor : executors) {
            clock.advance(Duration.ZERO, executor);
            Deadline.until(
                    "what may start has ended",
                    () -> executor.groupStats(KEY).orElseThrow().running() == (isHeld ? 1 : 0));
        }
    }

    @Test
    void aLimiterInFrontIsUsedUpByWorkThatNeverStartsAndTheExecutorsRateIsNot() throws Exception {
        Limiter limiter = new Limiter();
        GroupExecutor chained = start(Rate.UNLIMITED);
        GroupExecutor rated = start(Rate.of(LIMIT, MINUTE).withBurst(16));
        GroupPermit slowOfChained = chained.acquire(KEY);
        GroupPermit slowOfRated = rated.acquire(KEY);
        isHeld = true;

        for (int request = 0; request < 120; request++) {
            if (request == 60) { // the partner has been slow for half a minute
                slowOfChained.close();
                slowOfRated.close();
                isHeld = false;
            }
            if (limiter.tryTake(clock.getAsLong())) {
                chained.submit(KEY, "request", () -> "done");
            }
            rated.submit(KEY, "request", () -> "done");
            pass(chained, rated);
        }

        assertThat(started(chained))
                .as("those that waited when the partner was fast again")
                .isEqualTo(10);
        assertThat(started(rated)).as("and as many more as the rate allows").isBetween(35L, 42L);
        Deadline.until("nothing waits", () -> {
            pass(chained, rated);
            return rated.stats().queued() == 0;
        });
    }
}
