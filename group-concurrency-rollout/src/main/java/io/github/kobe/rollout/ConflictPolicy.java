package io.github.kobe.rollout;

/**
 * What happens to a task if another task has its tenant when the plan starts.
 *
 * @since 0.1.0
 */
public enum ConflictPolicy {
    /** It is cancelled; its plan goes on without it. */
    REJECT,
    /** It waits, in the order in which the plans were started. */
    QUEUE
}
