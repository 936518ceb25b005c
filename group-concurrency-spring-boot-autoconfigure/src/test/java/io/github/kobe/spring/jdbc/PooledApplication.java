package io.github.kobe.spring.jdbc;

import io.github.kobe.spring.actuate.GroupExecutorEndpointAutoConfiguration;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyRefreshAutoConfiguration;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application with a pool of HikariCP on H2, and the tenant of each thread. */
final class PooledApplication {

    /** Whom the connections of a thread are for. */
    static final ThreadLocal<@Nullable String> TENANT = new ThreadLocal<>();

    private PooledApplication() {}

    /** {@return a runner without any data source, and without anything that tells the tenant} */
    static ApplicationContextRunner bare() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyAutoConfiguration.class,
                        GroupConcurrencyRefreshAutoConfiguration.class,
                        GroupConcurrencyDataSourceAutoConfiguration.class,
                        GroupExecutorEndpointAutoConfiguration.class))
                .withConfiguration(BootAutoConfigurations.named("DataSourceAutoConfiguration"))
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=groupexecutor",
                        "group-concurrency.datasource.defaults.queue-timeout=5s",
                        "spring.datasource.generate-unique-name=true",
                        "spring.datasource.type=com.zaxxer.hikari.HikariDataSource");
    }

    /** {@return a runner with Spring Boot's own pool of that many connections, and the tenant} */
    static ApplicationContextRunner ofPool(int connections) {
        return bare().withBean(ConnectionGroup.class, () -> TENANT::get)
                .withPropertyValues("spring.datasource.hikari.maximum-pool-size=" + connections);
    }
}
