package io.github.kobe.rollout;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a request to {@link Rollouts} can't be carried out.
 *
 * @since 0.1.0
 */
public class RolloutException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /**
     * Makes an exception with a message and a cause.
     *
     * @param message what can't be done, and why
     * @param cause the cause, or {@code null}
     */
    public RolloutException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
