package io.github.kobe.spring.endpoint;

import io.github.kobe.GroupLimits;
import java.time.Duration;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/**
 * The limits of a request, as the texts that came in. Ranges are the engine's to check.
 *
 * @param maxConcurrency null: not given, which keeps what is in force
 * @param maxInFlight as above
 * @param queueThreshold as above
 * @param queueTimeout as above
 * @param weight as above
 */
record LimitsRequest(
        @Nullable String maxConcurrency,
        @Nullable String maxInFlight,
        @Nullable String queueThreshold,
        @Nullable String queueTimeout,
        @Nullable String weight) {

    private static final String UNLIMITED = "unlimited";

    boolean isEmpty() {
        return maxConcurrency == null
                && maxInFlight == null
                && queueThreshold == null
                && queueTimeout == null
                && weight == null;
    }

    /** {@return {@code limits} with what is given here in place of its own} */
    GroupLimits over(GroupLimits limits) {
        GroupLimits result = replace(limits, "maxConcurrency", maxConcurrency, limits::withMaxConcurrency);
        result = replace(result, "maxInFlight", maxInFlight, result::withMaxInFlight);
        result = replace(result, "queueThreshold", queueThreshold, result::withQueueThreshold);
        result = replace(result, "weight", weight, result::withWeight);
        return queueTimeout == null ? result : result.withQueueTimeout(duration(queueTimeout));
    }

    @Nullable
    String valueOf(String limit) {
        return switch (limit) {
            case "maxConcurrency" -> maxConcurrency;
            case "maxInFlight" -> maxInFlight;
            case "queueThreshold" -> queueThreshold;
            case "queueTimeout" -> queueTimeout;
            case "weight" -> weight;
            default -> null;
        };
    }

    private static GroupLimits replace(
            GroupLimits limits, String name, @Nullable String text, IntFunction<GroupLimits> replacement) {
        if (text == null) {
            return limits;
        }
        boolean mayBeUnlimited = !name.equals("weight");
        if (text.equals(UNLIMITED) && mayBeUnlimited) {
            return replacement.apply(Integer.MAX_VALUE);
        }
        try {
            return replacement.apply(Integer.parseInt(text));
        } catch (NumberFormatException noNumber) {
            throw RefusedRequestException.badRequest(
                    name + " must be a number",
                    name,
                    text,
                    "a whole number" + (mayBeUnlimited ? ", or \"" + UNLIMITED + "\"" : ""));
        }
    }

    private static Duration duration(String text) {
        if (text.equals(UNLIMITED)) {
            return GroupLimits.NO_TIMEOUT;
        }
        try {
            return DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException noDuration) {
            throw RefusedRequestException.badRequest(
                    "queueTimeout must be a duration",
                    "queueTimeout",
                    text,
                    "a number with a unit such as \"500ms\" or \"5s\", an ISO-8601 duration, or \"" + UNLIMITED + "\"");
        }
    }
}
