package io.github.kobe.rollout.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** What a node has of its database, which a test takes away from it. */
final class SwitchedDataSource extends DelegatingDataSource {

    /** How it is. */
    enum State {
        ON,
        /** The database is out: whatever is asked of it fails. */
        OUT,
        /** The node stands still: no transaction begins. What has begun ends, for H2 would keep its locks for ever. */
        FROZEN,
        /** The node is gone: nothing that it does comes through any more. */
        DEAD
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Guarded by the lock. */
    private State state = State.ON;

    SwitchedDataSource(DataSource dataSource) {
        super(dataSource);
    }

    void turn(State to) {
        lock.lock();
        try {
            if (state != State.DEAD) {
                state = to;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void awaitThawed() {
        lock.lock();
        try {
            while (state == State.FROZEN) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private void check() throws SQLException {
        lock.lock();
        try {
            if (state == State.OUT) {
                throw new SQLTransientConnectionException("the database is out");
            }
            if (state == State.DEAD) {
                throw new SQLNonTransientConnectionException("the node is dead");
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        awaitThawed();
        check();
        Connection connection = super.getConnection();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    boolean ends =
                            method.getName().equals("close") || method.getName().equals("rollback");
                    if (!ends) {
                        check();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
