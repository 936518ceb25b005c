package io.github.kobe.spring.docs;

import io.github.kobe.spring.web.ExchangeGroupKey;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

@Configuration
class ClientKeysOfExchanges {

    @Bean
    ExchangeGroupKey exchangesByClient() {
        return exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-Client-Id"))
                .map(client -> "client:" + client);
    }
}
