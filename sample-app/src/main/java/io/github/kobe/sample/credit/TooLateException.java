package io.github.kobe.sample.credit;

import java.io.Serial;
import java.time.Duration;

/** The services have not all answered in time. */
public final class TooLateException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    TooLateException(String tenant, Duration deadline) {
        super("No credit report on '" + tenant + "' within " + deadline.toMillis() + " ms");
    }
}
