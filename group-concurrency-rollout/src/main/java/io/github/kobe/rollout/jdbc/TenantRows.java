package io.github.kobe.rollout.jdbc;

import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.internal.rules.TenantRecord;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The table of tenants. */
final class TenantRows {

    private static final String SELECT = "select * from rollout_tenant where application = ? and tenant_id = ?";
    private static final String OF_IDS =
            " from rollout_tenant where application = :application and tenant_id in (:ids)";
    private static final String UPDATE = Columns.update(
            "rollout_tenant",
            "claim, waiting, last_task, last_known_good, good_config, token",
            "application = ? and tenant_id = ?");

    private final Database database;

    TenantRows(Database database) {
        this.database = database;
    }

    /** {@return those that are there} */
    List<TenantRecord> find(Collection<TenantId> tenantIds) {
        return database.query("select *" + OF_IDS, texts(tenantIds), (row, index) -> read(row));
    }

    /** Adds a tenant that isn't there, so that there is a row to lock. */
    TenantRecord lock(TenantId tenantId) {
        String locking = SELECT + " for update";
        Optional<TenantRecord> known = query(locking, tenantId);
        if (known.isPresent()) {
            return known.get();
        }
        add(List.of(tenantId));
        return query(locking, tenantId).orElseThrow();
    }

    /** {@return those that are there} Of many, so many at once are locked in the order of their ids. */
    List<TenantRecord> lockAll(List<TenantId> tenantIds) {
        return database.query(
                "select *" + OF_IDS + " order by " + database.dialect().tenantOrder() + " for update",
                texts(tenantIds),
                (row, index) -> read(row));
    }

    Set<TaskId> findHolders(Collection<TenantId> tenantIds) {
        return Set.copyOf(database.query(
                "select claim" + OF_IDS + " and claim is not null",
                texts(tenantIds),
                (row, index) -> TaskId.ofTrusted(row.getString("claim"))));
    }

    static List<String> texts(Collection<TenantId> tenantIds) {
        return tenantIds.stream().map(TenantId::value).toList();
    }

    private Optional<TenantRecord> query(String sql, TenantId tenantId) {
        return database.client()
                .sql(sql)
                .params(database.application(), tenantId.value())
                .query((row, index) -> read(row))
                .optional();
    }

    /** All that wait for one another come in the same order. */
    void add(Collection<TenantId> tenants) {
        database.template()
                .batchUpdate(
                        database.dialect().addTenant(),
                        tenants.stream()
                                .map(TenantId::value)
                                .distinct()
                                .sorted()
                                .map(value -> new Object[] {database.application(), value})
                                .toList());
    }

    void update(Collection<TenantRecord> tenants) {
        List<@Nullable Object[]> rows = tenants.stream()
                .map(tenant -> new @Nullable Object[] {
                    text(tenant.claim()),
                    Json.write(tenant.waiting().stream().map(TaskId::value).toList()),
                    text(tenant.lastTask()),
                    Columns.unit(tenant.lastKnownGood()),
                    Columns.configId(tenant.lastKnownGood()),
                    tenant.token(),
                    database.application(),
                    tenant.id().value()
                })
                .toList();
        database.template().batchUpdate(UPDATE, rows);
    }

    private static @Nullable String text(@Nullable TaskId taskId) {
        return taskId == null ? null : taskId.value();
    }

    private static TenantRecord read(ResultSet row) throws SQLException {
        return new TenantRecord(
                TenantId.ofTrusted(row.getString("tenant_id")),
                taskId(row.getString("claim")),
                Json.texts(row.getString("waiting")).stream()
                        .map(TaskId::ofTrusted)
                        .toList(),
                taskId(row.getString("last_task")),
                Columns.snapshot(row, "last_known_good", "good_config"),
                row.getLong("token"));
    }

    private static @Nullable TaskId taskId(@Nullable String text) {
        return text == null ? null : TaskId.ofTrusted(text);
    }
}
