package io.github.kobe;

/**
 * Why work was rejected.
 *
 * @since 0.1.0
 */
public enum RejectionReason {
    /**
     * The {@linkplain GroupLimits#withRate rate of the group}, or {@linkplain GroupPolicy.Builder#globalRate that of all groups},
     * lets it start only after its time-out, by what waits ahead of it in the group; or it allowed no wait.
     */
    RATE_LIMITED,
    /** The group's own queue has no room. This is also the reason if the global queue is full at the same time. */
    GROUP_QUEUE_FULL,
    /** The queues of all groups together have no room. */
    GLOBAL_QUEUE_FULL,
    /**
     * The work waited longer than the group, or the work itself, allows; or it allowed no wait, and had to wait; or it
     * {@linkplain GroupExecutor#rejectLate came too late}.
     */
    QUEUE_TIMEOUT,
    /** The executor or the group was shut down while a caller waited. Tasks that wait then are cancelled instead. */
    SHUTDOWN,
    /**
     * The caller was interrupted while it waited. This is used where an {@link InterruptedException} can't be thrown;
     * the engine itself always throws that exception.
     */
    INTERRUPTED
}
