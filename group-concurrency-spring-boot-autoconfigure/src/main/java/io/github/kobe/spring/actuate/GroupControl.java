package io.github.kobe.spring.actuate;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupStats;
import io.github.kobe.InvalidPolicyException;
import io.github.kobe.WaitReason;
import io.github.kobe.spring.internal.endpoint.RefusedRequestException;
import io.github.kobe.spring.internal.executors.BusiestGroups;
import io.github.kobe.spring.internal.settings.LimitSetting;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** What the endpoint does with one executor. */
final class GroupControl {

    private static final Log LOGGER = LogFactory.getLog(GroupControl.class);

    /** Orders groups by how long their permits are held. */
    private static final String HOLD = "hold";

    private static final int MOST_WAITERS = 10;

    /** How many of those that wait are asked what they hold. */
    private static final int MOST_SEARCHED = 100;

    private final GroupExecutor executor;
    private final String instance;

    GroupControl(GroupExecutor executor, String instance) {
        this.executor = executor;
        this.instance = instance;
    }

    /**
     * Shows the first groups of an order.
     *
     * @param search what their keys contain, in letters of either case; null: any
     * @param sort which of them come first; null: the busiest
     * @param offset how many of these to leave out
     * @param limit how many to show at most
     */
    GroupExecutorReport showAll(@Nullable String search, @Nullable String sort, int offset, int limit) {
        String text = search == null ? "" : search.toLowerCase(Locale.ROOT);
        Predicate<GroupStats> found = text.isEmpty()
                ? group -> true
                : group -> group.groupKey().toLowerCase(Locale.ROOT).contains(text);
        Map<String, Duration> holds = HOLD.equals(sort) ? executor.longestHolds() : Map.of();
        BusiestGroups groups = BusiestGroups.of(executor, found, order(sort, holds), offset, limit);
        Map<String, GroupReport> shown = new LinkedHashMap<>();
        for (GroupStats group : groups.shown()) {
            shown.putIfAbsent(
                    PrintableText.wellFormed(group.groupKey()), GroupReport.of(group, holds.get(group.groupKey())));
        }
        GroupExecutorStats all = executor.stats();
        return new GroupExecutorReport(
                instance,
                GroupExecutorReport.Global.of(all, groups.oldestWait(), executor.isShutdown()),
                executor.cluster().map(GroupExecutorReport.Cluster::of).orElse(null),
                shown,
                GroupReport.Totals.of(all.totals()),
                groups.before() + groups.shown().size() + groups.others(),
                groups.others() > 0);
    }

    /**
     * {@return what the groups are shown by, the largest first}
     *
     * @param holds how long the longest holder of each has had its permit; empty unless that is the order
     */
    private static ToLongFunction<GroupStats> order(@Nullable String sort, Map<String, Duration> holds) {
        return switch (sort) {
            case null -> BusiestGroups.LOAD;
            case "load" -> BusiestGroups.LOAD;
            case "rejected" -> BusiestGroups.REJECTED;
            case HOLD ->
                group -> holds.getOrDefault(group.groupKey(), Duration.ZERO).toNanos();
            default ->
                throw RefusedRequestException.badRequest(
                        "there is no such order", "sort", sort, "load, rejected or hold");
        };
    }

    GroupReport show(String groupKey, boolean withHolders, boolean withExplanation, boolean withNodes) {
        GroupStats group = find(groupKey);
        GroupReport.Share share = GroupReport.Share.of(group);
        return GroupReport.of(
                group,
                instance,
                heldUp(group),
                null,
                withNodes && share != null ? nodes(groupKey, share) : share,
                withHolders
                        ? executor.holders(groupKey).stream()
                                .map(GroupReport.Holder::of)
                                .toList()
                        : null,
                withHolders
                        ? executor.waiters(groupKey, MOST_WAITERS).stream()
                                .map(GroupReport.Waiter::of)
                                .toList()
                        : null,
                withExplanation ? GroupReport.Explanation.of(executor, groupKey) : null);
    }

    /** {@return what is held up while work of a group waits for its rate, by the first of those that wait; null: nothing} */
    private @Nullable Set<String> heldUp(GroupStats group) {
        if (group.waitsFor().filter(WaitReason.RATE::equals).isEmpty()) {
            return null;
        }
        Set<String> keys = new TreeSet<>();
        executor.waiters(group.groupKey(), MOST_SEARCHED)
                .forEach(waiter ->
                        waiter.inside().stream().map(PrintableText::wellFormed).forEach(keys::add));
        return keys.isEmpty() ? null : keys;
    }

    /** Asks the store, for as long as that takes at most. */
    private GroupReport.Share nodes(String groupKey, GroupReport.Share known) {
        try {
            return known.with(executor.cluster().orElseThrow().look(groupKey).toCompletableFuture().join().stream()
                    .map(GroupReport.Node::of)
                    .toList());
        } catch (CompletionException away) {
            LOGGER.debug("The store could not say which instances have how much of a group.", away.getCause());
            return known.without(reason(away.getCause()));
        }
    }

    private static String reason(@Nullable Throwable failure) {
        String message = failure == null ? null : failure.getMessage();
        return message == null ? "it gives no reason" : PrintableText.wellFormed(message);
    }

    /** Does what a request asks for. */
    void change(String key, String action, LimitsRequest limits, @Nullable String period) {
        requireOneGroup(key);
        int longest = executor.policy().maxKeyLength();
        if (key.length() > longest) {
            throw RefusedRequestException.badRequest(
                    "the key is too long", "group", key, "at most " + longest + " characters");
        }
        if (!action.equals("set") && !limits.isEmpty()) {
            throw RefusedRequestException.badRequest(
                    "limits are allowed only with the action set", "action", action, "set, or no limits");
        }
        Duration lasts = period(action, period);
        switch (action) {
            case "set" -> set(key, limits, lasts);
            case "pause" -> executor.pause(key, lasts);
            case "resume" -> executor.resume(find(key).groupKey());
            case "reset" -> executor.resetLimits(find(key).groupKey());
            default ->
                throw RefusedRequestException.badRequest(
                        "there is no such action", "action", action, "set, pause, resume or reset");
        }
    }

    private static Duration period(String action, @Nullable String text) {
        if (text == null) {
            return GroupLimits.NO_TIMEOUT;
        }
        if (!action.equals("set") && !action.equals("pause")) {
            throw RefusedRequestException.badRequest(
                    "a period is allowed only with the actions set and pause", "action", action, "set or pause");
        }
        try {
            Duration period = LimitSetting.duration(text);
            if (period.isPositive()) {
                return period;
            }
        } catch (IllegalArgumentException otherForm) {
            // Refused below, as one that isn't positive is.
        }
        throw RefusedRequestException.badRequest(
                "the period can't be read, or is not more than zero",
                "period",
                text,
                "a duration more than zero, such as 500ms, 30m or PT30M");
    }

    void evict(String key) {
        GroupStats unused = find(key);
        executor.evictGroup(key);
    }

    /** {@return a group, with nothing that has to be requested; null: there is none} */
    @Nullable
    GroupReport report(String key) {
        return executor.groupStats(key)
                .map(group ->
                        GroupReport.of(group, instance, null, null, GroupReport.Share.of(group), null, null, null))
                .orElse(null);
    }

    private GroupStats find(String key) {
        return executor.groupStats(key)
                .orElseThrow(() -> RefusedRequestException.notFound(
                        "there is no such group",
                        "group",
                        key,
                        "a group that is in use, overridden, or configured by its exact key"));
    }

    /** What has a star is most likely a pattern, and would change nobody; unless there is a group of that very key. */
    private void requireOneGroup(String key) {
        if (key.indexOf('*') >= 0 && executor.groupStats(key).isEmpty()) {
            throw RefusedRequestException.badRequest(
                    "a pattern can't be changed here",
                    "group",
                    key,
                    "the key of one group; to change a pattern, change the settings and have them read again");
        }
    }

    private void set(String key, LimitsRequest limits, Duration period) {
        if (limits.isEmpty()) {
            throw RefusedRequestException.badRequest(
                    "no limit is given",
                    LimitSetting.MAX_CONCURRENCY.field(),
                    null,
                    "at least one of "
                            + Arrays.stream(LimitSetting.values())
                                    .filter(limit -> limit != LimitSetting.CLUSTER_MAX_IN_FLIGHT)
                                    .map(LimitSetting::field)
                                    .collect(Collectors.joining(", ")));
        }
        try {
            executor.updateLimits(key, limits::over, period);
        } catch (InvalidPolicyException refusal) {
            String field = refusal.setting().replaceFirst("\\..*", ""); // a rate has parts
            throw RefusedRequestException.badRequest(
                    refusal.setting() + " must be " + refusal.allowed(),
                    field,
                    limits.given().get(field),
                    refusal.allowed());
        }
    }
}
