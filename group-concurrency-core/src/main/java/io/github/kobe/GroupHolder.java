package io.github.kobe;

import java.time.Duration;
import java.util.Optional;

/**
 * A holder of permits of a group, as {@link GroupExecutor#holders} shows it. It may have returned them since.
 *
 * @param taskId its task id; empty where it has none
 * @param held how long its code has run, or it has had its permits; empty if no clock was read: for a call or a permit
 *     without a listener, a tracer or a recorder that wants times, and for work that is just about to begin
 * @param kind what it is
 * @param threadName the name of the thread that runs under the permits; if there are several, the owner's, or else that
 *     of the thread that was created first. Empty for a {@link Kind#STAGE}, and for a {@link Kind#PERMIT} that no
 *     thread is inside
 * @param lent whether it has lent its permits of the group to a task that it waits for, which is shown as well
 * @since 0.1.0
 */
public record GroupHolder(
        String taskId, Optional<Duration> held, Kind kind, Optional<String> threadName, boolean lent) {

    /**
     * What can have permits.
     *
     * @since 0.1.0
     */
    public enum Kind {
        /** A submitted task whose code runs. */
        TASK,
        /** A thread in {@code call}. */
        THREAD,
        /** A permit that was handed out, or what a call or a task has shared that has ended. */
        PERMIT,
        /** An asynchronous task whose code has returned and whose stage is open. */
        STAGE
    }
}
