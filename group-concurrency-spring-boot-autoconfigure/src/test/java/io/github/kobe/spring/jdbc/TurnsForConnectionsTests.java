package io.github.kobe.spring.jdbc;

import static io.github.kobe.spring.jdbc.LimitedPool.impatient;
import static io.github.kobe.spring.jdbc.LimitedPool.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupHolder;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.testing.Caller;
import java.sql.Connection;
import java.sql.ConnectionBuilder;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.sql.ShardingKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/** How a group waits for a connection, and what it gets if it has no turn. */
class TurnsForConnectionsTests {

    /** Asks the pool as it is told; H2 has no way of its own to make one with options. */
    private static final class WithBuilder extends DelegatingDataSource {

        WithBuilder(DataSource target) {
            super(target);
        }

        @Override
        public ConnectionBuilder createConnectionBuilder() {
            return new ConnectionBuilder() {
                @Override
                public ConnectionBuilder user(String username) {
                    return this;
                }

                @Override
                public ConnectionBuilder password(String password) {
                    return this;
                }

                @Override
                public ConnectionBuilder shardingKey(ShardingKey key) {
                    return this;
                }

                @Override
                public ConnectionBuilder superShardingKey(ShardingKey key) {
                    return this;
                }

                @Override
                public Connection build() throws SQLException {
                    return obtainTargetDataSource().getConnection();
                }
            };
        }
    }

    @Test
    @Tag("J1")
    void whoWaitsForATurnDoesNotWaitInThePoolAndNobodyElseWaitsForIt() throws Exception {
        try (LimitedPool limited = LimitedPool.of(4, 1)) {
            Connection first = limited.openElsewhere("a");
            Caller<Connection> second = Caller.start(() -> limited.open("a"));
            limited.awaitQueued("a", 1);

            limited.openElsewhere("b").close();

            assertThat(limited.active()).isEqualTo(1);
            assertThat(limited.pool.getHikariPoolMXBean().getThreadsAwaitingConnection())
                    .isZero();
            first.close();
            second.result().close();
        }
    }

    @Test
    @Tag("J1")
    void whoHasATurnFindsAConnectionFreeInThePool() throws Exception {
        int size = 3;
        List<Integer> found = new CopyOnWriteArrayList<>();
        try (LimitedPool limited =
                LimitedPool.of(LimitedPool.config(size), policy(size, 2), pool -> new DelegatingDataSource(pool) {
                    @Override
                    public Connection getConnection() throws SQLException {
                        found.add(
                                ((HikariDataSource) pool).getHikariPoolMXBean().getActiveConnections());
                        return super.getConnection();
                    }
                })) {
            List<Caller<Integer>> callers = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                String tenant = "t" + i % 5;
                callers.add(Caller.start(() -> {
                    for (int j = 0; j < 10; j++) {
                        limited.open(tenant).close();
                    }
                    return 0;
                }));
            }
            for (Caller<Integer> caller : callers) {
                caller.result();
            }

            assertThat(found).hasSize(600).allMatch(active -> active < size);
        }
    }

    @Test
    @Tag("J1")
    void everyWayToAConnectionWaitsForATurn() throws Exception {
        try (LimitedPool limited = LimitedPool.of(LimitedPool.config(3), impatient(2, 1), WithBuilder::new)) {
            Connection held = limited.openElsewhere("a");

            assertNoTurn(() -> limited.open("a"));
            assertNoTurn(() -> LimitedPool.as("a", () -> limited.dataSource.getConnection("sa", "")));
            assertNoTurn(() -> LimitedPool.as(
                    "a",
                    () -> limited.dataSource
                            .createConnectionBuilder()
                            .user("sa")
                            .password("")
                            .shardingKey(null)
                            .superShardingKey(null)
                            .build()));

            held.close();
            LimitedPool.as(
                            "a",
                            () -> limited.dataSource.createConnectionBuilder().build())
                    .close();
        }
    }

    private static void assertNoTurn(ThrowingCallable opening) {
        assertThatExceptionOfType(GroupConnectionException.class).isThrownBy(opening);
    }

    @Test
    @Tag("J1")
    void aPoolThatMakesNoBuildersMakesNoneHereEither() throws Exception {
        try (LimitedPool limited = LimitedPool.of(2, 1)) {
            assertThatExceptionOfType(SQLFeatureNotSupportedException.class)
                    .isThrownBy(() -> limited.dataSource.createConnectionBuilder());
            assertThatExceptionOfType(SQLFeatureNotSupportedException.class)
                    .isThrownBy(() -> limited.dataSource.createShardingKeyBuilder());
        }
    }

    // ---- whose it is

    @Test
    @Tag("J5")
    void aConnectionOfNobodyIsNotLimitedButCounted() throws Exception {
        try (LimitedPool limited = LimitedPool.of(LimitedPool.config(3), impatient(1, 1), pool -> pool)) {
            Connection ofTenant = limited.openElsewhere("a");
            Connection first = limited.openElsewhere(null);
            Connection second = limited.openElsewhere(null);

            assertThat(limited.active()).isEqualTo(3);
            assertThat(limited.dataSource.openWithoutGroup()).isEqualTo(2);
            assertThat(limited.executor.stats().inFlight()).isEqualTo(1);

            first.close();
            assertThat(limited.dataSource.openWithoutGroup()).isEqualTo(1);
            second.close();
            ofTenant.close();
        }
    }

    @Test
    @Tag("J5")
    void aKeyThatTheExecutorRefusesIsAFailureThatStays() throws Exception {
        try (LimitedPool limited = LimitedPool.of(2, policy(1, 1).maxKeyLength(8))) {
            for (String key : List.of("", " \t", "longer than it may be")) {
                assertThatExceptionOfType(SQLNonTransientConnectionException.class)
                        .isThrownBy(() -> limited.open(key))
                        .withCauseInstanceOf(IllegalArgumentException.class)
                        .withMessageContaining("A connection is for no such group: The group key '");
            }
            assertThat(limited.active()).isZero();
        }
    }

    @Test
    @Tag("J5")
    void theKeyIsAskedForOnTheCallersThreadOnceForEachTurn() throws Exception {
        List<Thread> asked = new CopyOnWriteArrayList<>();
        try (LimitedPool limited = LimitedPool.of(3, 2)) {
            GroupDataSource dataSource = GroupDataSource.limit(limited.pool, limited.executor, () -> {
                asked.add(Thread.currentThread());
                return "a";
            });

            try (Connection outer = dataSource.getConnection();
                    Connection inner = dataSource.getConnection()) {
                assertThat(outer).isNotSameAs(inner);
                assertThat(asked).containsExactly(Thread.currentThread());
            }
        }
    }

    @Test
    @Tag("J5")
    void whatTheGroupThrowsIsThrown() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, 2)) {
            IllegalArgumentException failure = new IllegalArgumentException("no tenant here");
            GroupDataSource dataSource = GroupDataSource.limit(limited.pool, limited.executor, () -> {
                throw failure;
            });

            assertThatIllegalArgumentException()
                    .isThrownBy(dataSource::getConnection)
                    .isSameAs(failure);
        }
    }

    // ---- no turn

    @Test
    @Tag("J6")
    void aRejectionIsATransientFailureThatNamesIt() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, impatient(2, 1))) {
            Connection held = limited.openElsewhere("a");

            assertThatExceptionOfType(GroupConnectionException.class)
                    .isThrownBy(() -> limited.open("a"))
                    .isInstanceOf(SQLTransientConnectionException.class)
                    .returns("08001", SQLException::getSQLState)
                    .returns(
                            RejectionReason.GROUP_QUEUE_FULL, e -> e.rejection().reason())
                    .returns("a", e -> e.rejection().groupKey())
                    .withMessageStartingWith("No turn for a connection: Task '")
                    .withMessageContaining("of group 'a' was rejected: the group's queue is full");
            assertThat(limited.active()).isEqualTo(1);
            held.close();
        }
    }

    @Test
    @Tag("J6")
    @Tag("J9")
    void whoWaitsLongerThanTheQueueTimeoutIsRejected() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, policy(2, 1).queueTimeout(Duration.ofMillis(20)))) {
            Connection held = limited.openElsewhere("a");

            assertThatExceptionOfType(GroupConnectionException.class)
                    .isThrownBy(() -> limited.open("a"))
                    .returns(RejectionReason.QUEUE_TIMEOUT, e -> e.rejection().reason());
            held.close();
        }
    }

    @Test
    @Tag("J6")
    void anInterruptWhileItWaitsIsARejectionWithTheFlagSet() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, 1)) {
            Connection held = limited.openElsewhere("a");
            Caller<Boolean> waiting = Caller.startPlatform(() -> {
                try {
                    return limited.open("a") == null;
                } catch (GroupConnectionException interrupted) {
                    assertThat(interrupted.rejection())
                            .returns(RejectionReason.INTERRUPTED, RejectedTaskException::reason)
                            .hasCauseInstanceOf(InterruptedException.class);
                    return Thread.interrupted();
                }
            });
            limited.awaitQueued("a", 1);

            waiting.interrupt();

            assertThat(waiting.result()).isTrue();
            held.close();
        }
    }

    @Test
    @Tag("J6")
    void whoWaitsAtAShutdownAndWhoComesAfterItIsRejected() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, 1)) {
            Connection held = limited.openElsewhere("a");
            Caller<Connection> waiting = Caller.start(() -> limited.open("a"));
            limited.awaitQueued("a", 1);

            limited.executor.shutdown();

            assertThatExceptionOfType(GroupConnectionException.class)
                    .isThrownBy(waiting::result)
                    .returns(RejectionReason.SHUTDOWN, e -> e.rejection().reason());
            assertThatExceptionOfType(GroupConnectionException.class)
                    .isThrownBy(() -> limited.open("b"))
                    .returns(RejectionReason.SHUTDOWN, e -> e.rejection().reason());
            held.close();
        }
    }

    @Test
    @Tag("J6")
    void springTranslatesARejectionToATransientFailure() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, impatient(2, 1))) {
            Connection held = limited.openElsewhere("a");

            LimitedPool.as("a", () -> {
                assertThatExceptionOfType(CannotGetJdbcConnectionException.class)
                        .isThrownBy(() -> new JdbcTemplate(limited.dataSource).execute("select 1"))
                        .withCauseInstanceOf(GroupConnectionException.class);
                assertThatExceptionOfType(CannotCreateTransactionException.class)
                        .isThrownBy(() -> new TransactionTemplate(new JdbcTransactionManager(limited.dataSource))
                                .execute(status -> "begun"))
                        .withRootCauseInstanceOf(RejectedTaskException.class);
                assertThat(new SQLExceptionSubclassTranslator().translate("open", null, rejection(limited)))
                        .isInstanceOf(TransientDataAccessResourceException.class);
                return null;
            });
            held.close();
        }
    }

    private static SQLException rejection(LimitedPool limited) {
        try (Connection unexpected = limited.open("a")) {
            throw new AssertionError("a turn: " + unexpected);
        } catch (SQLException rejection) {
            return rejection;
        }
    }

    @Test
    @Tag("J6")
    void aRefusedKeyIsNoTransientFailure() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, 1)) {
            SQLException refused = null;
            try (Connection unexpected = limited.open(" ")) {
                throw new AssertionError("a turn: " + unexpected);
            } catch (SQLException e) {
                refused = e;
            }
            assertThat(new SQLExceptionSubclassTranslator().translate("open", null, refused))
                    .isInstanceOf(DataAccessResourceFailureException.class);
        }
    }

    @Test
    @Tag("J9")
    void whatThePoolThrowsAfterItsTimeOutStaysWhatItIs() throws Exception {
        HikariConfig config = LimitedPool.config(1);
        config.setConnectionTimeout(250);
        try (LimitedPool limited = LimitedPool.of(config, policy(2, 2), pool -> pool)) {
            try (Connection behindItsBack = limited.pool.getConnection()) {
                assertThat(behindItsBack.isClosed()).isFalse();

                assertThatExceptionOfType(SQLTransientConnectionException.class)
                        .isThrownBy(() -> limited.open("a"))
                        .isNotInstanceOf(GroupConnectionException.class);
            }

            assertThat(limited.inFlight("a")).isZero();
            assertThat(limited.executor.groupStats("a").orElseThrow().totals().failed())
                    .isEqualTo(1);
            limited.open("a").close();
        }
    }

    // ---- what is seen of it

    @Test
    @Tag("J2")
    void aLeakIsShownWithTheThreadThatHasIt() throws Exception {
        LimitedPool limited = LimitedPool.of(3, 1);
        try {
            Caller<Connection> named = Caller.startPlatform(() -> {
                Thread.currentThread().setName("job-7");
                return limited.open("a");
            });
            Caller<Connection> unnamed = Caller.start(() -> limited.open("b"));
            named.result();
            unnamed.result();

            assertThat(limited.executor.holders("a"))
                    .extracting(GroupHolder::taskId)
                    .containsExactly("job-7");
            assertThat(limited.executor.holders("b"))
                    .extracting(GroupHolder::taskId)
                    .containsExactly("#" + unnamed.thread().threadId());
        } finally {
            limited.abandon();
        }
    }

    @Test
    @Tag("J1")
    void aPausedGroupWaitsAndTheOthersDoNot() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, 1)) {
            limited.executor.pause("a");
            Caller<Connection> waiting = Caller.start(() -> limited.open("a"));
            limited.awaitQueued("a", 1);

            limited.openElsewhere("b").close();
            assertThat(limited.active()).isZero();

            limited.executor.resume("a");
            waiting.result().close();
        }
    }

    @Test
    @Tag("J1")
    void aLimitThatIsRaisedIsInForceAtOnce() throws Exception {
        try (LimitedPool limited = LimitedPool.of(4, 1)) {
            Connection held = limited.openElsewhere("a");
            Caller<Connection> waiting = Caller.start(() -> limited.open("a"));
            limited.awaitQueued("a", 1);

            limited.executor.updateLimits(
                    "a", limits -> limits.withMaxConcurrency(2).withMaxInFlight(2));

            Connection second = waiting.result();
            assertThat(limited.active()).isEqualTo(2);
            held.close();
            second.close();
        }
    }

    @Test
    void nothingMayBeMissing() {
        try (GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            DataSource pool = new DelegatingDataSource();
            assertThatNullPointerException()
                    .isThrownBy(() -> GroupDataSource.limit(null, executor, () -> "a"))
                    .withMessage("dataSource");
            assertThatNullPointerException()
                    .isThrownBy(() -> GroupDataSource.limit(pool, null, () -> "a"))
                    .withMessage("executor");
            assertThatNullPointerException()
                    .isThrownBy(() -> GroupDataSource.limit(pool, executor, null))
                    .withMessage("group");
        }
    }
}
