package io.github.kobe.rollout.jdbc;

import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.WaveGate;
import io.github.kobe.rollout.internal.rules.DriveState;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.WaveProgress;
import io.github.kobe.rollout.internal.rules.Waves;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The table of plans. */
final class PlanRows {

    private static final String KEPT = "application, plan_id, created_at, created_by";
    private static final String CHANGING = "status, pause_asked, rolling_back, tally, owed, abandoned, wave, waiting,"
        + " failures_allowed, gate_since, gate_baked_at, gate_expires_at, gate_approved_by, drive_number, drive_phase,"
        + " drive_at, drive_node, stranded_since, started_at, ended_at, sequence, epoch, failed,"
        + " gate_check_expires_at, gate_checked, max_concurrency, waves, wishes";

    private static final String SELECT = "select * from rollout_plan";
    private static final String INSERT = Columns.insert("rollout_plan", KEPT + ", " + CHANGING);
    private static final String UPDATE =
            Columns.update("rollout_plan", CHANGING, "application = ? and plan_id = ? and epoch = ?");

    private static final String SETTLED = in(PlanStatus::isSettled);
    private static final String FINISHED = in(status -> status.isSettled() && status != PlanStatus.PARTIAL_FAILED);

    private final Database database;

    PlanRows(Database database) {
        this.database = database;
    }

    private static String in(Predicate<PlanStatus> which) {
        return " and " + Columns.in("status", Arrays.stream(PlanStatus.values()).filter(which));
    }

    Optional<PlanRecord> find(PlanId planId, boolean locked) {
        return find(planId, locked ? " for update" : "");
    }

    /** {@return a plan, which is locked unless somebody else has locked it} */
    Optional<PlanRecord> findAtOnce(PlanId planId) {
        return find(planId, " for update skip locked").or(() -> find(planId, false));
    }

    private Optional<PlanRecord> find(PlanId planId, String locking) {
        return database.client()
                .sql(SELECT + " where application = ? and plan_id = ?" + locking)
                .params(database.application(), planId.value())
                .query((row, index) -> read(row))
                .optional();
    }

    List<PlanRecord> findNewest(int limit) {
        return database.client()
                .sql(SELECT
                        + " where application = ? order by application desc, created_at desc, plan_id desc"
                        + " fetch first ? rows only")
                .params(database.application(), limit)
                .query((row, index) -> read(row))
                .list();
    }

    List<PlanId> findEnded(Instant before, boolean partlyFailed, int limit) {
        return database.client()
                .sql("select plan_id from rollout_plan where application = ? and ended_at < ? and drive_phase = 'OVER'"
                        + (partlyFailed ? SETTLED : FINISHED)
                        + " order by application, ended_at fetch first ? rows only")
                .params(database.application(), Columns.of(before), limit)
                .query((row, index) -> PlanId.ofTrusted(row.getString("plan_id")))
                .list();
    }

    void insert(PlanRecord plan) {
        database.template()
                .update(
                        INSERT,
                        Columns.join(
                                new @Nullable Object[] {
                                    database.application(),
                                    plan.id().value(),
                                    Columns.of(plan.createdAt()),
                                    plan.createdBy()
                                },
                                changing(plan)));
    }

    /** {@return whether it was still under that epoch} */
    boolean update(PlanRecord plan, long epoch) {
        return database.template()
                        .update(
                                UPDATE,
                                Columns.join(
                                        changing(plan),
                                        database.application(),
                                        plan.id().value(),
                                        epoch))
                == 1;
    }

    void delete(PlanId planId) {
        database.client()
                .sql("delete from rollout_plan where application = ? and plan_id = ?")
                .params(database.application(), planId.value())
                .update();
    }

    private static @Nullable Object[] changing(PlanRecord plan) {
        DriveState drive = plan.drive();
        WaveProgress progress = plan.progress();
        WaveGate gate = progress.gate();
        return new @Nullable Object[] {
            plan.status().name(),
            plan.pauseAsked(),
            plan.rollingBack(),
            Json.write(plan.tally()),
            plan.owed(),
            plan.abandoned(),
            progress.current(),
            Json.write(progress.waiting()),
            progress.failuresAllowed(),
            gate == null ? null : Columns.of(gate.since()),
            gate == null ? null : Columns.of(gate.bakedAt()),
            gate == null ? null : Columns.of(gate.expiresAt()),
            gate == null ? null : gate.approvedBy(),
            drive.number(),
            drive.phase().name(),
            Columns.of(drive.at()),
            drive.node(),
            Columns.of(drive.strandedSince()),
            Columns.of(plan.startedAt()),
            Columns.of(plan.endedAt()),
            plan.sequence(),
            plan.epoch(),
            Json.write(progress.failed()),
            gate == null ? null : Columns.of(gate.checkExpiresAt()),
            gate != null && gate.isChecked(),
            plan.maxConcurrency(),
            Json.write(plan.waves()),
            plan.wishes()
        };
    }

    private static PlanRecord read(ResultSet row) throws SQLException {
        return new PlanRecord(
                PlanId.ofTrusted(row.getString("plan_id")),
                row.getInt("max_concurrency"),
                Objects.requireNonNull(Json.read(row.getString("waves"), Waves.class)),
                PlanStatus.valueOf(row.getString("status")),
                row.getBoolean("pause_asked"),
                row.getBoolean("rolling_back"),
                Json.tally(row.getString("tally")),
                row.getInt("owed"),
                row.getInt("abandoned"),
                new WaveProgress(
                        row.getInt("wave"),
                        Json.counts(row.getString("waiting")),
                        Json.counts(row.getString("failed")),
                        row.getInt("failures_allowed"),
                        gate(row)),
                new DriveState(
                        row.getLong("drive_number"),
                        DriveState.Phase.valueOf(row.getString("drive_phase")),
                        Columns.instant(row, "drive_at"),
                        row.getString("drive_node"),
                        Columns.instant(row, "stranded_since")),
                Columns.time(row, "created_at"),
                row.getString("created_by"),
                Columns.instant(row, "started_at"),
                Columns.instant(row, "ended_at"),
                row.getLong("sequence"),
                row.getLong("epoch"),
                row.getLong("wishes"));
    }

    private static @Nullable WaveGate gate(ResultSet row) throws SQLException {
        Instant since = Columns.instant(row, "gate_since");
        return since == null
                ? null
                : new WaveGate(
                        since,
                        Columns.time(row, "gate_baked_at"),
                        Columns.instant(row, "gate_expires_at"),
                        row.getString("gate_approved_by"),
                        Columns.instant(row, "gate_check_expires_at"),
                        row.getBoolean("gate_checked"));
    }
}
