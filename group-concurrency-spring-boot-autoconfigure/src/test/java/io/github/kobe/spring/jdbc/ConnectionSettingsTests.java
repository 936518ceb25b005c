package io.github.kobe.spring.jdbc;

import static io.github.kobe.spring.testing.Refusals.refusalOf;
import static io.github.kobe.spring.testing.Refusals.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.internal.settings.UnlimitedConnections;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What is said of settings of connections that can't be used, and of those that are doubtful. */
@Tag("J8")
@Tag("J12")
@ExtendWith(OutputCaptureExtension.class)
class ConnectionSettingsTests {

    private static final String DATASOURCE = "group-concurrency.datasource.";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        max-connections                      | 0    | pool, or a whole number of at least 1
        max-connections                      | -3   | pool, or a whole number of at least 1
        max-connections                      | 2.5  | pool, or a whole number of at least 1
        max-connections                      | most | pool, or a whole number of at least 1
        nested-reserve                       | -1   | at least 0
        nested-reserve                       | 10   | 0 to 9, or a larger pool
        nested-reserve                       | some | a whole number
        enabled                              | on   | true or false
        defaults.max-concurrency             | 0    | at least 1
        defaults.max-concurrency             | some | a whole number, or "unlimited"
        defaults.queue-timeout               | 0s   | more than zero; if nothing may wait, set queue-threshold to 0
        groups.vip.weight                    | 1001 | 1 to 1000
        groups[a.b*].guaranteed              | -1   | 0 to 1000000
        groups.vip.rate                      | 0 per 1m | a limit that is 1 to 1000000000
        group-list[0].weight                 | 5    | a group key or pattern
        groups.vip.cluster-max-in-flight     | 3    | the other limits of a group
        """)
    void eachOutOfItsRangeFailsTheStart(String setting, String value, String allowed) {
        PooledApplication.ofPool(10)
                .withPropertyValues(DATASOURCE + setting + "=" + value)
                .run(context -> assertThat(refusalOf(context)).satisfies(refusal -> {
                    assertThat(refusal.property()).isEqualTo(DATASOURCE + setting.replace("[0].weight", "[0].key"));
                    assertThat(refusal.allowed()).isEqualTo(allowed);
                }));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        max-conections                | max-connections
        nested-reserved               | nested-reserve
        max-concurrency               | defaults.max-concurrency
        groups.vip.max-concurency     | groups.vip.max-concurrency
        groups[a*].queue-time-outs    | groups[a*].queue-timeout
        group-list[0].wheight         | group-list[0].weight
        """)
    void anUnknownNameFailsTheStartWithTheOneThatIsMeant(String unknown, String meant) {
        PooledApplication.ofPool(10)
                .withPropertyValues(DATASOURCE + unknown + "=1")
                .run(context -> assertThat(refusalOf(context)).satisfies(refusal -> {
                    assertThat(refusal.property()).isEqualTo(DATASOURCE + unknown);
                    assertThat(refusal.allowed()).isEqualTo(DATASOURCE + meant);
                }));
    }

    @Test
    void aKeyThatSpringBootWouldChangeFailsTheStartWithTheRightSpelling() {
        PooledApplication.ofPool(10)
                .withPropertyValues(DATASOURCE + "groups.a/b.weight=2")
                .run(refused(
                        "datasource.groups.a/b.weight",
                        "2",
                        "\"[a/b]\" as the key in YAML, groups[a/b] in a properties file, or an element of"
                                + " group-concurrency.datasource.group-list with key: \"a/b\""));
    }

    @Test
    void aKeyInMapAndListFailsTheStart() {
        PooledApplication.ofPool(10)
                .withPropertyValues(
                        DATASOURCE + "groups.vip.weight=2",
                        DATASOURCE + "group-list[0].key=vip",
                        // The same key of another executor is another group.
                        "group-concurrency.groups.vip.weight=2")
                .run(refused("datasource.group-list[0].key", "vip", "each key once, here or under groups"));
    }

    @Test
    void moreGuaranteedThanThePoolHasFailsTheStartWithItsSetting() {
        PooledApplication.ofPool(10)
                .withPropertyValues(DATASOURCE + "groups.gold.guaranteed=20")
                .run(context -> assertThat(refusalOf(context)).satisfies(refusal -> {
                    assertThat(refusal.property()).isEqualTo(DATASOURCE + "groups.gold.guaranteed");
                    assertThat(refusal.value()).isEqualTo("20");
                    assertThat(refusal.allowed()).startsWith("at most 9, since the guarantees of all exact keys");
                }));
    }

    @Test
    void aPoolOfOneFailsTheStart() {
        PooledApplication.ofPool(1)
                .withPropertyValues(DATASOURCE + "nested-reserve=0")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessage(
                                "Setting 'group-concurrency.datasource.max-connections' is pool, and the pool of the"
                                        + " data source 'dataSource' has 1 connection, which nobody can share"));
    }

    @Test
    void aDataSourceWithoutAKnownPoolNeedsANumber() {
        PooledApplication.limited()
                .withBean("orders", DataSource.class, JdbcDataSource::new)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessage(
                                "Setting 'group-concurrency.datasource.max-connections' is pool, and nothing tells how"
                                    + " many connections the data source 'orders' (org.h2.jdbcx.JdbcDataSource) has at"
                                    + " most"));
        PooledApplication.limited()
                .withBean("orders", DataSource.class, JdbcDataSource::new)
                .withPropertyValues(DATASOURCE + "max-connections=3")
                .run(context -> assertThat(context.getBean("connections", GroupExecutor.class)
                                .policy()
                                .globalMaxInFlight())
                        .isEqualTo(3));
    }

    @Test
    void aNumberAboveThePoolIsWarnedOf(CapturedOutput output) {
        PooledApplication.ofPool(5)
                .withPropertyValues(DATASOURCE + "max-connections=6")
                .run(context -> assertThat(output)
                        .contains("group-concurrency.datasource.max-connections is 6, and the pool of the data source"
                                + " 'dataSource' has 5 connections: who has a turn may wait in the pool then, behind"
                                + " other groups."));
    }

    @Test
    void aNumberThatLeavesNoReserveIsWarnedOf(CapturedOutput output) {
        PooledApplication.ofPool(5)
                .withPropertyValues(DATASOURCE + "max-connections=5")
                .run(context -> assertThat(output)
                        .contains(
                                "that leaves 0 for threads that have one and need a second, and nested-reserve is 1."));
    }

    @Test
    void aQueueTimeoutLongerThanThePoolsIsWarnedOf(CapturedOutput output) {
        PooledApplication.ofPool(5)
                .withPropertyValues(
                        "spring.datasource.hikari.connection-timeout=3000",
                        DATASOURCE + "defaults.queue-timeout=2s",
                        DATASOURCE + "groups[batch-*].queue-timeout=1m")
                .run(context -> assertThat(output)
                        .contains("group-concurrency.datasource.groups[batch-*].queue-timeout is PT1M, longer than the"
                                + " connection-timeout of the data source 'dataSource', PT3S: a caller may wait longer"
                                + " for its turn than it would have for the pool."));
    }

    @Test
    void soIsNone(CapturedOutput output) {
        PooledApplication.ofPool(5)
                .withPropertyValues(DATASOURCE + "defaults.queue-timeout=unlimited")
                .run(context -> assertThat(output)
                        .contains("group-concurrency.datasource.defaults.queue-timeout is unlimited, longer than the"
                                + " connection-timeout of the data source 'dataSource', PT30S"));
    }

    @Test
    void whatGoesTogetherIsNotWarnedOf(CapturedOutput output) {
        PooledApplication.ofPool(5)
                .withPropertyValues(DATASOURCE + "max-connections=4")
                .run(context -> assertThat(output).doesNotContain("WARN"));
    }

    @Test
    @Tag("deep")
    void withoutABeanThatTellsTheGroupTheStartFailsWithAnExample(CapturedOutput output) throws IOException {
        failsToStart(Bare.class, """
            group-concurrency:
              datasource:
                enabled: true
            """);

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Setting 'group-concurrency.datasource.enabled' is true, and there is no bean of type"
                        + " io.github.kobe.spring.jdbc.ConnectionGroup, which tells whom a connection is for:")
                .contains("Property: group-concurrency.datasource.enabled")
                .contains("Value: \"true\"")
                .containsPattern("Origin: .*application\\.yml\\] - 3:14")
                .contains("Allowed: a bean beside it, as @Bean ConnectionGroup tenants() { return () ->"
                        + " Tenant.current(); }, or false");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        nothing-that-is-missing      | there is no bean of type io.github.kobe.spring.jdbc.ConnectionGroup, which tells
        org.springframework.jdbc     | Spring JDBC isn't on the class path
        """)
    void settingsThatLimitNoConnectionsAreWarnedOf(String missing, String why, CapturedOutput output) {
        PooledApplication.bare()
                .withClassLoader(new FilteredClassLoader(missing))
                .withPropertyValues(DATASOURCE + "defaults.max-concurrency=6")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output)
                            .contains("No connections are limited, though group-concurrency.datasource.defaults."
                                    + "max-concurrency is set (and 1 more below datasource): " + why);
                });
    }

    @Test
    void switchedOffTheyAreNotWarnedOf(CapturedOutput output) {
        PooledApplication.bare()
                .withPropertyValues(DATASOURCE + "enabled=false")
                .run(context -> assertThat(output).doesNotContain("No connections are limited"));
    }

    /** Ahead of time, it is decided that none are limited; the switch may be set only later. */
    @Test
    void switchedOffOnlyWhereAnApplicationRunsTheyAreNotWarnedOfEither(CapturedOutput output) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GroupConcurrencyAutoConfiguration.class))
                .withBean(UnlimitedConnections.class)
                .withPropertyValues(DATASOURCE + "enabled=false")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output).doesNotContain("No connections are limited");
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"nothing-that-is-missing", "org.springframework.jdbc"})
    void withoutTheSettingsNothingIsLookedAt(String missing) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(GroupConcurrencyDataSourceAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader(missing))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void withoutSpringJdbcTheyCantBeSwitchedOn() {
        PooledApplication.limited()
                .withClassLoader(new FilteredClassLoader("org.springframework.jdbc"))
                .withPropertyValues(DATASOURCE + "enabled=true")
                .run(refused("datasource.enabled", "true", "Spring JDBC on the class path, or false"));
    }

    @Test
    void aReserveThatLeavesNothingIsToldWithItsPlace(CapturedOutput output) throws IOException {
        failsToStart(Grouped.class, """
            spring.datasource.hikari.maximum-pool-size: 3
            group-concurrency:
              datasource:
                nested-reserve: 3
            """);

        assertThat(output)
                .contains("Setting 'group-concurrency.datasource.nested-reserve' leaves nothing of the pool of the data"
                        + " source 'dataSource', which has 3 connections:")
                .containsPattern("Origin: .*application\\.yml\\] - 4:21")
                .contains("Allowed: 0 to 2, or a larger pool");
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void whoAsksForTheTypeOfThePoolIsToldHowToGetIt(boolean asksFirst, CapturedOutput output) throws IOException {
        failsToStart(asksFirst ? AsksFirst.class : AsksLater.class, "spring.main.banner-mode: \"off\"\n");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains(
                        "The bean 'dataSource' is asked for as com.zaxxer.hikari.HikariDataSource, but its connections"
                                + " are limited by group-concurrency.datasource or by hand, so it is a"
                                + " javax.sql.DataSource that leads to the pool.")
                .contains("Ask for a DataSource. Whoever needs the pool itself has it from"
                        + " dataSource.unwrap(HikariDataSource.class).");
    }

    @Test
    void whoCallsTheMethodThatMakesThePoolIsToldToo(CapturedOutput output) throws IOException {
        failsToStart(CallsTheMethod.class, "spring.main.banner-mode: \"off\"\n");

        assertThat(output)
                .contains("The bean of a data source is asked for as the type of its pool, but its connections are"
                        + " limited")
                .contains("A @Bean method that another one of its class calls has to return DataSource.");
    }

    private void failsToStart(Class<?> application, String yaml) throws IOException {
        Path file = Files.writeString(folder.resolve("application.yml"), yaml);
        SpringApplication starting = new SpringApplication(application);
        starting.setWebApplicationType(WebApplicationType.NONE);
        assertThatException()
                .isThrownBy(() -> starting.run(
                        "--spring.config.location=" + file.toUri(), "--spring.datasource.generate-unique-name=true"));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Bare {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Grouped {

        @Bean
        ConnectionGroup tenants() {
            return () -> null;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AsksFirst extends Grouped {

        /** Before the data source is made. */
        @Bean
        String asking(HikariDataSource pool) {
            return pool.toString();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AsksLater extends Grouped {

        @Bean
        String asking(DataSource dataSource, HikariDataSource pool) {
            return dataSource + " " + pool;
        }
    }

    @Configuration
    static class CallsTheMethod extends Grouped {

        @Bean
        HikariDataSource orders() {
            return PooledApplication.pool("orders", 5);
        }

        @Bean
        String calling() {
            return orders().toString();
        }
    }
}
