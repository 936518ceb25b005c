package io.github.kobe.spring.docs;

import io.github.kobe.spring.web.RequestGroupKey;
import java.util.Objects;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration
class ApiKeys {

    @Bean
    RequestGroupKey byApiKey() {
        return request -> "api-key:" + Objects.requireNonNullElse(request.getHeader("X-Api-Key"), "none");
    }
}
