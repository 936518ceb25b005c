package io.github.kobe.spring.test;

import io.github.kobe.cluster.ClusterSettings;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.spring.cluster.GroupConcurrencyRedisAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Makes a store in memory for the limits over all instances of a slice, which leaves out what makes the application's. */
@AutoConfiguration(after = GroupConcurrencyRedisAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "group-concurrency.enabled", matchIfMissing = true)
final class InMemoryStoreAutoConfiguration {

    @Bean
    @Lazy
    @ConditionalOnMissingBean({ClusterStore.class, ClusterSettings.class})
    ClusterStore groupConcurrencyClusterStore() {
        return ClusterStore.inMemory();
    }
}
