package io.github.kobe.rollout;

import org.jspecify.annotations.Nullable;

/**
 * A store of checkpoints failed. The task that needed it is {@link TaskStatus#FAILED}.
 *
 * @since 0.1.0
 */
public final class CheckpointException extends RolloutException {

    private static final long serialVersionUID = 1;

    /**
     * Makes an exception with a message and a cause.
     *
     * @param message what failed
     * @param cause the cause, or {@code null}
     */
    public CheckpointException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
