package io.github.kobe.rollout;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Plans and tasks to test with. */
final class Samples {

    static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");
    static final PlanId PLAN = PlanId.of("plan-2026-11-22");
    static final DeployUnit BLUE = DeployUnit.of(7, 42, "blue");
    static final DeployUnit GREEN = DeployUnit.of(7, 41, "green");

    private Samples() {}

    static TenantChange change(String tenant) {
        return TenantChange.of(tenant, BLUE, "{\"version\":42}").previous(GREEN, "{\"version\":41}");
    }

    static TenantChange changeWithoutSnapshot(String tenant) {
        return TenantChange.of(tenant, BLUE, "{\"version\":42}");
    }

    /** With the stages A and B, of which A is done. */
    static TaskRecord task(TaskStatus status) {
        return TaskRecord.created(TaskId.next(PLAN, NOW), PLAN, 0, change("acme"), List.of("A", "B"), NOW)
                .with(edit -> {
                    edit.status = status;
                    edit.stagesDone = 1;
                    edit.stagesStarted = 1;
                    edit.startedAt = NOW;
                    edit.checkpointAt = NOW;
                });
    }

    static PlanRecord plan(PlanStatus status) {
        return plan(status, new Waves(List.of(10), null, Duration.ZERO, null));
    }

    static PlanRecord plan(PlanStatus status, Waves waves) {
        return PlanRecord.created(PLAN, 10, waves, "tester", NOW).with(edit -> edit.status = status);
    }
}
