package io.github.kobe.spring.actuate;

import io.github.kobe.GroupExecutor;
import io.github.kobe.RuleStats;
import io.github.kobe.cluster.Cluster;
import io.github.kobe.cluster.ClusterState;
import io.github.kobe.cluster.OnStoreLoss;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The health of the executors, which names no group, without Spring Boot's classes for it, which moved between its versions. */
final class GroupConcurrencyHealth {

    private final Supplier<Map<String, GroupExecutor>> executors;
    private final @Nullable Duration oldestWait;
    private final @Nullable Integer mostQueued;
    private final @Nullable Duration clusterLoss;

    GroupConcurrencyHealth(Supplier<Map<String, GroupExecutor>> executors, GroupConcurrencyProperties.Health settings) {
        this.executors = executors;
        this.oldestWait = settings.oldestWait();
        this.mostQueued = settings.queue();
        this.clusterLoss = settings.clusterLoss();
    }

    /** {@return how things are now} */
    Reading read() {
        boolean inService = true;
        Map<String, Object> details = new LinkedHashMap<>();
        for (Map.Entry<String, GroupExecutor> named : executors.get().entrySet()) {
            GroupExecutor executor = named.getValue();
            long queued = executor.stats().queued();
            Duration oldest = Duration.ZERO;
            long paused = 0;
            for (RuleStats rule : executor.ruleStats()) {
                oldest = rule.oldestWait().compareTo(oldest) > 0 ? rule.oldestWait() : oldest;
                paused += rule.pausedGroups();
            }
            inService &= isWithin(oldest, queued);
            Map<String, Object> ofExecutor = new LinkedHashMap<>();
            ofExecutor.put("queued", queued);
            ofExecutor.put("oldestWait", oldest.toString());
            ofExecutor.put("paused", paused);
            Cluster cluster = executor.cluster().orElse(null);
            if (cluster != null) {
                ClusterState state = cluster.state();
                inService &= isWithin(state);
                ofExecutor.put("cluster", details(state, cluster.settings().onStoreLoss()));
            }
            details.put(named.getKey(), ofExecutor);
        }
        return new Reading(inService, details);
    }

    private boolean isWithin(Duration oldest, long queued) {
        return (oldestWait == null || oldest.compareTo(oldestWait) <= 0)
                && (mostQueued == null || queued <= mostQueued);
    }

    private boolean isWithin(ClusterState state) {
        return clusterLoss == null
                || state.kind() != ClusterState.Kind.LOST
                || Duration.between(state.since(), Instant.now()).compareTo(clusterLoss) <= 0;
    }

    private static Map<String, Object> details(ClusterState state, OnStoreLoss onStoreLoss) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("state", state.kind());
        details.put("since", state.since().toString());
        details.put("onStoreLoss", onStoreLoss);
        details.put("nodes", state.nodes());
        state.reason().ifPresent(reason -> details.put("reason", reason));
        return details;
    }

    /**
     * How the executors are.
     *
     * @param inService whether none is past what the settings allow
     * @param details by the names of their beans
     */
    record Reading(boolean inService, Map<String, Object> details) {}
}
