package io.github.kobe.spring.docs;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.GroupExecutorBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class ReportExecutors {

    @Bean(defaultCandidate = false)
    GroupExecutor nightly(GroupExecutorBuilder builder) {
        GroupPolicy policy = GroupPolicy.builder().globalMaxInFlight(10).build();
        return builder.build("nightly", policy);
    }
}
