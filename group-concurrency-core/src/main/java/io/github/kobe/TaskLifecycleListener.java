package io.github.kobe;

/**
 * Hears of every task: {@link #onSubmitted}, then exactly one of
 *
 * <ul>
 *   <li>{@link #onRejected}, and nothing after it; or
 *   <li>[{@code onStarted}, then] {@link #onCompleted}.
 * </ul>
 *
 * <p><b>Order.</b> At the end of a task its permits return first, then the listener is called, then its handle completes; a
 * slow listener delays only that task's result. For a task that is cancelled while it runs, the handle completes first,
 * and the rest follows when its code has ended. Work on the caller's own thread ({@code call}, {@code acquire}) is
 * reported in the same way, with an empty task id where it has none; re-entrant work isn't reported. Of several listeners
 * each is called for everything, in the order in which they were added, even if one before it throws.
 *
 * <p><b>Threads.</b> Methods are called by many threads at once, never under a lock; each says on which. What a queue
 * time-out, a shutdown or a group shutdown ends is reported on a fresh virtual thread for each task, as soon as there can be
 * one.
 *
 * <p><b>Errors.</b> What a method throws, an {@link Error} too, changes nothing; it is logged once for each method, and of
 * several listeners for each of them.
 *
 * @since 0.1.0
 */
public interface TaskLifecycleListener {

    /**
     * A task is about to ask for admission; on the thread that submits it, or that asks for a permit.
     *
     * @param groupKey the task's group
     * @param taskId the task's id
     */
    default void onSubmitted(String groupKey, String taskId) {}

    /**
     * A task has its permits and is about to run; on its own thread, before its start time is taken. That of a call or a
     * permit is told on the caller's; of a permit of {@code acquireAsync} on the asking thread, or on a fresh virtual one if
     * it had to wait. On a task's or a caller's own thread it is inside the group already, and may use it again.
     *
     * @param groupKey the task's group
     * @param taskId the task's id
     */
    default void onStarted(String groupKey, String taskId) {}

    /**
     * As {@link #onStarted(String, String)}, which it calls unless overridden.
     *
     * @param groupKey the task's group
     * @param taskId the task's id
     * @param queuedNanos how long it waited, in nanoseconds; 0 if it started at once
     */
    default void onStarted(String groupKey, String taskId, long queuedNanos) {
        onStarted(groupKey, taskId);
    }

    /**
     * A task was not let in, or waited too long; on the thread that submits it or waits itself, and on a fresh virtual one
     * for a task's queue time-out.
     *
     * @param groupKey the task's group
     * @param taskId the task's id
     * @param reason why
     */
    default void onRejected(String groupKey, String taskId, RejectionReason reason) {}

    /**
     * A task has ended, and its permits are back. It is told on the thread on which it ended: the task's own or its
     * caller's; the one that completed its stage, closed its permit, or cancelled it while it was queued; the submitting one
     * if it failed before admission.
     *
     * <p>Don't wait here for the task's handle, which completes afterwards: {@code await} and {@code join} throw an
     * {@link IllegalStateException}, and a wait through its future would never end.
     *
     * @param groupKey the task's group
     * @param taskId the task's id
     * @param result how it ended; never {@link TaskStatus#REJECTED}
     */
    default void onCompleted(String groupKey, String taskId, GroupResult<?> result) {}

    /**
     * The engine has let go of what it knew of a group: it was idle for long, or evicted. Work for the same key begins
     * anew. Told on a fresh virtual thread, or on the one that evicts.
     *
     * @param groupKey the group
     */
    default void onGroupRemoved(String groupKey) {}
}
