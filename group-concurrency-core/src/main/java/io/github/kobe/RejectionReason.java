package io.github.kobe;

/**
 * Why work was not let in.
 *
 * @since 0.1.0
 */
public enum RejectionReason {
    /** The group's own queue has no room. Named also when the global queue is full at the same time. */
    GROUP_QUEUE_FULL,
    /** The queues of all groups together have no room. */
    GLOBAL_QUEUE_FULL,
    /** The work waited longer than the group, or the work itself, allows; or it wanted no wait, and would have had to. */
    QUEUE_TIMEOUT,
    /** The executor was shut down while a caller waited; a task that waited then is cancelled instead. */
    SHUTDOWN,
    /**
     * The caller was interrupted while it waited. Used where the caller can't be told with an
     * {@link InterruptedException}; the engine itself always throws that one.
     */
    INTERRUPTED
}
