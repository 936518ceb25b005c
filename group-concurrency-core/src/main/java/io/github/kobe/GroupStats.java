package io.github.kobe;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The statistics of one group at one moment. The numbers are read one after the other, without a lock: they are exact
 * at rest, and close while work starts and ends.
 *
 * @param groupKey the group
 * @param running tasks whose code runs, their permits not lent
 * @param inFlight tasks started and not finished
 * @param queued tasks and callers that wait
 * @param maxConcurrency how many may run at once
 * @param maxInFlight how many may be in flight; {@link Integer#MAX_VALUE}: no limit
 * @param queueThreshold how many may wait; {@link Integer#MAX_VALUE}: no limit
 * @param queueTimeout how long a task or caller may wait; {@link GroupLimits#NO_TIMEOUT}: no limit
 * @param weight how many may start in one turn
 * @param rule the exact key or the pattern of the policy that the group falls under
 * @param overriddenSince when limits were last set by {@link GroupExecutor#setLimits}, if they are in force
 * @param oldestWait how long the first in the queue has waited; zero if none waits
 * @param paused whether the group starts nothing
 * @param totals since the group was first used, was evicted, or was forgotten as idle
 * @since 0.1.0
 */
public record GroupStats(
        String groupKey,
        int running,
        int inFlight,
        int queued,
        EffectiveLimit<Integer> maxConcurrency,
        EffectiveLimit<Integer> maxInFlight,
        EffectiveLimit<Integer> queueThreshold,
        EffectiveLimit<Duration> queueTimeout,
        EffectiveLimit<Integer> weight,
        Optional<String> rule,
        Optional<Instant> overriddenSince,
        Duration oldestWait,
        boolean paused,
        TaskTotals totals) {}
