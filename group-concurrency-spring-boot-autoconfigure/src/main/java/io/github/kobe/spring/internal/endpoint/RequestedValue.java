package io.github.kobe.spring.internal.endpoint;

import org.jspecify.annotations.Nullable;

/** Reads the numbers and switches in a request. */
public final class RequestedValue {

    private static final int DEFAULT_LIMIT = 100;

    private RequestedValue() {}

    /**
     * {@return how many entries to show at most}
     *
     * @param text as it was given; {@code null}: it wasn't
     */
    public static int limit(@Nullable String text) {
        return read("limit", text, 1, DEFAULT_LIMIT);
    }

    /**
     * {@return how many entries to leave out before these}
     *
     * @param text as it was given; {@code null}: it wasn't
     */
    public static int offset(@Nullable String text) {
        return read("offset", text, 0, 0);
    }

    /**
     * {@return the wave, which is required}
     *
     * @param text as it was given; {@code null}: it wasn't
     */
    public static int wave(@Nullable String text) {
        return read("wave", text, 1, null);
    }

    /**
     * {@return how many tasks are to run at once, which is required}
     *
     * @param text as it was given; {@code null}: it wasn't
     */
    public static int maxConcurrency(@Nullable String text) {
        return read("maxConcurrency", text, 1, null);
    }

    /**
     * Reads a switch.
     *
     * @param name the name of the parameter
     * @param text as it was given; {@code null}: it wasn't
     * @param byDefault what it is then
     * @return whether it is on
     */
    public static boolean flag(String name, @Nullable String text, boolean byDefault) {
        if (text == null || text.equals("true") || text.equals("false")) {
            return text == null ? byDefault : text.equals("true");
        }
        throw RefusedRequestException.badRequest(name + " is neither true nor false", name, text, "true or false");
    }

    private static int read(String parameter, @Nullable String text, int least, @Nullable Integer byDefault) {
        if (text == null && byDefault != null) {
            return byDefault;
        }
        try {
            int number = text == null ? least - 1 : Integer.parseInt(text);
            if (number >= least) {
                return number;
            }
        } catch (NumberFormatException noNumber) {
            // Refused below, as a number that is too small is.
        }
        throw RefusedRequestException.badRequest(
                parameter + " must be a whole number, at least " + least,
                parameter,
                text,
                least + " to " + Integer.MAX_VALUE);
    }
}
