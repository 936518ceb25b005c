package io.github.kobe.spring.actuate;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.github.kobe.GroupExecutorStats;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All groups of an executor at one moment.
 *
 * @param instance which instance of the application answers: its host's name and its process id
 * @param global all groups together
 * @param groups the first groups of the requested order, by key
 * @param totals since the executor was made
 * @param found how many groups match the request, on all pages
 * @param truncated whether there are more groups after these
 */
public record GroupExecutorReport(
        String instance,
        Global global,
        Map<String, GroupReport> groups,
        GroupReport.Totals totals,
        int found,
        boolean truncated) {

    /**
     * All groups together.
     *
     * @param running tasks whose code runs
     * @param inFlight tasks started and not finished
     * @param queued tasks and callers that wait
     * @param oldestWait the longest time that any of those has waited so far; null if none waits
     * @param groups groups that the engine knows
     * @param maxInFlight how many may be in flight; null: no limit
     * @param headroom how many of the last free permits are only for groups that hold little
     * @param queueThreshold how many may wait; null: no limit
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Global(
            long running,
            long inFlight,
            long queued,
            @Nullable Duration oldestWait,
            int groups,
            @Nullable Integer maxInFlight,
            int headroom,
            @Nullable Integer queueThreshold) {

        static Global of(GroupExecutorStats stats, Duration oldestWait) {
            return new Global(
                    stats.running(),
                    stats.inFlight(),
                    stats.queued(),
                    oldestWait.isZero() ? null : oldestWait,
                    stats.groups(),
                    GroupReport.numberOf(stats.globalMaxInFlight()),
                    stats.globalHeadroom(),
                    GroupReport.numberOf(stats.globalQueueThreshold()));
        }
    }
}
