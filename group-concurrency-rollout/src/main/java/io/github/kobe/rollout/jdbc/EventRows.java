package io.github.kobe.rollout.jdbc;

import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RecordedEvent;
import io.github.kobe.rollout.RecordedEvent.Delivery;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.RolloutStatus;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The table of events: an outbox. Events are ordered by their numbers within a task, or within a plan itself.
 *
 * <p>The ids of events are not in the order in which events become visible, since a transaction may take one long before it
 * ends. So a reader that goes on after the highest id it has seen would miss some. Their positions are: only the drive that
 * has the plan gives them, to what it sees, in one transaction after the other, each of which locks the plan.
 */
final class EventRows {

    private static final String OF_THE_PLAN = "";
    private static final String PROGRESS = Occurrence.TaskProgress.class.getSimpleName();

    private static final String INSERT = Columns.insert(
            "rollout_event",
            "application, plan_id, task_id, tenant_id, sequence, type, status, happened_at, message, body");

    private static final String OF_PLAN = " where application = ? and plan_id = ?";

    private static final String WHILE_IT_HAS_THE_PLAN =
            " and exists (select 1 from rollout_plan p where p.application = rollout_event.application"
                    + " and p.plan_id = rollout_event.plan_id and p.epoch = ?)";

    /** Those that one drive has told. */
    private static final String TOLD =
            OF_PLAN + " and task_id = ? and sequence between ? and ?" + WHILE_IT_HAS_THE_PLAN;

    private static final String MARK = "update rollout_event set published = true" + TOLD;
    private static final String GIVE_UP = "update rollout_event set published = true, given_up = true" + TOLD;
    private static final String REFUSE = "update rollout_event set refused_at = coalesce(refused_at, ?)" + TOLD;

    /**
     * The orders of the following name the columns of an index from the first on, those too that are the same in all rows: H2
     * reads no more rows than are asked for only then; otherwise it reads those of the whole plan, and sorts them.
     */
    static final String UNPUBLISHED = "select * from rollout_event" + OF_PLAN
            + " and not published order by application, plan_id, published, event_id fetch first ? rows only";

    private static final String SHOWN = " and not (published and type = '" + PROGRESS + "')";

    static final String PAGE = "select * from rollout_event" + OF_PLAN + " and position > ?" + SHOWN
            + " order by application, plan_id, position fetch first ? rows only";

    static final String LAST_POSITION = "select position from rollout_event" + OF_PLAN
            + " and position > 0 order by application desc, plan_id desc, position desc fetch first row only";

    /** The row with the last position stays, since otherwise that would be given again. */
    private static final String DROP = "delete from rollout_event" + TOLD + " and type = '" + PROGRESS
            + "' and coalesce(position, 0) < coalesce((" + LAST_POSITION + "), 1)";

    /** What stayed is no longer the last. */
    private static final String DROP_AT =
            "delete from rollout_event" + OF_PLAN + " and position = ? and published and type = '" + PROGRESS + "'";

    static final String UNPLACED = "select event_id from rollout_event" + OF_PLAN
            + " and position is null order by application, plan_id, position, event_id fetch first ? rows only";

    private static final String PAGE_OF_TASK = "select * from rollout_event" + OF_PLAN
            + " and task_id = ? and position > ?" + SHOWN + " order by position fetch first ? rows only";

    private static final String PLACE = "update rollout_event set position = ? where event_id = ?";

    private static final String TOUCH =
            "update rollout_event set published = published" + OF_PLAN + " and task_id = ? and sequence = ?";

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
                .sql(UNPUBLISHED)
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

    /**
     * Gives positions to some events that have none: to each its id, or more if others have one that is as high. The plan is
     * locked.
     *
     * @return how many have got one
     */
    int assignPositions(PlanId planId, int limit) {
        String application = database.application();
        List<Long> ids = single(UNPLACED, application, planId.value(), limit);
        if (!ids.isEmpty()) {
            long before = single(LAST_POSITION, application, planId.value()).stream()
                    .findFirst()
                    .orElse(0L);
            long last = before;
            List<Object[]> rows = new ArrayList<>();
            for (long id : ids) {
                last = Math.max(last + 1, id);
                rows.add(new Object[] {last, id});
            }
            database.template().batchUpdate(PLACE, rows);
            database.template().update(DROP_AT, application, planId.value(), before);
        }
        return ids.size();
    }

    private List<Long> single(String sql, Object... values) {
        return database.client().sql(sql).params(values).query(Long.class).list();
    }

    List<RecordedEvent> find(PlanId planId, long after, int limit) {
        return page(PAGE, database.application(), planId.value(), after, limit);
    }

    /** {@return events of one task} They are few, so they are sorted. */
    List<RecordedEvent> find(PlanId planId, TaskId taskId, long after, int limit) {
        return page(PAGE_OF_TASK, database.application(), planId.value(), taskId.value(), after, limit);
    }

    private List<RecordedEvent> page(String sql, Object... values) {
        return database.client()
                .sql(sql)
                .params(values)
                .query((row, index) -> new RecordedEvent(row.getLong("position"), delivery(row), read(row)))
                .list();
    }

    private static Delivery delivery(ResultSet row) throws SQLException {
        if (row.getBoolean("given_up")) {
            return Delivery.GIVEN_UP;
        }
        return row.getBoolean("published") ? Delivery.DELIVERED : Delivery.WAITING;
    }

    /** {@return since when it has been refused} */
    Instant refuse(PlanId planId, long epoch, RolloutEvent event, Instant now) {
        database.template().update(REFUSE, Columns.join(new Object[] {Columns.of(now)}, range(planId, epoch, event)));
        return database.client()
                .sql("select refused_at from rollout_event" + OF_PLAN + " and task_id = ? and sequence = ?"
                        + " and refused_at is not null")
                .params(database.application(), planId.value(), subject(event), event.sequenceId())
                .query((row, index) -> Columns.time(row, "refused_at"))
                .optional()
                .orElse(now);
    }

    void giveUp(PlanId planId, long epoch, RolloutEvent event) {
        @Nullable Object[] row = range(planId, epoch, event);
        database.template().update(DROP, dropping(row));
        database.template().update(GIVE_UP, row);
    }

    private @Nullable Object[] range(PlanId planId, long epoch, RolloutEvent event) {
        long number = event.sequenceId();
        return new @Nullable Object[] {database.application(), planId.value(), subject(event), number, number, epoch};
    }

    private static @Nullable Object[] dropping(@Nullable Object[] range) {
        return Columns.join(range, new @Nullable Object[] {range[0], range[1]});
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
        database.template()
                .batchUpdate(DROP, rows.stream().map(EventRows::dropping).toList());
        database.template().batchUpdate(MARK, rows);
    }

    void deleteOfPlan(PlanId planId) {
        database.client()
                .sql("delete from rollout_event" + OF_PLAN)
                .params(database.application(), planId.value())
                .update();
    }

    private static String subject(RolloutEvent event) {
        return event.taskId() == null ? OF_THE_PLAN : event.taskId().value();
    }

    private static RolloutEvent read(ResultSet row) throws SQLException {
        String taskId = row.getString("task_id");
        boolean ofThePlan = taskId.equals(OF_THE_PLAN);
        Occurrence occurrence = Json.occurrence(row.getString("type"), row.getString("body"));
        return new RolloutEvent(
                PlanId.ofTrusted(row.getString("plan_id")),
                ofThePlan ? null : TaskId.ofTrusted(taskId),
                ofThePlan ? null : TenantId.ofTrusted(row.getString("tenant_id")),
                status(ofThePlan ? PlanStatus.values() : TaskStatus.values(), row.getString("status")),
                Columns.time(row, "happened_at"),
                row.getString("message"),
                occurrence.failure(),
                row.getLong("sequence"),
                occurrence);
    }

    private static RolloutStatus status(RolloutStatus[] known, String name) {
        for (RolloutStatus status : known) {
            if (status.name().equals(name)) {
                return status;
            }
        }
        return new RolloutStatus.Unknown(name);
    }
}
