package io.github.kobe.internal.base;

import java.time.Duration;
import java.util.Locale;

/** Shows durations to people, in logs and reasons. */
public final class DurationText {

    private DurationText() {}

    /** {@return {@code time} in seconds, such as {@code 6.9 s}; from 10 s on in whole ones} */
    public static String inWords(Duration time) {
        double seconds = time.toMillis() / 1_000.0;
        return String.format(Locale.ROOT, seconds < 10 ? "%.1f s" : "%.0f s", seconds);
    }
}
