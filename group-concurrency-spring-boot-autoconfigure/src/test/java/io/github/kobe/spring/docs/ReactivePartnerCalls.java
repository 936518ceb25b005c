package io.github.kobe.spring.docs;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.client.GroupExchangeFilterFunction;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.reactive.function.client.WebClient;

@Configuration
class ReactivePartnerCalls {

    @Bean
    WebClient reactivePartnerClient(GroupExecutor executor) {
        return WebClient.builder()
                .filter(GroupExchangeFilterFunction.byHost(executor, "partner:"))
                .build();
    }
}
