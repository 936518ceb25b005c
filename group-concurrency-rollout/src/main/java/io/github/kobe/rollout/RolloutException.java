package io.github.kobe.rollout;

import org.jspecify.annotations.Nullable;

/**
 * Something that was asked of rollouts can't be done.
 *
 * @since 0.1.0
 */
public class RolloutException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /**
     * Made with a message and what caused it.
     *
     * @param message what can't be done, and why
     * @param cause what caused it, or {@code null}
     */
    public RolloutException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
