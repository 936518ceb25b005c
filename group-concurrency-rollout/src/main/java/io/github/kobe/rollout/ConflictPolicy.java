package io.github.kobe.rollout;

/**
 * What becomes of a task whose tenant another task has when its plan starts.
 *
 * @since 0.1.0
 */
public enum ConflictPolicy {
    /** It is cancelled; its plan goes on without it. */
    REJECT,
    /** It waits, in the order in which the plans were started. */
    QUEUE
}
