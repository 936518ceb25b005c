package io.github.kobe;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * An entry in a group's queue, as {@link GroupExecutor#waiters} shows it. It may have left the queue since.
 *
 * @param taskId its task id; empty where it has none
 * @param waited how long it has waited
 * @param kind what it is
 * @param threadName the name of the blocked thread; empty unless it is a {@link Kind#THREAD}
 * @param inside the keys of the groups that the blocked thread is inside, the innermost first: it keeps their permits for as long
 *     as it waits; empty for other kinds
 * @since 0.1.0
 */
public record GroupWaiter(String taskId, Duration waited, Kind kind, Optional<String> threadName, List<String> inside) {

    /** Takes what can't change any more. */
    public GroupWaiter {
        inside = List.copyOf(inside);
    }

    /**
     * What can wait.
     *
     * @since 0.1.0
     */
    public enum Kind {
        /** A submitted task; it has no thread until it starts. */
        TASK,
        /** A thread that is blocked in {@code call}, {@code acquire} or {@code tryAcquire}. */
        THREAD,
        /** A request of {@code acquireAsync}, which blocks no thread. */
        ASYNC
    }
}
