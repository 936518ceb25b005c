package io.github.kobe.spring.jdbc;

import java.sql.Connection;
import java.sql.ConnectionBuilder;
import java.sql.SQLException;
import java.sql.ShardingKey;

/** A way to a connection, with options of its own, that waits for a turn as any other. */
final class GroupConnectionBuilder implements ConnectionBuilder {

    private final GroupDataSource dataSource;
    private final ConnectionBuilder pooled;

    GroupConnectionBuilder(GroupDataSource dataSource, ConnectionBuilder pooled) {
        this.dataSource = dataSource;
        this.pooled = pooled;
    }

    @Override
    public ConnectionBuilder user(String username) {
        pooled.user(username);
        return this;
    }

    @Override
    public ConnectionBuilder password(String password) {
        pooled.password(password);
        return this;
    }

    @Override
    public ConnectionBuilder shardingKey(ShardingKey key) {
        pooled.shardingKey(key);
        return this;
    }

    @Override
    public ConnectionBuilder superShardingKey(ShardingKey key) {
        pooled.superShardingKey(key);
        return this;
    }

    @Override
    public Connection build() throws SQLException {
        return dataSource.open(pool -> pooled.build());
    }
}
