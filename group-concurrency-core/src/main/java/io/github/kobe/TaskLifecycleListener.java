package io.github.kobe;

/**
 * Is told about every task: {@link #onSubmitted}, then exactly one of
 *
 * <ul>
 *   <li>{@link #onRejected}, and nothing after it; or
 *   <li>[{@code onStarted}, then] {@link #onCompleted}.
 * </ul>
 *
 * <p><b>Order.</b> At the end of a task its permits are returned first, then the listener is called, then its handle
 * completes; a slow listener delays only that task's result. If a task is cancelled while it runs, the handle completes
 * first, and the rest follows when its code has ended. Work on the caller's own thread ({@code call}, {@code acquire})
 * is reported in the same way, with an empty task id if it has none; re-entrant work isn't reported. If there are
 * several listeners, each event is reported to all of them, in the order in which they were added, even if one of them
 * throws.
 *
 * <p><b>Threads.</b> Methods are called by many threads at once, never under a lock; each method says on which thread.
 * If a queue time-out, a shutdown or a group shutdown ends tasks, each is reported on a fresh virtual thread, as soon
 * as one can be started.
 *
 * <p><b>Errors.</b> What a method throws, even an {@link Error}, has no effect on the work; it is logged once for each
 * method of each listener.
 *
 * @since 0.1.0
 */
public interface TaskLifecycleListener {

    /**
     * A task is about to request admission. Called on the thread that submits it, or that asks for a permit.
     *
     * @param groupKey the task's group
     * @param taskId the task's id
     */
    default void onSubmitted(String groupKey, String taskId) {}

    /**
     * A task has its permits and is about to run. Called on the task's own thread, before its start time is taken; for
     * a call or a permit, on the caller's thread; for a permit of {@code acquireAsync}, on the asking thread, or on a
     * fresh virtual one if it had to wait. For a task or a call the listener is already inside the group, and may use
     * it again; for a permit it isn't, since a permit belongs to no thread. How long it has waited tell {@link
     * GroupRecorder#started} and {@link TaskHandle#queuedNanos}.
     *
     * @param groupKey the task's group
     * @param taskId the task's id
     */
    default void onStarted(String groupKey, String taskId) {}

    /**
     * A task was not admitted, or waited too long. Called on the thread that submits it or waits itself; for a task's
     * queue time-out, on a fresh virtual thread.
     *
     * @param groupKey the task's group
     * @param taskId the task's id
     * @param reason why
     */
    default void onRejected(String groupKey, String taskId, RejectionReason reason) {}

    /**
     * A task has ended, and its permits are back. Called on the thread on which it ended: the task's own or its
     * caller's; the one that completed its stage, closed its permit, or cancelled it while it was queued; the
     * submitting one if it failed before admission.
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
     * The engine has removed a group, because it was idle for long or was evicted. New work for the same key makes a
     * new group. Called on a fresh virtual thread, or on the one that evicts.
     *
     * @param groupKey the group
     */
    default void onGroupRemoved(String groupKey) {}
}
