package io.github.kobe.spring.endpoint;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupStats;
import io.github.kobe.InvalidPolicyException;
import io.github.kobe.LimitSource;
import io.github.kobe.spring.text.PrintableText;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** What the endpoint does with one executor. */
final class GroupControl {

    private static final int DEFAULT_LIMIT = 100;

    private static final Comparator<GroupStats> BUSIEST_FIRST = Comparator.comparingLong(
                    (GroupStats group) -> -((long) group.running() + group.queued()))
            .thenComparing(GroupStats::groupKey);

    private final GroupExecutor executor;

    GroupControl(GroupExecutor executor) {
        this.executor = executor;
    }

    WebEndpointResponse<Object> showAll(@Nullable String limit) {
        int most = atLeastOne(limit);
        List<GroupStats> groups = executor.groupKeys().stream()
                .flatMap(key -> executor.groupStats(key).stream())
                .sorted(BUSIEST_FIRST)
                .toList();
        Map<String, GroupReport> shown = new LinkedHashMap<>();
        groups.stream()
                .limit(most)
                .forEach(group -> shown.putIfAbsent(PrintableText.wellFormed(group.groupKey()), GroupReport.of(group)));
        GroupExecutorStats all = executor.stats();
        return new WebEndpointResponse<>(new GroupExecutorReport(
                GroupExecutorReport.Global.of(all), shown, GroupReport.Totals.of(all.totals()), groups.size() > most));
    }

    WebEndpointResponse<Object> show(String groupKey) {
        return new WebEndpointResponse<>(report(groupKey));
    }

    WebEndpointResponse<Object> change(@Nullable String groupKey, @Nullable String action, LimitsRequest limits) {
        String key = required(groupKey);
        if (action != null && !action.equals("set") && !limits.isEmpty()) {
            throw RefusedRequestException.badRequest(
                    "limits go with the action set only", "action", action, "set, or no limits");
        }
        switch (action == null ? "set" : action) {
            case "set" -> set(key, limits);
            case "pause" -> executor.pause(key);
            case "resume" -> executor.resume(key);
            case "reset" -> executor.resetLimits(key);
            default ->
                throw RefusedRequestException.badRequest(
                        "there is no such action", "action", action, "set, pause, resume or reset");
        }
        return new WebEndpointResponse<>(report(key));
    }

    WebEndpointResponse<Object> evict(@Nullable String groupKey) {
        String key = required(groupKey);
        report(key);
        executor.evictGroup(key);
        return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
    }

    private void set(String key, LimitsRequest limits) {
        if (limits.isEmpty()) {
            throw RefusedRequestException.badRequest(
                    "no limit is given",
                    "maxConcurrency",
                    null,
                    "at least one of maxConcurrency, maxInFlight, queueThreshold, queueTimeout, weight");
        }
        try {
            executor.setLimits(key, limits.over(overrideOf(key)));
        } catch (InvalidPolicyException refusal) {
            throw RefusedRequestException.badRequest(
                    refusal.setting() + " must be " + refusal.allowed(),
                    refusal.setting(),
                    limits.valueOf(refusal.setting()),
                    refusal.allowed());
        }
    }

    /** What was set before, since the engine takes all that is to be set at once. */
    private GroupLimits overrideOf(String key) {
        return executor.groupStats(key)
                .map(group -> {
                    GroupLimits limits = GroupLimits.unset();
                    limits = isOverridden(group.maxConcurrency())
                            ? limits.withMaxConcurrency(group.maxConcurrency().value())
                            : limits;
                    limits = isOverridden(group.maxInFlight())
                            ? limits.withMaxInFlight(group.maxInFlight().value())
                            : limits;
                    limits = isOverridden(group.queueThreshold())
                            ? limits.withQueueThreshold(group.queueThreshold().value())
                            : limits;
                    limits = isOverridden(group.queueTimeout())
                            ? limits.withQueueTimeout(group.queueTimeout().value())
                            : limits;
                    return isOverridden(group.weight())
                            ? limits.withWeight(group.weight().value())
                            : limits;
                })
                .orElse(GroupLimits.unset());
    }

    private static boolean isOverridden(EffectiveLimit<?> limit) {
        return limit.source() == LimitSource.OVERRIDDEN;
    }

    private GroupReport report(String key) {
        return executor.groupStats(key)
                .map(GroupReport::of)
                .orElseThrow(() -> RefusedRequestException.notFound(
                        "there is no such group",
                        "group",
                        key,
                        "a group that is in use, overridden, or configured by its exact key"));
    }

    private static String required(@Nullable String groupKey) {
        if (groupKey == null || groupKey.isBlank()) {
            throw RefusedRequestException.badRequest("no group is given", "group", groupKey, "the key of a group");
        }
        return groupKey;
    }

    private static int atLeastOne(@Nullable String limit) {
        if (limit == null) {
            return DEFAULT_LIMIT;
        }
        try {
            int number = Integer.parseInt(limit);
            if (number >= 1) {
                return number;
            }
        } catch (NumberFormatException noNumber) {
            // Refused below, as a number that is too small is.
        }
        throw RefusedRequestException.badRequest("limit is out of its range", "limit", limit, "at least 1");
    }
}
