package io.github.kobe.rollout;

import java.util.EnumSet;
import java.util.Set;

/**
 * Where a plan is. From its start on, it follows from its tasks.
 *
 * @since 0.1.0
 */
public enum PlanStatus implements RolloutStatus {
    /** It exists. */
    CREATED,
    /** Its tasks are looked at. */
    VALIDATING,
    /** It can be started. */
    READY,
    /** Tasks of it wait or run. */
    RUNNING,
    /** It starts nothing, and none of its tasks runs. */
    PAUSED,
    /** Not all of its tasks came to a good end, and something can still be done about it. */
    PARTIAL_FAILED,
    /** All its tasks are completed. */
    COMPLETED,
    /** Everything that can be is being rolled back. */
    ROLLING_BACK,
    /** It was rolled back; final. */
    ROLLED_BACK,
    /** It was invalid, was given up, or could not be rolled back; final. */
    FAILED,
    /** It was given up before anything came of it; final. */
    CANCELLED;

    /** {@return where a plan can go from here in one step} */
    public Set<PlanStatus> next() {
        return switch (this) {
            case CREATED -> EnumSet.of(VALIDATING);
            case VALIDATING -> EnumSet.of(READY, FAILED);
            case READY -> EnumSet.of(RUNNING, CANCELLED);
            case RUNNING -> EnumSet.of(PAUSED, PARTIAL_FAILED, COMPLETED, ROLLING_BACK);
            case PAUSED -> EnumSet.of(RUNNING, CANCELLED);
            case PARTIAL_FAILED -> EnumSet.of(RUNNING, ROLLING_BACK, FAILED);
            case COMPLETED -> EnumSet.of(ROLLING_BACK);
            case ROLLING_BACK -> EnumSet.of(ROLLED_BACK, FAILED);
            case FAILED, ROLLED_BACK, CANCELLED -> EnumSet.noneOf(PlanStatus.class);
        };
    }

    /** {@return whether nothing comes after it} */
    public boolean isFinal() {
        return next().isEmpty();
    }

    /** {@return whether a plan doesn't change any more by itself} */
    public boolean isSettled() {
        return isFinal() || this == COMPLETED || this == PARTIAL_FAILED;
    }
}
