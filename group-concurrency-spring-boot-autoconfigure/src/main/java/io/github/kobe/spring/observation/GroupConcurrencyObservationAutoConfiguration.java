package io.github.kobe.spring.observation;

import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.internal.executors.ExecutorInstrumentation;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.ObservationMode;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.util.function.SingletonSupplier;

/**
 * Observes work in groups. The registry, the tracer and the handlers are set up by classes that moved between Boot 3
 * and 4.
 */
@AutoConfiguration(
        after = GroupConcurrencyAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.tracing.MicrometerTracingAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration"
        })
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(ObservationRegistry.class)
@ConditionalOnBooleanProperty(name = "group-concurrency.enabled", matchIfMissing = true)
@Conditional(OnObservationMode.class)
public final class GroupConcurrencyObservationAutoConfiguration {

    GroupConcurrencyObservationAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(name = "groupConcurrencyTaskObservations")
    ExecutorInstrumentation groupConcurrencyTaskObservations(
            ObjectProvider<ObservationRegistry> registry,
            ObjectProvider<GroupTaskObservationConvention> convention,
            GroupConcurrencyProperties properties) {
        boolean needsParent = properties.observations().mode() == ObservationMode.TRACING;
        Map<String, GroupTaskObservations> byExecutor = new ConcurrentHashMap<>();
        return (executorName, executor, policy) -> policy.addTaskTracer(byExecutor.computeIfAbsent(
                executorName,
                name -> new GroupTaskObservations(
                        name,
                        SingletonSupplier.of(executor),
                        SingletonSupplier.of(registry::getObject),
                        convention.getIfAvailable(),
                        needsParent,
                        properties.observations().groupKey())));
    }

    /** For applications in which observations become meters. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterObservationHandler.class)
    static final class MeterConfiguration {

        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE)
        @ConditionalOnMissingBean(name = "groupConcurrencyNoTaskMeters")
        NoTaskMeters groupConcurrencyNoTaskMeters() {
            return new NoTaskMeters();
        }
    }
}
