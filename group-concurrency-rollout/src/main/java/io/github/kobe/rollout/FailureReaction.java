package io.github.kobe.rollout;

/**
 * What happens to a plan in which more tasks have failed than may.
 *
 * @since 0.1.0
 */
public enum FailureReaction {
    /** Nothing new starts: running tasks continue to their end, and the plan is paused until somebody resumes it. */
    PAUSE,
    /**
     * The plan is rolled back, as {@link Rollouts#rollback} does it, in the transaction that records the failure. Running
     * tasks are rolled back at the end of their stage, and waiting ones are cancelled.
     */
    ROLLBACK
}
