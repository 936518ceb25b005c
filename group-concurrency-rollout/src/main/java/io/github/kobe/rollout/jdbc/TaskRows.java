package io.github.kobe.rollout.jdbc;

import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.DeployVersion;
import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.Wish;
import io.github.kobe.rollout.internal.rules.Change;
import io.github.kobe.rollout.internal.rules.Snapshot;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The table of tasks. */
final class TaskRows {

    private static final String KEPT =
            "task_id, application, plan_id, tenant_id, position, change_body, config_id," + " stage_names, created_at";
    private static final String CHANGING =
            "status, unit, previous, previous_config, last_known_good, stages_done, stages_started, settled, run,"
                + " attempt, retries, retrying, lost_with, data, checkpoint_at, failure, started_at, ended_at, wish,"
                + " wish_by, wish_from_checkpoint, sequence, epoch, token";

    private static final String SELECT = "select * from rollout_task";
    private static final String OF_PLAN = " where application = ? and plan_id = ?";
    private static final String IN_ORDER = " order by application, plan_id, position";
    private static final Set<TaskStatus> AT_WORK =
            EnumSet.of(TaskStatus.PENDING, TaskStatus.RUNNING, TaskStatus.ROLLING_BACK);
    private static final String UNFINISHED =
            " and (" + Columns.in("status", AT_WORK.stream()) + " or wish is not null)";

    private static final String RUNNING =
            " and " + Columns.in("status", Arrays.stream(TaskStatus.values()).filter(TaskStatus::hasThread));

    /** Which H2 finds by an index, as it doesn't find what is not null. */
    private static final String WISHED = " and " + Columns.in("wish", Arrays.stream(Wish.Kind.values()));

    private static final String INSERT = Columns.insert("rollout_task", KEPT + ", " + CHANGING);
    private static final String UPDATE = Columns.update("rollout_task", CHANGING, "task_id = ? and epoch = ?");

    private final Database database;

    /** What is kept of a change beside its configuration. */
    private record Body(DeployUnit unit, List<String> endpoints, int maxRetry, Map<String, String> settings) {

        static Body of(Change change) {
            return new Body(change.target().unit(), change.endpoints(), change.maxRetry(), change.settings());
        }

        Change with(String configId) {
            return new Change(new Snapshot(unit, configId), endpoints, maxRetry, settings);
        }
    }

    TaskRows(Database database) {
        this.database = database;
    }

    Optional<TaskRecord> find(TaskId taskId, boolean locked) {
        return find(" where application = ? and task_id = ?" + (locked ? " for update" : ""), taskId.value()).stream()
                .findFirst();
    }

    List<TaskRecord> findOfPlan(PlanId planId, @Nullable TaskStatus status, int limit) {
        String ofStatus = status == null ? "" : " and status = '" + status + "'";
        return find(OF_PLAN + ofStatus + IN_ORDER + " limit " + limit, planId.value());
    }

    List<TaskRecord> findByPosition(PlanId planId, int from, int to) {
        return find(OF_PLAN + " and position >= " + from + " and position < " + to + IN_ORDER, planId.value());
    }

    Set<TenantId> tenantsOfPlan(PlanId planId, Collection<TenantId> tenantIds) {
        return Set.copyOf(database.query(
                "select tenant_id from rollout_task"
                        + " where application = :application and plan_id = :plan and tenant_id in (:ids)",
                Map.of("plan", planId.value()),
                TenantRows.texts(tenantIds),
                (row, index) -> TenantId.ofTrusted(row.getString("tenant_id"))));
    }

    List<TaskRecord> lockOfPlan(PlanId planId) {
        return find(OF_PLAN + IN_ORDER + " for update", planId.value());
    }

    List<TaskRecord> findUnfinished(PlanId planId) {
        return find(OF_PLAN + UNFINISHED + IN_ORDER, planId.value());
    }

    /** Locks what may be written without the lock of its plan. */
    void lockRunning(PlanId planId) {
        database.client()
                .sql("select task_id from rollout_task" + OF_PLAN + RUNNING + IN_ORDER + " for update")
                .params(database.application(), planId.value())
                .query((row, index) -> row.getString("task_id"))
                .list();
    }

    static boolean isUnfinished(TaskRecord task) {
        return AT_WORK.contains(task.status()) || task.wish() != null;
    }

    List<TaskRecord> findWished(PlanId planId) {
        return find(OF_PLAN + WISHED + IN_ORDER, planId.value());
    }

    /** {@return the task of a tenant in a plan} */
    Optional<TaskId> find(PlanId planId, TenantId tenantId) {
        return database.client()
                .sql("select task_id from rollout_task where application = ? and tenant_id = ? and plan_id = ?")
                .params(database.application(), tenantId.value(), planId.value())
                .query((row, index) -> TaskId.ofTrusted(row.getString("task_id")))
                .optional();
    }

    List<TaskRecord> findOfTenant(TenantId tenantId, int limit) {
        return find(
                " where application = ? and tenant_id = ? order by created_at desc, task_id desc limit " + limit,
                tenantId.value());
    }

    private List<TaskRecord> find(String condition, String value) {
        return database.client()
                .sql(SELECT + condition)
                .params(database.application(), value)
                .query((row, index) -> read(row))
                .list();
    }

    void insert(Collection<TaskRecord> tasks) {
        database.template()
                .batchUpdate(
                        INSERT,
                        tasks.stream()
                                .map(task -> Columns.join(kept(task), changing(task)))
                                .toList());
    }

    /** {@return how many rows each task has changed, under the epoch that goes with it} */
    int[] update(List<TaskRecord> tasks, List<Long> epochs) {
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (int index = 0; index < tasks.size(); index++) {
            TaskRecord task = tasks.get(index);
            rows.add(Columns.join(changing(task), task.id().value(), epochs.get(index)));
        }
        return database.template().batchUpdate(UPDATE, rows);
    }

    void deleteOfPlan(PlanId planId) {
        database.client()
                .sql("delete from rollout_task" + OF_PLAN)
                .params(database.application(), planId.value())
                .update();
    }

    private @Nullable Object[] kept(TaskRecord task) {
        return new @Nullable Object[] {
            task.id().value(),
            database.application(),
            task.planId().value(),
            task.tenantId().value(),
            task.position(),
            Json.write(Body.of(task.change())),
            task.change().target().configId(),
            Json.write(task.stageNames()),
            Columns.of(task.createdAt())
        };
    }

    private static @Nullable Object[] changing(TaskRecord task) {
        Wish wish = task.wish();
        return new @Nullable Object[] {
            task.status().name(),
            Json.write(task.unit()),
            Columns.unit(task.previous()),
            Columns.configId(task.previous()),
            Json.write(task.lastKnownGood()),
            task.stagesDone(),
            task.stagesStarted(),
            Json.write(task.settled()),
            task.run(),
            task.attempt(),
            task.retries(),
            task.retrying(),
            Json.write(task.lostWith()),
            Json.write(task.data()),
            Columns.of(task.checkpointAt()),
            Json.write(task.failure()),
            Columns.of(task.startedAt()),
            Columns.of(task.endedAt()),
            wish == null ? null : wish.kind().name(),
            wish == null ? null : wish.by(),
            wish == null ? null : wish.fromCheckpoint(),
            task.sequence(),
            task.epoch(),
            task.token()
        };
    }

    private static TaskRecord read(ResultSet row) throws SQLException {
        return new TaskRecord(
                TaskId.ofTrusted(row.getString("task_id")),
                PlanId.ofTrusted(row.getString("plan_id")),
                TenantId.ofTrusted(row.getString("tenant_id")),
                row.getInt("position"),
                Objects.requireNonNull(Json.read(row.getString("change_body"), Body.class))
                        .with(row.getString("config_id")),
                Json.texts(row.getString("stage_names")),
                TaskStatus.valueOf(row.getString("status")),
                Objects.requireNonNull(Json.read(row.getString("unit"), DeployUnit.class)),
                Columns.snapshot(row, "previous", "previous_config"),
                Json.read(row.getString("last_known_good"), DeployVersion.class),
                row.getInt("stages_done"),
                row.getInt("stages_started"),
                Set.copyOf(Json.texts(row.getString("settled"))),
                row.getInt("run"),
                row.getInt("attempt"),
                row.getInt("retries"),
                Columns.flag(row, "retrying"),
                Set.copyOf(Json.texts(row.getString("lost_with"))),
                Json.textsByName(row.getString("data")),
                Columns.instant(row, "checkpoint_at"),
                Json.read(row.getString("failure"), FailureInfo.class),
                Columns.time(row, "created_at"),
                Columns.instant(row, "started_at"),
                Columns.instant(row, "ended_at"),
                wish(row),
                row.getLong("sequence"),
                row.getLong("epoch"),
                row.getLong("token"));
    }

    private static @Nullable Wish wish(ResultSet row) throws SQLException {
        String kind = row.getString("wish");
        return kind == null
                ? null
                : new Wish(Wish.Kind.valueOf(kind), row.getString("wish_by"), row.getBoolean("wish_from_checkpoint"));
    }
}
