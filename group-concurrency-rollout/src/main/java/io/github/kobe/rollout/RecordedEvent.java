package io.github.kobe.rollout;

import java.util.Objects;

/**
 * An event of a plan as it is kept, until the plan is {@linkplain Rollouts#purge removed}; see {@link Rollouts#events}.
 *
 * @param position where it is among the events of its plan, more than zero; positions grow, and may have gaps
 * @param delivery what has become of it
 * @param event the event
 * @since 0.1.0
 */
public record RecordedEvent(long position, Delivery delivery, RolloutEvent event) {

    /** Checks for {@code null} alone. */
    public RecordedEvent {
        Objects.requireNonNull(delivery, "delivery");
        Objects.requireNonNull(event, "event");
    }

    /** Whether the sink has an event. */
    public enum Delivery {
        /** Not yet. */
        WAITING,
        /** The sink has returned. */
        DELIVERED,
        /** The sink has refused it for too long. */
        GIVEN_UP
    }
}
