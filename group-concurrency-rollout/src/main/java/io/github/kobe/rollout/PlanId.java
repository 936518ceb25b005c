package io.github.kobe.rollout;

import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The id of a plan: {@code plan-} and letters, digits, dots, underscores or hyphens, 100 characters at most.
 *
 * @param value the id as text
 * @since 0.1.0
 */
public record PlanId(String value) implements Target {

    /** The beginning of each id. */
    static final String PREFIX = "plan-";

    private static final Pattern FORM = Pattern.compile("plan-[A-Za-z0-9._-]{1,95}");

    /** Checks only for {@code null}, as {@link #ofTrusted}. */
    public PlanId {
        Objects.requireNonNull(value, "value");
    }

    /**
     * Makes an id from a text, and checks it.
     *
     * @param value the id as text
     * @return the id
     * @throws IllegalArgumentException if the text has another form
     */
    public static PlanId of(String value) {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("planId is '" + value + "'; it must begin with '" + PREFIX
                    + "', as 'plan-2026-11-22' does. After that it needs 1 to 95 letters, digits, dots, underscores or"
                    + " hyphens");
        }
        return new PlanId(value);
    }

    /**
     * Makes an id from a text that was checked before, such as one read from a database.
     *
     * @param value the id as text
     * @return the id
     */
    public static PlanId ofTrusted(String value) {
        return new PlanId(value);
    }

    @Override
    public String toString() {
        return value;
    }
}
