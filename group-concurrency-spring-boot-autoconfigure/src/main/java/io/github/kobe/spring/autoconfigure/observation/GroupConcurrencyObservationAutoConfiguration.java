package io.github.kobe.spring.autoconfigure.observation;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.autoconfigure.ConditionalOnSwitch;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.autoconfigure.OnGroupConcurrencyEnabled;
import io.github.kobe.spring.lifecycle.GroupExecutorLifecycle;
import io.github.kobe.spring.observation.GroupTaskObservationConvention;
import io.github.kobe.spring.observation.GroupTaskObservations;
import io.github.kobe.spring.properties.GroupConcurrencyProperties;
import io.github.kobe.spring.tags.GroupTags;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.util.function.SingletonSupplier;

/** Observes the executor of ours. The registry is set up by a class that moved between Boot 3 and 4. */
@AutoConfiguration(
        after = GroupConcurrencyAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(ObservationRegistry.class)
@Conditional(OnGroupConcurrencyEnabled.class)
@ConditionalOnSwitch("observations.enabled")
public final class GroupConcurrencyObservationAutoConfiguration {

    GroupConcurrencyObservationAutoConfiguration() {}

    /**
     * With tags of its own: they must never be given to another group, since nobody removes from a registry what was
     * recorded of an observation. Only beside the executor of ours: an application's own has the tracer it was given.
     */
    @Bean
    @ConditionalOnBean(GroupExecutorLifecycle.class)
    GroupTaskObservations groupTaskObservations(
            ListableBeanFactory beans,
            ObjectProvider<ObservationRegistry> registry,
            ObjectProvider<GroupTaskObservationConvention> convention,
            GroupConcurrencyProperties properties) {
        String name = GroupConcurrencyAutoConfiguration.EXECUTOR_BEAN_NAME;
        return new GroupTaskObservations(
                name,
                SingletonSupplier.of(() -> beans.getBean(name, GroupExecutor.class)),
                SingletonSupplier.of(registry::getObject),
                convention.getIfAvailable(),
                GroupTags.of(properties.metrics()));
    }
}
