package io.github.kobe.rollout;

import java.io.IOException;
import java.io.Serial;
import java.time.Duration;

/**
 * Thrown by a step that may be done later: whoever was asked has said after what time. A
 * {@linkplain io.github.kobe.rollout.http.HttpStages configuration switch} throws it for the statuses 429 and 503 with the
 * header {@code Retry-After}.
 *
 * @since 0.1.0
 */
public final class RetryAfterException extends IOException {

    @Serial
    private static final long serialVersionUID = 1;

    /** Zero or more. */
    private final Duration retryAfter;

    /**
     * Makes an exception.
     *
     * @param message what was refused
     * @param retryAfter after what time it may be tried again, zero or more
     * @throws IllegalArgumentException if the time is negative
     */
    public RetryAfterException(String message, Duration retryAfter) {
        super(message);
        if (retryAfter.isNegative()) {
            throw new IllegalArgumentException("retryAfter is " + retryAfter + "; it must not be negative");
        }
        this.retryAfter = retryAfter;
    }

    /** {@return after what time it may be tried again, zero or more} */
    public Duration retryAfter() {
        return retryAfter;
    }
}
