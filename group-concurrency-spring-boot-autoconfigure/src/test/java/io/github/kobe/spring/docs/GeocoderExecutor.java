package io.github.kobe.spring.docs;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.Rate;
import io.github.kobe.spring.GroupExecutorBuilder;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class GeocoderExecutor {

    @Bean(defaultCandidate = false)
    GroupExecutor geocoder(GroupExecutorBuilder builder) {
        GroupPolicy policy = GroupPolicy.builder()
                .globalRate(Rate.of(60, Duration.ofMinutes(1)).withBurst(1))
                .defaults(GroupLimits.unset()
                        .withMaxConcurrency(4)
                        .withQueueThreshold(100)
                        .withQueueTimeout(Duration.ofSeconds(20)))
                .pattern("tenant:vip-*", GroupLimits.unset().withWeight(3))
                .build();
        return builder.build("geocoder", policy);
    }
}
