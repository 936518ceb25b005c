package io.github.kobe.spring.internal.settings;

import io.github.kobe.Rate;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One of several rates, in parts or as one text. With nothing set it is no rate at all, which no parts are bound to.
 *
 * @param name What it counts; if not set, requests. Each rate of a group has another one.
 * @param limit How many start at most in any window, or what they cost, 1 to 1,000,000,000.
 * @param per How long a window is, 1ms to 31d.
 * @param burst How many start at once, 1 to the limit; if not set, a tenth of the limit, but at least 2.
 * @param defaultCost What work costs that doesn't say it, 0 to the limit; if not set, 1.
 * @param refund Whether work that has used less than it was charged gets the rest back; if not set, it does.
 */
public record NamedRateSetting(
        @Nullable String name,
        @Nullable Integer limit,
        @Nullable Duration per,
        @Nullable Integer burst,
        @Nullable Integer defaultCost,
        @Nullable Boolean refund) {

    /** How one is written, in words. */
    static final String FORM = "a rate such as \"60 per 1m\" or \"tokens 90000 per 1m burst 12000\"";

    private static final Pattern TEXT = Pattern.compile("(?:(\\S+)\\s+)?(\\d{1,10})\\s+per\\s+(\\S+)"
            + "(?:\\s+burst\\s+(\\d{1,10}))?(?:\\s+default-cost\\s+(\\d{1,10}))?(?:\\s+refund\\s+(true|false))?");

    /**
     * Reads one text.
     *
     * @param text {@code tokens 90000 per 1m burst 12000 default-cost 1000 refund false}, any part but the limit and {@code per}
     *     left out, or {@code unlimited}
     * @return what it says; {@code null}: it is empty
     * @throws IllegalArgumentException if it says nothing of that
     */
    public static @Nullable NamedRateSetting valueOf(String text) {
        String stripped = text.strip();
        if (stripped.isEmpty()) {
            return null;
        }
        if (stripped.equals(LimitSetting.UNLIMITED)) {
            return new NamedRateSetting(null, null, null, null, null, null);
        }
        Matcher parts = TEXT.matcher(stripped);
        if (!parts.matches()) {
            throw new IllegalArgumentException("neither a rate nor " + LimitSetting.UNLIMITED);
        }
        return new NamedRateSetting(
                parts.group(1),
                Integer.valueOf(parts.group(2)),
                LimitSetting.duration(parts.group(3)),
                number(parts.group(4)),
                number(parts.group(5)),
                parts.group(6) == null ? null : Boolean.valueOf(parts.group(6)));
    }

    private static @Nullable Integer number(@Nullable String text) {
        return text == null ? null : Integer.valueOf(text);
    }

    /** {@return the rate as the engine takes it} */
    public Rate toRate() {
        Rate rate = new GroupConcurrencyProperties.RateSetting(limit, per, burst).toRate();
        rate = name == null ? rate : rate.named(name);
        rate = defaultCost == null ? rate : rate.withDefaultCost(defaultCost);
        return refund == null || refund ? rate : rate.withoutRefund();
    }

    /** {@return whether something of it is set} */
    boolean saysSomething() {
        return name != null || limit != null || per != null || burst != null || defaultCost != null || refund != null;
    }
}
