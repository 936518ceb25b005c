package io.github.kobe.spring.actuate;

import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.internal.executors.ExecutorBeans;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Adds the executors to the application's health, for both packages in which Spring Boot has had its classes. */
@AutoConfiguration(
        after = GroupConcurrencyAutoConfiguration.class,
        beforeName = {
            "org.springframework.boot.actuate.autoconfigure.health.HealthContributorAutoConfiguration",
            "org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration"
        })
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(GroupExecutor.class)
@ConditionalOnBooleanProperty(name = "group-concurrency.enabled", matchIfMissing = true)
public final class GroupConcurrencyHealthAutoConfiguration {

    private static final String BEAN_NAME = "groupConcurrencyHealthIndicator";

    GroupConcurrencyHealthAutoConfiguration() {}

    /** On Spring Boot 4. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.health.contributor.HealthIndicator.class)
    @org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator("group-concurrency")
    static final class Boot4Configuration {

        @Bean
        @ConditionalOnMissingBean(name = BEAN_NAME)
        org.springframework.boot.health.contributor.HealthIndicator groupConcurrencyHealthIndicator(
                ListableBeanFactory beans, GroupConcurrencyProperties properties) {
            GroupConcurrencyHealth health =
                    new GroupConcurrencyHealth(new ExecutorBeans(beans)::all, properties.health());
            return () -> {
                GroupConcurrencyHealth.Reading reading = health.read();
                org.springframework.boot.health.contributor.Health.Builder builder = reading.inService()
                        ? org.springframework.boot.health.contributor.Health.up()
                        : org.springframework.boot.health.contributor.Health.outOfService();
                return builder.withDetails(reading.details()).build();
            };
        }
    }

    /** On Spring Boot 3. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.actuate.health.HealthIndicator.class)
    @org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator("group-concurrency")
    static final class Boot3Configuration {

        @Bean
        @ConditionalOnMissingBean(name = BEAN_NAME)
        org.springframework.boot.actuate.health.HealthIndicator groupConcurrencyHealthIndicator(
                ListableBeanFactory beans, GroupConcurrencyProperties properties) {
            GroupConcurrencyHealth health =
                    new GroupConcurrencyHealth(new ExecutorBeans(beans)::all, properties.health());
            return () -> {
                GroupConcurrencyHealth.Reading reading = health.read();
                org.springframework.boot.actuate.health.Health.Builder builder = reading.inService()
                        ? org.springframework.boot.actuate.health.Health.up()
                        : org.springframework.boot.actuate.health.Health.outOfService();
                return builder.withDetails(reading.details()).build();
            };
        }
    }
}
