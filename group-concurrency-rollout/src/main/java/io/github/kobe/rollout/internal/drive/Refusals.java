package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.RolloutEvent;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs what the sink of this node refuses: of each plan the first refusal, and then the number of those since, at most once a
 * minute. Outlives the drives of a plan, each of which may see one refusal. Thread-safe.
 */
final class Refusals {

    private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);

    private static final Duration QUIET = Duration.ofMinutes(1);

    /** Longer than two tries of the same event are apart. */
    private static final Duration FORGOTTEN = Duration.ofMinutes(5);

    private final Map<PlanId, Count> counts = new ConcurrentHashMap<>();

    private record Count(int unlogged, long loggedAt) {

        boolean isOlderThan(Duration age) {
            return System.nanoTime() - loggedAt >= age.toNanos();
        }
    }

    void add(RolloutEvent event, Throwable why) {
        counts.values().removeIf(count -> count.isOlderThan(FORGOTTEN));
        Count before = counts.getOrDefault(event.planId(), new Count(0, System.nanoTime() - QUIET.toNanos()));
        Count after = new Count(before.unlogged() + 1, before.loggedAt());
        if (after.isOlderThan(QUIET)) {
            LOG.warn(
                    "The sink has refused an event of {} ({} so far, or since this was logged last), now {}; it is"
                            + " tried again, and the events after it wait",
                    event.planId(),
                    after.unlogged(),
                    nameOf(event),
                    why);
            after = new Count(0, System.nanoTime());
        }
        counts.put(event.planId(), after);
    }

    /** {@return what an event is called in logs} */
    static String nameOf(RolloutEvent event) {
        Object subject = event.taskId() == null ? event.planId() : event.taskId();
        return subject + " #" + event.sequenceId() + ", "
                + event.occurrence().getClass().getSimpleName();
    }
}
