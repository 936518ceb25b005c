package io.github.kobe.spring.docs;

import io.github.kobe.spring.jdbc.ConnectionGroup;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class TenantConnections {

    @Bean
    ConnectionGroup tenants() {
        return CurrentTenant.CURRENT_TENANT::get;
    }
}
