package io.github.kobe.spring.internal.settings;

import io.github.kobe.spring.InvalidSettingException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/** Makes the exceptions for bad settings. */
public final class InvalidSettings {

    /** Such as {@code group-concurrency.rollout.http.timeout}. */
    private static final int ELEMENTS_OF_ROLLOUTS = 4;

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

    /**
     * An address of Redis may have a password in it, whatever it is called. A header of rollouts may be one, however it is
     * misspelt: but for those of checkpoints, no other setting of theirs has so many elements.
     */
    private static boolean mayBeSecret(ConfigurationProperty property) {
        ConfigurationPropertyName name = property.getName();
        return isAt(name, 1, "redis")
                || (isAt(name, 1, "rollout")
                        && !isAt(name, 2, "checkpoint")
                        && name.getNumberOfElements() > ELEMENTS_OF_ROLLOUTS);
    }

    private static boolean isAt(ConfigurationPropertyName name, int index, String element) {
        return name.getNumberOfElements() > index
                && name.getElement(index, Form.UNIFORM).equals(element);
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
