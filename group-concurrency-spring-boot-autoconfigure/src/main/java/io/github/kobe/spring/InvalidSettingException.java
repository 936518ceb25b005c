package io.github.kobe.spring;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Thrown at start-up, and by a refresh, for a setting that can't be used, with everything needed to find and correct it.
 *
 * @since 0.1.0
 */
public final class InvalidSettingException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** The property's full name. */
    private final String property;
    /** The property's value, if it has one. */
    private final @Nullable String value;
    /** Where the property is written. */
    private final String origin;
    /** What to write instead. */
    private final String allowed;

    /**
     * Makes an exception.
     *
     * @param message what is wrong, in one line
     * @param property the property's full name
     * @param value its value; {@code null}: it has none
     * @param origin where it is written
     * @param allowed what to write instead
     * @param cause what revealed it; may be {@code null}
     */
    public InvalidSettingException(
            String message,
            String property,
            @Nullable String value,
            String origin,
            String allowed,
            @Nullable Throwable cause) {
        super(message, cause);
        this.property = property;
        this.value = value;
        this.origin = origin;
        this.allowed = allowed;
    }

    /** {@return the property's full name, as written where it was found} */
    public String property() {
        return property;
    }

    /** {@return the property's value; {@code null} if it has none} */
    public @Nullable String value() {
        return value;
    }

    /** {@return where the property is written: file and line, if the source knows them} */
    public String origin() {
        return origin;
    }

    /** {@return what to write instead} */
    public String allowed() {
        return allowed;
    }
}
