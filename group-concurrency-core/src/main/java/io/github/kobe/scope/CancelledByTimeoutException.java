package io.github.kobe.scope;

import java.io.Serial;

/**
 * Thrown if a scope's time was up before its forks had ended, either by {@code join} itself, or as the cause of what it
 * throws.
 *
 * @since 0.1.0
 */
public final class CancelledByTimeoutException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Makes an exception without a message. */
    public CancelledByTimeoutException() {}

    /**
     * Makes an exception with a message.
     *
     * @param message what was not finished in time
     */
    public CancelledByTimeoutException(String message) {
        super(message);
    }
}
