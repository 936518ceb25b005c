package io.github.kobe.spring.metrics;

import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.internal.executors.ExecutorBeans;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Registers the meters of the executors and of scopes. The registries are set up by classes that moved between Boot 3 and 4. */
@AutoConfiguration(
        after = GroupConcurrencyAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnBooleanProperty(
        name = {"group-concurrency.enabled", "group-concurrency.metrics.enabled"},
        matchIfMissing = true)
public final class GroupConcurrencyMetricsAutoConfiguration {

    GroupConcurrencyMetricsAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(name = "groupConcurrencyExecutorMeters")
    ExecutorMeters groupConcurrencyExecutorMeters(GroupConcurrencyProperties properties) {
        return new ExecutorMeters(properties.metrics());
    }

    @Bean
    @ConditionalOnBean(ExecutorMeters.class)
    @ConditionalOnMissingBean(name = "groupConcurrencyMeterBinder")
    GroupExecutorMeterBinder groupConcurrencyMeterBinder(ListableBeanFactory beans, ExecutorMeters meters) {
        return new GroupExecutorMeterBinder(new ExecutorBeans(beans)::all, meters);
    }

    @Bean
    @ConditionalOnMissingBean(name = "groupConcurrencyScopeMeters")
    ScopeMeters groupConcurrencyScopeMeters(GroupConcurrencyProperties properties) {
        return new ScopeMeters(properties.metrics());
    }
}
