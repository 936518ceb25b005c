package io.github.kobe.spring.jdbc;

import static io.github.kobe.spring.jdbc.PooledApplication.TENANT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.scope.Scopes;
import io.github.kobe.spring.GroupPolicyCustomizer;
import io.github.kobe.spring.actuate.GroupExecutorEndpoint;
import io.github.kobe.spring.actuate.GroupExecutorReport;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.metrics.GroupConcurrencyMetricsAutoConfiguration;
import io.github.kobe.spring.scope.GroupConcurrencyScopeAutoConfiguration;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** The executors of connections, and how many connections they give out. */
@Tag("J3")
@Tag("J8")
@ExtendWith(OutputCaptureExtension.class)
class ConnectionExecutorTests {

    @AfterEach
    void nobody() {
        TENANT.remove();
    }

    private static GroupExecutor connections(ApplicationContext context) {
        return context.getBean("connections", GroupExecutor.class);
    }

    private static int most(ApplicationContext context) {
        return connections(context).policy().globalMaxInFlight();
    }

    private static Connection connect(ApplicationContext context, String tenant) throws SQLException {
        TENANT.set(tenant);
        try {
            return context.getBean(DataSource.class).getConnection();
        } finally {
            TENANT.remove();
        }
    }

    /** As a thread that has no connection yet. */
    private static Connection elsewhere(ApplicationContext context, String tenant) throws Exception {
        return Caller.start(() -> connect(context, tenant)).result();
    }

    @Test
    void aConnectionIsAPermitOfItsGroupUntilItIsClosed() {
        PooledApplication.ofPool(10).run(context -> {
            GroupExecutor connections = connections(context);

            Connection connection = connect(context, "a");
            assertThat(connections.groupStats("a").orElseThrow().running()).isEqualTo(1);
            assertThat(context.getBean("groupExecutor", GroupExecutor.class).groupKeys())
                    .isEmpty();
            connection.close();
            assertThat(connections.stats().running()).isZero();
        });
    }

    @Test
    void withoutAGroupNothingIsLimited() {
        PooledApplication.ofPool(2).run(context -> {
            DataSource dataSource = context.getBean(DataSource.class);
            connections(context).pause("a");
            try (Connection first = dataSource.getConnection()) {
                assertThat(first.isValid(1)).isTrue();
                assertThat(connections(context).groupKeys()).doesNotContain("_system");
                assertThat(dataSource.unwrap(GroupDataSource.class).openWithoutGroup())
                        .isEqualTo(1);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"10, pool, 1, 9", "10, pool, 4, 6", "10, pool, 0, 10", "2, pool, 1, 1", "10, 3, 1, 3", "10, 3, 9, 3"})
    void thereAreAsManyConnectionsForAllGroupsAsTheSettingsAndThePoolSay(
            int pool, String maxConnections, int reserve, int expected) {
        PooledApplication.ofPool(pool)
                .withPropertyValues(
                        "group-concurrency.datasource.max-connections=" + maxConnections,
                        "group-concurrency.datasource.nested-reserve=" + reserve)
                .run(context -> assertThat(most(context)).isEqualTo(expected));
    }

    @Test
    void aPoolThatWasGivenNoSizeHasTheOneThatHikariGivesIt() {
        PooledApplication.limited().run(context -> {
            assertThat(most(context)).isEqualTo(9);
            connect(context, "a").close();
            connect(context, "a").close();
            assertThat(most(context)).isEqualTo(9);
        });
    }

    @Test
    void theSizeOfThePoolIsFollowedAtTheNextConnection(CapturedOutput output) {
        PooledApplication.ofPool(4).run(context -> {
            HikariDataSource pool = context.getBean(DataSource.class).unwrap(HikariDataSource.class);
            connect(context, "a").close();
            assertThat(most(context)).isEqualTo(3);

            pool.getHikariConfigMXBean().setMaximumPoolSize(8);
            connect(context, "a").close();
            assertThat(most(context)).isEqualTo(7);
            assertThat(output)
                    .contains("The pool of the data source 'dataSource' has at most 8 connections now, so connections"
                            + " gives out 7 instead of 3");

            pool.getHikariConfigMXBean().setMaximumPoolSize(1);
            connect(context, "a").close();
            assertThat(most(context)).isEqualTo(1);
        });
    }

    /** Each connection failed, for whoever wanted it, until the pool was large enough again. */
    @Test
    void aPoolThatIsTooSmallForWhatIsGuaranteedChangesNothingAndIsToldOnce(CapturedOutput output) {
        PooledApplication.ofPool(10)
                .withPropertyValues("group-concurrency.datasource.groups.gold.guaranteed=8")
                .run(context -> {
                    HikariDataSource pool = context.getBean(DataSource.class).unwrap(HikariDataSource.class);
                    pool.getHikariConfigMXBean().setMaximumPoolSize(4);
                    connect(context, "gold").close();
                    connect(context, "a").close();
                    assertThat(most(context)).isEqualTo(9);
                    assertThat(output.toString().split("would give out 3, but can't: guaranteed of 'gold'", -1))
                            .hasSize(2);
                    assertThat(output).contains("It gives out 9 as before, so who has a turn may wait in the pool");

                    pool.getHikariConfigMXBean().setMaximumPoolSize(10);
                    connect(context, "a").close();
                    assertThat(most(context)).isEqualTo(9);

                    pool.getHikariConfigMXBean().setMaximumPoolSize(4);
                    connect(context, "a").close();
                    assertThat(output.toString().split("would give out 3", -1)).hasSize(3);
                });
    }

    @Test
    void aNumberStaysWhateverSizeThePoolHas() {
        PooledApplication.ofPool(10)
                .withPropertyValues("group-concurrency.datasource.max-connections=5")
                .run(context -> {
                    context.getBean(DataSource.class)
                            .unwrap(HikariDataSource.class)
                            .getHikariConfigMXBean()
                            .setMaximumPoolSize(20);
                    connect(context, "a").close();
                    assertThat(most(context)).isEqualTo(5);
                });
    }

    @Test
    void unlessTheSettingsSayHowManyAGroupHasAsManyAsAllTogether() {
        PooledApplication.ofPool(4).run(context -> {
            try (Connection first = elsewhere(context, "a");
                    Connection second = elsewhere(context, "a");
                    Connection third = elsewhere(context, "a")) {
                assertThat(List.of(first, second, third)).doesNotHaveDuplicates();
                assertThat(connections(context).groupStats("a").orElseThrow().running())
                        .isEqualTo(3);
            }
        });
    }

    @Test
    void groupsHaveTheLimitsOfTheSettings() {
        PooledApplication.ofPool(10)
                .withPropertyValues(
                        "group-concurrency.max-key-length=20",
                        "group-concurrency.datasource.defaults.max-concurrency=1",
                        "group-concurrency.datasource.defaults.queue-threshold=0",
                        "group-concurrency.datasource.groups[gold-*].max-concurrency=2",
                        "group-concurrency.datasource.group-list[0].key=a[0]",
                        "group-concurrency.datasource.group-list[0].weight=7",
                        // Of the other executor:
                        "group-concurrency.groups[gold-*].max-concurrency=3",
                        "group-concurrency.global.max-in-flight=2")
                .withBean(GroupPolicyCustomizer.class, () -> policy -> policy.globalMaxInFlight(1))
                .run(context -> {
                    assertThat(most(context)).isEqualTo(9);
                    assertThat(connections(context).policy().maxKeyLength()).isEqualTo(20);
                    assertThat(connections(context).policy().groups()).containsOnlyKeys("a[0]");
                    try (Connection silver = elsewhere(context, "silver");
                            Connection gold = elsewhere(context, "gold-1");
                            Connection more = elsewhere(context, "gold-1")) {
                        assertThat(List.of(silver, gold, more)).doesNotHaveDuplicates();
                        assertThatExceptionOfType(GroupConnectionException.class)
                                .isThrownBy(() -> elsewhere(context, "silver"))
                                .satisfies(refused -> assertThat(
                                                refused.rejection().reason())
                                        .isEqualTo(RejectionReason.GROUP_QUEUE_FULL));
                        assertThat(connections(context)
                                        .groupStats("gold-1")
                                        .orElseThrow()
                                        .running())
                                .isEqualTo(2);
                    }
                });
    }

    /** Each event was a connection with a turn of its own, and so three more events. */
    @Test
    void aListenerThatUsesTheDatabaseHearsNothingOfItself() {
        PooledApplication.ofPool(5).withUserConfiguration(Audited.class).run(context -> {
            connect(context, "a").close();
            assertThat(context.getBean(Audit.class).heard).containsExactly("submitted", "started", "completed");

            Connection unclosed = connect(context, "a");
            unclosed.getMetaData().getConnection().close();
            connect(context, "a").close();
            assertThat(context.getBean(Audit.class).heard)
                    .as("one that the pool had back is left at the next one")
                    .hasSize(9);
            unclosed.close();

            Connection elsewhere = elsewhere(context, "a");
            TENANT.set("a");
            elsewhere.close();
            assertThat(context.getBean(Audit.class).heard)
                    .as("what it opens at the end of another thread's has a turn, and no more")
                    .hasSize(15);
            assertThatNothingIsOut(context);
        });
    }

    @Test
    void aListenerThatUsesTheDatabaseWaitsForNoTurn() {
        PooledApplication.ofPool(2).withUserConfiguration(Audited.class).run(context -> {
            Connection only = elsewhere(context, "a");
            Caller<Connection> waits = Caller.start(() -> connect(context, "a"));
            Deadline.until(
                    "one waits, and has written so",
                    () -> connections(context).stats().queued() == 1);
            assertThat(context.getBean(Audit.class).heard).containsExactly("submitted", "started", "submitted");
            only.close();
            waits.result().close();
            assertThatNothingIsOut(context);
        });
    }

    private static void assertThatNothingIsOut(ApplicationContext context) throws SQLException {
        DataSource dataSource = context.getBean(DataSource.class);
        assertThat(connections(context).stats().inFlight()).isZero();
        assertThat(dataSource.unwrap(GroupDataSource.class).openWithoutGroup()).isZero();
        assertThat(dataSource
                        .unwrap(HikariDataSource.class)
                        .getHikariPoolMXBean()
                        .getActiveConnections())
                .isZero();
    }

    @Test
    void theyAreNoneOfThoseThatAreMeantWithoutAName() {
        PooledApplication.ofPool(10)
                .withConfiguration(AutoConfigurations.of(GroupConcurrencyScopeAutoConfiguration.class))
                .run(context -> {
                    assertThat(context.getBeanProvider(GroupExecutor.class).getObject())
                            .isSameAs(context.getBean("groupExecutor"));
                    assertThat(context).hasSingleBean(Scopes.class);
                    GroupExecutorReport shown = (GroupExecutorReport) context.getBean(GroupExecutorEndpoint.class)
                            .groups(null, null, null, null, null, null, null, null, null);
                    assertThat(shown.global().maxInFlight()).isNull();
                });
    }

    @Test
    void eachIsShownAndMeasuredAsEveryOther() {
        PooledApplication.ofPool(10)
                .withConfiguration(AutoConfigurations.of(GroupConcurrencyMetricsAutoConfiguration.class))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    context.getBeansOfType(MeterBinder.class).values().forEach(binder -> binder.bindTo(registry));
                    try (Connection open = connect(context, "a")) {
                        assertThat(open.isClosed()).isFalse();
                        GroupExecutorReport shown = (GroupExecutorReport) context.getBean(GroupExecutorEndpoint.class)
                                .groups(null, null, null, null, null, null, null, null, "connections");
                        assertThat(shown.groups()).containsOnlyKeys("a");
                        assertThat(shown.global().maxInFlight()).isEqualTo(9);
                        assertThat(registry.get("group.executor.global.running")
                                        .tag("executor", "connections")
                                        .gauge()
                                        .value())
                                .isEqualTo(1);
                    }
                });
    }

    @Test
    void severalDataSourcesHaveOneEach() {
        PooledApplication.bare()
                .withBean(ConnectionGroup.class, () -> TENANT::get)
                .withUserConfiguration(Two.class)
                .run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean("connections");
                    assertThat(executors(context))
                            .containsExactlyInAnyOrderEntriesOf(Map.of(
                                    "connections-orders",
                                    5,
                                    "connections-reports",
                                    2,
                                    "groupExecutor",
                                    Integer.MAX_VALUE));
                    TENANT.set("a");
                    try (Connection order =
                                    context.getBean("orders", DataSource.class).getConnection();
                            Connection report =
                                    context.getBean("reports", DataSource.class).getConnection()) {
                        assertThat(order).isNotEqualTo(report);
                        assertThat(inFlight(context, "connections-orders")).isEqualTo(1);
                        assertThat(inFlight(context, "connections-reports")).isEqualTo(1);
                    }
                });
    }

    private static Map<String, Integer> executors(ApplicationContext context) {
        Map<String, Integer> found = new TreeMap<>();
        context.getBeansOfType(GroupExecutor.class)
                .forEach((name, executor) -> found.put(name, executor.policy().globalMaxInFlight()));
        return found;
    }

    private static long inFlight(ApplicationContext context, String executor) {
        return context.getBean(executor, GroupExecutor.class).stats().inFlight();
    }

    @Test
    void oneOfTheApplicationsTakesThePlaceOfOurs() {
        PooledApplication.ofPool(10).withUserConfiguration(OwnExecutor.class).run(context -> {
            connect(context, "a").close();
            assertThat(most(context)).isEqualTo(2);
            assertThat(connections(context)
                            .groupStats("a")
                            .orElseThrow()
                            .totals()
                            .submitted())
                    .isEqualTo(1);
        });
    }

    @Test
    void anotherBeanOfTheirNameFailsTheStart() {
        PooledApplication.ofPool(10)
                .withBean("connections", String.class, () -> "of a chat")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasMessage("The bean 'connections' isn't a GroupExecutor, and the executor that limits the"
                                + " connections of the data source 'dataSource' is to have this name: give the bean"
                                + " another name, or set group-concurrency.datasource.enabled to false."));
    }

    @Test
    void theGroupMayNeedTheDataSource() {
        PooledApplication.bare()
                .withPropertyValues(
                        "spring.datasource.hikari.maximum-pool-size=5", "spring.main.lazy-initialization=true")
                .withUserConfiguration(GroupFromTheDataSource.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    try (Connection connection =
                            context.getBean(DataSource.class).getConnection()) {
                        assertThat(connection.isValid(1)).isTrue();
                    }
                    assertThat(most(context)).isEqualTo(4);
                });
    }

    @Test
    void untilAllBeansAreMadeNoConnectionHasAGroup() {
        TENANT.set("a");
        PooledApplication.ofPool(5).withUserConfiguration(Early.class).run(context -> {
            GroupDataSource limited = context.getBean(DataSource.class).unwrap(GroupDataSource.class);
            assertThat(connections(context).stats().totals().submitted()).isZero();
            assertThat(limited.openWithoutGroup()).isEqualTo(1);

            context.getBean(Connection.class).close();
            assertThat(limited.openWithoutGroup()).isZero();
            try (Connection later = limited.getConnection()) {
                assertThat(later.isValid(1)).isTrue();
                assertThat(connections(context).stats().running()).isEqualTo(1);
            }
        });
    }

    @Test
    void severalBeansThatTellTheGroupFailTheStart() {
        PooledApplication.ofPool(5)
                .withBean("other", ConnectionGroup.class, () -> () -> "other")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasMessageContaining("expected single matching bean but found 2"));
    }

    @ParameterizedTest
    @CsvSource({"group-concurrency.enabled", "group-concurrency.datasource.enabled"})
    void switchedOffThereAreNone(String property) {
        PooledApplication.ofPool(5)
                .withPropertyValues(property + "=false")
                .run(context -> assertThat(context.getBean(DataSource.class)).isInstanceOf(HikariDataSource.class));
    }

    @Test
    void withoutABeanThatTellsTheGroupThereAreNone() {
        PooledApplication.bare().run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean("connections");
            assertThat(context.getBean(DataSource.class)).isInstanceOf(HikariDataSource.class);
        });
    }

    @Test
    void withoutADataSourceThereAreNoneAndTheLogIsTold(CapturedOutput output) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyAutoConfiguration.class, GroupConcurrencyDataSourceAutoConfiguration.class))
                .withBean(ConnectionGroup.class, () -> TENANT::get)
                .run(context -> assertThat(output)
                        .contains("No connections are limited: there is a ConnectionGroup, and no DataSource bean."));
    }

    @Test
    void aChildContextWithoutADataSourceHasWhatLimitsThoseOfItsParent(CapturedOutput output) {
        PooledApplication.ofPool(10)
                .run(parent -> PooledApplication.limited().withParent(parent).run(child -> {
                    assertThat(child.getBean(LimitedConnections.class))
                            .isSameAs(parent.getBean(LimitedConnections.class));
                    try (Connection open = connect(child, "a")) {
                        assertThat(open.isValid(1)).isTrue();
                        assertThat(connections(child).stats().running()).isEqualTo(1);
                    }
                }));

        assertThat(output).doesNotContain("No connections are limited");
    }

    @Test
    void whoWaitsForATurnHasNoConnectionOfThePool() {
        PooledApplication.ofPool(2).run(context -> {
            Connection first = elsewhere(context, "a");
            Caller<Connection> second = Caller.start(() -> connect(context, "b"));
            Deadline.until("one waits", () -> connections(context).stats().queued() == 1);
            HikariDataSource pool = context.getBean(DataSource.class).unwrap(HikariDataSource.class);
            assertThat(pool.getHikariPoolMXBean().getThreadsAwaitingConnection())
                    .isZero();
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isEqualTo(1);
            first.close();
            second.result().close();
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Two {

        @Bean
        DataSource orders() {
            return PooledApplication.pool("orders", 6);
        }

        @Bean(defaultCandidate = false)
        DataSource reports() {
            return PooledApplication.pool("reports", 3);
        }
    }

    /** Writes down in the database what it hears. */
    static class Audit implements TaskLifecycleListener {

        private final List<String> heard = new CopyOnWriteArrayList<>();
        private final ObjectProvider<DataSource> dataSource;

        Audit(ObjectProvider<DataSource> dataSource) {
            this.dataSource = dataSource;
        }

        private void write(String event) {
            heard.add(event);
            new JdbcTemplate(dataSource.getObject()).execute("SELECT 1");
        }

        @Override
        public void onSubmitted(String groupKey, String taskId) {
            write("submitted");
        }

        @Override
        public void onStarted(String groupKey, String taskId) {
            write("started");
        }

        @Override
        public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
            write("completed");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Audited {

        @Bean
        Audit audit(ObjectProvider<DataSource> dataSource) {
            return new Audit(dataSource);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnExecutor {

        @Bean(defaultCandidate = false)
        GroupExecutor connections() {
            return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                    .globalMaxInFlight(2)
                    .defaultMaxConcurrencyPerGroup(2)
                    .build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Early {

        @Bean
        Connection early(DataSource dataSource) throws SQLException {
            return dataSource.getConnection();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class GroupFromTheDataSource {

        @Bean
        ConnectionGroup tenants(DataSource dataSource) {
            return () -> dataSource.toString().isEmpty() ? "a" : null;
        }
    }
}
