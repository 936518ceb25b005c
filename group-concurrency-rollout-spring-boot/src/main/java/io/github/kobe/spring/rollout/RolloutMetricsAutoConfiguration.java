package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.MetricsRegistry;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import io.github.kobe.spring.metrics.GroupConcurrencyMetricsAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Registers the meters of rollouts, where there are those of the executors. */
@AutoConfiguration(after = GroupConcurrencyMetricsAutoConfiguration.class)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnBooleanProperty(
        name = {"group-concurrency.enabled", "group-concurrency.metrics.enabled"},
        matchIfMissing = true)
public final class RolloutMetricsAutoConfiguration {

    RolloutMetricsAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(value = MetricsRegistry.class, name = "groupConcurrencyRolloutMeters")
    RolloutMeters groupConcurrencyRolloutMeters(GroupConcurrencyProperties properties) {
        return new RolloutMeters(properties.metrics());
    }
}
