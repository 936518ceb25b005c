package io.github.kobe.spring.actuate;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.Rate;
import io.github.kobe.cluster.ClusterState;
import io.github.kobe.cluster.OnStoreLoss;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All groups of an executor at one moment.
 *
 * @param instance which instance of the application answers: its host's name and its process id
 * @param global all groups together
 * @param cluster how the executor stands with the store of its limits over all instances; null: it shares none
 * @param groups the first groups of the requested order, by key
 * @param totals since the executor was made
 * @param found how many groups match the request, on all pages
 * @param truncated whether there are more groups after these
 */
public record GroupExecutorReport(
        String instance,
        Global global,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Cluster cluster,
        Map<String, GroupReport> groups,
        GroupReport.Totals totals,
        int found,
        boolean truncated) {

    /**
     * How the executor stands with the store of its limits over all instances.
     *
     * @param state what that means for its work
     * @param since since when
     * @param nodes how many instances there are, as last heard
     * @param epoch the epoch of the store
     * @param learningLeft how long the store grants nothing yet; null: it grants
     * @param lastAnswer how long ago it last answered; null: it never did
     * @param onStoreLoss what starts while it is away
     * @param alone whether the executor goes by its own numbers, since it is away
     * @param reason why it didn't answer, or refused, the last time; null: it has answered
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Cluster(
            ClusterState.Kind state,
            Instant since,
            int nodes,
            long epoch,
            @Nullable Duration learningLeft,
            @Nullable Duration lastAnswer,
            OnStoreLoss onStoreLoss,
            boolean alone,
            @Nullable String reason) {

        static Cluster of(io.github.kobe.cluster.Cluster cluster) {
            ClusterState state = cluster.state();
            return new Cluster(
                    state.kind(),
                    state.since(),
                    state.nodes(),
                    state.epoch(),
                    state.learning().isZero() ? null : state.learning(),
                    state.silence().orElse(null),
                    cluster.settings().onStoreLoss(),
                    state.alone(),
                    state.reason().map(PrintableText::wellFormed).orElse(null));
        }
    }

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
     * @param rate how far the rate over all groups is used up; null: there is none
     * @param shutdown whether the executor is shut down, so that it refuses all work
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
            @Nullable Integer queueThreshold,
            @JsonInclude(JsonInclude.Include.NON_NULL) GroupReport.@Nullable RateUse rate,
            @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean shutdown) {

        static Global of(GroupExecutorStats stats, Duration oldestWait, boolean shutdown) {
            Rate rate = stats.globalRate();
            return new Global(
                    stats.running(),
                    stats.inFlight(),
                    stats.queued(),
                    oldestWait.isZero() ? null : oldestWait,
                    stats.groups(),
                    GroupReport.numberOf(stats.globalMaxInFlight()),
                    stats.globalHeadroom(),
                    GroupReport.numberOf(stats.globalQueueThreshold()),
                    rate.isUnlimited()
                            ? null
                            : GroupReport.RateUse.of(
                                    rate,
                                    stats.globalRateUsed(),
                                    stats.nextStartIn().orElse(Duration.ZERO)),
                    shutdown);
        }
    }
}
