package io.github.kobe.spring.internal.endpoint;

import org.jspecify.annotations.Nullable;

/** Reads the path, the numbers and the switches in a request. */
public final class RequestedValue {

    private static final int DEFAULT_LIMIT = 100;

    private RequestedValue() {}

    /**
     * Reads a path that names one thing.
     *
     * @param parameter what it names
     * @param path its segments
     * @param allowed what is allowed
     * @return the name
     */
    public static String inPath(String parameter, String[] path, String allowed) {
        if (path.length == 1) {
            return path[0];
        }
        throw RefusedRequestException.notFound(
                "the path doesn't name exactly one " + parameter, parameter, String.join("/", path), allowed);
    }

    /**
     * {@return how many entries to show at most}
     *
     * @param text as it was given; {@code null}: it wasn't
     */
    public static int limit(@Nullable String text) {
        return limit(text, Integer.MAX_VALUE);
    }

    /**
     * {@return how many entries to show at most, of an endpoint that has a highest number}
     *
     * @param text as it was given; {@code null}: it wasn't
     * @param most that number
     */
    public static int limit(@Nullable String text, int most) {
        return (int) read("limit", text, 1, most, (long) DEFAULT_LIMIT);
    }

    /**
     * {@return the position after which the entries begin}
     *
     * @param text as it was given; {@code null}: it wasn't
     */
    public static long after(@Nullable String text) {
        return read("after", text, 0, Long.MAX_VALUE, 0L);
    }

    /**
     * {@return how many entries to leave out before these}
     *
     * @param text as it was given; {@code null}: it wasn't
     */
    public static int offset(@Nullable String text) {
        return (int) read("offset", text, 0, Integer.MAX_VALUE, 0L);
    }

    /**
     * {@return the wave, which is required}
     *
     * @param text as it was given; {@code null}: it wasn't
     */
    public static int wave(@Nullable String text) {
        return (int) read("wave", text, 1, Integer.MAX_VALUE, null);
    }

    /**
     * {@return how many tasks are to run at once, which is required}
     *
     * @param text as it was given; {@code null}: it wasn't
     */
    public static int maxConcurrency(@Nullable String text) {
        return (int) read("maxConcurrency", text, 1, Integer.MAX_VALUE, null);
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

    private static long read(String parameter, @Nullable String text, long least, long most, @Nullable Long byDefault) {
        if (text == null && byDefault != null) {
            return byDefault;
        }
        try {
            long number = text == null ? least - 1 : Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException noNumber) {
            // Refused below, as a number that is out of its range is.
        }
        String range = most < Integer.MAX_VALUE ? ", from " + least + " to " + most : ", at least " + least;
        throw RefusedRequestException.badRequest(
                parameter + " must be a whole number" + range, parameter, text, least + " to " + most);
    }
}
