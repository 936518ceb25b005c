package io.github.kobe.spring.docs;

import io.github.kobe.spring.web.RequestGroupKey;
import java.util.Objects;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration
class ClientKeys {

    @Bean
    RequestGroupKey byClient() {
        return request -> "client:" + Objects.requireNonNullElse(request.getHeader("X-Client-Id"), "none");
    }
}
