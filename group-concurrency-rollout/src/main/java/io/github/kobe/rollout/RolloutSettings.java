package io.github.kobe.rollout;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The settings of a tenant. Each one is the tenant's own, else the one for all tenants, else the default.
 *
 * @since 0.1.0
 */
public final class RolloutSettings {

    private static final Pattern SHORT_FORM = Pattern.compile("(\\d+)(ms|s|m|h)");

    /** What the settings begin with whose values may be secret. */
    static final String HEADERS = "http.header.";

    private static final Duration LONGEST = Duration.ofDays(365);

    private final Map<String, String> ofTenant;
    private final Map<String, String> ofAll;

    /**
     * Makes the settings of a tenant, such as for the test of a {@link StageFactory}.
     *
     * @param ofTenant the tenant's own, by their names
     * @param ofAll those of all tenants, by their names, which count where the tenant has none
     */
    public RolloutSettings(Map<String, String> ofTenant, Map<String, String> ofAll) {
        this.ofTenant = ofTenant;
        this.ofAll = ofAll;
    }

    /**
     * {@return a setting, if it is set}
     *
     * @param key its name
     */
    public Optional<String> find(String key) {
        return Optional.ofNullable(ofTenant.get(key)).or(() -> Optional.ofNullable(ofAll.get(key)));
    }

    /**
     * {@return all settings whose names begin alike, by the rest of their names, in the order of these} Here upper and lower
     * case make no difference.
     *
     * @param prefix what they begin with, such as {@code http.header.}
     */
    public Map<String, String> startingWith(String prefix) {
        Map<String, String> found = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (Map<String, String> all : List.of(ofAll, ofTenant)) {
            all.forEach((key, value) -> {
                if (key.startsWith(prefix)) {
                    found.put(key.substring(prefix.length()), value);
                }
            });
        }
        return found;
    }

    /**
     * {@return a setting}
     *
     * @param key its name
     * @param byDefault its value if it isn't set
     */
    public String text(String key, String byDefault) {
        return find(key).orElse(byDefault);
    }

    /**
     * {@return a setting that is a number of at least 1}
     *
     * @param key its name
     * @param byDefault its value if it isn't set
     * @throws IllegalArgumentException if it is something else
     */
    public int count(String key, int byDefault) {
        return count(key, byDefault, 1, Integer.MAX_VALUE, "a number of at least 1");
    }

    /**
     * {@return a setting that is a number in a range}
     *
     * @param key its name
     * @param byDefault its value if it isn't set
     * @param least the lowest number that is allowed
     * @param most the highest one
     * @throws IllegalArgumentException if it is something else
     */
    public int count(String key, int byDefault, int least, int most) {
        return count(key, byDefault, least, most, "a number from " + least + " to " + most);
    }

    private int count(String key, int byDefault, int least, int most, String allowed) {
        return read(key, byDefault, allowed, text -> {
            int number = Integer.parseInt(text);
            return number < least || number > most ? Optional.empty() : Optional.of(number);
        });
    }

    /**
     * {@return a setting that is a duration of more than zero, up to 365 days, such as {@code 500ms}, {@code 3s} or {@code PT3S}}
     *
     * @param key its name
     * @param byDefault its value if it isn't set
     * @throws IllegalArgumentException if it is something else
     */
    public Duration duration(String key, Duration byDefault) {
        return duration(key, byDefault, LONGEST, "365 days");
    }

    /**
     * {@return a setting that is a duration of more than zero, up to some minutes, such as {@code 500ms}, {@code 3s} or
     * {@code PT3S}}
     *
     * @param key its name
     * @param byDefault its value if it isn't set
     * @param minutes how many minutes it may be, at most
     * @throws IllegalArgumentException if it is something else
     */
    public Duration duration(String key, Duration byDefault, int minutes) {
        return duration(key, byDefault, Duration.ofMinutes(minutes), minutes + " minutes");
    }

    private Duration duration(String key, Duration byDefault, Duration longest, String named) {
        String allowed = "a duration of more than zero, up to " + named + ", such as 500ms, 3s or PT3S";
        return read(key, byDefault, allowed, text -> {
            Duration duration = parsed(text);
            return duration.isPositive() && duration.compareTo(longest) <= 0 ? Optional.of(duration) : Optional.empty();
        });
    }

    private <T> T read(String key, T byDefault, String allowed, Function<String, Optional<T>> reading) {
        Optional<String> text = find(key);
        if (text.isEmpty()) {
            return byDefault;
        }
        Optional<T> value;
        try {
            value = reading.apply(text.get());
        } catch (ArithmeticException | NumberFormatException | DateTimeParseException e) {
            value = Optional.empty();
        }
        return value.orElseThrow(
                () -> new IllegalArgumentException(key + " is '" + text.get() + "'; it must be " + allowed));
    }

    private static Duration parsed(String text) {
        Matcher form = SHORT_FORM.matcher(text);
        if (!form.matches()) {
            return Duration.parse(text);
        }
        long amount = Long.parseLong(form.group(1));
        return switch (form.group(2)) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            default -> Duration.ofHours(amount);
        };
    }
}
