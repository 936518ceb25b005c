package io.github.kobe.spring.jdbc;

import java.sql.Connection;
import java.sql.ConnectionBuilder;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * The bean of a data source whose connections are limited. The executor and the {@link ConnectionGroup} are made at the first
 * connection, since beans that they need may need the data source. All but connections leads to the pool at once.
 *
 * <p>It isn't final, so that an aspect of the application's can be around it.
 */
class LimitedDataSource extends DelegatingDataSource {

    private final Supplier<GroupDataSource> making;
    private final AtomicReference<@Nullable GroupDataSource> made = new AtomicReference<>();

    LimitedDataSource(DataSource pool, Supplier<GroupDataSource> making) {
        super(pool);
        this.making = making;
    }

    /**
     * Several threads may make one at a time, and the first one counts: under a lock of ours a thread would wait for beans, which
     * another one makes that wants a connection for that.
     */
    private GroupDataSource limited() {
        GroupDataSource known = made.get();
        if (known != null) {
            return known;
        }
        GroupDataSource fresh = making.get();
        GroupDataSource first = made.compareAndExchange(null, fresh);
        return first == null ? fresh : first;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return limited().getConnection();
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return limited().getConnection(username, password);
    }

    @Override
    public ConnectionBuilder createConnectionBuilder() throws SQLException {
        return limited().createConnectionBuilder();
    }

    /** Also for {@code DataSource} itself, as {@link GroupDataSource} has it. */
    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type == GroupDataSource.class) {
            return type.cast(limited());
        }
        DataSource pool = obtainTargetDataSource();
        return type.isInstance(pool) ? type.cast(pool) : pool.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        DataSource pool = obtainTargetDataSource();
        return type == GroupDataSource.class || type.isInstance(pool) || pool.isWrapperFor(type);
    }

    @Override
    public String toString() {
        return "limited " + getTargetDataSource();
    }
}
