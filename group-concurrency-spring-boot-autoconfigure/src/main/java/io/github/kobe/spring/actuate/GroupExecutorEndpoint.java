package io.github.kobe.spring.actuate;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.internal.endpoint.ChangeAudit;
import io.github.kobe.spring.internal.endpoint.RefusedRequestException;
import io.github.kobe.spring.internal.endpoint.RequestedValue;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.lang.Nullable;

/**
 * The endpoint {@code /actuator/groupexecutor}: shows groups and, if write access is enabled, changes their limits.
 *
 * <p>Parameters are strings, so that a bad one can be refused with the reason. They have Spring's own
 * annotation, since Spring Boot 3 knows no other for optional parameters. Safe for use by many threads.
 */
@WebEndpoint(id = GroupExecutorEndpoint.ID, defaultAccess = Access.READ_ONLY)
public class GroupExecutorEndpoint {

    static final String ID = "groupexecutor";

    private static final String EVENT_TYPE = "GROUP_EXECUTOR_CHANGE";

    private final NamedExecutors executors;
    private final String instance;
    private final ChangeAudit audit;

    /**
     * Makes an endpoint.
     *
     * @param executors all executors, by the names of their beans
     * @param defaultExecutor the name of the executor for requests that name none; empty: there is none
     * @param instance the name of this instance of the application, which is in each answer
     * @param events publishes each change, as an {@code AuditApplicationEvent}
     */
    public GroupExecutorEndpoint(
            Supplier<Map<String, GroupExecutor>> executors,
            String defaultExecutor,
            String instance,
            ApplicationEventPublisher events) {
        this.instance = instance;
        this.executors = new NamedExecutors(executors, defaultExecutor);
        this.audit = new ChangeAudit(events, EVENT_TYPE, GroupExecutorEndpoint.class);
    }

    /**
     * Shows the first groups of an order, or one.
     *
     * @param group the key of one group; none: all groups
     * @param search a text that the keys contain, ignoring case; none: any
     * @param sort load: those with the most running and queued first; rejected: those that have refused most;
     *     hold: those of which a permit is held longest; none: load
     * @param offset how many of the first to skip, at least 0; none: 0
     * @param limit how many groups to show at most, at least 1; none: 100
     * @param holders true: who has the permits of the one group, and who waits for them
     * @param explain true: which rules the one group's limits come from
     * @param cluster true: which instances have how much of the one group's limit over all of them, as the store says
     * @param executor the executor's name; none: the default one
     * @return a {@link GroupExecutorReport} or {@link GroupReport}
     * @throws RuntimeException as all operations do, if it is refused
     */
    @ReadOperation
    public Object groups(
            @Nullable String group,
            @Nullable String search,
            @Nullable String sort,
            @Nullable String offset,
            @Nullable String limit,
            @Nullable String holders,
            @Nullable String explain,
            @Nullable String cluster,
            @Nullable String executor) {
        if (group != null) {
            return group(new String[] {group}, holders, explain, cluster, executor);
        }
        if (RequestedValue.flag("holders", holders, false)
                || RequestedValue.flag("explain", explain, false)
                || RequestedValue.flag("cluster", cluster, false)) {
            throw RefusedRequestException.badRequest(
                    "this is available for one group only", "group", null, "the key of a group");
        }
        return control(executors.find(executor))
                .showAll(search, sort, RequestedValue.offset(offset), RequestedValue.limit(limit));
    }

    /**
     * Shows one group.
     *
     * @param keyInPath the rest of the path, which is the group's key
     * @param holders true: who has the permits, and who waits for them
     * @param explain true: which rules the limits come from
     * @param cluster true: which instances have how much of the limit over all of them, as the store says
     * @param executor the executor's name; none: the default one
     * @return the group
     */
    @ReadOperation
    public GroupReport group(
            @Selector(match = Selector.Match.ALL_REMAINING) String[] keyInPath,
            @Nullable String holders,
            @Nullable String explain,
            @Nullable String cluster,
            @Nullable String executor) {
        return control(executors.find(executor))
                .show(
                        keyOf(keyInPath),
                        RequestedValue.flag("holders", holders, false),
                        RequestedValue.flag("explain", explain, false),
                        RequestedValue.flag("cluster", cluster, false));
    }

    /**
     * Changes a group.
     *
     * @param security the caller
     * @param group the group's key
     * @param action set, pause, resume or reset; none: set
     * @param maxConcurrency how many tasks may run at once; none: unchanged
     * @param maxInFlight how many may be in flight; none: unchanged
     * @param queueThreshold how many may wait; none: unchanged
     * @param queueTimeout how long a task or caller may wait; none: unchanged
     * @param weight how much it may hold of the global limit, compared with others; none: unchanged
     * @param guaranteed how many are to be in flight before others get more; none: unchanged
     * @param clusterMaxInFlight none: only the settings can change what holds over all instances
     * @param rate how much starts in any window of time, as 60 per 1m burst 6; none: unchanged
     * @param period with set and pause: after which time that ends by itself; none: it doesn't
     * @param executor the executor's name; none: the default one
     * @return the group after the change; null: none is left
     */
    @WriteOperation
    public @Nullable GroupReport change(
            SecurityContext security,
            @Nullable String group,
            @Nullable String action,
            @Nullable String maxConcurrency,
            @Nullable String maxInFlight,
            @Nullable String queueThreshold,
            @Nullable String queueTimeout,
            @Nullable String weight,
            @Nullable String guaranteed,
            @Nullable String clusterMaxInFlight,
            @Nullable String rate,
            @Nullable String period,
            @Nullable String executor) {
        String key = required(group);
        String todo = action == null ? "set" : action;
        NamedExecutors.Named found = executors.find(executor);
        LimitsRequest limits = new LimitsRequest(
                maxConcurrency,
                maxInFlight,
                queueThreshold,
                queueTimeout,
                weight,
                guaranteed,
                clusterMaxInFlight,
                rate);
        control(found).change(key, todo, limits, period);
        changed(security, found.name(), key, todo, limits.given(), period);
        return control(found).report(key);
    }

    /**
     * Changes a group.
     *
     * @param security the caller
     * @param keyInPath the rest of the path, which is the group's key
     * @param group the group's key again, or none
     * @param action set, pause, resume or reset; none: set
     * @param maxConcurrency how many tasks may run at once; none: unchanged
     * @param maxInFlight how many may be in flight; none: unchanged
     * @param queueThreshold how many may wait; none: unchanged
     * @param queueTimeout how long a task or caller may wait; none: unchanged
     * @param weight how much it may hold of the global limit, compared with others; none: unchanged
     * @param guaranteed how many are to be in flight before others get more; none: unchanged
     * @param clusterMaxInFlight none: only the settings can change what holds over all instances
     * @param rate how much starts in any window of time, as 60 per 1m burst 6; none: unchanged
     * @param period with set and pause: after which time that ends by itself; none: it doesn't
     * @param executor the executor's name; none: the default one
     * @return the group after the change; null: none is left
     */
    @WriteOperation
    public @Nullable GroupReport changeGroup(
            SecurityContext security,
            @Selector(match = Selector.Match.ALL_REMAINING) String[] keyInPath,
            @Nullable String group,
            @Nullable String action,
            @Nullable String maxConcurrency,
            @Nullable String maxInFlight,
            @Nullable String queueThreshold,
            @Nullable String queueTimeout,
            @Nullable String weight,
            @Nullable String guaranteed,
            @Nullable String clusterMaxInFlight,
            @Nullable String rate,
            @Nullable String period,
            @Nullable String executor) {
        String key = keyOf(keyInPath);
        if (group != null && !group.equals(key)) {
            throw RefusedRequestException.badRequest(
                    "the path names another group", "group", group, "the key of the path, or none");
        }
        return change(
                security,
                key,
                action,
                maxConcurrency,
                maxInFlight,
                queueThreshold,
                queueTimeout,
                weight,
                guaranteed,
                clusterMaxInFlight,
                rate,
                period,
                executor);
    }

    /**
     * Forgets what is known of a group: override, pause and counters.
     *
     * @param security the caller
     * @param group the group's key
     * @param executor the executor's name; none: the default one
     * @return nothing
     */
    @DeleteOperation
    public WebEndpointResponse<Void> evict(
            SecurityContext security, @Nullable String group, @Nullable String executor) {
        String key = required(group);
        NamedExecutors.Named found = executors.find(executor);
        control(found).evict(key);
        changed(security, found.name(), key, "evict", Map.of(), null);
        return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
    }

    /**
     * Forgets what is known of a group: override, pause and counters.
     *
     * @param security the caller
     * @param keyInPath the rest of the path, which is the group's key
     * @param executor the executor's name; none: the default one
     * @return nothing
     */
    @DeleteOperation
    public WebEndpointResponse<Void> evictGroup(
            SecurityContext security,
            @Selector(match = Selector.Match.ALL_REMAINING) String[] keyInPath,
            @Nullable String executor) {
        return evict(security, keyOf(keyInPath), executor);
    }

    private void changed(
            SecurityContext security,
            String executorName,
            String groupKey,
            String action,
            Map<String, String> limits,
            @Nullable String period) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("executor", executorName);
        data.put("group", groupKey);
        data.put("action", action);
        if (!limits.isEmpty()) {
            data.put("limits", new LinkedHashMap<>(limits));
        }
        if (period != null) {
            data.put("period", period);
        }
        String what = "Group '" + PrintableText.ofKey(groupKey) + "' of " + executorName + ": " + action
                + (limits.isEmpty() ? "" : " " + limits) + (period == null ? "" : " for " + period);
        audit.changed(ChangeAudit.nameOf(security), what, data);
    }

    private GroupControl control(NamedExecutors.Named named) {
        return new GroupControl(named.executor(), instance);
    }

    private static String keyOf(String[] path) {
        return RequestedValue.inPath("group", path, "one key; one with a slash is given as group");
    }

    private static String required(@Nullable String groupKey) {
        if (groupKey == null || groupKey.isBlank()) {
            throw RefusedRequestException.badRequest("no group is given", "group", groupKey, "the key of a group");
        }
        return groupKey;
    }
}
