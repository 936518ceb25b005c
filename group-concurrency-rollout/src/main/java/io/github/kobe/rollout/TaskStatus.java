package io.github.kobe.rollout;

import java.util.EnumSet;
import java.util.Set;

/**
 * The state of a task.
 *
 * @since 0.1.0
 */
public enum TaskStatus implements RolloutStatus {
    /** It was created. */
    CREATED,
    /** It is being validated. */
    VALIDATING,
    /** It was found to be invalid; final. */
    VALIDATION_FAILED,
    /** It waits for its turn, or for its tenant. */
    PENDING,
    /** Its stages run. */
    RUNNING,
    /** It was stopped between two stages, and keeps its tenant. */
    PAUSED,
    /** All its stages passed. */
    COMPLETED,
    /** A stage failed. */
    FAILED,
    /** It was cancelled before its end; final. */
    CANCELLED,
    /** Its stages are being rolled back. */
    ROLLING_BACK,
    /** Everything is as it was before; final. */
    ROLLED_BACK,
    /** Something could not be rolled back. */
    ROLLBACK_FAILED;

    /** {@return the states that a task can enter from here in one step} */
    public Set<TaskStatus> next() {
        return switch (this) {
            case CREATED -> EnumSet.of(VALIDATING);
            case VALIDATING -> EnumSet.of(PENDING, VALIDATION_FAILED);
            case PENDING -> EnumSet.of(RUNNING, CANCELLED);
            case RUNNING -> EnumSet.of(PAUSED, COMPLETED, FAILED, CANCELLED, ROLLING_BACK);
            case PAUSED -> EnumSet.of(RUNNING, ROLLING_BACK, CANCELLED);
            case FAILED -> EnumSet.of(RUNNING, ROLLING_BACK);
            case COMPLETED, ROLLBACK_FAILED -> EnumSet.of(ROLLING_BACK);
            case ROLLING_BACK -> EnumSet.of(ROLLED_BACK, ROLLBACK_FAILED);
            case VALIDATION_FAILED, CANCELLED, ROLLED_BACK -> EnumSet.noneOf(TaskStatus.class);
        };
    }

    /** {@return whether no state follows it} */
    public boolean isFinal() {
        return next().isEmpty();
    }

    /** {@return whether a task is unfinished: it waits, runs, is paused or is being rolled back} */
    public boolean isOpen() {
        return this == PENDING || this == PAUSED || hasThread();
    }

    /** {@return whether a task has a thread here} */
    public boolean hasThread() {
        return this == RUNNING || this == ROLLING_BACK;
    }

    /** {@return whether a task that enters this state has an end time, and releases its tenant} */
    public boolean isEnd() {
        return switch (this) {
            case COMPLETED, FAILED, CANCELLED, ROLLED_BACK, ROLLBACK_FAILED -> true;
            default -> false;
        };
    }
}
