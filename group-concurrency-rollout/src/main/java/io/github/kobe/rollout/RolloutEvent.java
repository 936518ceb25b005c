package io.github.kobe.rollout;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What happened to a task or a plan, and when. Events are kept at least until they are published, and may be published
 * again, with the same number, after a crash or if the sink throws.
 *
 * <p>The events of a task, and those of a plan itself, are numbered 1, 2, 3 and so on. A receiver that remembers the
 * highest number of each, and drops events whose number isn't higher, gets each event exactly once.
 *
 * @param planId the plan
 * @param taskId the task, or {@code null} if this is about the plan itself
 * @param tenantId the task's tenant, or {@code null} if this is about the plan itself
 * @param status the state of the task or plan after the event
 * @param timestamp when it happened
 * @param message what happened, in words
 * @param failure why, if it is a failure
 * @param sequenceId the number among the events of the task, or among those of the plan itself
 * @param occurrence what happened
 * @since 0.1.0
 */
public record RolloutEvent(
        PlanId planId,
        @Nullable TaskId taskId,
        @Nullable TenantId tenantId,
        RolloutStatus status,
        Instant timestamp,
        String message,
        @Nullable FailureInfo failure,
        long sequenceId,
        Occurrence occurrence) {

    /** Replaces control characters in the message by spaces. */
    public RolloutEvent {
        message = Texts.clean(message);
    }
}
