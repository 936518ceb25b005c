package io.github.kobe.rollout;

/**
 * The state of a task or of a plan.
 *
 * @since 0.1.0
 */
public sealed interface RolloutStatus permits TaskStatus, PlanStatus, RolloutStatus.Unknown {

    /** {@return the state as text} */
    String name();

    /**
     * A state that only a newer version of this library knows, in one of its events.
     *
     * @param name the state as text
     */
    record Unknown(String name) implements RolloutStatus {}
}
