package io.github.kobe.rollout;

/**
 * The state of a task or of a plan.
 *
 * @since 0.1.0
 */
public sealed interface RolloutStatus permits TaskStatus, PlanStatus {

    /** {@return the state as text} */
    String name();
}
