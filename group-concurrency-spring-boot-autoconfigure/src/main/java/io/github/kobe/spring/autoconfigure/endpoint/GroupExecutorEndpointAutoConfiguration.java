package io.github.kobe.spring.autoconfigure.endpoint;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.autoconfigure.OnGroupConcurrencyEnabled;
import io.github.kobe.spring.endpoint.GroupExecutorEndpoint;
import io.github.kobe.spring.endpoint.GroupExecutorEndpointHints;
import java.util.List;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ImportRuntimeHints;

/** Sets up {@link GroupExecutorEndpoint} where the application exposes it. */
@AutoConfiguration(after = GroupConcurrencyAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(GroupExecutor.class)
@Conditional(OnGroupConcurrencyEnabled.class)
@ConditionalOnAvailableEndpoint(GroupExecutorEndpoint.class)
@ImportRuntimeHints(GroupExecutorEndpointHints.class)
public final class GroupExecutorEndpointAutoConfiguration {

    GroupExecutorEndpointAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    GroupExecutorEndpoint groupExecutorEndpoint(ConfigurableListableBeanFactory beans) {
        return new GroupExecutorEndpoint(() -> beans.getBeansOfType(GroupExecutor.class), defaultExecutor(beans));
    }

    /** The only one, the one of ours, or the primary one; else every request has to name one. */
    private static String defaultExecutor(ConfigurableListableBeanFactory beans) {
        List<String> names = List.of(beans.getBeanNamesForType(GroupExecutor.class));
        if (names.size() == 1 || names.contains(GroupConcurrencyAutoConfiguration.EXECUTOR_BEAN_NAME)) {
            return names.size() == 1 ? names.getFirst() : GroupConcurrencyAutoConfiguration.EXECUTOR_BEAN_NAME;
        }
        return names.stream()
                .filter(name -> beans.getMergedBeanDefinition(name).isPrimary())
                .findFirst()
                .orElse("");
    }
}
