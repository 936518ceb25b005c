package io.github.kobe.spring.docs;

import io.github.kobe.rollout.Stage;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

@Configuration(proxyBeanMethods = false)
class DrainStages {

    @Bean
    @Order(1)
    Stage drain(Balancer balancer) {
        return Stage.named("Drain")
                .step(ctx -> balancer.drain(ctx.tenantId(), ctx.idempotencyKey()))
                .rollback(ctx -> balancer.undrain(ctx.tenantId()))
                .timeout(Duration.ofSeconds(30));
    }

    @Bean
    @Order(2)
    Stage undrain(Balancer balancer) {
        return Stage.named("Undrain").step(ctx -> balancer.undrain(ctx.tenantId()));
    }
}
