package io.github.kobe.rollout;

import java.util.Objects;

/**
 * The id of a tenant: not blank, without control characters, 200 characters at most.
 *
 * @param value the id as text
 * @since 0.1.0
 */
public record TenantId(String value) implements Target {

    private static final int LONGEST = 200;

    /** Checks only for {@code null}, as {@link #ofTrusted}. */
    public TenantId {
        Objects.requireNonNull(value, "value");
    }

    /**
     * Makes an id from a text, and checks it.
     *
     * @param value the id as text
     * @return the id
     * @throws IllegalArgumentException if the text is blank or too long, or has control characters
     */
    public static TenantId of(String value) {
        if (Texts.hasControl(value)) {
            throw new IllegalArgumentException(
                    "tenantId has control characters, here replaced by spaces: '" + Texts.clean(value) + "'");
        }
        if (value.isBlank() || value.length() > LONGEST) {
            throw new IllegalArgumentException(
                    "tenantId is '" + value + "'; it must be 1 to " + LONGEST + " characters, not all blank");
        }
        return new TenantId(value);
    }

    /**
     * Makes an id from a text that was checked before, such as one read from a database.
     *
     * @param value the id as text
     * @return the id
     */
    public static TenantId ofTrusted(String value) {
        return new TenantId(value);
    }

    @Override
    public String toString() {
        return value;
    }
}
