package io.github.kobe.spring.jdbc;

import static io.github.kobe.spring.jdbc.PooledApplication.TENANT;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.CustomScopeConfigurer;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.test.util.ReflectionTestUtils;

/** Data sources of all kinds whose connections are limited, and those who use them. */
@Tag("J7")
@ExtendWith(OutputCaptureExtension.class)
class DataSourceBeansTests {

    @AfterEach
    void nobody() {
        TENANT.remove();
    }

    private static long running(ApplicationContext context, String executor) {
        return context.getBean(executor, GroupExecutor.class).stats().running();
    }

    private static Connection connect(DataSource dataSource) throws SQLException {
        TENANT.set("a");
        return dataSource.getConnection();
    }

    @Test
    void theBeanLeadsToThePool() {
        PooledApplication.ofPool(10).run(context -> {
            DataSource dataSource = context.getBean(DataSource.class);
            HikariDataSource pool = dataSource.unwrap(HikariDataSource.class);

            assertThat(dataSource.isWrapperFor(HikariConfigMXBean.class)).isTrue();
            assertThat(dataSource.isWrapperFor(Runnable.class)).isFalse();
            assertThat(dataSource.unwrap(DataSource.class)).isSameAs(pool);
            assertThat(dataSource)
                    .isSameAs(dataSource.unwrap(GroupDataSource.class))
                    .hasToString("GroupDataSource of " + pool);
            assertThat(context.getBeansOfType(DataSourcePoolMetadataProvider.class)
                            .values())
                    .extracting(provider -> provider.getDataSourcePoolMetadata(dataSource))
                    .filteredOn(Objects::nonNull)
                    .singleElement()
                    .satisfies(metadata -> assertThat(metadata.getMax()).isEqualTo(10));
        });
    }

    @Test
    void aDataSourceForMigrationsIsDerivedFromThePool() {
        PooledApplication.ofPool(10).run(context -> {
            DataSource dataSource = context.getBean(DataSource.class);
            try (HikariDataSource derived = DataSourceBuilder.derivedFrom(dataSource)
                    .type(HikariDataSource.class)
                    .username("sa")
                    .build()) {
                assertThat(derived.getJdbcUrl())
                        .isEqualTo(dataSource.unwrap(HikariDataSource.class).getJdbcUrl());
            }
        });
    }

    @Test
    void theDataSourceOfAChildContextIsLimitedByAnExecutorOfThatContext() {
        PooledApplication.ofPool(10)
                .run(parent -> PooledApplication.limited()
                        .withParent(parent)
                        .withBean("of-child", DataSource.class, () -> PooledApplication.pool("of-child", 5))
                        .run(child -> {
                            try (Connection open = connect(child.getBean("of-child", DataSource.class))) {
                                assertThat(open.isValid(1)).isTrue();
                                assertThat(running(child, "connections")).isEqualTo(1);
                                assertThat(running(parent, "connections")).isZero();
                            }
                        }));
    }

    @Test
    void metersAndHealthOfThePoolStay() {
        PooledApplication.ofPool(10)
                .withConfiguration(BootAutoConfigurations.named(
                        "DataSourcePoolMetricsAutoConfiguration", "DataSourceHealthContributorAutoConfiguration"))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    context.getBeansOfType(MeterBinder.class).values().forEach(binder -> binder.bindTo(registry));
                    try (Connection open = connect(context.getBean(DataSource.class))) {
                        assertThat(open.isValid(1)).isTrue();
                        assertThat(registry.get("jdbc.connections.max").gauge().value())
                                .isEqualTo(10);
                        assertThat(registry.get("hikaricp.connections.active")
                                        .gauge()
                                        .value())
                                .isEqualTo(1);
                    }
                    TENANT.remove();
                    Object health = ReflectionTestUtils.invokeMethod(context.getBean("dbHealthContributor"), "health");
                    assertThat(health).asString().contains("UP");
                });
    }

    @Test
    void theSchemaIsSetUpWithoutATurnWhereThereIsNoGroup(@TempDir Path folder) throws IOException {
        withSchema(PooledApplication.ofPool(3), folder).run(DataSourceBeansTests::assertThatTheSchemaIsThere);
    }

    /** What sets up the schema connects before the beans are there that need it, and they decide about connections. */
    @ParameterizedTest
    @ValueSource(classes = {AuditInTheDatabase.class, GroupBesideTheDatabase.class})
    void theSchemaIsSetUpBeforeWhatAccompaniesConnectionsAndNeedsIt(Class<?> needing, @TempDir Path folder)
            throws IOException {
        for (boolean lazy : List.of(false, true)) {
            withSchema(PooledApplication.bare(), folder)
                    .withPropertyValues(
                            "spring.datasource.hikari.maximum-pool-size=3", "spring.main.lazy-initialization=" + lazy)
                    .withConfiguration(BootAutoConfigurations.named("JdbcTemplateAutoConfiguration"))
                    .withUserConfiguration(needing)
                    .run(context -> {
                        assertThatTheSchemaIsThere(context);
                        try (Connection open = connect(context.getBean(DataSource.class))) {
                            assertThat(open.isValid(1)).isTrue();
                            assertThat(running(context, "connections")).isEqualTo(1);
                        }
                    });
            nobody();
        }
    }

    private static ApplicationContextRunner withSchema(ApplicationContextRunner runner, Path folder)
            throws IOException {
        Path schema = Files.writeString(folder.resolve("schema.sql"), "CREATE TABLE orders (id INT);");
        return runner.withConfiguration(BootAutoConfigurations.either(
                        "SqlInitializationAutoConfiguration", "DataSourceInitializationAutoConfiguration"))
                .withPropertyValues(
                        "group-concurrency.datasource.defaults.queue-threshold=0",
                        "spring.sql.init.mode=always",
                        "spring.sql.init.schema-locations=" + schema.toUri());
    }

    private static void assertThatTheSchemaIsThere(AssertableApplicationContext context) {
        assertThat(context).hasNotFailed();
        JdbcTemplate database = context.getBeanProvider(JdbcTemplate.class)
                .getIfAvailable(() -> new JdbcTemplate(context.getBean(DataSource.class)));
        assertThat(database.queryForObject("SELECT COUNT(*) FROM orders", Integer.class))
                .isZero();
        assertThat(context.getBean("connections", GroupExecutor.class)
                        .stats()
                        .totals()
                        .submitted())
                .isZero();
    }

    @Test
    void settingsThatAreBoundToAPoolsBeanCountForItsSize() {
        PooledApplication.limited()
                .withUserConfiguration(BoundPool.class)
                .withPropertyValues("orders.pool.maximum-pool-size=7")
                .run(context -> assertThat(context.getBean("connections", GroupExecutor.class)
                                .policy()
                                .globalMaxInFlight())
                        .isEqualTo(6));
    }

    @Test
    void thePoolIsClosedWithTheApplication() {
        PooledApplication.ofPool(3).run(context -> {
            HikariDataSource pool = context.getBean(DataSource.class).unwrap(HikariDataSource.class);
            context.getSourceApplicationContext().close();
            assertThat(pool.isClosed()).isTrue();
        });
    }

    /** Before ours, as one of the highest priority, and after it, as those of p6spy, of datasource-proxy and of Spring Boot. */
    @ParameterizedTest
    @ValueSource(classes = {TracedFirst.class, TracedLater.class})
    void whatTracesStatementsMayBeOnEitherSide(Class<?> tracing) {
        PooledApplication.ofPool(10).withUserConfiguration(tracing).run(context -> {
            DataSource dataSource = context.getBean(DataSource.class);
            try (Connection open = connect(dataSource)) {
                assertThat(open.isValid(1)).isTrue();
                assertThat(running(context, "connections")).isEqualTo(1);
                assertThat(context.getBean(Traces.class).connections).isEqualTo(1);
            }
            assertThat(running(context, "connections")).isZero();
            assertThat(dataSource.isWrapperFor(HikariDataSource.class)).isTrue();
            assertThat(context.getBean("connections", GroupExecutor.class)
                            .policy()
                            .globalMaxInFlight())
                    .isEqualTo(9);
        });
    }

    @ParameterizedTest
    @ValueSource(classes = {LazyBean.class, LazyLater.class})
    void insideOfALazyOneTheTurnIsTakenAtTheFirstStatement(Class<?> lazy) {
        PooledApplication.ofPool(10).withUserConfiguration(lazy).run(context -> {
            DataSource dataSource = context.getBean(DataSource.class);
            assertThat(dataSource).isInstanceOf(LazyConnectionDataSourceProxy.class);
            String executor = context.containsBean("connections") ? "connections" : "connections-pool";
            try (Connection connection = connect(dataSource)) {
                assertThat(running(context, executor)).isZero();
                try (Statement statement = connection.createStatement()) {
                    statement.execute("SELECT 1");
                    assertThat(running(context, executor)).isEqualTo(1);
                }
            }
            assertThat(running(context, executor)).isZero();
        });
    }

    @Test
    void ofOneThatChoosesAmongBeansEachBeanIsLimited() {
        PooledApplication.limited().withUserConfiguration(RoutedBeans.class).run(context -> {
            assertThat(context).hasNotFailed();
            try (Connection open = connect(context.getBean("routing", DataSource.class))) {
                assertThat(open.isValid(1)).isTrue();
                assertThat(running(context, "connections-north")).isEqualTo(1);
                assertThat(running(context, "connections-south")).isZero();
                assertThat(running(context, "connections-routing")).isZero();
            }
        });
    }

    @Test
    void oneThatChoosesAmongOthersIsLimitedAsAWholeByANumber() {
        PooledApplication.limited()
                .withUserConfiguration(RoutedPools.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("nothing tells how many connections the data source 'routing'"));
        PooledApplication.limited()
                .withUserConfiguration(RoutedPools.class)
                .withPropertyValues("group-concurrency.datasource.max-connections=4")
                .run(context -> {
                    try (Connection open = connect(context.getBean(DataSource.class))) {
                        assertThat(open.isValid(1)).isTrue();
                        assertThat(running(context, "connections")).isEqualTo(1);
                    }
                });
    }

    @Test
    void oneThatChoosesAmongBeansAndOthersFailsTheStart() {
        for (Class<?> mixed : List.of(RoutedMixture.class, RoutedDefault.class)) {
            PooledApplication.limited()
                    .withUserConfiguration(mixed)
                    .run(context -> assertThat(context.getStartupFailure())
                            .as(mixed.getSimpleName())
                            .hasStackTraceContaining("The bean 'routing' leads to several data sources, and only some"
                                    + " of them are limited: make each of them a bean"));
        }
    }

    @Test
    void ofALazyOneTheReadOnlyConnectionsAreLimitedToo() {
        PooledApplication.limited().withUserConfiguration(LazyReplica.class).run(context -> {
            assertThat(context).hasNotFailed();
            try (Connection connection = connect(context.getBean("lazy", DataSource.class))) {
                connection.setReadOnly(true);
                assertThat(connection.isValid(1)).isTrue();
                assertThat(running(context, "connections-replica")).isEqualTo(1);
                assertThat(running(context, "connections-lazy")).isZero();
            }
            try (Connection connection = connect(context.getBean("lazy", DataSource.class))) {
                assertThat(connection.isValid(1)).isTrue();
                assertThat(running(context, "connections-lazy")).isEqualTo(1);
            }
        });
    }

    @Test
    void aLazyOneWhoseReadOnlyConnectionsAreNotLimitedFailsTheStart() {
        PooledApplication.limited()
                .withUserConfiguration(LazyOverPools.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("The bean 'lazy' leads to several data sources, and only some of them"
                                + " are limited: make each of them a bean"));
    }

    @Test
    void ofAScopedOneTheOneThatEverybodySeesIsLimited() {
        PooledApplication.limited().withUserConfiguration(ScopedPool.class).run(context -> {
            assertThat(context).hasNotFailed();
            DataSource dataSource = context.getBean(DataSource.class);
            try (Connection open = connect(dataSource)) {
                assertThat(open.isValid(1)).isTrue();
                assertThat(running(context, "connections")).isEqualTo(1);
            }
            assertThat(context.getBean("connections", GroupExecutor.class)
                            .policy()
                            .globalMaxInFlight())
                    .isEqualTo(4);
            dataSource.unwrap(HikariDataSource.class).close();
        });
    }

    @Test
    void theSizeOfAScopedOneIsThatOfThePoolInItsPlace() {
        PooledApplication.limited().withUserConfiguration(ReplacedPool.class).run(context -> {
            DataSource dataSource = context.getBean(DataSource.class);
            GroupExecutor connections = context.getBean("connections", GroupExecutor.class);
            connect(dataSource).close();
            assertThat(connections.policy().globalMaxInFlight()).isEqualTo(9);

            dataSource.unwrap(HikariDataSource.class).close();
            context.getBean(AtomicInteger.class).set(4);
            context.getBean(SimpleThreadScope.class).remove("scopedTarget.orders");
            connect(dataSource).close();

            assertThat(connections.policy().globalMaxInFlight()).isEqualTo(3);
            dataSource.unwrap(HikariDataSource.class).close();
        });
    }

    @Test
    void anAspectMayBeAroundIt() {
        PooledApplication.ofPool(10).withUserConfiguration(Advised.class).run(context -> {
            DataSource dataSource = context.getBean(DataSource.class);
            assertThat(AopUtils.isCglibProxy(dataSource)).isTrue();
            try (Connection open = connect(dataSource)) {
                assertThat(open.isValid(1)).isTrue();
                assertThat(running(context, "connections")).isEqualTo(1);
                assertThat(context.getBean(Traces.class).connections).isEqualTo(1);
            }
        });
    }

    @Test
    void oneThatIsLimitedByHandIsNotLimitedTwice() {
        PooledApplication.limited()
                .withUserConfiguration(LimitedByHand.class)
                .withPropertyValues("group-concurrency.datasource.max-connections=4")
                .run(context -> {
                    try (Connection open = connect(context.getBean(DataSource.class))) {
                        assertThat(open.isValid(1)).isTrue();
                        assertThat(running(context, "turns")).isEqualTo(1);
                        assertThat(running(context, "connections")).isZero();
                    }
                });
    }

    @Test
    void oneThatIsRegisteredAsAFinishedObjectIsWarnedOf(CapturedOutput output) {
        try (HikariDataSource pool = PooledApplication.pool("orders", 5)) {
            PooledApplication.limited()
                    .withPropertyValues("group-concurrency.datasource.enabled=true")
                    .withInitializer(context -> context.getBeanFactory().registerSingleton("orders", pool))
                    .run(context -> assertThat(context).hasNotFailed());
        }
        assertThat(output)
                .contains("The connections of the data source 'orders' aren't limited: it was registered as a finished"
                        + " object; register a bean definition instead.");
    }

    @Test
    void oneThatIsMadeTooEarlyIsWarnedOf(CapturedOutput output) {
        PooledApplication.limited()
                .withUserConfiguration(EarlyPool.class)
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output)
                .contains("The connections of the data source 'orders' aren't limited: it was made before what limits"
                        + " data sources");
    }

    @Test
    void thoseThatAreLimitedOrNotMadeYetAreNotWarnedOf(CapturedOutput output) {
        for (Class<?> beans : List.of(
                RoutedBeans.class, LazyReplica.class, ScopedPool.class, TracedFirst.class, LimitedByHand.class)) {
            PooledApplication.limited()
                    .withUserConfiguration(beans)
                    .withPropertyValues("group-concurrency.datasource.max-connections=4")
                    .run(context -> assertThat(context).hasNotFailed());
        }
        PooledApplication.limited()
                .withUserConfiguration(BoundPool.class)
                .withPropertyValues("spring.main.lazy-initialization=true")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("aren't limited");
    }

    @Test
    void oneThatHasASingleConnectionKeepsIt(CapturedOutput output) {
        PooledApplication.limited()
                .withBean("one", DataSource.class, () -> new SingleConnectionDataSource("jdbc:h2:mem:one", false))
                .withPropertyValues("group-concurrency.datasource.max-connections=1")
                .run(context -> {
                    JdbcTemplate database = new JdbcTemplate(context.getBean(DataSource.class));
                    for (int use = 0; use < 2; use++) {
                        assertThat(database.queryForObject("SELECT 1", Integer.class))
                                .isEqualTo(1);
                    }
                });
        assertThat(output).containsOnlyOnce("The connections of the data source 'one' aren't limited: it is a");
    }

    @Test
    void aRoutingOneMayHaveOneWithASingleConnectionBesideOthers() {
        PooledApplication.limited()
                .withUserConfiguration(RoutedBesideASingleConnection.class)
                .withPropertyValues("group-concurrency.datasource.max-connections=4")
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** Such as one whose bean method says that it returns an Object. */
    @Test
    void oneOfAChildContextThatNothingToldOfTakesNoTurnAtItsNamesakeOfTheParent(CapturedOutput output) {
        PooledApplication.ofPool(10)
                .run(parent -> PooledApplication.limited()
                        .withParent(parent)
                        .withUserConfiguration(UntypedPool.class)
                        .run(child -> {
                            try (Connection open = connect((DataSource) child.getBean("dataSource"))) {
                                assertThat(open.isValid(1)).isTrue();
                                assertThat(running(parent, "connections")).isZero();
                            }
                            assertThat(parent.getBean("connections", GroupExecutor.class)
                                            .policy()
                                            .globalMaxInFlight())
                                    .isEqualTo(9);
                        }));
        assertThat(output).containsOnlyOnce("The connections of the data source 'dataSource' aren't limited: before");
    }

    @Configuration(proxyBeanMethods = false)
    static class UntypedPool {

        @Bean
        Object dataSource() {
            return PooledApplication.pool("of-child", 5);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class EarlyPool {

        @Bean
        static Needing needing(DataSource orders) {
            return new Needing(orders);
        }

        @Bean
        static DataSource orders() {
            return PooledApplication.pool("early", 5);
        }

        record Needing(DataSource needed) implements BeanPostProcessor, PriorityOrdered {

            @Override
            public int getOrder() {
                return Ordered.HIGHEST_PRECEDENCE;
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AuditInTheDatabase {

        @Bean
        ConnectionGroup tenants() {
            return TENANT::get;
        }

        @Bean
        TaskLifecycleListener audit(JdbcTemplate database) {
            return new TaskLifecycleListener() {
                @Override
                public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                    database.update("INSERT INTO orders VALUES (1)");
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class GroupBesideTheDatabase {

        @Bean
        ConnectionGroup tenants(JdbcTemplate database) {
            return () -> database.getFetchSize() == 0 ? null : TENANT.get();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class BoundPool {

        @Bean
        @ConfigurationProperties("orders.pool")
        HikariDataSource orders() {
            return PooledApplication.pool("orders", 2);
        }
    }

    /** Counts what is opened through it. */
    static class Traces {

        private int connections;

        DataSource around(DataSource target) {
            return new DelegatingDataSource(target) {
                @Override
                public Connection getConnection() throws SQLException {
                    connections++;
                    return super.getConnection();
                }
            };
        }
    }

    /** Puts itself around each data source; it comes as early as it may. */
    abstract static class Tracing implements BeanPostProcessor, Ordered {

        private final Traces traces = new Traces();

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            return bean instanceof DataSource found ? traces.around(found) : bean;
        }

        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TracedFirst {

        static class First extends Tracing implements PriorityOrdered {}

        @Bean
        static First first() {
            return new First();
        }

        @Bean
        static Traces traces(First first) {
            return ((Tracing) first).traces;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TracedLater {

        static class Later extends Tracing {}

        @Bean
        static Later later() {
            return new Later();
        }

        @Bean
        static Traces traces(Later later) {
            return ((Tracing) later).traces;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyBean {

        @Bean
        DataSource pool() {
            return PooledApplication.pool("lazy", 5);
        }

        @Bean
        @Primary
        DataSource lazy(DataSource pool) {
            return new LazyConnectionDataSourceProxy(pool);
        }
    }

    /** As Spring Boot 4.1 does it for spring.datasource.connection-fetch. */
    @Configuration(proxyBeanMethods = false)
    static class LazyLater {

        @Bean
        static BeanPostProcessor lazy() {
            return new OrderedLazy();
        }

        static class OrderedLazy implements BeanPostProcessor, Ordered {

            @Override
            public Object postProcessAfterInitialization(Object bean, String beanName) {
                return bean instanceof DataSource found ? new LazyConnectionDataSourceProxy(found) : bean;
            }

            @Override
            public int getOrder() {
                return 0;
            }
        }
    }

    private static AbstractRoutingDataSource routing(DataSource north, DataSource south) {
        AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
            @Override
            protected Object determineCurrentLookupKey() {
                return "north";
            }
        };
        routing.setTargetDataSources(Map.of("north", north, "south", south));
        return routing;
    }

    @Configuration(proxyBeanMethods = false)
    static class RoutedBeans {

        @Bean
        DataSource north() {
            return PooledApplication.pool("north", 5);
        }

        @Bean
        DataSource south() {
            return PooledApplication.pool("south", 5);
        }

        @Bean
        @Primary
        DataSource routing(DataSource north, DataSource south) {
            return DataSourceBeansTests.routing(north, south);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class RoutedBesideASingleConnection {

        @Bean
        DataSource north() {
            return PooledApplication.pool("north", 5);
        }

        @Bean
        DataSource south() {
            return new SingleConnectionDataSource("jdbc:h2:mem:south", true);
        }

        @Bean
        @Primary
        DataSource routing(DataSource north, DataSource south) {
            return DataSourceBeansTests.routing(north, south);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class RoutedPools {

        @Bean
        DataSource routing() {
            return DataSourceBeansTests.routing(PooledApplication.pool("north", 5), PooledApplication.pool("south", 5));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class RoutedMixture {

        @Bean
        DataSource north() {
            return PooledApplication.pool("north", 5);
        }

        @Bean
        @Primary
        DataSource routing(DataSource north) {
            return DataSourceBeansTests.routing(north, PooledApplication.pool("south", 5));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class RoutedDefault {

        @Bean
        DataSource north() {
            return PooledApplication.pool("north", 5);
        }

        @Bean
        @Primary
        AbstractRoutingDataSource routing(DataSource north) {
            AbstractRoutingDataSource routing = DataSourceBeansTests.routing(north, north);
            routing.setDefaultTargetDataSource(PooledApplication.pool("other", 5));
            return routing;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyReplica {

        @Bean
        DataSource replica() {
            return PooledApplication.pool("replica", 5);
        }

        @Bean
        @Primary
        DataSource lazy(DataSource replica) {
            LazyConnectionDataSourceProxy lazy =
                    new LazyConnectionDataSourceProxy(PooledApplication.pool("primary", 5));
            lazy.setReadOnlyDataSource(replica);
            return lazy;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyOverPools {

        @Bean
        DataSource lazy() {
            LazyConnectionDataSourceProxy lazy =
                    new LazyConnectionDataSourceProxy(PooledApplication.pool("primary", 5));
            lazy.setReadOnlyDataSource(PooledApplication.pool("replica", 5));
            return lazy;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ReplacedPool {

        @Bean
        static SimpleThreadScope replaced() {
            return new SimpleThreadScope();
        }

        @Bean
        static CustomScopeConfigurer scopes(SimpleThreadScope replaced) {
            CustomScopeConfigurer scopes = new CustomScopeConfigurer();
            scopes.addScope("replaced", replaced);
            return scopes;
        }

        @Bean
        AtomicInteger size() {
            return new AtomicInteger(10);
        }

        @Bean
        @Scope(scopeName = "replaced", proxyMode = ScopedProxyMode.TARGET_CLASS)
        DataSource orders(AtomicInteger size) {
            return PooledApplication.pool("replaced", size.get());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ScopedPool {

        @Bean
        static CustomScopeConfigurer scopes() {
            CustomScopeConfigurer scopes = new CustomScopeConfigurer();
            scopes.addScope("thread", new SimpleThreadScope());
            return scopes;
        }

        @Bean
        @Scope(scopeName = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
        HikariDataSource orders() {
            return PooledApplication.pool("scoped", 5);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Advised {

        @Bean
        static DefaultAdvisorAutoProxyCreator proxies() {
            DefaultAdvisorAutoProxyCreator proxies = new DefaultAdvisorAutoProxyCreator();
            proxies.setProxyTargetClass(true);
            return proxies;
        }

        @Bean
        static Traces traces() {
            return new Traces();
        }

        @Bean
        static Advisor counted(Traces traces) {
            NameMatchMethodPointcut opened = new NameMatchMethodPointcut();
            opened.setClassFilter(DataSource.class::isAssignableFrom);
            opened.addMethodName("getConnection");
            MethodInterceptor count = call -> {
                traces.connections++;
                return call.proceed();
            };
            return new DefaultPointcutAdvisor(opened, count);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LimitedByHand {

        @Bean(defaultCandidate = false)
        GroupExecutor turns() {
            return GroupExecutor.newVirtualThreadExecutor(
                    GroupPolicy.builder().globalMaxInFlight(4).build());
        }

        @Bean
        DataSource orders(@Qualifier("turns") GroupExecutor turns) {
            return GroupDataSource.limit(PooledApplication.pool("by-hand", 5), turns, TENANT::get);
        }
    }
}
