package io.github.kobe.spring.docs;

import io.github.kobe.spring.web.RejectionAnswer;
import java.net.URI;
import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration
class BusyAnswers {

    @Bean
    RejectionAnswer busy(MessageSource messages) {
        return (rejection, locale) -> {
            rejection.getBody().setType(URI.create("https://example.com/problems/busy"));
            rejection.updateAndGetBody(messages, locale);
            return rejection;
        };
    }
}
