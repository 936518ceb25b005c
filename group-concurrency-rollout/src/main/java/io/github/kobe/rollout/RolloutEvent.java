package io.github.kobe.rollout;

import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What happened to a task or a plan, and when. Events are kept until they are published, and may be published again after
 * a crash, with the same number.
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

    /** A kind in words, such as {@code task started}. */
    private static final ClassValue<String> WORDS = new ClassValue<>() {
        @Override
        protected String computeValue(Class<?> kind) {
            return kind.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
        }
    };

    static RolloutEvent of(TaskRecord task, Occurrence occurrence, Instant now, long sequence) {
        return new RolloutEvent(
                task.planId(),
                task.id(),
                task.tenantId(),
                task.status(),
                now,
                message(occurrence),
                occurrence.failure(),
                sequence,
                occurrence);
    }

    static RolloutEvent of(PlanId planId, PlanStatus status, Occurrence occurrence, Instant now, long sequence) {
        return new RolloutEvent(
                planId, null, null, status, now, message(occurrence), occurrence.failure(), sequence, occurrence);
    }

    private static String message(Occurrence occurrence) {
        FailureInfo failure = occurrence.failure();
        String words = occurrence instanceof Occurrence.PlanEntered entered
                ? "plan " + entered.status().name().toLowerCase(Locale.ROOT).replace('_', ' ')
                : WORDS.get(occurrence.getClass());
        return failure == null ? words : words + ": " + failure.message();
    }
}
