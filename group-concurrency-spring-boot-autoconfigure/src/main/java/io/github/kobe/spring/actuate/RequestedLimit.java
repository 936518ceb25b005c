package io.github.kobe.spring.actuate;

import org.jspecify.annotations.Nullable;

/** How many entries a request wants to see at most. */
final class RequestedLimit {

    private static final int DEFAULT = 100;

    private RequestedLimit() {}

    static int of(@Nullable String text) {
        if (text == null) {
            return DEFAULT;
        }
        try {
            int number = Integer.parseInt(text);
            if (number >= 1) {
                return number;
            }
        } catch (NumberFormatException noNumber) {
            // Refused below, as a number that is too small is.
        }
        throw RefusedRequestException.badRequest(
                "limit is out of its range", "limit", text, "1 to " + Integer.MAX_VALUE);
    }
}
