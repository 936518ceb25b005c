package io.github.kobe.spring.web;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The failure of a request that was answered with a status of 500 or more. It has no stack trace. */
final class FailedAnswer extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1;

    private FailedAnswer(int status) {
        super("The request was answered with " + status, null, false, false);
    }

    /** {@return what a listener hears of; {@code null} if the status is no server's error} */
    static @Nullable FailedAnswer of(int status) {
        return status >= 500 ? new FailedAnswer(status) : null;
    }
}
