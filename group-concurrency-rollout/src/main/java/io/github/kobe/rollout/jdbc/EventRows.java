package io.github.kobe.rollout.jdbc;

import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The table of events: an outbox. Events are ordered by their numbers within a task, or within a plan itself. */
final class EventRows {

    private static final String OF_THE_PLAN = "";
    private static final String PROGRESS = Occurrence.TaskProgress.class.getSimpleName();

    private static final String INSERT = Columns.insert(
            "rollout_event",
            "application, plan_id, task_id, tenant_id, sequence, type, status, happened_at, message, body");

    /** Those that one drive has told, while it still has the plan. */
    private static final String TOLD =
            " where application = ? and plan_id = ? and task_id = ? and sequence between ? and ?"
                    + " and exists (select 1 from rollout_plan p where p.application = rollout_event.application"
                    + " and p.plan_id = rollout_event.plan_id and p.epoch = ?)";

    private static final String DROP = "delete from rollout_event" + TOLD + " and type = '" + PROGRESS + "'";
    private static final String MARK = "update rollout_event set published = true" + TOLD;

    private static final String TOUCH = "update rollout_event set published = published"
            + " where application = ? and plan_id = ? and task_id = ? and sequence = ?";

    private final Database database;

    EventRows(Database database) {
        this.database = database;
    }

    void insert(List<RolloutEvent> events) {
        List<@Nullable Object[]> rows = events.stream()
                .map(event -> new @Nullable Object[] {
                    database.application(),
                    event.planId().value(),
                    subject(event),
                    event.tenantId() == null ? null : event.tenantId().value(),
                    event.sequenceId(),
                    Json.typeOf(event.occurrence()),
                    event.status().name(),
                    Columns.of(event.timestamp()),
                    event.message(),
                    Json.write(event.occurrence())
                })
                .toList();
        database.template().batchUpdate(INSERT, rows);
    }

    List<RolloutEvent> findUnpublished(PlanId planId, int limit) {
        return database.client()
                .sql("select * from rollout_event where application = ? and plan_id = ? and not published order by"
                        + " event_id fetch first ? rows only")
                .params(database.application(), planId.value(), limit)
                .query((row, index) -> read(row))
                .list();
    }

    /**
     * {@return how many rows were written} A transaction that writes ends after all that was visible before it is in the
     * database's file.
     */
    int keep(RolloutEvent event) {
        return database.client()
                .sql(TOUCH)
                .params(database.application(), event.planId().value(), subject(event), event.sequenceId())
                .update();
    }

    boolean hasUnpublished(PlanId planId) {
        return !findUnpublished(planId, 1).isEmpty();
    }

    /** What is told of one task is told without a gap, so first and last say it all. */
    void mark(PlanId planId, long epoch, List<RolloutEvent> events) {
        Map<String, LongSummaryStatistics> numbers = new LinkedHashMap<>();
        for (RolloutEvent event : events) {
            numbers.computeIfAbsent(subject(event), subject -> new LongSummaryStatistics())
                    .accept(event.sequenceId());
        }
        List<Object[]> rows = new ArrayList<>();
        numbers.forEach((subject, range) -> rows.add(
                new Object[] {database.application(), planId.value(), subject, range.getMin(), range.getMax(), epoch}));
        database.template().batchUpdate(DROP, rows);
        database.template().batchUpdate(MARK, rows);
    }

    void deleteOfPlan(PlanId planId) {
        database.client()
                .sql("delete from rollout_event where application = ? and plan_id = ?")
                .params(database.application(), planId.value())
                .update();
    }

    private static String subject(RolloutEvent event) {
        return event.taskId() == null ? OF_THE_PLAN : event.taskId().value();
    }

    private static RolloutEvent read(ResultSet row) throws SQLException {
        String taskId = row.getString("task_id");
        boolean ofThePlan = taskId.equals(OF_THE_PLAN);
        String status = row.getString("status");
        Occurrence occurrence = Json.occurrence(row.getString("type"), row.getString("body"));
        return new RolloutEvent(
                PlanId.ofTrusted(row.getString("plan_id")),
                ofThePlan ? null : TaskId.ofTrusted(taskId),
                ofThePlan ? null : TenantId.ofTrusted(row.getString("tenant_id")),
                ofThePlan ? PlanStatus.valueOf(status) : TaskStatus.valueOf(status),
                Columns.time(row, "happened_at"),
                row.getString("message"),
                occurrence.failure(),
                row.getLong("sequence"),
                occurrence);
    }
}
