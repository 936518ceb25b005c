package io.github.kobe.spring.actuate;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.internal.endpoint.EndpointProblem;
import io.github.kobe.spring.internal.endpoint.StrictArguments;
import io.github.kobe.spring.internal.executors.ExecutorBeans;
import java.util.List;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/** Sets up {@link GroupExecutorEndpoint} where the application exposes it. */
@AutoConfiguration(after = GroupConcurrencyAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(GroupExecutor.class)
@ConditionalOnBooleanProperty(name = "group-concurrency.enabled", matchIfMissing = true)
@ConditionalOnAvailableEndpoint(GroupExecutorEndpoint.class)
@RegisterReflectionForBinding({GroupExecutorReport.class, GroupReport.class, EndpointProblem.class})
public final class GroupExecutorEndpointAutoConfiguration {

    GroupExecutorEndpointAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    GroupExecutorEndpoint groupConcurrencyEndpoint(ListableBeanFactory beans, ApplicationEventPublisher events) {
        ExecutorBeans executors = new ExecutorBeans(beans);
        List<String> defaults = executors.defaults();
        return new GroupExecutorEndpoint(
                executors::all, defaults.size() == 1 ? defaults.getFirst() : "", InstanceName.own(), events);
    }

    @Bean
    @ConditionalOnMissingBean(name = "groupConcurrencyGroupArguments")
    static StrictArguments groupConcurrencyGroupArguments() {
        return new StrictArguments(GroupExecutorEndpoint.ID);
    }
}
