package io.github.kobe.spring.docs;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.client.GroupClientHttpRequestInterceptor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.RestClient;

@Configuration
class PartnerCalls {

    @Bean
    RestClient partnerClient(GroupExecutor executor) {
        return RestClient.builder()
                .requestInterceptor(GroupClientHttpRequestInterceptor.byHost(executor, "partner:"))
                .build();
    }
}
