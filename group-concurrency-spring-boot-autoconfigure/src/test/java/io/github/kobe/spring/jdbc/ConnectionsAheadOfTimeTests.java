package io.github.kobe.spring.jdbc;

import static io.github.kobe.spring.jdbc.PooledApplication.TENANT;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.HikariDataSourcePoolMetadata;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;

/** An application that limits connections, from the code that Spring writes for it. */
@Tag("deep")
class ConnectionsAheadOfTimeTests {

    @Test
    @CompileWithForkedClassLoader
    void connectionsAreLimitedFromGeneratedCode() {
        TestGenerationContext generation = new TestGenerationContext(Application.class);
        try (AnnotationConfigApplicationContext prepared = new AnnotationConfigApplicationContext()) {
            settings().applyTo(prepared);
            prepared.register(Application.class);
            new ApplicationContextAotGenerator().processAheadOfTime(prepared, generation);
        }
        generation.writeGeneratedContent();
        TestCompiler.forSystem().with(generation).compile(compiled -> {
            try (GenericApplicationContext context = new GenericApplicationContext()) {
                settings().applyTo(context);
                initializer(compiled.getInstance(ApplicationContextInitializer.class))
                        .initialize(context);
                context.refresh();
                checkThatConnectionsAreLimited(context);
            }
        });
    }

    private static TestPropertyValues settings() {
        return TestPropertyValues.of(
                "group-concurrency.datasource.enabled=true", "group-concurrency.datasource.groups.a.max-concurrency=2");
    }

    @SuppressWarnings("unchecked")
    private static ApplicationContextInitializer<GenericApplicationContext> initializer(
            ApplicationContextInitializer<?> generated) {
        return (ApplicationContextInitializer<GenericApplicationContext>) generated;
    }

    private static void checkThatConnectionsAreLimited(GenericApplicationContext context) {
        GroupExecutor connections = context.getBean("connections", GroupExecutor.class);
        assertThat(connections.policy().globalMaxInFlight()).isEqualTo(4);
        assertThat(connections.policy().groups()).containsOnlyKeys("a");
        assertThat(context.getBeanProvider(GroupExecutor.class).getObject()).isSameAs(context.getBean("groupExecutor"));
        TENANT.set("a");
        try (Connection open = context.getBean(DataSource.class).getConnection()) {
            assertThat(open.isClosed()).isFalse();
            assertThat(connections.groupStats("a").orElseThrow().running()).isEqualTo(1);
        } catch (SQLException failure) {
            throw new AssertionError(failure);
        } finally {
            TENANT.remove();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({GroupConcurrencyAutoConfiguration.class, GroupConcurrencyDataSourceAutoConfiguration.class
    })
    static class Application {

        @Bean
        DataSource orders() {
            return PooledApplication.pool("orders", 5);
        }

        @Bean
        static DataSourcePoolMetadataProvider pools() {
            return found -> found instanceof HikariDataSource pool ? new HikariDataSourcePoolMetadata(pool) : null;
        }

        @Bean
        ConnectionGroup tenants() {
            return TENANT::get;
        }
    }
}
