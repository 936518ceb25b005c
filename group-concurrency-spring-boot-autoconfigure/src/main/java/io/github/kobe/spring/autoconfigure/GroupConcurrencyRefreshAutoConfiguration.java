package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.internal.executors.ConfiguredExecutors;
import io.github.kobe.spring.internal.settings.BoundSettings;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * Puts changed settings into force, if both policy and executor are ours. It comes after Spring Cloud's rebinder, so that of an
 * event it hears after that, and customizers see the application's own properties as they are now.
 */
@AutoConfiguration(
        after = GroupConcurrencyAutoConfiguration.class,
        afterName = "org.springframework.cloud.autoconfigure.ConfigurationPropertiesRebinderAutoConfiguration")
@ConditionalOnBooleanProperty(name = "group-concurrency.enabled", matchIfMissing = true)
public final class GroupConcurrencyRefreshAutoConfiguration {

    GroupConcurrencyRefreshAutoConfiguration() {}

    /** Inside, so that the condition's classes aren't loaded where the library is switched off. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean({
        GroupConcurrencyAutoConfiguration.ExecutorConfiguration.class,
        GroupConcurrencyAutoConfiguration.PolicyConfiguration.class
    })
    static final class RefresherConfiguration {

        /** Lazy, since most applications never ask for it. */
        @Bean
        @Lazy
        @ConditionalOnMissingBean
        GroupConcurrencyRefresher groupConcurrencyRefresher(BeanFactory beans, BoundSettings settings) {
            return new GroupConcurrencyRefresher(
                    beans,
                    settings,
                    () -> beans.getBean(GroupConcurrencyAutoConfiguration.EXECUTOR_BEAN_NAME, GroupExecutor.class),
                    new GroupPolicyComposer(beans),
                    beans.getBeanProvider(ConfiguredExecutors.class));
        }

        /** With Spring Cloud's event of a changed environment. */
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(EnvironmentChangeEvent.class)
        static final class EnvironmentChangeConfiguration {

            @Bean
            @ConditionalOnMissingBean(name = "groupConcurrencyEnvironmentChangeListener")
            EnvironmentChangeListener groupConcurrencyEnvironmentChangeListener(
                    ObjectProvider<GroupConcurrencyRefresher> refresher) {
                return new EnvironmentChangeListener(refresher::getObject);
            }
        }
    }
}
