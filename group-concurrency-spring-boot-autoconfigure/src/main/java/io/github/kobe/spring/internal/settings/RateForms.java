package io.github.kobe.spring.internal.settings;

import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties.RateSetting;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;

/**
 * A rate is written in parts or as one text, and several rates as a list of those, or all of them as one text. Spring Boot takes
 * the text wherever there is one, and a list from the first source that has one.
 */
final class RateForms {

    /** The name of the list. */
    static final String LIST = "rates";

    private static final List<String> PARTS = List.of("limit", "per", "burst");

    /** In an element of a list, in uniform spelling. */
    private static final List<String> PARTS_IN_LIST = List.of("name", "limit", "per", "burst", "defaultcost", "refund");

    private RateForms() {}

    /** {@return what is wrong with the parts of a rate, as {@link #refusal}; {@code null}: nothing, or it is no rate} */
    static @Nullable InvalidSettingException refusalOf(
            Object bound, ConfigurationPropertyName name, Iterable<ConfigurationPropertySource> sources) {
        if (bound instanceof RateSetting rate) {
            boolean something = rate.limit() != null || rate.per() != null || rate.burst() != null;
            return refusal(name, rate, something, sources);
        }
        if (bound instanceof NamedRateSetting rate) {
            RateSetting numbers = new RateSetting(rate.limit(), rate.per(), rate.burst());
            return refusal(name, numbers, rate.saysSomething(), sources);
        }
        if (bound instanceof GroupConcurrencyProperties.Limits limits) {
            return limits.rate() == null || limits.rates() == null ? null : refusalOfBoth(name, sources);
        }
        if (bound instanceof ListedGroup group) {
            return group.rate() == null || group.rates() == null ? null : refusalOfBoth(name, sources);
        }
        return null;
    }

    /**
     * {@return what is wrong with the parts of a rate: not all that it needs are there, or Spring Boot would leave them out,
     * since they come before a text or stand beside it; {@code null}: nothing}
     */
    private static @Nullable InvalidSettingException refusal(
            ConfigurationPropertyName name,
            RateSetting rate,
            boolean saysSomething,
            Iterable<ConfigurationPropertySource> sources) {
        boolean isIncomplete = saysSomething && (rate.limit() == null || rate.per() == null);
        for (ConfigurationPropertySource source : sources) {
            ConfigurationProperty part = firstPart(name, source);
            if (part != null && isIncomplete) {
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
                return refusalOfPart(part, name);
            }
            if (source.getConfigurationProperty(name) != null) {
                return null;
            }
        }
        return null;
    }

    private static InvalidSettingException refusalOfPart(ConfigurationProperty part, ConfigurationPropertyName text) {
        return InvalidSettings.of(
                part,
                "is a part of a rate that is set as one text too, '" + text + "'",
                "the parts, or the text alone, which takes the place of parts in sources that come after it",
                null);
    }

    private static InvalidSettingException refusalOfBoth(
            ConfigurationPropertyName rule, Iterable<ConfigurationPropertySource> sources) {
        ConfigurationPropertyName list = rule.append(LIST);
        ConfigurationPropertyName one = rule.append(LimitSetting.RATE.property());
        return InvalidSettings.of(
                list.toString(),
                null,
                originOf(list, sources),
                "is set, and '" + one + "' is set too, in " + originOf(one, sources),
                "one of the two",
                null);
    }

    /** {@return where a rate, or a list of them, is written first} */
    private static String originOf(ConfigurationPropertyName name, Iterable<ConfigurationPropertySource> sources) {
        for (ConfigurationPropertySource source : sources) {
            for (ConfigurationPropertyName place : List.of(name, name.append("[0]"))) {
                ConfigurationProperty found = source.getConfigurationProperty(place);
                found = found == null ? firstPart(place, source) : found;
                if (found != null) {
                    return String.valueOf(found.getOrigin());
                }
            }
        }
        return "an unknown place";
    }

    /**
     * Refuses unknown names below a rate in an element of a list. Spring Boot doesn't tell of those: it looks only at the first
     * element of a name in a list.
     *
     * @param type what the rate is bound to
     */
    static void checkNames(
            ConfigurationPropertyName name, Class<?> type, Iterable<ConfigurationPropertySource> sources) {
        List<String> parts = type == NamedRateSetting.class ? PARTS_IN_LIST : PARTS;
        for (ConfigurationPropertySource source : sources) {
            if (source instanceof IterableConfigurationPropertySource iterable
                    && source.containsDescendantOf(name) != ConfigurationPropertyState.ABSENT) {
                iterable.stream()
                        .filter(known ->
                                name.isAncestorOf(known) && !parts.contains(known.getLastElement(Form.UNIFORM)))
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

    /** {@return the name in a list of rates, for one below a single rate that only those have; empty: it is none of them} */
    static Optional<String> meantInList(ConfigurationPropertyName name) {
        int elements = name.getNumberOfElements();
        String last = name.getLastElement(Form.UNIFORM);
        boolean isMeant = elements > 3
                && !name.getElement(1, Form.UNIFORM).equals("global")
                && name.getElement(elements - 2, Form.UNIFORM).equals(LimitSetting.RATE.property())
                && PARTS_IN_LIST.contains(last)
                && !PARTS.contains(last);
        return isMeant
                ? Optional.of(name.chop(elements - 2) + "." + LIST + "[0]." + name.getLastElement(Form.DASHED))
                : Optional.empty();
    }

    /**
     * {@return whether a property that wasn't bound is a part of a rate, in any spelling, that has one text, or that is in a list
     * in a source after the first one with that list}
     *
     * @throws InvalidSettingException if it is in a list that the same source has as one text too
     */
    static boolean isOverruled(ConfigurationProperty unbound, Iterable<ConfigurationPropertySource> sources) {
        ConfigurationPropertyName name = unbound.getName();
        int elements = name.getNumberOfElements();
        for (int i = 2; i < elements - 1; i++) {
            if (name.getElement(i, Form.UNIFORM).equals(LIST) && name.isNumericIndex(i + 1)) {
                return isOverruled(unbound, name.chop(i + 1), sources);
            }
        }
        return elements > 2
                && PARTS.contains(name.getLastElement(Form.UNIFORM))
                && name.getElement(elements - 2, Form.UNIFORM).equals(LimitSetting.RATE.property())
                && isText(name.getParent(), sources);
    }

    private static boolean isOverruled(
            ConfigurationProperty unbound,
            ConfigurationPropertyName list,
            Iterable<ConfigurationPropertySource> sources) {
        ConfigurationPropertyName name = unbound.getName();
        boolean isKnown = name.isLastElementIndexed() || PARTS_IN_LIST.contains(name.getLastElement(Form.UNIFORM));
        for (ConfigurationPropertySource source : sources) {
            boolean isText = source.getConfigurationProperty(list) != null;
            if (isText || source.containsDescendantOf(list) == ConfigurationPropertyState.PRESENT) {
                boolean isHere = source.getConfigurationProperty(name) != null;
                if (isKnown && isText && isHere) {
                    throw refusalOfPart(unbound, list);
                }
                // Here, an element that is one text has been looked at by itself.
                return isKnown && (!isHere || source.getConfigurationProperty(name.getParent()) != null);
            }
        }
        return false;
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
        return Stream.concat(PARTS.stream(), Stream.of("name", "default-cost", "refund"))
                .map(part -> source.getConfigurationProperty(rate.append(part)))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }
}
