package io.github.kobe.rollout.http;

import io.github.kobe.rollout.HttpTransport;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.regex.Pattern;

/** After what time an instance wants to be asked again. */
final class RetryAfter {

    private static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAVAILABLE = 503;
    private static final Duration LONGEST = Duration.ofDays(1);
    private static final Pattern SECONDS = Pattern.compile("[0-9]+");
    private static final int MOST_DIGITS = 9;

    private RetryAfter() {}

    /** {@return the time, from zero to a day, if the answer names one that can be read} */
    static Optional<Duration> of(HttpTransport.Answer answer) {
        String header = answer.retryAfter();
        boolean isForLater = answer.status() == TOO_MANY_REQUESTS || answer.status() == UNAVAILABLE;
        return isForLater && header != null ? read(header.strip()).map(RetryAfter::inRange) : Optional.empty();
    }

    private static Optional<Duration> read(String header) {
        if (SECONDS.matcher(header).matches()) {
            return Optional.of(header.length() > MOST_DIGITS ? LONGEST : Duration.ofSeconds(Integer.parseInt(header)));
        }
        try {
            Instant then = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(header));
            return Optional.of(Duration.between(Instant.now(), then));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static Duration inRange(Duration time) {
        if (time.isNegative()) {
            return Duration.ZERO;
        }
        return time.compareTo(LONGEST) > 0 ? LONGEST : time;
    }
}
