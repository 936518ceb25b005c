package io.github.kobe.spring.rollout;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.RecordedEvent;
import io.github.kobe.rollout.RecordedEvent.Delivery;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Events of a plan.
 *
 * @param planId the plan's id
 * @param events in the order of their positions
 * @param next the position after which the next ones begin
 */
public record RolloutEventsReport(String planId, List<Event> events, long next) {

    static RolloutEventsReport of(PlanId planId, long after, List<RecordedEvent> events) {
        return new RolloutEventsReport(
                planId.value(),
                events.stream().map(Event::of).toList(),
                events.isEmpty() ? after : events.getLast().position());
    }

    /**
     * What happened to a plan or to a task of it.
     *
     * @param position where it is among the events of the plan
     * @param delivery what has become of it
     * @param taskId the task; null: it is about the plan itself
     * @param tenant the task's tenant; null: it is about the plan itself
     * @param sequence its number among the events of the task, or among those of the plan itself
     * @param type what kind of event it is
     * @param status the state after it
     * @param timestamp when it happened
     * @param message what happened, in words
     * @param details what happened, with all that is known of it
     * @param failure why; null: it is no failure
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Event(
            long position,
            Delivery delivery,
            @Nullable String taskId,
            @Nullable String tenant,
            long sequence,
            String type,
            String status,
            Instant timestamp,
            String message,
            String details,
            RolloutsReport.@Nullable Failure failure) {

        static Event of(RecordedEvent recorded) {
            RolloutEvent event = recorded.event();
            return new Event(
                    recorded.position(),
                    recorded.delivery(),
                    event.taskId() == null ? null : event.taskId().value(),
                    event.tenantId() == null
                            ? null
                            : PrintableText.wellFormed(event.tenantId().value()),
                    event.sequenceId(),
                    event.occurrence().getClass().getSimpleName(),
                    event.status().name(),
                    event.timestamp(),
                    PrintableText.wellFormed(event.message()),
                    PrintableText.wellFormed(event.occurrence().toString()),
                    event.failure() == null ? null : RolloutsReport.Failure.of(event.failure()));
        }
    }
}
