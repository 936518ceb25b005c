package io.github.kobe.spring.client;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;

/** The time after which an answer of 429 or 503 wants to be asked again: until then the group of its call is paused. */
final class RetryAfter {

    private static final Log LOGGER = LogFactory.getLog(RetryAfter.class);

    private static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAVAILABLE = 503;

    /** A number of seconds above zero. */
    private static final Pattern SECONDS = Pattern.compile("0*([1-9][0-9]*)");

    /** More than these are more than any setting allows. */
    private static final int MOST_DIGITS = 9;

    /** By executor, how long an answer may have a group paused; one that isn't in it, or isn't used any more, pauses none. */
    private static final Map<GroupExecutor, Duration> LONGEST = Collections.synchronizedMap(new WeakHashMap<>());

    private RetryAfter() {}

    /**
     * Lets answers pause the groups of an executor.
     *
     * @param executor the executor
     * @param longest for how long at most
     */
    static void allow(GroupExecutor executor, Duration longest) {
        LONGEST.put(executor, longest);
    }

    /**
     * Pauses the group of a call if its answer asks for that. It has to be asked while the call holds its permit: else another
     * call may start with that before the pause begins. Whatever goes wrong here, the call has its answer.
     *
     * @param executor the executor of the group
     * @param groupKey the group that the call is in
     * @param status the answer's
     * @param headers the answer's
     */
    static void honour(
            GroupExecutor executor, String groupKey, Callable<HttpStatusCode> status, Supplier<HttpHeaders> headers) {
        try {
            int code = status.call().value();
            Duration longest = code == TOO_MANY_REQUESTS || code == UNAVAILABLE ? LONGEST.get(executor) : null;
            if (longest != null) {
                in(headers.get(), Instant.now())
                        .map(asked -> asked.compareTo(longest) < 0 ? asked : longest)
                        .ifPresent(period -> pause(executor, groupKey, period, code));
            }
        } catch (Exception | Error failure) {
            LOGGER.warn(
                    "Group '" + PrintableText.ofKey(groupKey) + "' isn't paused, whatever an answer asked for",
                    failure);
        }
    }

    /**
     * {@return how long an answer wants not to be asked; empty: it doesn't say, not so that one can read it, or the time is over}
     * Of several headers the first counts.
     *
     * @param headers the answer's
     * @param now what time it is
     */
    static Optional<Duration> in(HttpHeaders headers, Instant now) {
        String header = headers.getFirst(HttpHeaders.RETRY_AFTER);
        if (header == null) {
            return Optional.empty();
        }
        Matcher seconds = SECONDS.matcher(header);
        if (seconds.matches()) {
            String digits = seconds.group(1);
            return Optional.of(
                    Duration.ofSeconds(digits.length() > MOST_DIGITS ? Integer.MAX_VALUE : Integer.parseInt(digits)));
        }
        return Optional.ofNullable(date(headers))
                .map(then -> Duration.between(now, then.toInstant()))
                .filter(Duration::isPositive);
    }

    /** {@return the date in the header, in any of HTTP's three forms; {@code null}: there is none} */
    private static @Nullable ZonedDateTime date(HttpHeaders headers) {
        try {
            return headers.getFirstZonedDateTime(HttpHeaders.RETRY_AFTER);
        } catch (IllegalArgumentException none) {
            return null;
        }
    }

    /** Tells the log of a pause that begins, and not of each answer that extends it; of two that come at once, both may tell. */
    private static void pause(GroupExecutor executor, String groupKey, Duration period, int code) {
        boolean paused = executor.groupStats(groupKey).map(GroupStats::paused).orElse(false);
        executor.pause(groupKey, period);
        if (!paused) {
            LOGGER.info("Group '" + PrintableText.ofKey(groupKey) + "' is paused for " + period
                    + ", since a call was answered with status " + code + " and Retry-After");
        }
    }
}
