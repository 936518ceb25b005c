package io.github.kobe.spring.jdbc;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.spring.internal.context.BlockingTurn;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.ConnectionBuilder;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.ShardingKeyBuilder;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Gives each group its share of a connection pool, so that no tenant has all of it:
 *
 * <pre>{@code
 * GroupExecutor turns = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
 *         .globalMaxInFlight(pool.getMaximumPoolSize() - 1)
 *         .defaultMaxConcurrencyPerGroup(4)
 *         .queueTimeout(Duration.ofSeconds(1))
 *         .build());
 * DataSource limited = GroupDataSource.limit(pool, turns, () -> Tenant.current());
 * }</pre>
 *
 * <p>{@code getConnection} waits for a permit of the caller's group, and then asks the pool. So whoever waits in the pool has a
 * turn, and nobody waits there behind another tenant. The permit is returned once, when the connection is closed, on any
 * thread, or aborted, or when the pool has none: after the pool has the connection back, so that it is free for the next.
 *
 * <p>The executor is for the connections of this one pool alone, and its global limit is below the pool's size. With an
 * executor that has other work too, a thread that is inside a group waits for a second permit, maybe for its own.
 *
 * <p><b>A second connection.</b> A thread that has a connection of this data source needs no permit for another one, as
 * {@code REQUIRES_NEW} takes it: that shares the permit of the first, which is returned with the last of them, and comes from
 * what the executor's limit leaves of the pool. So no thread waits for a turn while it has a connection, and of all
 * threads that have one and want a second, one always gets it. Nothing is promised for a third; the first time that a thread
 * takes one, the log is told with the stack. Another thread is another caller: who has a connection and waits until another
 * thread has got one may wait in vain, as at a pool.
 *
 * <p>A connection is with the thread that opened it, and then with the one that used it last; it is with none once it is closed,
 * or nothing refers to it any more. What is done with its statements isn't seen. A thread that opens connections for others has
 * them itself, until those use them.
 *
 * <p><b>Listeners</b> and tracers of the executor are told on the thread that opens or closes a connection. What they open there
 * needs no permit, comes from the same part of the pool as a second connection, and nobody is told of it. Where they hand that to
 * another thread, or hear of the end of a connection that another thread used last, it has a turn, and they are told of it.
 *
 * <p><b>Fairness.</b> Connections are granted as {@link GroupExecutor} grants everything: in a group in the order in which they
 * were asked for, among groups by what they hold. A connection without a group, and a second one, wait in the pool only, in
 * its order.
 *
 * <p><b>Failures.</b> A caller that gets no turn has a {@link GroupConnectionException}. A key that the executor refuses is a
 * {@link SQLNonTransientConnectionException}. What the pool throws stays what it is, and counts as a failure of the group.
 *
 * <p>{@code unwrap} and {@code isWrapperFor} lead to the pool, which this data source never closes. A connection that it gives
 * out leads to the pool's in the same way. The connection that a statement or the meta-data name is the pool's: use it, but
 * don't close it, or the permit is out until the thread opens its next connection.
 *
 * <p>Safe for use by several threads. It isn't final, so that an aspect can be around a bean of this type.
 *
 * @since 0.1.0
 */
public class GroupDataSource implements DataSource {

    private static final Log LOGGER = LogFactory.getLog(GroupDataSource.class);

    /** The client can't establish a connection. */
    private static final String SQL_STATE = "08001";

    private static final Opening POOLED = DataSource::getConnection;

    private final DataSource pool;
    private final Supplier<GroupExecutor> executor;
    private final ConnectionGroup group;
    private final ThreadConnections known = new ThreadConnections();
    private final AtomicInteger withoutGroup = new AtomicInteger();
    private final AtomicBoolean toldOfThird = new AtomicBoolean();

    /** How the pool is asked for a connection. */
    @FunctionalInterface
    interface Opening {
        Connection from(DataSource pool) throws SQLException;
    }

    /**
     * Limits the connections of a pool.
     *
     * @param executor asked once there is a group
     */
    GroupDataSource(DataSource pool, Supplier<GroupExecutor> executor, ConnectionGroup group) {
        this.pool = Objects.requireNonNull(pool, "dataSource");
        this.executor = executor;
        this.group = Objects.requireNonNull(group, "group");
    }

    /**
     * Limits the connections of a pool.
     *
     * @param dataSource the pool, or what leads to one
     * @param executor has the groups and their limits, and nothing else to do; it is the caller's to shut down, before the pool is
     *     closed
     * @param group tells whom a connection is for
     * @return the data source for all who are limited
     */
    public static GroupDataSource limit(DataSource dataSource, GroupExecutor executor, ConnectionGroup group) {
        Objects.requireNonNull(executor, "executor");
        return new GroupDataSource(dataSource, () -> executor, group);
    }

    /**
     * {@return how many connections are open at this moment for which no group was named} Those that a thread took while it had
     * such a connection aren't counted; those that it took for a listener, while it took a turn or gave one back, are.
     */
    public int openWithoutGroup() {
        return withoutGroup.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        return open(POOLED);
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return open(from -> from.getConnection(username, password));
    }

    @Override
    public ConnectionBuilder createConnectionBuilder() throws SQLException {
        return new GroupConnectionBuilder(this, pool.createConnectionBuilder());
    }

    @Override
    public ShardingKeyBuilder createShardingKeyBuilder() throws SQLException {
        return pool.createShardingKeyBuilder();
    }

    /**
     * Waits for a turn, unless the thread has a connection, and then opens one. What that needs is made before it is taken:
     * there may be no memory for it afterwards.
     */
    Connection open(Opening opening) throws SQLException {
        Thread thread = Thread.currentThread();
        for (; ; ) {
            ThreadConnections.Entry newest = known.newest(thread);
            Turn turn = newest == null ? new Turn(withoutGroup) : newest.lease.turn;
            GroupConnection connection = new GroupConnection(turn, known, thread);
            if (newest == null) {
                turn.begin(known.isInATurn() ? null : permit(thread));
                return open(opening, connection, thread, false);
            }
            if (turn.join()) {
                return open(opening, connection, thread, !newest.isOnly());
            }
        }
    }

    private Connection open(Opening opening, GroupConnection connection, Thread thread, boolean third)
            throws SQLException {
        try {
            if (third) {
                tellOfThird(thread);
            }
            known.add(connection.lease, thread); // before the pool is asked, which may itself open one here
            connection.lease.got(opening.from(pool));
            return connection;
        } catch (Throwable failure) {
            connection.lease.fail(failure);
            throw failure;
        }
    }

    /** {@return a permit of the caller's group; {@code null}: it has none} */
    private @Nullable GroupPermit permit(Thread thread) throws SQLException {
        String key = group.current();
        if (key == null) {
            return null;
        }
        String id = nameOf(thread);
        known.beginTaking();
        try {
            return executor.get().acquire(key, id);
        } catch (RejectedTaskException rejection) {
            throw new GroupConnectionException(rejection);
        } catch (ExecutorShutdownException shutDown) {
            throw new GroupConnectionException(BlockingTurn.rejection(key, id, RejectionReason.SHUTDOWN, shutDown));
        } catch (InterruptedException interrupted) {
            throw new GroupConnectionException(BlockingTurn.interrupted(key, id, interrupted));
        } catch (IllegalArgumentException refused) {
            throw new SQLNonTransientConnectionException(
                    "A connection is for no such group: " + refused.getMessage(), SQL_STATE, refused);
        } finally {
            known.endTaking();
        }
    }

    /** {@return what a holder of a connection is found by: its thread's name, or else its number, as thread dumps show it} */
    private static String nameOf(Thread thread) {
        String name = thread.getName();
        return name.isEmpty() ? "#" + thread.threadId() : name;
    }

    /** Has the connections that are with the current thread be with none, until one uses them. */
    void leaveThread() {
        known.leave(Thread.currentThread());
    }

    private void tellOfThird(Thread thread) {
        if (toldOfThird.compareAndSet(false, true)) {
            LOGGER.warn(
                    "Thread '" + PrintableText.inOneLine(nameOf(thread))
                            + "' takes a third connection while it has two. What is kept free of the pool is for a"
                            + " second one: threads with two may wait for each other until the pool's time-out. This"
                            + " is logged once",
                    new Exception("Here the third connection is opened"));
        }
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type == GroupDataSource.class) {
            return type.cast(this);
        }
        return type.isInstance(pool) ? type.cast(pool) : pool.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return type == GroupDataSource.class || type.isInstance(pool) || pool.isWrapperFor(type);
    }

    @Override
    public @Nullable PrintWriter getLogWriter() throws SQLException {
        return pool.getLogWriter();
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
        pool.setLogWriter(out);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return pool.getLoginTimeout();
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        pool.setLoginTimeout(seconds);
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return pool.getParentLogger();
    }

    @Override
    public String toString() {
        return "GroupDataSource of " + pool;
    }
}
