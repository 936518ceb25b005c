package io.github.kobe.spring.autoconfigure.metrics;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.autoconfigure.ConditionalOnSwitch;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.autoconfigure.OnGroupConcurrencyEnabled;
import io.github.kobe.spring.lifecycle.GroupExecutorLifecycle;
import io.github.kobe.spring.metrics.GroupExecutorMeterBinder;
import io.github.kobe.spring.metrics.GroupMeters;
import io.github.kobe.spring.properties.GroupConcurrencyProperties;
import io.github.kobe.spring.tags.GroupTags;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.util.function.SingletonSupplier;

/** Registers the meters of the executors. The registries are set up by classes that moved between Boot 3 and 4. */
@AutoConfiguration(
        after = GroupConcurrencyAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@Conditional(OnGroupConcurrencyEnabled.class)
@ConditionalOnSwitch("metrics.enabled")
public final class GroupConcurrencyMetricsAutoConfiguration {

    GroupConcurrencyMetricsAutoConfiguration() {}

    /** Only beside the executor of ours: an application's own has the listeners that it was given. */
    @Bean
    @ConditionalOnBean(GroupExecutorLifecycle.class)
    GroupMeters groupMeters(
            ListableBeanFactory beans, ObjectProvider<MeterRegistry> registry, GroupConcurrencyProperties properties) {
        String name = GroupConcurrencyAutoConfiguration.EXECUTOR_BEAN_NAME;
        return new GroupMeters(
                name,
                SingletonSupplier.of(() -> beans.getBean(name, GroupExecutor.class)),
                SingletonSupplier.of(registry::getObject),
                GroupTags.of(properties.metrics()));
    }

    @Bean
    GroupExecutorMeterBinder groupExecutorMeterBinder(
            ListableBeanFactory beans, ObjectProvider<GroupMeters> meters, GroupConcurrencyProperties properties) {
        GroupMeters ours = meters.getIfAvailable();
        return new GroupExecutorMeterBinder(
                () -> beans.getBeansOfType(GroupExecutor.class),
                ours == null ? Map.of() : Map.of(GroupConcurrencyAutoConfiguration.EXECUTOR_BEAN_NAME, ours),
                () -> GroupTags.of(properties.metrics()));
    }
}
