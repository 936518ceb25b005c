package io.github.kobe;

/**
 * The statistics of all groups together at one moment. The numbers are read one after the other, without a lock: they
 * are exact at rest, and close while work starts and ends.
 *
 * @param running tasks whose code runs, their permits not lent; a thread nested in several groups counts in each
 * @param inFlight tasks started and not finished; a thread nested in several groups counts once
 * @param queued tasks and callers that wait
 * @param groups groups that the engine knows, idle ones included
 * @param globalMaxInFlight how many may be in flight; {@link Integer#MAX_VALUE}: no limit
 * @param globalQueueThreshold how many may wait; {@link Integer#MAX_VALUE}: no limit
 * @param totals since the executor was made, removed groups included
 * @since 0.1.0
 */
public record GroupExecutorStats(
        long running,
        long inFlight,
        long queued,
        int groups,
        int globalMaxInFlight,
        int globalQueueThreshold,
        TaskTotals totals) {}
