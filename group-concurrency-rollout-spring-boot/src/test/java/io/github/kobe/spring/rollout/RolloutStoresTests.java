package io.github.kobe.spring.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.rollout.ConfigCodec;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.PlanInfo;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.RolloutStore;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.jdbc.JdbcRolloutStore;
import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import io.github.kobe.testing.Deadline;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Where rollouts are kept, and what is said where they can't be kept there. */
@ExtendWith(OutputCaptureExtension.class)
class RolloutStoresTests {

    private static final String KEPT_IN_MEMORY = "Rollouts are kept in memory";

    private final ApplicationContextRunner plain = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyRolloutAutoConfiguration.class))
            .withBean(Stage.class, () -> Stage.named("Nothing"));

    private final ApplicationContextRunner withDatabase = plain.withConfiguration(BootAutoConfigurations.named(
            "DataSourceAutoConfiguration", "DataSourceTransactionManagerAutoConfiguration"));

    // ---- which

    @Test
    @Tag("R134")
    void besideADataSourceTheyAreInItsDatabase(CapturedOutput output) {
        withDatabase.run(context -> {
            completes(context);
            assertThat(context).getBean(RolloutStore.class).isInstanceOf(JdbcRolloutStore.class);
            assertThat(plansIn(context.getBean(DataSource.class))).isEqualTo(1);
            assertThat(output).doesNotContain(KEPT_IN_MEMORY).doesNotContain(" WARN ");
        });
    }

    @Test
    @Tag("R134")
    void withoutADataSourceTheyAreInMemoryWithOneWarning(CapturedOutput output) {
        plain.run(context -> {
            completes(context);
            assertThat(output)
                    .containsOnlyOnce(KEPT_IN_MEMORY)
                    .contains("since there is no DataSource bean")
                    .contains("set group-concurrency.rollout.store to memory");
        });
    }

    @Test
    @Tag("R134")
    void inMemoryByTheSettingsThereIsNoWarning(CapturedOutput output) {
        withDatabase
                .withPropertyValues("group-concurrency.rollout.store=memory")
                .run(context -> {
                    completes(context);
                    assertThat(context).doesNotHaveBean(RolloutTables.class);
                    assertThat(output).doesNotContain(KEPT_IN_MEMORY);
                });
    }

    @Test
    @Tag("R134")
    void withoutSpringJdbcTheyAreInMemoryWithAWarning(CapturedOutput output) {
        plain.withClassLoader(new FilteredClassLoader(JdbcClient.class)).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(Rollouts.class);
            assertThat(output).containsOnlyOnce(KEPT_IN_MEMORY);
        });
    }

    @Test
    @Tag("R134")
    void besideTwoDataSourcesTheyAreInMemoryWithAWarningThatNamesThem(CapturedOutput output) {
        plain.withUserConfiguration(TwoDatabases.class).run(context -> {
            completes(context);
            assertThat(output)
                    .containsOnlyOnce(KEPT_IN_MEMORY)
                    .contains("none of the DataSource beans first, second is the primary one");
        });
    }

    @Test
    void ofTwoDataSourcesItIsThePrimaryOne() {
        plain.withUserConfiguration(TwoDatabases.class, Main.class).run(context -> {
            completes(context);
            assertThat(plansIn(context.getBean("main", DataSource.class))).isEqualTo(1);
        });
    }

    @Test
    @Tag("R134")
    void aStoreOfTheApplicationsOwnIsTheOnlyOne(CapturedOutput output) {
        RolloutStore own = RolloutStore.inMemory();
        withDatabase.withBean(RolloutStore.class, () -> own).run(context -> {
            completes(context);
            assertThat(Rollouts.builder(context.getBean(GroupExecutor.class))
                            .store(own)
                            .buildClosed()
                            .plans())
                    .hasSize(1);
            assertThat(context).doesNotHaveBean(RolloutTables.class);
            assertThat(output).doesNotContain(KEPT_IN_MEMORY);
        });
    }

    // ---- what is asked for and isn't there

    @Test
    @Tag("R134")
    void aDatabaseThatIsAskedForAndNotThereFailsTheStart() {
        plain.withPropertyValues("group-concurrency.rollout.store=jdbc")
                .run(refused(
                        "Setting 'group-concurrency.rollout.store' can't be jdbc, since there is no DataSource bean",
                        "memory; or jdbc, with a DataSource bean, such as that of spring.datasource.url"));
    }

    @Test
    @Tag("R134")
    void oneOfTwoDatabasesThatNobodyChoseFailsTheStart() {
        plain.withUserConfiguration(TwoDatabases.class)
                .withPropertyValues("group-concurrency.rollout.store=jdbc")
                .run(refused(
                        "Setting 'group-concurrency.rollout.store' can't be jdbc, since none of the DataSource beans"
                                + " first, second is the primary one",
                        "memory; or jdbc, with one of the DataSource beans @Primary, or a RolloutStore bean made by"
                                + " JdbcRolloutStore.of(dataSource)"));
    }

    // ---- what a store of the application's own lacks

    @Test
    @Tag("R134")
    void aStoreOfTheApplicationsOwnWithoutTheCodecThatIsABeanFailsTheStart() {
        withDatabase
                .withBean(RolloutStore.class, () -> ownStore("rollout-uncoded"))
                .withBean(ConfigCodec.class, ConfigCodec::none)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageStartingWith("The ConfigCodec bean, io.github.kobe.rollout.ConfigCodec")
                        .hasMessageEndingWith(" isn't in force: the RolloutStore bean keeps configurations as they"
                                + " are. Make that with JdbcRolloutStore.withCodec(codec); or, if they are to be kept"
                                + " so, with ConfigCodec.none()."));
    }

    @Test
    @Tag("R134")
    void aStoreOfTheApplicationsOwnWithAnotherNameThanTheSettingFailsTheStart() {
        withDatabase
                .withBean(RolloutStore.class, () -> ownStore("rollout-unnamed"))
                .withPropertyValues("group-concurrency.rollout.application=billing")
                .run(refused(
                        "application",
                        "Setting 'group-concurrency.rollout.application' isn't in force: the RolloutStore bean has the"
                                + " rollouts of 'default'",
                        "the name that the bean has by JdbcRolloutStore.withApplication(name); or not set"));
    }

    @Test
    @Tag("R134")
    void aStoreOfTheApplicationsOwnWithTheCodecAndTheNameIsFine(CapturedOutput output) {
        ConfigCodec codec = ConfigCodec.none();
        withDatabase
                .withBean(
                        RolloutStore.class,
                        () -> ownStore("rollout-own").withApplication("billing").withCodec(codec))
                .withBean(ConfigCodec.class, () -> codec)
                .withPropertyValues("group-concurrency.rollout.application=billing")
                .run(context -> {
                    completes(context);
                    assertThat(output).doesNotContain(" WARN ");
                });
    }

    private static JdbcRolloutStore ownStore(String database) {
        return JdbcRolloutStore.of(database(database)).createTables();
    }

    // ---- the tables

    @Test
    void aDatabaseOutsideOfThisProcessIsNotChangedUnlessThatIsAskedFor() {
        withDatabase
                .withPropertyValues("group-concurrency.rollout.initialize-schema=never")
                .run(refused(
                        "Setting 'group-concurrency.rollout.store' can't be jdbc: the tables of rollouts"
                                + " aren't in the database, or are older than this version needs; to be run are"
                                + " h2/V1__rollouts.sql, h2/V2__applications_and_configurations.sql of"
                                + " io.github.kobe.rollout.jdbc",
                        "memory; or jdbc, with H2 or PostgreSQL and the tables of rollouts in it, which"
                                + " group-concurrency.rollout.initialize-schema: always creates and brings up to"
                                + " date"));
    }

    @Test
    void tablesThatAreThereAreUsed() {
        withDatabase
                .withPropertyValues(
                        "group-concurrency.rollout.initialize-schema=never",
                        "spring.sql.init.mode=always",
                        "spring.sql.init.schema-locations=classpath:io/github/kobe/rollout/jdbc/h2/V1__rollouts.sql,"
                                + "classpath:io/github/kobe/rollout/jdbc/h2/V2__applications_and_configurations.sql")
                .withConfiguration(BootAutoConfigurations.named(sqlInitialization()))
                .run(RolloutStoresTests::completes);
    }

    private static String sqlInitialization() {
        try {
            BootAutoConfigurations.named("SqlInitializationAutoConfiguration");
            return "SqlInitializationAutoConfiguration";
        } catch (AssertionError ofBoot4) {
            return "DataSourceInitializationAutoConfiguration";
        }
    }

    // ---- transactions

    @Test
    void whatTheApplicationDoesInATransactionIsOfOneWithTheRollouts() {
        withDatabase.run(RolloutStoresTests::isRolledBackWithTheApplications);
    }

    @Test
    void aTransactionManagerThatIsNotJdbcsIsTheOneThatCounts() {
        withDatabase.withUserConfiguration(LikeJpa.class).run(context -> {
            isRolledBackWithTheApplications(context);
            assertThat(context.getBean(OrmTransactionManager.class).begun).hasValueGreaterThan(1);
        });
    }

    @Test
    void aTransactionManagerOfSomethingElseIsLeftAlone() {
        withDatabase.withBean("ofMessages", Strange.class, Strange::new).run(RolloutStoresTests::completes);
    }

    private static void isRolledBackWithTheApplications(AssertableApplicationContext context) {
        Rollouts rollouts = context.getBean(Rollouts.class);
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
            rollouts.create(plan());
            status.setRollbackOnly();
        });
        assertThat(rollouts.plans()).isEmpty();
        completes(context);
    }

    private static ContextConsumer<AssertableApplicationContext> refused(String message, String allowed) {
        return refused("store", message, allowed);
    }

    private static ContextConsumer<AssertableApplicationContext> refused(
            String setting, String message, String allowed) {
        return context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOfSatisfying(InvalidSettingException.class, refusal -> {
                    assertThat(refusal).hasMessage(message);
                    assertThat(refusal.property()).isEqualTo("group-concurrency.rollout." + setting);
                    assertThat(refusal.allowed()).isEqualTo(allowed);
                });
    }

    private static RolloutPlan plan() {
        return RolloutPlan.named("plan-of-this-test")
                .add(TenantChange.of("acme", DeployUnit.of(7, 42, "blue"), "{}"))
                .build();
    }

    private static void completes(AssertableApplicationContext context) {
        assertThat(context).hasNotFailed();
        Rollouts rollouts = context.getBean(Rollouts.class);
        try {
            PlanInfo plan = rollouts.start(plan());
            assertThat(rollouts.await(plan.planId(), Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    private static Integer plansIn(DataSource dataSource) {
        return new JdbcTemplate(dataSource).queryForObject("select count(*) from rollout_plan", Integer.class);
    }

    private static DataSource database(String name) {
        return new DriverManagerDataSource("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDatabases {
        @Bean
        DataSource first() {
            return database("rollout-first");
        }

        @Bean
        DataSource second() {
            return database("rollout-second");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Main {
        @Bean
        @Primary
        DataSource main() {
            return database("rollout-main");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LikeJpa {
        @Bean
        OrmTransactionManager transactionManager(DataSource dataSource) {
            return new OrmTransactionManager(dataSource);
        }
    }

    /** None of JDBC's, and tells whose it is as JPA's and Hibernate's do. */
    static final class OrmTransactionManager implements PlatformTransactionManager {

        final AtomicInteger begun = new AtomicInteger();
        private final DataSourceTransactionManager connections;

        OrmTransactionManager(DataSource dataSource) {
            connections = new DataSourceTransactionManager(dataSource);
        }

        public DataSource getDataSource() {
            return connections.getDataSource();
        }

        @Override
        public TransactionStatus getTransaction(TransactionDefinition definition) {
            begun.incrementAndGet();
            return connections.getTransaction(definition);
        }

        @Override
        public void commit(TransactionStatus status) {
            connections.commit(status);
        }

        @Override
        public void rollback(TransactionStatus status) {
            connections.rollback(status);
        }
    }

    /** Of no database. */
    static final class Strange implements PlatformTransactionManager {

        @Override
        public TransactionStatus getTransaction(TransactionDefinition definition) {
            throw new IllegalStateException("nobody was to ask");
        }

        @Override
        public void commit(TransactionStatus status) {}

        @Override
        public void rollback(TransactionStatus status) {}
    }
}
