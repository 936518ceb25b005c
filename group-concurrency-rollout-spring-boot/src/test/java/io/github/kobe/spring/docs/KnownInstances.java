package io.github.kobe.spring.docs;

import io.github.kobe.rollout.EndpointPolicy;
import java.util.Optional;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class KnownInstances {

    @Bean
    EndpointPolicy onlyInstances() {
        return endpoint -> endpoint.host().endsWith(".instances.example.com")
                ? Optional.empty()
                : Optional.of("only hosts below instances.example.com are called");
    }
}
