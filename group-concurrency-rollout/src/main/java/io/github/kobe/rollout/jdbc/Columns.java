package io.github.kobe.rollout.jdbc;

import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.internal.rules.Snapshot;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Values in the form of columns, and statements that name many columns. */
final class Columns {

    private Columns() {}

    static @Nullable OffsetDateTime of(@Nullable Instant time) {
        return time == null ? null : time.atOffset(ZoneOffset.UTC);
    }

    static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    static Instant time(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    static @Nullable Boolean flag(ResultSet row, String column) throws SQLException {
        boolean value = row.getBoolean(column);
        return row.wasNull() ? null : value;
    }

    static @Nullable String unit(@Nullable Snapshot snapshot) {
        return snapshot == null ? null : Json.write(snapshot.unit());
    }

    static @Nullable String configId(@Nullable Snapshot snapshot) {
        return snapshot == null ? null : snapshot.configId();
    }

    static @Nullable Snapshot snapshot(ResultSet row, String unit, String configId) throws SQLException {
        DeployUnit read = Json.read(row.getString(unit), DeployUnit.class);
        return read == null ? null : new Snapshot(read, row.getString(configId));
    }

    static String insert(String table, String columns) {
        String marks = Stream.of(columns.split(", ")).map(column -> "?").collect(Collectors.joining(", "));
        return "insert into " + table + " (" + columns + ") values (" + marks + ")";
    }

    /** {@return a condition on a column that has the name of a value} */
    static String in(String column, Stream<? extends Enum<?>> values) {
        return values.map(Enum::name).collect(Collectors.joining("', '", column + " in ('", "')"));
    }

    static String update(String table, String columns, String condition) {
        return "update " + table + " set " + columns.replace(", ", " = ?, ") + " = ? where " + condition;
    }

    /** {@return both, one after the other} */
    static @Nullable Object[] join(@Nullable Object[] first, @Nullable Object... then) {
        @Nullable Object[] all = Arrays.copyOf(first, first.length + then.length);
        System.arraycopy(then, 0, all, first.length, then.length);
        return all;
    }
}
