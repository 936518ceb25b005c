package io.github.kobe.spring.policy;

import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupTaskDecorator;
import io.github.kobe.RejectionHandler;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskTracer;
import io.github.kobe.spring.GroupConcurrencyResolver;
import io.github.kobe.spring.GroupPolicyCustomizer;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Adds to a policy what the application's beans have to say: customizers first, then a rejection handler and a resolver
 * where the policy has none, then listeners, tracers and decorators, which add up with those that the policy has.
 */
public final class GroupPolicyComposer {

    private final ObjectProvider<GroupPolicyCustomizer> customizers;
    private final ObjectProvider<RejectionHandler> rejectionHandler;
    private final ObjectProvider<GroupConcurrencyResolver> resolver;
    private final ObjectProvider<TaskLifecycleListener> listeners;
    private final ObjectProvider<TaskTracer> tracers;
    private final ObjectProvider<GroupTaskDecorator> decorators;

    /**
     * Makes a composer.
     *
     * @param beans where the beans are
     */
    public GroupPolicyComposer(BeanFactory beans) {
        customizers = beans.getBeanProvider(GroupPolicyCustomizer.class);
        rejectionHandler = beans.getBeanProvider(RejectionHandler.class);
        resolver = beans.getBeanProvider(GroupConcurrencyResolver.class);
        listeners = beans.getBeanProvider(TaskLifecycleListener.class);
        tracers = beans.getBeanProvider(TaskTracer.class);
        decorators = beans.getBeanProvider(GroupTaskDecorator.class);
    }

    /**
     * Adds the beans to a policy.
     *
     * @param policy the policy to begin with
     * @return a policy with all that the beans add
     * @throws io.github.kobe.InvalidPolicyException if a customizer set a number out of its range
     */
    public GroupPolicy compose(GroupPolicy policy) {
        GroupPolicy.Builder builder = policy.toBuilder();
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        GroupPolicy customized = builder.build();
        if (customized.rejectionHandler().isEmpty()) {
            rejectionHandler.ifAvailable(builder::rejectionHandler);
        }
        if (customized.concurrencyResolver().isEmpty()) {
            resolver.ifAvailable(builder::concurrencyResolver);
        }
        listeners.orderedStream().forEach(builder::taskLifecycleListener);
        tracers.orderedStream().forEach(builder::taskTracer);
        decorators.orderedStream().forEach(builder::taskDecorator);
        return builder.build();
    }
}
