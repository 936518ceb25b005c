package io.github.kobe.spring.docs;

import io.github.kobe.cluster.ClusterStore;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

@TestConfiguration(proxyBeanMethods = false)
class StoreInMemory {

    @Bean
    ClusterStore clusterStore() {
        return ClusterStore.inMemory();
    }
}
