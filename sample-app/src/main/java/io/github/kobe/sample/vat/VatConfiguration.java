package io.github.kobe.sample.vat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.Rate;
import io.github.kobe.spring.GroupExecutorBuilder;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The executor of all that asks the partner about VAT numbers, and of nothing else: each of its starts counts. */
@Configuration(proxyBeanMethods = false)
class VatConfiguration {

    /** The name of the executor's bean. */
    static final String EXECUTOR = "vat";

    /** The last of them waits 40 seconds while four tenants take turns, one start a second. */
    private static final int MAY_WAIT = 10;

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** With a burst of one, all that the contract allows can be kept up, but for the time by which each start is late. */
    @Bean(name = EXECUTOR, defaultCandidate = false)
    GroupExecutor vatExecutor(
            GroupExecutorBuilder builder,
            @Value("${sample.partner.vat.limit}") int limit,
            @Value("${sample.partner.vat.per}") Duration per) {
        GroupPolicy policy = GroupPolicy.builder()
                .globalRate(Rate.of(limit, per).withBurst(1))
                .defaults(GroupLimits.unset()
                        .withMaxConcurrency(4)
                        .withQueueThreshold(MAY_WAIT)
                        .withQueueTimeout(PATIENCE))
                .build();
        return builder.build(EXECUTOR, policy);
    }
}
