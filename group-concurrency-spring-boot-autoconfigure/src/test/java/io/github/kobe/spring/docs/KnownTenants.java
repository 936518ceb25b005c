package io.github.kobe.spring.docs;

import io.github.kobe.spring.web.KnownGroupKeys;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What the howto on HTTP shows of known keys. */
@Configuration
class KnownTenants {

    @Bean
    KnownGroupKeys tenants(TenantIds ids) {
        return groupKey -> ids.current().contains(groupKey);
    }
}
