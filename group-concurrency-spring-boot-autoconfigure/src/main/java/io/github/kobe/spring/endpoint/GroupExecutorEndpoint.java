package io.github.kobe.spring.endpoint;

import io.github.kobe.GroupExecutor;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.lang.Nullable;

/**
 * {@code /actuator/groupexecutor}: shows groups and, where it is opened for writing, changes their limits.
 *
 * <p>Parameters are taken as texts, so that a bad one is answered here, with the reason. Their annotation is Spring's
 * own, the only one by which Spring Boot 3 knows that a parameter may be left out.
 */
@WebEndpoint(id = "groupexecutor", defaultAccess = Access.READ_ONLY)
public class GroupExecutorEndpoint {

    private final Supplier<Map<String, GroupExecutor>> executors;
    private final String defaultExecutor;

    /**
     * Makes an endpoint.
     *
     * @param executors all executors, by the names of their beans
     * @param defaultExecutor the name of the one that is meant when a request names none
     */
    public GroupExecutorEndpoint(Supplier<Map<String, GroupExecutor>> executors, String defaultExecutor) {
        this.executors = executors;
        this.defaultExecutor = defaultExecutor;
    }

    /**
     * Shows the busiest groups, or one.
     *
     * @param group the key of one group; none: all groups
     * @param limit how many groups to show at most, at least 1; none: 100
     * @param executor the executor's name; none: the default one
     * @return a {@link GroupExecutorReport} or {@link GroupReport}, or a problem
     */
    @ReadOperation
    public WebEndpointResponse<Object> groups(
            @Nullable String group, @Nullable String limit, @Nullable String executor) {
        return answer(executor, control -> group == null ? control.showAll(limit) : control.show(group));
    }

    /**
     * Shows one group.
     *
     * @param key the group's key
     * @param executor the executor's name; none: the default one
     * @return a {@link GroupReport}, or a problem
     */
    @ReadOperation
    public WebEndpointResponse<Object> group(@Selector String key, @Nullable String executor) {
        return answer(executor, control -> control.show(key));
    }

    /**
     * Changes a group.
     *
     * @param group the group's key
     * @param action set, pause, resume or reset; none: set
     * @param maxConcurrency how many tasks may run at once; none: stays
     * @param maxInFlight how many may be in flight; none: stays
     * @param queueThreshold how many may wait; none: stays
     * @param queueTimeout how long one may wait; none: stays
     * @param weight how many may start in one turn; none: stays
     * @param executor the executor's name; none: the default one
     * @return the {@link GroupReport} after the change, or a problem
     */
    @WriteOperation
    public WebEndpointResponse<Object> change(
            @Nullable String group,
            @Nullable String action,
            @Nullable String maxConcurrency,
            @Nullable String maxInFlight,
            @Nullable String queueThreshold,
            @Nullable String queueTimeout,
            @Nullable String weight,
            @Nullable String executor) {
        LimitsRequest limits = new LimitsRequest(maxConcurrency, maxInFlight, queueThreshold, queueTimeout, weight);
        return answer(executor, control -> control.change(group, action, limits));
    }

    /**
     * Changes a group.
     *
     * @param key the group's key
     * @param action set, pause, resume or reset; none: set
     * @param maxConcurrency how many tasks may run at once; none: stays
     * @param maxInFlight how many may be in flight; none: stays
     * @param queueThreshold how many may wait; none: stays
     * @param queueTimeout how long one may wait; none: stays
     * @param weight how many may start in one turn; none: stays
     * @param executor the executor's name; none: the default one
     * @return the {@link GroupReport} after the change, or a problem
     */
    @WriteOperation
    public WebEndpointResponse<Object> changeGroup(
            @Selector String key,
            @Nullable String action,
            @Nullable String maxConcurrency,
            @Nullable String maxInFlight,
            @Nullable String queueThreshold,
            @Nullable String queueTimeout,
            @Nullable String weight,
            @Nullable String executor) {
        return change(key, action, maxConcurrency, maxInFlight, queueThreshold, queueTimeout, weight, executor);
    }

    /**
     * Forgets what is known of a group: override, pause and counters.
     *
     * @param group the group's key
     * @param executor the executor's name; none: the default one
     * @return nothing, or a problem
     */
    @DeleteOperation
    public WebEndpointResponse<Object> evict(@Nullable String group, @Nullable String executor) {
        return answer(executor, control -> control.evict(group));
    }

    /**
     * Forgets what is known of a group: override, pause and counters.
     *
     * @param key the group's key
     * @param executor the executor's name; none: the default one
     * @return nothing, or a problem
     */
    @DeleteOperation
    public WebEndpointResponse<Object> evictGroup(@Selector String key, @Nullable String executor) {
        return evict(key, executor);
    }

    private WebEndpointResponse<Object> answer(@Nullable String name, Operation operation) {
        try {
            Map<String, GroupExecutor> all = executors.get();
            GroupExecutor executor = all.get(name == null ? defaultExecutor : name);
            if (executor == null) {
                throw RefusedRequestException.badRequest(
                        name == null ? "there is more than one executor" : "there is no such executor",
                        "executor",
                        name,
                        "one of " + all.keySet());
            }
            return operation.on(new GroupControl(executor));
        } catch (RefusedRequestException refusal) {
            return refusal.toResponse();
        }
    }

    private interface Operation {
        WebEndpointResponse<Object> on(GroupControl control);
    }
}
