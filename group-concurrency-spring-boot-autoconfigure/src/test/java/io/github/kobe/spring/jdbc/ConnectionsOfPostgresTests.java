package io.github.kobe.spring.jdbc;

import static io.github.kobe.spring.jdbc.LimitedPool.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.GroupHolder;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import io.github.kobe.testing.Gate;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Turns for connections of a real server, which is asked itself what it has open. */
@Tag("deep")
class ConnectionsOfPostgresTests {

    /** On a busy machine it may take longer than the ten seconds that it is given otherwise. */
    private static final Duration LONGEST_START = Duration.ofSeconds(50);

    private static final int FLOOD = 300;

    private static EmbeddedPostgres server;

    /** Beside the pools of the tests. */
    private static HikariDataSource aside;

    private static JdbcTemplate operator;

    @BeforeAll
    static void start() throws Exception {
        server = EmbeddedPostgres.builder().setPGStartupWait(LONGEST_START).start();
        aside = new HikariDataSource(config(4));
        operator = new JdbcTemplate(aside);
    }

    @AfterAll
    static void stop() throws Exception {
        aside.close();
        server.close();
    }

    private static HikariConfig config(int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.getJdbcUrl("postgres", "postgres"));
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(Deadline.LONG.toMillis());
        return config;
    }

    private static LimitedPool pool(int size, int all, int perGroup) {
        return LimitedPool.of(config(size), policy(all, perGroup), between -> between);
    }

    /** Has the server know whom a session is for. */
    private static void name(Connection connection, String tenant) throws SQLException {
        connection.setClientInfo("ApplicationName", tenant);
    }

    /** {@return how many sessions of each tenant are in use at this instant, as the server has it} */
    private static Map<String, Integer> sessionsInUse() {
        Map<String, Integer> sessions = new ConcurrentHashMap<>();
        operator.query(
                "select application_name, count(*) from pg_stat_activity"
                        + " where application_name like 't-%' and state <> 'idle' group by 1",
                row -> {
                    sessions.put(row.getString(1), row.getInt(2));
                });
        return sessions;
    }

    @Test
    @Tag("J1")
    void atNoInstantHasATenantMoreSessionsThanItsShare() throws Exception {
        int all = 9;
        int share = 4;
        try (LimitedPool limited = pool(all + 1, all, share)) {
            List<Caller<Integer>> callers = new ArrayList<>();
            for (int i = 0; i < FLOOD; i++) {
                String tenant = i % 20 == 0 ? "t-" + i / 20 % 5 : "t-flood";
                callers.add(Caller.start(() -> {
                    for (int round = 0; round < 5; round++) {
                        try (Connection connection = limited.open(tenant)) {
                            connection.setAutoCommit(false);
                            name(connection, tenant);
                            execute(connection, "select pg_sleep(0.01)");
                            connection.commit();
                        }
                    }
                    return 0;
                }));
            }
            AtomicBoolean over = new AtomicBoolean();
            List<Map<String, Integer>> seen = new CopyOnWriteArrayList<>();
            Caller<Integer> observer = Caller.startPlatform(() -> {
                while (!over.get()) {
                    seen.add(sessionsInUse());
                }
                return seen.size();
            });
            for (Caller<Integer> caller : callers) {
                caller.result();
            }
            over.set(true);

            assertThat(observer.result()).isPositive();
            assertThat(seen)
                    .allSatisfy(sessions -> {
                        assertThat(sessions.values()).allMatch(count -> count <= share);
                        assertThat(sessions.values().stream()
                                        .mapToInt(count -> count)
                                        .sum())
                                .isLessThanOrEqualTo(all);
                    })
                    .anySatisfy(sessions -> assertThat(sessions).containsEntry("t-flood", share));
        }
    }

    @Test
    @Tag("J1")
    void aNeighbourOfAFloodFindsASessionWhileTheFloodWaits() throws Exception {
        try (LimitedPool limited = pool(10, 9, 6)) {
            Gate gate = new Gate();
            List<Caller<Integer>> flood = new ArrayList<>();
            for (int i = 0; i < FLOOD; i++) {
                flood.add(Caller.start(() -> {
                    try (Connection connection = limited.open("t-flood")) {
                        execute(connection, "select 1");
                        gate.pass();
                    }
                    return 0;
                }));
            }
            limited.awaitQueued("t-flood", FLOOD - 6);

            for (int i = 0; i < 100; i++) {
                try (Connection connection = limited.open("t-neighbour")) {
                    execute(connection, "select 1");
                }
            }

            assertThat(limited.executor.groupStats("t-flood").orElseThrow().queued())
                    .isEqualTo(FLOOD - 6);
            gate.open();
            for (Caller<Integer> caller : flood) {
                caller.result();
            }
        }
    }

    /** The server looks only every 100 ms whether a session is over, so that a round takes half a second and more. */
    @Test
    @Tag("J2")
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void howeverOftenTheServerEndsASessionInMidUseNoPermitIsLost() throws Exception {
        int rounds = Depth.pick(1, 10, 100);
        try (LimitedPool limited = pool(5, 4, 1)) {
            for (int round = 0; round < rounds; round++) {
                List<Caller<Integer>> victims = new ArrayList<>();
                for (String tenant : List.of("t-1", "t-2", "t-3", "t-4")) {
                    victims.add(Caller.start(() -> {
                        for (int i = 0; i < 5; i++) {
                            useUntilItIsKilled(limited, tenant, i % 2 == 0);
                            assertThat(limited.inFlight(tenant)).isZero();
                        }
                        return 0;
                    }));
                }
                for (Caller<Integer> victim : victims) {
                    victim.result();
                }
            }
        }
    }

    private static void useUntilItIsKilled(LimitedPool limited, String tenant, boolean autoCommit) {
        try (Connection connection = limited.open(tenant)) {
            connection.setAutoCommit(autoCommit);
            kill(sessionOf(connection));
            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> execute(connection, "select 1"));
        } catch (SQLException atTheClose) {
            assertThat(atTheClose.getMessage()).isNotNull();
        }
    }

    private static void kill(int session) {
        assertThat(operator.queryForObject("select pg_terminate_backend(?, 20000)", Boolean.class, session))
                .isTrue();
    }

    @Test
    @Tag("J2")
    void whoseSessionTheServerEndsMayTakeATurnBeforeTheDeadOneIsClosed() throws Exception {
        try (LimitedPool limited = pool(3, 2, 1)) {
            Connection dead = limited.open("t-1");
            kill(sessionOf(dead));
            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> execute(dead, "select 1"));

            try (Connection next = limited.open("t-1")) {
                execute(next, "select 1");
                assertThat(limited.inFlight("t-1")).isEqualTo(1);
                dead.close();
                assertThat(limited.inFlight("t-1")).isEqualTo(1);
            }
        }
    }

    @Test
    @Tag("J2")
    void anAbortInMidUseGivesThePermitBack() throws Exception {
        try (LimitedPool limited = pool(3, 2, 1)) {
            Connection connection = limited.openElsewhere("t-1");
            Caller<Boolean> user = Caller.start(() -> {
                try {
                    execute(connection, "select pg_sleep(600)");
                    return false;
                } catch (SQLException aborted) {
                    return true;
                } finally {
                    connection.close();
                }
            });
            Deadline.until(
                    "it sleeps",
                    () -> operator.queryForObject(
                                    "select count(*) from pg_stat_activity where state = 'active' and query like"
                                            + " '%pg_sleep(600)'",
                                    Integer.class)
                            == 1);

            connection.abort(Runnable::run);

            assertThat(limited.inFlight("t-1")).isZero();
            assertThat(user.result()).isTrue();
            operator.queryForList(
                    "select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(600)'"
                            + " and pid <> pg_backend_pid()");
        }
    }

    @Test
    @Tag("J2")
    void aLeakIsShownUntilItsSessionIsClosed() throws Exception {
        try (LimitedPool limited = pool(3, 2, 1)) {
            Connection leaked = Caller.startPlatform(() -> {
                        Thread.currentThread().setName("nightly-job");
                        return limited.open("t-1");
                    })
                    .result();

            assertThat(limited.executor.holders("t-1"))
                    .extracting(GroupHolder::taskId)
                    .containsExactly("nightly-job");

            leaked.close();
            assertThat(limited.executor.holders("t-1")).isEmpty();
        }
    }

    @Test
    @Tag("J4")
    void aStormOfTransactionsInsideTransactionsEnds() throws Exception {
        int rounds = Depth.pick(1, 20, 100);
        operator.execute("create table storm (tenant text)");
        try (LimitedPool limited = pool(10, 9, 9)) {
            JdbcTransactionManager manager = new JdbcTransactionManager(limited.dataSource);
            TransactionTemplate outer = new TransactionTemplate(manager);
            TransactionTemplate inner = new TransactionTemplate(manager);
            inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            JdbcTemplate jdbc = new JdbcTemplate(limited.dataSource);
            for (int round = 0; round < rounds; round++) {
                List<Caller<Integer>> callers = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    String tenant = "t-" + i % 5;
                    callers.add(Caller.start(() -> LimitedPool.as(tenant, () -> {
                        for (int turn = 0; turn < 5; turn++) {
                            outer.executeWithoutResult(status -> {
                                jdbc.update("insert into storm values (?)", tenant);
                                inner.executeWithoutResult(
                                        nested -> jdbc.update("insert into storm values (?)", tenant));
                            });
                        }
                        return 0;
                    })));
                }
                for (Caller<Integer> caller : callers) {
                    caller.result();
                }
            }
        }
        assertThat(operator.queryForObject("select count(*) from storm", Integer.class))
                .isEqualTo(2 * 5 * 50 * rounds);
    }

    private static int sessionOf(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
            assertThat(row.next()).isTrue();
            return row.getInt(1);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.execute(sql)).isTrue();
        }
    }
}
