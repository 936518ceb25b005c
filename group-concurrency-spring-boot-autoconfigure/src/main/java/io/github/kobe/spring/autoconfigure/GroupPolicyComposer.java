package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupTaskDecorator;
import io.github.kobe.RejectionHandler;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskTracer;
import io.github.kobe.spring.GroupConcurrencyResolver;
import io.github.kobe.spring.GroupLimitsResolver;
import io.github.kobe.spring.GroupPolicyCustomizer;
import io.github.kobe.spring.internal.executors.ExecutorInstrumentation;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Adds the application's beans to policies. Beans that decide about work are for the starter's own executor; beans that
 * accompany or observe work are for each executor, in addition to those in its policy.
 */
final class GroupPolicyComposer {

    private static final Log LOGGER = LogFactory.getLog(GroupPolicyComposer.class);

    private final ObjectProvider<GroupPolicyCustomizer> customizers;
    private final ObjectProvider<RejectionHandler> rejectionHandler;
    private final ObjectProvider<GroupLimitsResolver> limits;
    private final ObjectProvider<GroupConcurrencyResolver> concurrency;
    private final ObjectProvider<TaskLifecycleListener> listeners;
    private final ObjectProvider<TaskTracer> tracers;
    private final ObjectProvider<GroupTaskDecorator> decorators;
    private final ObjectProvider<ExecutorInstrumentation> instrumentations;

    /**
     * Makes a composer.
     *
     * @param beans where the beans are
     */
    GroupPolicyComposer(BeanFactory beans) {
        customizers = beans.getBeanProvider(GroupPolicyCustomizer.class);
        rejectionHandler = beans.getBeanProvider(RejectionHandler.class);
        limits = beans.getBeanProvider(GroupLimitsResolver.class);
        concurrency = beans.getBeanProvider(GroupConcurrencyResolver.class);
        listeners = beans.getBeanProvider(TaskLifecycleListener.class);
        tracers = beans.getBeanProvider(TaskTracer.class);
        decorators = beans.getBeanProvider(GroupTaskDecorator.class);
        instrumentations = beans.getBeanProvider(ExecutorInstrumentation.class);
    }

    /**
     * Lets the customizers change a policy, and adds a rejection handler and resolvers where it has none.
     *
     * @param policy the policy to begin with
     * @return the policy of the starter's own executor
     * @throws io.github.kobe.InvalidPolicyException if a customizer set a number out of its range
     * @throws IllegalStateException if there are beans of both kinds of resolvers
     */
    GroupPolicy decide(GroupPolicy policy) {
        GroupPolicy.Builder builder = policy.toBuilder();
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        GroupPolicy customized = builder.build();
        if (customized.rejectionHandler().isEmpty()) {
            rejectionHandler.ifAvailable(builder::rejectionHandler);
        }
        GroupLimitsResolver ofLimits = limits.getIfAvailable();
        GroupConcurrencyResolver ofConcurrency = concurrency.getIfAvailable();
        if (ofLimits != null && ofConcurrency != null) {
            throw new IllegalStateException(
                    "There are a GroupLimitsResolver, " + ofLimits.getClass().getName()
                            + ", and a GroupConcurrencyResolver, "
                            + ofConcurrency.getClass().getName()
                            + ": keep one of them. The first can give every number that the second gives.");
        }
        if (ofLimits != null && customized.limitsResolver().isEmpty()) {
            builder.limitsResolver(ofLimits);
        }
        if (ofConcurrency != null && customized.concurrencyResolver().isEmpty()) {
            builder.concurrencyResolver(ofConcurrency);
        }
        GroupPolicy decided = builder.build();
        if (decided.limitsResolver().isEmpty() && !decided.limitsRefresh().equals(GroupLimits.NO_TIMEOUT)) {
            LOGGER.warn(
                    "group-concurrency.limits-refresh has no effect: there is no GroupLimitsResolver to ask again.");
        }
        return decided;
    }

    /**
     * Adds listeners, tracers, decorators and instrumentations.
     *
     * @param executorName the name of the executor's bean
     * @param executor the executor, once it is made
     * @param policy the policy to begin with
     * @return a policy with all that the beans add
     */
    GroupPolicy accompany(String executorName, Supplier<GroupExecutor> executor, GroupPolicy policy) {
        GroupPolicy.Builder builder = policy.toBuilder();
        listeners.orderedStream().forEach(builder::addTaskLifecycleListener);
        tracers.orderedStream().forEach(builder::addTaskTracer);
        decorators.orderedStream().forEach(builder::addTaskDecorator);
        instrumentations
                .orderedStream()
                .forEach(instrumentation -> instrumentation.instrument(executorName, executor, builder));
        return builder.build();
    }

    /** Says that another policy of an executor is in force. */
    void refreshed(String executorName) {
        instrumentations.orderedStream().forEach(instrumentation -> instrumentation.refreshed(executorName));
    }
}
