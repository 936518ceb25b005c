package io.github.kobe.spring.internal.settings;

import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.RateSetting;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;

/** A rate is written in parts or as one text. Spring Boot takes the text wherever there is one. */
final class RateForms {

    private static final List<String> PARTS = List.of("limit", "per", "burst");

    private RateForms() {}

    /**
     * {@return what is wrong with the parts of a rate: not all that it needs are there, or Spring Boot would leave them out,
     * since they come before a text or stand beside it; {@code null}: nothing}
     */
    static @Nullable InvalidSettingException refusal(
            ConfigurationPropertyName name, RateSetting rate, Iterable<ConfigurationPropertySource> sources) {
        for (ConfigurationPropertySource source : sources) {
            ConfigurationProperty part = firstPart(name, source);
            if (part != null && isIncomplete(rate)) {
                String missing =
                        name.append(rate.limit() == null ? "limit" : "per").toString();
                return InvalidSettings.of(
                        missing,
                        null,
                        String.valueOf(part.getOrigin()),
                        "isn't set beside '" + part.getName() + "'",
                        "limit and per together, and a burst if you like",
                        null);
            }
            if (part != null && isText(name, sources)) {
                return InvalidSettings.of(
                        part,
                        "is a part of a rate that is set as one text too, '" + name + "'",
                        "the parts, or the text alone, which takes the place of parts in sources that come after it",
                        null);
            }
            if (source.getConfigurationProperty(name) != null) {
                return null;
            }
        }
        return null;
    }

    /**
     * Refuses unknown names below a rate in an element of a list. Spring Boot doesn't tell of those: it looks only at the first
     * element of a name in a list.
     */
    static void checkNames(ConfigurationPropertyName name, Iterable<ConfigurationPropertySource> sources) {
        for (ConfigurationPropertySource source : sources) {
            if (source instanceof IterableConfigurationPropertySource iterable
                    && source.containsDescendantOf(name) != ConfigurationPropertyState.ABSENT) {
                iterable.stream()
                        .filter(known ->
                                name.isAncestorOf(known) && !PARTS.contains(known.getLastElement(Form.UNIFORM)))
                        .map(source::getConfigurationProperty)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .ifPresent(unknown -> {
                            throw KnownNames.refusal(
                                    unknown,
                                    ConfigurationPropertyName.of(GroupConcurrencyProperties.PREFIX),
                                    GroupConcurrencyProperties.class,
                                    null);
                        });
            }
        }
    }

    /** {@return whether a property is a part of a rate, in any spelling, that has one text} */
    static boolean isOverruled(ConfigurationPropertyName name, Iterable<ConfigurationPropertySource> sources) {
        int elements = name.getNumberOfElements();
        return elements > 2
                && PARTS.contains(name.getLastElement(Form.UNIFORM))
                && name.getElement(elements - 2, Form.UNIFORM).equals(LimitSetting.RATE.property())
                && isText(name.getParent(), sources);
    }

    private static boolean isIncomplete(RateSetting rate) {
        boolean isWhole = rate.limit() != null && rate.per() != null;
        return !isWhole && (rate.limit() != null || rate.per() != null || rate.burst() != null);
    }

    private static boolean isText(ConfigurationPropertyName name, Iterable<ConfigurationPropertySource> sources) {
        for (ConfigurationPropertySource source : sources) {
            if (source.getConfigurationProperty(name) != null) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable ConfigurationProperty firstPart(
            ConfigurationPropertyName rate, ConfigurationPropertySource source) {
        return PARTS.stream()
                .map(part -> source.getConfigurationProperty(rate.append(part)))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }
}
