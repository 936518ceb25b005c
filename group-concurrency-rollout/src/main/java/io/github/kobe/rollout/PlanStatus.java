package io.github.kobe.rollout;

import java.util.EnumSet;
import java.util.Set;

/**
 * The state of a plan. Once the plan has started, it is derived from the states of its tasks.
 *
 * @since 0.1.0
 */
public enum PlanStatus implements RolloutStatus {
    /** It was created. */
    CREATED,
    /** Its tasks are being validated. */
    VALIDATING,
    /** It can be started. */
    READY,
    /** Some of its tasks wait or run. */
    RUNNING,
    /** It starts nothing, and none of its tasks runs. */
    PAUSED,
    /** Not all of its tasks have succeeded, or not all could be rolled back; operations on them are still possible. */
    PARTIAL_FAILED,
    /** All its tasks are completed. */
    COMPLETED,
    /** Everything that can be is being rolled back, and nothing goes forward. */
    ROLLING_BACK,
    /**
     * Each of its tasks was rolled back or cancelled; after a rollback of the whole plan, all others were cancelled, or
     * failed, before a stage of them began; final.
     */
    ROLLED_BACK,
    /** It was invalid, or was given up; final. */
    FAILED,
    /** It was cancelled before any task had completed; final. */
    CANCELLED;

    /** {@return the states that a plan can enter from here in one step} */
    public Set<PlanStatus> next() {
        return switch (this) {
            case CREATED -> EnumSet.of(VALIDATING);
            case VALIDATING -> EnumSet.of(READY, FAILED);
            case READY -> EnumSet.of(RUNNING, CANCELLED);
            case RUNNING -> EnumSet.of(PAUSED, PARTIAL_FAILED, COMPLETED, ROLLING_BACK);
            case PAUSED -> EnumSet.of(RUNNING, CANCELLED);
            case PARTIAL_FAILED -> EnumSet.of(RUNNING, ROLLING_BACK, FAILED);
            case COMPLETED -> EnumSet.of(ROLLING_BACK);
            case ROLLING_BACK -> EnumSet.of(ROLLED_BACK, PARTIAL_FAILED);
            case FAILED, ROLLED_BACK, CANCELLED -> EnumSet.noneOf(PlanStatus.class);
        };
    }

    /** {@return whether no state follows it} */
    public boolean isFinal() {
        return next().isEmpty();
    }

    /** {@return whether a plan no longer changes by itself} */
    public boolean isSettled() {
        return isFinal() || this == COMPLETED || this == PARTIAL_FAILED;
    }
}
