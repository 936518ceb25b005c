package io.github.kobe.spring.jdbc;

import java.sql.Connection;
import java.sql.ConnectionBuilder;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * The bean of a data source whose connections are limited. All but connections leads to the pool.
 *
 * <p>It isn't final, so that an aspect of the application's can be around it.
 */
class LimitedDataSource extends DelegatingDataSource {

    private final GroupDataSource limited;

    LimitedDataSource(DataSource pool, GroupDataSource limited) {
        super(pool);
        this.limited = limited;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return limited.getConnection();
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return limited.getConnection(username, password);
    }

    @Override
    public ConnectionBuilder createConnectionBuilder() throws SQLException {
        return limited.createConnectionBuilder();
    }

    /** Also for {@code DataSource} itself, as {@link GroupDataSource} has it. */
    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type == GroupDataSource.class) {
            return type.cast(limited);
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
