package io.github.kobe.spring.jdbc;

import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.ShardingKey;
import java.sql.Statement;
import java.sql.Struct;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the pool as it is given out: it is the pool's in all but its end. A class that hands on each call and not a
 * proxy, so that it costs nothing to call and a native image needs no hints.
 */
final class GroupConnection implements Connection {

    final Lease lease;

    GroupConnection(Turn turn, ThreadConnections known, Thread thread) {
        lease = new Lease(this, turn, known, thread);
    }

    @Override
    public void close() throws SQLException {
        lease.close();
    }

    @Override
    public boolean isClosed() throws SQLException {
        return lease.isClosed();
    }

    @Override
    public void abort(Executor executor) throws SQLException {
        lease.abort(executor);
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        Connection pooled = lease.pooled();
        return type.isInstance(pooled) ? type.cast(pooled) : pooled.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(this)
                || type.isInstance(lease.pooled())
                || lease.pooled().isWrapperFor(type);
    }

    @Override
    public String toString() {
        return "GroupConnection of " + lease.pooled();
    }

    @Override
    public Statement createStatement() throws SQLException {
        return lease.used().createStatement();
    }

    @Override
    public PreparedStatement prepareStatement(String sql) throws SQLException {
        return lease.used().prepareStatement(sql);
    }

    @Override
    public CallableStatement prepareCall(String sql) throws SQLException {
        return lease.used().prepareCall(sql);
    }

    @Override
    public String nativeSQL(String sql) throws SQLException {
        return lease.used().nativeSQL(sql);
    }

    @Override
    public void setAutoCommit(boolean autoCommit) throws SQLException {
        lease.used().setAutoCommit(autoCommit);
    }

    @Override
    public boolean getAutoCommit() throws SQLException {
        return lease.used().getAutoCommit();
    }

    @Override
    public void commit() throws SQLException {
        lease.used().commit();
    }

    @Override
    public void rollback() throws SQLException {
        lease.used().rollback();
    }

    @Override
    public DatabaseMetaData getMetaData() throws SQLException {
        return lease.used().getMetaData();
    }

    @Override
    public void setReadOnly(boolean readOnly) throws SQLException {
        lease.used().setReadOnly(readOnly);
    }

    @Override
    public boolean isReadOnly() throws SQLException {
        return lease.used().isReadOnly();
    }

    @Override
    public void setCatalog(String catalog) throws SQLException {
        lease.used().setCatalog(catalog);
    }

    @Override
    public @Nullable String getCatalog() throws SQLException {
        return lease.used().getCatalog();
    }

    @Override
    public void setTransactionIsolation(int level) throws SQLException {
        lease.used().setTransactionIsolation(level);
    }

    @Override
    public int getTransactionIsolation() throws SQLException {
        return lease.used().getTransactionIsolation();
    }

    @Override
    public @Nullable SQLWarning getWarnings() throws SQLException {
        return lease.used().getWarnings();
    }

    @Override
    public void clearWarnings() throws SQLException {
        lease.used().clearWarnings();
    }

    @Override
    public Statement createStatement(int type, int concurrency) throws SQLException {
        return lease.used().createStatement(type, concurrency);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency) throws SQLException {
        return lease.used().prepareStatement(sql, type, concurrency);
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency) throws SQLException {
        return lease.used().prepareCall(sql, type, concurrency);
    }

    @Override
    public Map<String, Class<?>> getTypeMap() throws SQLException {
        return lease.used().getTypeMap();
    }

    @Override
    public void setTypeMap(Map<String, Class<?>> map) throws SQLException {
        lease.used().setTypeMap(map);
    }

    @Override
    public void setHoldability(int holdability) throws SQLException {
        lease.used().setHoldability(holdability);
    }

    @Override
    public int getHoldability() throws SQLException {
        return lease.used().getHoldability();
    }

    @Override
    public Savepoint setSavepoint() throws SQLException {
        return lease.used().setSavepoint();
    }

    @Override
    public Savepoint setSavepoint(String name) throws SQLException {
        return lease.used().setSavepoint(name);
    }

    @Override
    public void rollback(Savepoint savepoint) throws SQLException {
        lease.used().rollback(savepoint);
    }

    @Override
    public void releaseSavepoint(Savepoint savepoint) throws SQLException {
        lease.used().releaseSavepoint(savepoint);
    }

    @Override
    public Statement createStatement(int type, int concurrency, int holdability) throws SQLException {
        return lease.used().createStatement(type, concurrency, holdability);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency, int holdability)
            throws SQLException {
        return lease.used().prepareStatement(sql, type, concurrency, holdability);
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency, int holdability) throws SQLException {
        return lease.used().prepareCall(sql, type, concurrency, holdability);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int autoGeneratedKeys) throws SQLException {
        return lease.used().prepareStatement(sql, autoGeneratedKeys);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int[] columnIndexes) throws SQLException {
        return lease.used().prepareStatement(sql, columnIndexes);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, String[] columnNames) throws SQLException {
        return lease.used().prepareStatement(sql, columnNames);
    }

    @Override
    public Clob createClob() throws SQLException {
        return lease.used().createClob();
    }

    @Override
    public Blob createBlob() throws SQLException {
        return lease.used().createBlob();
    }

    @Override
    public NClob createNClob() throws SQLException {
        return lease.used().createNClob();
    }

    @Override
    public SQLXML createSQLXML() throws SQLException {
        return lease.used().createSQLXML();
    }

    @Override
    public boolean isValid(int seconds) throws SQLException {
        return lease.used().isValid(seconds);
    }

    @Override
    public void setClientInfo(String name, String value) throws SQLClientInfoException {
        lease.used().setClientInfo(name, value);
    }

    @Override
    public void setClientInfo(Properties properties) throws SQLClientInfoException {
        lease.used().setClientInfo(properties);
    }

    @Override
    public @Nullable String getClientInfo(String name) throws SQLException {
        return lease.used().getClientInfo(name);
    }

    @Override
    public Properties getClientInfo() throws SQLException {
        return lease.used().getClientInfo();
    }

    @Override
    public Array createArrayOf(String typeName, Object[] elements) throws SQLException {
        return lease.used().createArrayOf(typeName, elements);
    }

    @Override
    public Struct createStruct(String typeName, Object[] attributes) throws SQLException {
        return lease.used().createStruct(typeName, attributes);
    }

    @Override
    public void setSchema(String schema) throws SQLException {
        lease.used().setSchema(schema);
    }

    @Override
    public @Nullable String getSchema() throws SQLException {
        return lease.used().getSchema();
    }

    @Override
    public void setNetworkTimeout(Executor executor, int milliseconds) throws SQLException {
        lease.used().setNetworkTimeout(executor, milliseconds);
    }

    @Override
    public int getNetworkTimeout() throws SQLException {
        return lease.used().getNetworkTimeout();
    }

    @Override
    public void beginRequest() throws SQLException {
        lease.used().beginRequest();
    }

    @Override
    public void endRequest() throws SQLException {
        lease.used().endRequest();
    }

    @Override
    public boolean setShardingKeyIfValid(ShardingKey key, ShardingKey superKey, int seconds) throws SQLException {
        return lease.used().setShardingKeyIfValid(key, superKey, seconds);
    }

    @Override
    public boolean setShardingKeyIfValid(ShardingKey key, int seconds) throws SQLException {
        return lease.used().setShardingKeyIfValid(key, seconds);
    }

    @Override
    public void setShardingKey(ShardingKey key, ShardingKey superKey) throws SQLException {
        lease.used().setShardingKey(key, superKey);
    }

    @Override
    public void setShardingKey(ShardingKey key) throws SQLException {
        lease.used().setShardingKey(key);
    }
}
