package io.github.kobe.spring.test.listeners;

import io.github.kobe.RejectedTaskException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.FixedBackOff;

@Configuration(proxyBeanMethods = false)
class KafkaErrors {

    @Bean
    DefaultErrorHandler retryUntilThereIsRoom() {
        DefaultErrorHandler handler = new DefaultErrorHandler();
        handler.setBackOffFunction((message, failure) -> isRejected(failure) || isRejected(failure.getCause())
                ? new FixedBackOff(1_000, FixedBackOff.UNLIMITED_ATTEMPTS)
                : null);
        return handler;
    }

    private static boolean isRejected(Throwable failure) {
        return failure instanceof RejectedTaskException;
    }
}
