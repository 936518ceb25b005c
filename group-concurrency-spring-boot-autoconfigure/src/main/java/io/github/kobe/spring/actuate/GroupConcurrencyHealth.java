package io.github.kobe.spring.actuate;

import io.github.kobe.GroupExecutor;
import io.github.kobe.RuleStats;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The health of the executors, which names no group, without Spring Boot's classes for it, which moved between its versions. */
final class GroupConcurrencyHealth {

    private final Supplier<Map<String, GroupExecutor>> executors;
    private final @Nullable Duration oldestWait;
    private final @Nullable Integer mostQueued;

    GroupConcurrencyHealth(Supplier<Map<String, GroupExecutor>> executors, GroupConcurrencyProperties.Health settings) {
        this.executors = executors;
        this.oldestWait = settings.oldestWait();
        this.mostQueued = settings.queue();
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
            details.put(named.getKey(), ofExecutor);
        }
        return new Reading(inService, details);
    }

    private boolean isWithin(Duration oldest, long queued) {
        return (oldestWait == null || oldest.compareTo(oldestWait) <= 0)
                && (mostQueued == null || queued <= mostQueued);
    }

    /**
     * How the executors are.
     *
     * @param inService whether none is past what the settings allow
     * @param details by the names of their beans
     */
    record Reading(boolean inService, Map<String, Object> details) {}
}
