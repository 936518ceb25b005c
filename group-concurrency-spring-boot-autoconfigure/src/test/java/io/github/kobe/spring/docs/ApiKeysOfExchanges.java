package io.github.kobe.spring.docs;

import io.github.kobe.spring.web.ExchangeGroupKey;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

@Configuration
class ApiKeysOfExchanges {

    @Bean
    ExchangeGroupKey exchangesByApiKey() {
        return exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-Api-Key"))
                .map(apiKey -> "api-key:" + apiKey);
    }
}
