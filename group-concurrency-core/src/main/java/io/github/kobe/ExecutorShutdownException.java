package io.github.kobe;

import java.io.Serial;

/**
 * Thrown by a {@link GroupExecutor}, and by whatever asks one for permits, once it has been shut down. What was asked for
 * has not begun, and holds no permit.
 *
 * <p>Work that waited when the executor was shut down ends in another way: its handle is {@link TaskStatus#CANCELLED},
 * and a waiting {@code call} or {@code acquire} throws a {@link RejectedTaskException} with {@link
 * RejectionReason#SHUTDOWN}.
 *
 * @since 0.1.0
 */
public final class ExecutorShutdownException extends IllegalStateException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Makes an exception with the message that is the same for all of them. */
    public ExecutorShutdownException() {
        super("The executor has been shut down and accepts no new work");
    }
}
