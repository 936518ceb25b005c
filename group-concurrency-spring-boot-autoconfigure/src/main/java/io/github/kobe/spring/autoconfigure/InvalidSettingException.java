package io.github.kobe.spring.autoconfigure;

import java.io.Serial;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;

/** Thrown at start-up for a setting that can't be used, with everything needed to find and correct it. */
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

    InvalidSettingException(
            String property,
            @Nullable String value,
            String origin,
            String problem,
            String allowed,
            @Nullable Throwable cause) {
        super(PrintableText.inOneLine("Setting '" + property + "' " + problem), cause);
        this.property = property;
        this.value = value;
        this.origin = origin;
        this.allowed = allowed;
    }

    /** For a property that is set. */
    InvalidSettingException(ConfigurationProperty property, String problem, String allowed, @Nullable Throwable cause) {
        this(
                property.getName().toString(),
                String.valueOf(property.getValue()),
                String.valueOf(property.getOrigin()),
                problem,
                allowed,
                cause);
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
