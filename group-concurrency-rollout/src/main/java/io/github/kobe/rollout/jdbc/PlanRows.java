package io.github.kobe.rollout.jdbc;

import io.github.kobe.rollout.DriveState;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanRecord;
import io.github.kobe.rollout.PlanStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The table of plans. */
final class PlanRows {

    private static final String KEPT = "plan_id, created_at, created_by, max_concurrency";
    private static final String CHANGING = "status, pause_asked, rolling_back, tally, owed, drive_number, drive_phase,"
            + " drive_at, started_at, ended_at, sequence, epoch";

    private static final String SELECT = "select * from rollout_plan";
    private static final String INSERT = Columns.insert("rollout_plan", KEPT + ", " + CHANGING);
    private static final String UPDATE = Columns.update("rollout_plan", CHANGING, "plan_id = ? and epoch = ?");

    private final Database database;

    PlanRows(Database database) {
        this.database = database;
    }

    Optional<PlanRecord> find(PlanId planId, boolean locked) {
        return database.client()
                .sql(SELECT + " where plan_id = ?" + (locked ? " for update" : ""))
                .param(planId.value())
                .query((row, index) -> read(row))
                .optional();
    }

    List<PlanRecord> findAll() {
        return database.client()
                .sql(SELECT + " order by created_at desc, plan_id desc")
                .query((row, index) -> read(row))
                .list();
    }

    void insert(PlanRecord plan) {
        database.template()
                .update(
                        INSERT,
                        Columns.join(
                                new @Nullable Object[] {
                                    plan.id().value(),
                                    Columns.of(plan.createdAt()),
                                    plan.createdBy(),
                                    plan.maxConcurrency()
                                },
                                changing(plan)));
    }

    /** {@return whether it was still under that epoch} */
    boolean update(PlanRecord plan, long epoch) {
        return database.template()
                        .update(UPDATE, Columns.join(changing(plan), plan.id().value(), epoch))
                == 1;
    }

    void delete(PlanId planId) {
        database.client()
                .sql("delete from rollout_plan where plan_id = ?")
                .param(planId.value())
                .update();
    }

    private static @Nullable Object[] changing(PlanRecord plan) {
        DriveState drive = plan.drive();
        return new @Nullable Object[] {
            plan.status().name(),
            plan.pauseAsked(),
            plan.rollingBack(),
            Json.write(plan.tally()),
            plan.owed(),
            drive.number(),
            drive.phase().name(),
            Columns.of(drive.at()),
            Columns.of(plan.startedAt()),
            Columns.of(plan.endedAt()),
            plan.sequence(),
            plan.epoch()
        };
    }

    private static PlanRecord read(ResultSet row) throws SQLException {
        return new PlanRecord(
                PlanId.ofTrusted(row.getString("plan_id")),
                row.getInt("max_concurrency"),
                PlanStatus.valueOf(row.getString("status")),
                row.getBoolean("pause_asked"),
                row.getBoolean("rolling_back"),
                Json.tally(row.getString("tally")),
                row.getInt("owed"),
                new DriveState(
                        row.getLong("drive_number"),
                        DriveState.Phase.valueOf(row.getString("drive_phase")),
                        Columns.instant(row, "drive_at")),
                Columns.time(row, "created_at"),
                row.getString("created_by"),
                Columns.instant(row, "started_at"),
                Columns.instant(row, "ended_at"),
                row.getLong("sequence"),
                row.getLong("epoch"));
    }
}
