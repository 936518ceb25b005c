package io.github.kobe.spring.jdbc;

import static io.github.kobe.spring.jdbc.LimitedPool.impatient;
import static io.github.kobe.spring.jdbc.LimitedPool.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.spring.annotation.GroupConcurrent;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.method.GroupConcurrentAspectAutoConfiguration;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;
import org.springframework.test.web.servlet.result.MockMvcResultMatchers;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Turns for connections together with what else Spring does with them. */
class ConnectionsInTransactionsTests {

    private static TransactionTemplate transaction(DataSource dataSource, int propagation) {
        TransactionTemplate template = new TransactionTemplate(new JdbcTransactionManager(dataSource));
        template.setPropagationBehavior(propagation);
        return template;
    }

    /** Does something in a transaction. */
    private static <T> T inTransaction(DataSource dataSource, Callable<T> work) {
        return in(transaction(dataSource, TransactionDefinition.PROPAGATION_REQUIRED), work);
    }

    /** Does something in a transaction of its own, whatever is open. */
    private static <T> T inNewTransaction(DataSource dataSource, Callable<T> work) {
        return in(transaction(dataSource, TransactionDefinition.PROPAGATION_REQUIRES_NEW), work);
    }

    private static <T> T in(TransactionTemplate transaction, Callable<T> work) {
        return transaction.execute(status -> {
            try {
                return work.call();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    // ---- transactions

    @Test
    @Tag("J10")
    void aTransactionHoldsItsPermitUntilItsEnd() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, 1)) {
            JdbcTemplate jdbc = new JdbcTemplate(limited.dataSource);
            LimitedPool.as(
                    "a",
                    () -> inTransaction(limited.dataSource, () -> {
                        jdbc.execute("create table t (id int)");
                        jdbc.update("insert into t values (1)");
                        assertThat(limited.inFlight("a")).isEqualTo(1);
                        assertThat(limited.executor
                                        .groupStats("a")
                                        .orElseThrow()
                                        .totals()
                                        .submitted())
                                .isEqualTo(1);
                        return 0;
                    }));

            assertThat(limited.inFlight("a")).isZero();
        }
    }

    @Test
    @Tag("J4")
    void requiresNewGoesToTheReserveAndCommitsByItself() throws Exception {
        try (LimitedPool limited = LimitedPool.of(LimitedPool.config(2), impatient(1, 1), pool -> pool)) {
            JdbcTemplate jdbc = new JdbcTemplate(limited.dataSource);
            LimitedPool.as("a", () -> {
                jdbc.execute("create table t (id int)");
                return inTransaction(limited.dataSource, () -> {
                    inNewTransaction(limited.dataSource, () -> {
                        assertThat(limited.active()).isEqualTo(2);
                        assertThat(limited.inFlight("a")).isEqualTo(1);
                        return jdbc.update("insert into t values (1)");
                    });
                    assertThat(limited.active()).isEqualTo(1);
                    return jdbc.queryForObject("select count(*) from t", Integer.class);
                });
            });
        }
    }

    @Test
    @Tag("J6")
    void aTransactionWithoutATurnDoesNotBegin() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, impatient(2, 1))) {
            Connection held = limited.openElsewhere("a");

            assertThatExceptionOfType(CannotCreateTransactionException.class)
                    .isThrownBy(() -> LimitedPool.as("a", () -> inTransaction(limited.dataSource, () -> "begun")))
                    .withCauseInstanceOf(GroupConnectionException.class);
            held.close();
        }
    }

    // ---- other data sources around it and inside of it

    @Test
    @Tag("J7")
    void insideALazyProxyATransactionTakesItsPermitAtTheFirstStatement() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, 1)) {
            LazyConnectionDataSourceProxy lazy = new LazyConnectionDataSourceProxy();
            lazy.setTargetDataSource(limited.dataSource);
            lazy.setDefaultAutoCommit(true);
            lazy.setDefaultTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            JdbcTemplate jdbc = new JdbcTemplate(lazy);
            LimitedPool.as(
                    "a",
                    () -> inTransaction(lazy, () -> {
                        assertThat(limited.inFlight("a")).isZero();
                        jdbc.execute("create table t (id int)");
                        assertThat(limited.inFlight("a")).isEqualTo(1);
                        inNewTransaction(lazy, () -> jdbc.queryForObject("select 1", Integer.class));
                        return 0;
                    }));
        }
    }

    @Test
    @Tag("J7")
    void severalPoolsBehindARouterHaveTheirTurnsEach() throws Exception {
        try (LimitedPool first = LimitedPool.of(3, impatient(2, 1));
                LimitedPool second = LimitedPool.of(3, impatient(2, 1))) {
            ThreadLocal<String> chosen = new ThreadLocal<>();
            AbstractRoutingDataSource router = router(chosen, first.dataSource, second.dataSource);

            LimitedPool.as("a", () -> {
                chosen.set("first");
                try (Connection one = router.getConnection()) {
                    chosen.set("second");
                    try (Connection other = router.getConnection()) {
                        assertThat(one).isNotSameAs(other);
                        assertThat(first.inFlight("a")).isEqualTo(1);
                        assertThat(second.inFlight("a")).isEqualTo(1);
                    }
                }
                return 0;
            });
        }
    }

    @Test
    @Tag("J7")
    void aRouterInsideSharesTheTurns() throws Exception {
        ThreadLocal<String> chosen = new ThreadLocal<>();
        try (LimitedPool other = LimitedPool.of(3, 1);
                LimitedPool limited =
                        LimitedPool.of(LimitedPool.config(3), policy(2, 1), pool -> router(chosen, pool, other.pool))) {
            chosen.set("second");
            try (Connection connection = limited.open("a")) {
                assertThat(connection.isClosed()).isFalse();
                assertThat(other.active()).isEqualTo(1);
                assertThat(limited.active()).isZero();
                assertThat(limited.inFlight("a")).isEqualTo(1);
            }
        }
    }

    private static AbstractRoutingDataSource router(ThreadLocal<String> chosen, DataSource first, DataSource second) {
        AbstractRoutingDataSource router = new AbstractRoutingDataSource() {
            @Override
            protected Object determineCurrentLookupKey() {
                return chosen.get();
            }
        };
        router.setTargetDataSources(Map.of("first", first, "second", second));
        router.afterPropertiesSet();
        return router;
    }

    // ---- asynchronous requests

    @Test
    @Tag("J4")
    void whatARequestLeavesOpenIsNotWithItsThreadOnceItHasLeft() {
        servlets()
                .withConfiguration(
                        BootAutoConfigurations.named("DispatcherServletAutoConfiguration", "WebMvcAutoConfiguration"))
                .withPropertyValues("group-concurrency.datasource.defaults.max-concurrency=1")
                .withBean(Reports.class)
                .run(context -> {
                    DataSource dataSource = context.getBean(DataSource.class);
                    GroupExecutor connections = context.getBean("connections", GroupExecutor.class);
                    PooledApplication.TENANT.set("a");
                    Filter audit = (request, response, chain) -> {
                        chain.doFilter(request, response);
                        try (Connection own = dataSource.getConnection()) {
                            assertThat(own.isClosed()).isFalse();
                        } catch (SQLException e) {
                            throw new ServletException(e);
                        }
                    };
                    MockMvcBuilders.webAppContextSetup(context)
                            .addFilters(context.getBean(RequestThreads.class), audit)
                            .build()
                            .perform(MockMvcRequestBuilders.get("/report"))
                            .andExpect(MockMvcResultMatchers.request().asyncStarted());

                    PooledApplication.TENANT.set("b");
                    try (Connection first = dataSource.getConnection();
                            Connection second = dataSource.getConnection()) {
                        assertThat(first).isNotSameAs(second);
                        assertThat(connections.groupStats("a").orElseThrow().inFlight())
                                .isEqualTo(1);
                        assertThat(connections.groupStats("b").orElseThrow().inFlight())
                                .isEqualTo(1);
                    }
                    PooledApplication.TENANT.set("a");
                    try (Connection kept = context.getBean(Reports.class).kept) {
                        assertThat(kept.getAutoCommit()).as("used here again").isTrue();
                        dataSource.getConnection().close();
                        assertThat(connections.stats().totals().submitted()).isEqualTo(2);
                    } finally {
                        PooledApplication.TENANT.remove();
                    }
                    assertThat(connections.stats().inFlight()).isZero();
                });
    }

    @Test
    @Tag("J4")
    void whatATaskOfARequestLeavesOpenIsNotWithItsThreadAfterIt() {
        servlets()
                .withConfiguration(BootAutoConfigurations.named(
                        "DispatcherServletAutoConfiguration",
                        "TaskExecutionAutoConfiguration",
                        "WebMvcAutoConfiguration"))
                .withPropertyValues("spring.task.execution.pool.core-size=1")
                .withBean(Reports.class)
                .run(context -> {
                    MockMvcBuilders.webAppContextSetup(context)
                            .addFilters(context.getBean(RequestThreads.class))
                            .build()
                            .perform(MockMvcRequestBuilders.get("/callable"))
                            .andExpect(MockMvcResultMatchers.request().asyncResult("kept"));

                    DataSource dataSource = context.getBean(DataSource.class);
                    GroupExecutor connections = context.getBean("connections", GroupExecutor.class);
                    AsyncTaskExecutor tasks = context.getBean("applicationTaskExecutor", AsyncTaskExecutor.class);
                    CompletableFuture<Optional<Integer>> inFlight = tasks.submitCompletable(() -> {
                        PooledApplication.TENANT.set("b");
                        try (Connection own = dataSource.getConnection()) {
                            assertThat(own.isClosed()).isFalse();
                            return connections.groupStats("b").map(GroupStats::inFlight);
                        }
                    });
                    assertThat(inFlight).succeedsWithin(Deadline.LONG).isEqualTo(Optional.of(1));
                    context.getBean(Reports.class).kept.close();
                    assertThat(connections.stats().inFlight()).isZero();
                });
    }

    private static WebApplicationContextRunner servlets() {
        return new WebApplicationContextRunner()
                .withConfiguration(BootAutoConfigurations.named("DataSourceAutoConfiguration"))
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyAutoConfiguration.class, GroupConcurrencyDataSourceAutoConfiguration.class))
                .withPropertyValues("spring.datasource.generate-unique-name=true")
                .withBean(ConnectionGroup.class, () -> PooledApplication.TENANT::get);
    }

    /** Keeps a connection until its answer, as a session of JPA does that is open in the view. */
    @RestController
    static class Reports {

        private final DataSource dataSource;
        private @Nullable Connection kept;

        Reports(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        @GetMapping("/report")
        public CompletableFuture<String> report() throws SQLException {
            kept = dataSource.getConnection();
            return new CompletableFuture<>();
        }

        @GetMapping("/callable")
        public Callable<String> callable() {
            return () -> {
                PooledApplication.TENANT.set("a");
                kept = dataSource.getConnection();
                return "kept";
            };
        }
    }

    // ---- other executors

    @Test
    @Tag("J10")
    void aTaskOfAnotherExecutorThatWaitsForAConnectionLendsNothing() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, 1);
                GroupExecutor work = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().build())) {
            Connection held = limited.openElsewhere("a");
            TaskHandle<String> first = work.submit(
                    "a",
                    () -> LimitedPool.as("a", () -> {
                        limited.dataSource.getConnection().close();
                        return "done";
                    }));
            limited.awaitQueued("a", 1);
            TaskHandle<String> second = work.submit("a", () -> "done too");

            assertThat(work.groupStats("a").orElseThrow())
                    .returns(1, stats -> stats.inFlight())
                    .returns(1, stats -> stats.queued());

            held.close();
            assertThat(first.await().valueOrThrow()).isEqualTo("done");
            assertThat(second.await().valueOrThrow()).isEqualTo("done too");
        }
    }

    @Test
    @Tag("J10")
    void aLimitedMethodKeepsItsOwnPermitWhileItWaitsForAConnection() {
        try (LimitedPool limited = LimitedPool.of(3, 1)) {
            new ApplicationContextRunner()
                    .withConfiguration(BootAutoConfigurations.named(
                            "AopAutoConfiguration",
                            "DataSourceTransactionManagerAutoConfiguration",
                            "JdbcTemplateAutoConfiguration",
                            "TransactionAutoConfiguration"))
                    .withConfiguration(AutoConfigurations.of(
                            GroupConcurrencyAutoConfiguration.class, GroupConcurrentAspectAutoConfiguration.class))
                    .withBean(DataSource.class, () -> limited.dataSource)
                    .withBean(Orders.class)
                    .run(context -> {
                        GroupExecutor methods = context.getBean(GroupExecutor.class);
                        Orders orders = context.getBean(Orders.class);
                        Connection held = limited.openElsewhere("a");
                        Caller<Integer> call = Caller.start(() -> LimitedPool.as("a", orders::count));
                        limited.awaitQueued("a", 1);

                        assertThat(methods.groupStats("orders").orElseThrow().inFlight())
                                .isEqualTo(1);
                        assertThat(methods.stats().queued()).isZero();

                        held.close();
                        assertThat(call.result()).isZero();
                    });
        }
    }

    static class Orders {

        private final JdbcTemplate jdbc;

        Orders(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        @GroupConcurrent(group = "orders")
        public int count() {
            return jdbc.queryForObject("select count(*) from information_schema.locks", Integer.class);
        }
    }

    @Test
    @Tag("J10")
    void aDrainLetsInWhatRunsInsideATransactionAndNobodyElse() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, 1)) {
            Gate gate = new Gate();
            Caller<Integer> transaction = Caller.start(() -> LimitedPool.as(
                    "a",
                    () -> inTransaction(limited.dataSource, () -> {
                        gate.pass();
                        return inNewTransaction(
                                limited.dataSource,
                                () -> new JdbcTemplate(limited.dataSource).queryForObject("select 1", Integer.class));
                    })));
            gate.awaitArrived(1);
            Caller<Boolean> drain = Caller.start(() -> limited.executor.shutdown(Deadline.LONG));
            Deadline.until("the drain has begun", limited.executor::isShutdown);

            assertThatExceptionOfType(GroupConnectionException.class)
                    .isThrownBy(() -> limited.open("b"))
                    .returns(RejectionReason.SHUTDOWN, e -> e.rejection().reason());
            gate.open();

            assertThat(transaction.result()).isEqualTo(1);
            assertThat(drain.result()).isTrue();
        }
    }

    @Test
    @Tag("J2")
    void aShutdownTakesNoConnectionAway() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, 1)) {
            try (Connection connection = limited.open("a")) {
                limited.executor.shutdown();

                assertThat(connection.createStatement().execute("select 1")).isTrue();
                assertThat(limited.executor.isTerminated()).isFalse();
            }
            Deadline.until("its end", limited.executor::isTerminated);
        }
    }
}
