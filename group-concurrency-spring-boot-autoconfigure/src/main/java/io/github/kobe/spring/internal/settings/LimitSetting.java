package io.github.kobe.spring.internal.settings;

import io.github.kobe.GroupLimits;
import io.github.kobe.Rate;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.RateSetting;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import org.springframework.boot.convert.DurationStyle;

/** The limits of a group, each with its name and its text form. The engine checks their ranges. */
public enum LimitSetting {
    /** How many tasks may run at once. */
    MAX_CONCURRENCY("maxConcurrency"),
    /** How many may be in flight. */
    MAX_IN_FLIGHT("maxInFlight"),
    /** How many may wait. */
    QUEUE_THRESHOLD("queueThreshold"),
    /** How long a task may wait. */
    QUEUE_TIMEOUT("queueTimeout"),
    /** How much it may hold of the global limit, compared with others. */
    WEIGHT("weight"),
    /** How many are to be in flight before others get more. */
    GUARANTEED("guaranteed"),
    /** How many may be in flight over all instances. */
    CLUSTER_MAX_IN_FLIGHT("clusterMaxInFlight"),
    /** How much starts in any window of time. */
    RATE("rate");

    /** What stands for no limit. */
    public static final String UNLIMITED = "unlimited";

    /** How a duration is written, in words. */
    public static final String DURATION_FORM =
            "a number with a unit such as \"500ms\" or \"5s\", or an ISO-8601 duration";

    private final String field;

    LimitSetting(String field) {
        this.field = field;
    }

    /** {@return the name in the engine and of a field, such as {@code maxConcurrency}} */
    public String field() {
        return field;
    }

    /** {@return the name of the property, such as {@code max-concurrency}} */
    public String property() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return how it is written, in words} */
    public String form() {
        return switch (this) {
            case WEIGHT, GUARANTEED -> "a whole number";
            case QUEUE_TIMEOUT -> DURATION_FORM + ", or \"unlimited\"";
            case RATE -> "a rate such as \"60 per 1m\" or \"60 per 1m burst 6\", or \"unlimited\"";
            default -> "a whole number, or \"unlimited\"";
        };
    }

    /** {@return the value that means no limit; empty: this setting always has a limit} */
    public Optional<Object> unlimited() {
        return switch (this) {
            case WEIGHT, GUARANTEED -> Optional.empty();
            case QUEUE_TIMEOUT -> Optional.of(GroupLimits.NO_TIMEOUT);
            case RATE -> Optional.of(Rate.UNLIMITED);
            default -> Optional.of(Integer.MAX_VALUE);
        };
    }

    /**
     * Reads a text into limits.
     *
     * @param limits where to set the number
     * @param text the number
     * @return the limits with the number set
     * @throws IllegalArgumentException if the text isn't of the {@link #form}
     */
    public GroupLimits set(GroupLimits limits, String text) {
        if (this == QUEUE_TIMEOUT) {
            return limits.withQueueTimeout(text.equals(UNLIMITED) ? GroupLimits.NO_TIMEOUT : duration(text));
        }
        if (this == RATE) {
            RateSetting rate = RateSetting.valueOf(text);
            if (rate == null) {
                throw new IllegalArgumentException("no rate");
            }
            return limits.withRate(rate.toRate());
        }
        int number = text.equals(UNLIMITED) && unlimited().isPresent() ? Integer.MAX_VALUE : Integer.parseInt(text);
        return switch (this) {
            case MAX_CONCURRENCY -> limits.withMaxConcurrency(number);
            case MAX_IN_FLIGHT -> limits.withMaxInFlight(number);
            case QUEUE_THRESHOLD -> limits.withQueueThreshold(number);
            case WEIGHT -> limits.withWeight(number);
            case GUARANTEED -> limits.withGuaranteed(number);
            default -> limits.withClusterMaxInFlight(number);
        };
    }

    /**
     * Reads a duration. A number without a unit would be milliseconds, which is seldom meant.
     *
     * @param text a number with a unit, or an ISO-8601 duration
     * @return the duration
     * @throws IllegalArgumentException if the text is neither
     */
    public static Duration duration(String text) {
        if (!text.isEmpty() && Character.isDigit(text.charAt(text.length() - 1))) {
            throw new IllegalArgumentException("no unit");
        }
        return DurationStyle.detectAndParse(text);
    }

    /**
     * Returns limits as texts that can be read again.
     *
     * @param limits the limits
     * @param name gives each number its name
     * @return what is set, by name
     */
    public static Map<String, String> of(GroupLimits limits, Function<LimitSetting, String> name) {
        Map<String, String> texts = new LinkedHashMap<>();
        for (LimitSetting setting : values()) {
            setting.read(limits).ifPresent(value -> texts.put(name.apply(setting), setting.textOf(value)));
        }
        return texts;
    }

    private String textOf(Object value) {
        if (unlimited().filter(value::equals).isPresent()) {
            return UNLIMITED;
        }
        return value.toString();
    }

    private Optional<?> read(GroupLimits limits) {
        return switch (this) {
            case MAX_CONCURRENCY -> boxed(limits.maxConcurrency());
            case MAX_IN_FLIGHT -> boxed(limits.maxInFlight());
            case QUEUE_THRESHOLD -> boxed(limits.queueThreshold());
            case QUEUE_TIMEOUT -> limits.queueTimeout();
            case WEIGHT -> boxed(limits.weight());
            case GUARANTEED -> boxed(limits.guaranteed());
            case CLUSTER_MAX_IN_FLIGHT -> boxed(limits.clusterMaxInFlight());
            case RATE -> limits.rates().map(RateText::of);
        };
    }

    private static Optional<Integer> boxed(OptionalInt number) {
        return number.stream().boxed().findFirst();
    }
}
