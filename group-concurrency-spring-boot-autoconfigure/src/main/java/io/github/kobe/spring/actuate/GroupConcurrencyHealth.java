package io.github.kobe.spring.actuate;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The health of the executors, without Spring Boot's classes for it, which moved between its versions. */
final class GroupConcurrencyHealth {

    private static final int MOST_PAUSED_TOLD = 20;

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
            int paused = 0;
            List<String> pausedGroups = new ArrayList<>();
            for (String key : executor.groupKeys()) {
                GroupStats group = executor.groupStats(key).orElse(null);
                if (group != null) {
                    oldest = group.oldestWait().compareTo(oldest) > 0 ? group.oldestWait() : oldest;
                    if (group.paused() && ++paused <= MOST_PAUSED_TOLD) {
                        pausedGroups.add(PrintableText.wellFormed(key));
                    }
                }
            }
            inService &= isWithin(oldest, queued);
            Map<String, Object> ofExecutor = new LinkedHashMap<>();
            ofExecutor.put("queued", queued);
            ofExecutor.put("oldestWait", oldest.toString());
            ofExecutor.put("paused", paused);
            ofExecutor.put("pausedGroups", pausedGroups.stream().sorted().toList());
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
