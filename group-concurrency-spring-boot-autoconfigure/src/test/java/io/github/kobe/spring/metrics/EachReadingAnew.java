package io.github.kobe.spring.metrics;

import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Meters that show what is now: by their clock, a second has gone by at each look. */
@Configuration(proxyBeanMethods = false)
class EachReadingAnew {

    private final AtomicLong now = new AtomicLong();

    @Bean
    ExecutorMeters meters(GroupConcurrencyProperties properties) {
        return new ExecutorMeters(properties.metrics(), () -> now.addAndGet(Readings.KEPT_NANOS));
    }
}
