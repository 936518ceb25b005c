package io.github.kobe.spring.rollout;

import io.github.kobe.rollout.Rollouts;
import io.github.kobe.spring.internal.endpoint.StrictArguments;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;

/** Sets up {@link RolloutsEndpoint} where the application exposes it. */
@AutoConfiguration(after = GroupConcurrencyRolloutAutoConfiguration.class)
@ConditionalOnClass({ConditionalOnAvailableEndpoint.class, Rollouts.class})
@ConditionalOnSingleCandidate(Rollouts.class)
@ConditionalOnBooleanProperty(name = "group-concurrency.enabled", matchIfMissing = true)
@ConditionalOnAvailableEndpoint(RolloutsEndpoint.class)
@ImportRuntimeHints(RolloutsEndpointHints.class)
public final class RolloutsEndpointAutoConfiguration {

    RolloutsEndpointAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    RolloutsEndpoint groupConcurrencyRolloutsEndpoint(Rollouts rollouts, ApplicationEventPublisher events) {
        return new RolloutsEndpoint(rollouts, events);
    }

    @Bean
    @ConditionalOnMissingBean(name = "groupConcurrencyRolloutArguments")
    static StrictArguments groupConcurrencyRolloutArguments() {
        return new StrictArguments(RolloutsEndpoint.ID);
    }
}
