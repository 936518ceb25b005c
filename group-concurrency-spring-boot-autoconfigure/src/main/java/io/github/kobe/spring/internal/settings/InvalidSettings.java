package io.github.kobe.spring.internal.settings;

import io.github.kobe.spring.InvalidSettingException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/** Makes the exceptions for bad settings. */
public final class InvalidSettings {

    private InvalidSettings() {}

    /**
     * Refuses a property that is set.
     *
     * @param property the property
     * @param problem what is wrong with it
     * @param allowed what is allowed
     * @param cause what revealed it; may be {@code null}
     * @return the exception to throw
     */
    public static InvalidSettingException of(
            ConfigurationProperty property, String problem, String allowed, @Nullable Throwable cause) {
        return of(
                property.getName().toString(),
                mayBeSecret(property) ? null : String.valueOf(property.getValue()),
                String.valueOf(property.getOrigin()),
                problem,
                allowed,
                cause);
    }

    /** An address of Redis may have a password in it, and a header of rollouts may be one, however they are misspelt. */
    private static boolean mayBeSecret(ConfigurationProperty property) {
        ConfigurationPropertyName name = property.getName();
        return isAt(name, 1, "redis") || (isAt(name, 1, "rollout") && isAt(name, 2, "http") && isAt(name, 3, "head"));
    }

    private static boolean isAt(ConfigurationPropertyName name, int index, String beginning) {
        return name.getNumberOfElements() > index
                && name.getElement(index, Form.UNIFORM).startsWith(beginning);
    }

    /**
     * Refuses a property by its name.
     *
     * @param property its full name
     * @param value its value; {@code null}: it has none
     * @param origin where it is written
     * @param problem what is wrong with it
     * @param allowed what is allowed
     * @param cause what revealed it; may be {@code null}
     * @return the exception to throw
     */
    public static InvalidSettingException of(
            String property,
            @Nullable String value,
            String origin,
            String problem,
            String allowed,
            @Nullable Throwable cause) {
        String message = PrintableText.inOneLine("Setting '" + property + "' " + problem);
        return new InvalidSettingException(message, property, value, origin, allowed, cause);
    }
}
