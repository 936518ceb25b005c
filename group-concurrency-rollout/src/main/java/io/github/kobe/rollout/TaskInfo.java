package io.github.kobe.rollout;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a task is doing.
 *
 * @param taskId the task
 * @param planId its plan
 * @param tenantId its tenant
 * @param status its state
 * @param unit what the tenant has or will have
 * @param previous what a rollback restores, if that is known; {@link Rollouts#previous} has its configuration
 * @param lastKnownGood the version last known to be good for the tenant
 * @param completedStages how many stages are done
 * @param totalStages how many there are
 * @param stage the running or next stage; none if all are done
 * @param attempt the number of the attempt, from 1; each retry and each rollback is a new attempt
 * @param retryCount how often it was retried
 * @param maxRetry how often it may be retried
 * @param wish what was requested and has not been done yet
 * @param failure why it failed
 * @param createdAt when it was created
 * @param startedAt when it first ran
 * @param endedAt when it ended
 * @since 0.1.0
 */
public record TaskInfo(
        TaskId taskId,
        PlanId planId,
        TenantId tenantId,
        TaskStatus status,
        DeployUnit unit,
        @Nullable DeployUnit previous,
        @Nullable DeployVersion lastKnownGood,
        int completedStages,
        int totalStages,
        @Nullable String stage,
        int attempt,
        int retryCount,
        int maxRetry,
        @Nullable Wish wish,
        @Nullable FailureInfo failure,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt) {

    /** {@return the milliseconds from its start to its end, or {@code null} while it has not ended} */
    public @Nullable Long durationMillis() {
        return startedAt == null || endedAt == null
                ? null
                : Long.valueOf(Duration.between(startedAt, endedAt).toMillis());
    }
}
