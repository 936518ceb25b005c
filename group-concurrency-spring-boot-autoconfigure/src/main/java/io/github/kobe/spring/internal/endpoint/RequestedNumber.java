package io.github.kobe.spring.internal.endpoint;

import org.jspecify.annotations.Nullable;

/** Reads the numbers in a request. */
public final class RequestedNumber {

    private static final int DEFAULT_LIMIT = 100;

    private RequestedNumber() {}

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
