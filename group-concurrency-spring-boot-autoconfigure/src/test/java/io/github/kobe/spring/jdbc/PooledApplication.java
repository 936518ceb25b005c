package io.github.kobe.spring.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.spring.actuate.GroupExecutorEndpointAutoConfiguration;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyRefreshAutoConfiguration;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application with a pool of HikariCP on H2, and the tenant of each thread. */
final class PooledApplication {

    /** Whom the connections of a thread are for. */
    static final ThreadLocal<@Nullable String> TENANT = new ThreadLocal<>();

    private PooledApplication() {}

    /** {@return a pool of that many connections to a database of its own in memory} */
    static HikariDataSource pool(String name, int connections) {
        JdbcDataSource database = new JdbcDataSource();
        database.setUrl("jdbc:h2:mem:" + name + "-" + UUID.randomUUID());
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(database);
        pool.setMaximumPoolSize(connections);
        return pool;
    }

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

    /** {@return a runner with the tenant, and Spring Boot's own pool, of the size that Hikari gives it} */
    static ApplicationContextRunner limited() {
        return bare().withBean(ConnectionGroup.class, () -> TENANT::get);
    }

    /** {@return a runner with the tenant, and Spring Boot's own pool, of that many connections} */
    static ApplicationContextRunner ofPool(int connections) {
        return limited().withPropertyValues("spring.datasource.hikari.maximum-pool-size=" + connections);
    }
}
