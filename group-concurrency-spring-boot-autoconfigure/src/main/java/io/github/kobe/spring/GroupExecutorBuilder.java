package io.github.kobe.spring;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;

/**
 * Makes further executors, with the same features as the starter's own. A bean of this type can be injected.
 *
 * <pre>{@code
 * @Bean(defaultCandidate = false)
 * GroupExecutor exports(GroupExecutorBuilder builder) {
 *     return builder.build("exports", GroupPolicy.builder().globalMaxInFlight(10).build());
 * }
 * }</pre>
 *
 * <p>The builder adds to the policy what accompanies or observes work: context propagation, the decorators, listeners
 * and tracers that are beans, meters and observations. Only the given policy decides about work: the application's
 * settings, {@link GroupPolicyCustomizer}s, rejection handler and resolver apply to the starter's own executor. Like
 * every {@link GroupExecutor} bean, these executors are drained when the application context closes.
 *
 * <p>Safe for use by many threads.
 *
 * @since 0.1
 */
public interface GroupExecutorBuilder {

    /**
     * Makes an executor.
     *
     * @param beanName the name of its bean, which identifies it in meters, observations and the endpoint
     * @param policy its limits, and its other settings
     * @return a new executor
     */
    GroupExecutor build(String beanName, GroupPolicy policy);
}
