package io.github.kobe.rollout.internal.rules;

import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.FailureReaction;
import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantChange;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;

/** Plans and tasks to test with. */
public final class Samples {

    public static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");
    public static final PlanId PLAN = PlanId.of("plan-2026-11-22");
    public static final DeployUnit BLUE = DeployUnit.of(7, 42, "blue");
    public static final DeployUnit GREEN = DeployUnit.of(7, 41, "green");

    private Samples() {}

    /** {@return the id of a task that there was not before} */
    public static TaskId taskId(PlanId planId) {
        return TaskId.of("task-" + planId + "-" + NOW.toEpochMilli() + "-"
                + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()));
    }

    public static TenantChange change(String tenant) {
        return TenantChange.of(tenant, BLUE, "{\"version\":42}").previous(GREEN, "{\"version\":41}");
    }

    public static TenantChange changeWithoutSnapshot(String tenant) {
        return TenantChange.of(tenant, BLUE, "{\"version\":42}");
    }

    /** With the stages A and B, of which A is done. */
    public static TaskRecord task(TaskStatus status) {
        return created(taskId(PLAN), change("acme"), List.of("A", "B")).with(edit -> {
            edit.status = status;
            edit.stagesDone = 1;
            edit.stagesStarted = 1;
            edit.startedAt = NOW;
            edit.checkpointAt = NOW;
        });
    }

    /** In memory, where a configuration is its own id. */
    public static TaskRecord created(TaskId id, TenantChange change, List<String> stageNames) {
        return TaskRecord.created(id, PLAN, 0, change, UnaryOperator.identity(), stageNames, NOW);
    }

    public static PlanRecord plan(PlanStatus status) {
        return plan(status, new Waves(List.of(10), null, FailureReaction.PAUSE, Duration.ZERO, null, null));
    }

    public static PlanRecord plan(PlanStatus status, Waves waves) {
        return PlanRecord.created(PLAN, 10, waves, "tester", NOW).with(edit -> edit.status = status);
    }

    /** {@return such a plan, which a drive of that epoch has} */
    public static PlanRecord plan(PlanStatus status, long epoch) {
        return plan(status).with(edit -> edit.epoch = epoch);
    }

    /** {@return the task as it is when all nodes that had it are alive} */
    public static TaskRecord notLost(TaskRecord task) {
        return task.with(edit -> edit.lostWith = Set.of());
    }

    /** {@return an event of a plan itself} */
    public static RolloutEvent event(PlanRecord plan, Occurrence occurrence, long sequence) {
        return new RolloutEvent(
                plan.id(),
                null,
                null,
                plan.status(),
                NOW,
                occurrence.message(),
                occurrence.failure(),
                sequence,
                occurrence);
    }
}
