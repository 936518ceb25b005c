package io.github.kobe.spring;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;

/**
 * Makes further executors, as complete as the one of the starter. A bean of this type is there to be injected.
 *
 * <pre>{@code
 * @Bean(defaultCandidate = false)
 * GroupExecutor exports(GroupExecutorBuilder builder) {
 *     return builder.build("exports", GroupPolicy.builder().globalMaxInFlight(10).build());
 * }
 * }</pre>
 *
 * <p>What goes along with work and what watches it is added to the policy: context propagation and the decorators,
 * listeners and tracers that are beans, meters and observations. What decides on work is the policy's alone: settings,
 * {@link GroupPolicyCustomizer}s, rejection handler and resolver of the application are for the starter's own executor.
 * As every {@link GroupExecutor} bean, what is made here is drained when the application context closes.
 *
 * <p>Safe for use by many threads.
 *
 * @since 0.1
 */
public interface GroupExecutorBuilder {

    /**
     * Makes an executor.
     *
     * @param beanName the name of its bean, by which meters, observations and the endpoint tell it from others
     * @param policy its limits, and what else it is to have
     * @return a new executor
     */
    GroupExecutor build(String beanName, GroupPolicy policy);
}
