package io.github.kobe.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/** A real pool over a database, with turns in front of it. */
final class LimitedPool implements AutoCloseable {

    /** Whom the current thread works for. */
    private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

    final HikariDataSource pool;
    final GroupExecutor executor;
    final GroupDataSource dataSource;

    private LimitedPool(HikariDataSource pool, GroupExecutor executor, UnaryOperator<DataSource> between) {
        this.pool = pool;
        this.executor = executor;
        dataSource = GroupDataSource.limit(between.apply(pool), executor, TENANT::get);
    }

    /** One over a database in memory, of so many connections, of which a group may have so many. */
    static LimitedPool of(int size, int perGroup) {
        return of(size, policy(size - 1, perGroup));
    }

    static LimitedPool of(int size, GroupPolicy.Builder policy) {
        return of(config(size), policy, UnaryOperator.identity());
    }

    /** What is between the pool and those who wait for it. */
    static LimitedPool of(HikariConfig config, GroupPolicy.Builder policy, UnaryOperator<DataSource> between) {
        return new LimitedPool(
                new HikariDataSource(config), GroupExecutor.newVirtualThreadExecutor(policy.build()), between);
    }

    static HikariConfig config(int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(Deadline.LONG.toMillis());
        return config;
    }

    static GroupPolicy.Builder policy(int all, int perGroup) {
        return GroupPolicy.builder().globalMaxInFlight(all).defaultMaxConcurrencyPerGroup(perGroup);
    }

    /** {@return a policy by which nobody waits} */
    static GroupPolicy.Builder impatient(int all, int perGroup) {
        return policy(all, perGroup).queueTimeout(Duration.ofMillis(1)).defaultQueueThresholdPerGroup(0);
    }

    /** Does something for a tenant; for {@code null}, nobody's. */
    static <T> T as(String tenant, Callable<T> work) throws Exception {
        String before = TENANT.get();
        TENANT.set(tenant);
        try {
            return work.call();
        } finally {
            TENANT.set(before);
        }
    }

    /** Opens a connection on the current thread. */
    Connection open(String tenant) throws SQLException {
        String before = TENANT.get();
        TENANT.set(tenant);
        try {
            return dataSource.getConnection();
        } finally {
            TENANT.set(before);
        }
    }

    /** Opens a connection on a thread of its own, which then ends. */
    Connection openElsewhere(String tenant) throws Exception {
        return Caller.startPlatform(() -> open(tenant)).result();
    }

    int inFlight(String tenant) {
        return executor.groupStats(tenant).map(stats -> stats.inFlight()).orElse(0);
    }

    void awaitQueued(String tenant, int count) {
        Deadline.until(
                () -> count + " of " + tenant + " in the queue",
                () -> executor.groupStats(tenant).map(stats -> stats.queued()).orElse(0) == count);
    }

    /** {@return how many connections the pool has given out} */
    int active() {
        return pool.getHikariPoolMXBean().getActiveConnections();
    }

    void assertThatNothingIsOut() {
        Deadline.until("all permits are back", () -> executor.stats().inFlight() == 0);
        assertThat(dataSource.openWithoutGroup()).isZero();
        Deadline.until("all connections are back", () -> active() == 0);
    }

    /** Closes them, after a test that has left something out. */
    void abandon() {
        executor.close();
        pool.close();
    }

    @Override
    public void close() {
        try {
            assertThatNothingIsOut();
        } finally {
            abandon();
        }
    }
}
