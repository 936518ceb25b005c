package io.github.kobe.spring.web;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Until when somebody waits for the answer to a request.
 *
 * @param at by {@link System#nanoTime()}
 */
record RequestDeadline(long at) {

    private static final Log LOGGER = LogFactory.getLog(RequestDeadline.class);

    /** A number of milliseconds, as Envoy's {@code x-envoy-expected-rq-timeout-ms}, or with a unit, as {@code grpc-timeout}. */
    private static final Pattern TIMEOUT = Pattern.compile("(\\d{1,18})([HMSmun]?)");

    /** Times that differ by more can't be compared. */
    private static final long LONGEST = Long.MAX_VALUE / 2;

    /**
     * {@return the deadline of a request that comes in now; {@code null}: it has none, or none that can be read}
     *
     * @param set what the application has set as the request's attribute, which counts before the header
     * @param said what the request's header says
     */
    static @Nullable RequestDeadline of(@Nullable Object set, @Nullable String said) {
        if (set instanceof Instant deadline) {
            return at(deadline);
        }
        if (said == null) {
            return null;
        }
        String text = said.strip();
        Matcher timeout = TIMEOUT.matcher(text);
        if (timeout.matches()) {
            return in(unitOf(timeout.group(2)).toNanos(Long.parseLong(timeout.group(1))));
        }
        try {
            return at(Instant.parse(text));
        } catch (DateTimeException neither) {
            LOGGER.debug("A request's deadline can't be read, and so it has none", neither);
            return null;
        }
    }

    private static TimeUnit unitOf(String symbol) {
        return switch (symbol) {
            case "H" -> TimeUnit.HOURS;
            case "M" -> TimeUnit.MINUTES;
            case "S" -> TimeUnit.SECONDS;
            case "u" -> TimeUnit.MICROSECONDS;
            case "n" -> TimeUnit.NANOSECONDS;
            default -> TimeUnit.MILLISECONDS;
        };
    }

    private static RequestDeadline at(Instant deadline) {
        return in(TimeUnit.NANOSECONDS.convert(Duration.between(Instant.now(), deadline)));
    }

    private static RequestDeadline in(long nanos) {
        return new RequestDeadline(System.nanoTime() + Math.clamp(nanos, -LONGEST, LONGEST));
    }

    boolean isPassed() {
        return !left().isPositive();
    }

    /** {@return how long it is until then; less than zero: it has passed} */
    Duration left() {
        return Duration.ofNanos(at - System.nanoTime());
    }
}
