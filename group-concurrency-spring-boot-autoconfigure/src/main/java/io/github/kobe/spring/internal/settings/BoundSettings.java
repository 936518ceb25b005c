package io.github.kobe.spring.internal.settings;

import io.github.kobe.spring.InvalidSettingException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.convert.ConverterNotFoundException;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.ClassUtils;

/**
 * Watches the binding of {@link GroupConcurrencyProperties}. It checks the keys of groups first, and remembers each
 * property, so that a message can say where a value came from.
 */
public final class BoundSettings implements ConfigurationPropertiesBindHandlerAdvisor {

    /** What the settings of connections begin with, after the prefix. */
    public static final String DATASOURCE = "datasource";

    private static final Log LOGGER = LogFactory.getLog(BoundSettings.class);

    private static final ConfigurationPropertyName PREFIX =
            ConfigurationPropertyName.of(GroupConcurrencyProperties.PREFIX);

    /** Beside the limits of groups, the one duration that may be "unlimited". */
    private static final ConfigurationPropertyName SCOPE_TIMEOUT = PREFIX.append("scope.default-timeout");

    /** Nothing but a number. Zero is the same in every unit. */
    private static final Pattern WITHOUT_UNIT = Pattern.compile("\\s*[+-]?\\d*[1-9]\\d*\\s*");

    /** {@code on}, {@code yes} and {@code 1} are bound as true, but a condition takes them for something else. */
    private static final Pattern BOOLEAN = Pattern.compile("true|false", Pattern.CASE_INSENSITIVE);

    private final ConfigurableEnvironment environment;
    private final Map<ConfigurationPropertyName, ConfigurationProperty> properties = new ConcurrentHashMap<>();

    /**
     * Makes a watcher.
     *
     * @param environment where the settings are bound from
     */
    public BoundSettings(ConfigurableEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public BindHandler apply(BindHandler handler) {
        return new WatchingHandler(handler);
    }

    /**
     * Makes the exception for a bad setting: with its value and origin, if it was set.
     *
     * @param problem what is wrong with it
     * @param allowed what is allowed
     * @param cause the exception that revealed it; may be {@code null}
     * @param elements the elements of its name, after the prefix
     * @return the exception to throw
     */
    public InvalidSettingException refusal(
            String problem, String allowed, @Nullable Throwable cause, String... elements) {
        ConfigurationProperty property = find(elements);
        if (property == null) {
            String name = String.join(".", elements)
                    .replaceFirst("^((?:datasource\\.)?group-list|web\\.filter\\.rules)\\.(\\d+)", "$1[$2]")
                    .replaceFirst("\\.rates\\.(\\d+)$", ".rates[$1]")
                    .replaceFirst("\\.rates\\.(\\d+)(\\.[a-z-]+)$", ".rates[$1]$2");
            return InvalidSettings.of(
                    GroupConcurrencyProperties.PREFIX + "." + name,
                    null,
                    originOf(elements).orElse("not set"),
                    problem,
                    allowed,
                    cause);
        }
        return InvalidSettings.of(property, problem, allowed, cause);
    }

    /**
     * Looks for a property.
     *
     * @param elements its name after the prefix, element by element
     * @return whether there is such a property
     */
    public boolean has(String... elements) {
        return find(elements) != null;
    }

    /**
     * {@return the property with these elements, each in any of its spellings; {@code null}: there is none}
     *
     * @param elements its name after the prefix, element by element
     */
    public @Nullable ConfigurationProperty find(String... elements) {
        return find(name -> name.getNumberOfElements() == elements.length + 1 && beginsWith(name, elements));
    }

    /**
     * {@return where the first of what has these elements, or is below them, is written, such as a list; empty: nowhere}
     *
     * @param elements the elements of its name, after the prefix
     */
    Optional<String> originOf(String... elements) {
        return properties.values().stream()
                .filter(property -> property.getName().getNumberOfElements() > elements.length
                        && beginsWith(property.getName(), elements))
                .min(Comparator.comparing(ConfigurationProperty::getName))
                .map(property -> String.valueOf(property.getOrigin()));
    }

    private static boolean beginsWith(ConfigurationPropertyName name, String... elements) {
        int placeOfKey = KnownNames.placeOfKey(name);
        for (int i = 0; i < elements.length; i++) {
            boolean key = i + 1 == placeOfKey;
            String element = name.getElement(i + 1, key ? Form.ORIGINAL : Form.UNIFORM);
            if (!element.equals(key ? elements[i] : elements[i].replace("-", ""))) {
                return false;
            }
        }
        return true;
    }

    private @Nullable ConfigurationProperty find(Predicate<ConfigurationPropertyName> name) {
        return properties.values().stream()
                .filter(property -> name.test(property.getName()))
                .findFirst()
                .orElse(null);
    }

    /**
     * {@return all bound properties whose first element after the prefix is one of these, in uniform spelling; by name}
     *
     * @param firstElements the elements
     */
    public List<ConfigurationProperty> under(Set<String> firstElements) {
        return properties.values().stream()
                .filter(property -> firstElements.contains(property.getName().getElement(1, Form.UNIFORM)))
                .sorted(Comparator.comparing(ConfigurationProperty::getName))
                .toList();
    }

    /**
     * {@return the first bound property, by name, of a limit; empty: there is none}
     *
     * @param limit the limit
     * @param firstElements as in {@link #under}
     */
    public Optional<ConfigurationProperty> first(LimitSetting limit, Set<String> firstElements) {
        String last = limit.property().replace("-", "");
        return under(firstElements).stream()
                .filter(property ->
                        property.getName().getLastElement(Form.UNIFORM).equals(last))
                .findFirst();
    }

    /**
     * {@return all bound properties of groups in a map, by the key of the group}
     *
     * @param place the elements of the map's name before {@code groups}, after the prefix
     */
    public Map<String, List<ConfigurationProperty>> ofGroups(String... place) {
        String[] map = Arrays.copyOf(place, place.length + 1);
        map[place.length] = "groups";
        return properties.values().stream()
                .filter(property -> property.getName().getNumberOfElements() > map.length + 1
                        && beginsWith(property.getName(), map))
                .collect(Collectors.groupingBy(
                        property -> property.getName().getElement(map.length + 1, Form.ORIGINAL)));
    }

    private final class WatchingHandler extends AbstractBindHandler {

        /** What is wrong with a rate; it is told unless there is an unknown name, which is perhaps why. */
        private @Nullable InvalidSettingException badRate;

        WatchingHandler(BindHandler parent) {
            super(parent);
        }

        @Override
        public <T> @Nullable Bindable<T> onStart(
                ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
            if (name.equals(PREFIX)) {
                properties.keySet().removeIf(known -> !KnownNames.isOfOthers(known));
                badRate = null;
                lookAtWrittenNames();
                refuseEarlierNames(context);
            }
            return super.onStart(name, target, context);
        }

        @Override
        public Object onSuccess(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
            ConfigurationProperty property = context.getConfigurationProperty();
            if (property != null && PREFIX.isAncestorOf(name) && PREFIX.isAncestorOf(property.getName())) {
                refuseMisread(name, target, property);
                properties.put(property.getName(), property);
            }
            if (property != null && isListOfRates(target) && ((Collection<?>) result).isEmpty()) {
                throw InvalidSettings.of(
                        property, "has no value", "at least one rate, or \"" + LimitSetting.UNLIMITED + "\"", null);
            }
            if (badRate == null) {
                badRate = RateForms.refusalOf(result, name, context.getSources());
            }
            return super.onSuccess(name, target, context, result);
        }

        private void lookAtWrittenNames() {
            MisspeltPrefix misspelt = new MisspeltPrefix();
            WrittenName.each(environment, misspelt::look);
            misspelt.warn();
            WrittenName.each(environment, GroupKeySpelling::check);
        }

        /** Spring Boot tells of no unknown names among environment variables and system properties. */
        private void refuseEarlierNames(BindContext context) {
            for (ConfigurationPropertySource source : context.getSources()) {
                for (ConfigurationPropertyName earlier : KnownNames.earlier()) {
                    ConfigurationProperty property = source.getConfigurationProperty(earlier);
                    if (property != null) {
                        throw KnownNames.refusal(property, PREFIX, GroupConcurrencyProperties.class, null);
                    }
                }
            }
        }

        /**
         * In YAML, a missing value is an empty text: {@code vip:} is a group without limits of its own. And "unlimited"
         * is a word, not the largest number.
         */
        @Override
        public Object onFailure(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error)
                throws Exception {
            if (error instanceof UnboundConfigurationPropertiesException unbound && PREFIX.isAncestorOf(name)) {
                // an element of a list with nothing but unknown names
                refuseUnknown(unbound, PREFIX, GroupConcurrencyProperties.class, context);
            }
            ConfigurationProperty property = PREFIX.isAncestorOf(name) ? firstOf(name, context) : null;
            if (property != null) {
                Object meant = meaning(name, target.getType().resolve(Object.class), property, error);
                if (meant != null) {
                    properties.put(name, property);
                    return super.onSuccess(name, target, context, meant);
                }
                String form = error instanceof ConversionException ? formOf(name, target) : null;
                if (form != null) {
                    throw InvalidSettings.of(property, "can't be read", form, error);
                }
            }
            return super.onFailure(name, target, context, error);
        }

        /** Spring Boot cuts fractions off, and takes a number without a unit for milliseconds, which is seldom meant. */
        private void refuseMisread(ConfigurationPropertyName name, Bindable<?> target, ConfigurationProperty property) {
            Class<?> type = typeOf(target);
            Object value = property.getValue() instanceof String raw
                    ? environment.resolvePlaceholders(raw)
                    : property.getValue();
            String problem = null;
            if (type == Integer.class
                    && (value instanceof Double || value instanceof Float || value instanceof BigDecimal)) {
                problem = "is not a whole number";
            } else if (type == Duration.class
                    && WITHOUT_UNIT.matcher(value.toString()).matches()) {
                problem = "has no unit";
            } else if (type == Boolean.class
                    && !BOOLEAN.matcher(value.toString()).matches()) {
                problem = "is neither true nor false";
            }
            if (problem != null) {
                throw InvalidSettings.of(property, problem, String.valueOf(formOf(name, target)), null);
            }
        }

        private static boolean isListOfRates(Bindable<?> target) {
            return target.getType().resolve() == List.class
                    && target.getType().getGeneric().resolve() == NamedRateSetting.class;
        }

        private static Class<?> typeOf(Bindable<?> target) {
            return ClassUtils.resolvePrimitiveIfNecessary(target.getType().resolve(Object.class));
        }

        /** {@return how the value is written, in words; {@code null}: Spring Boot tells it well enough} */
        private static @Nullable String formOf(ConfigurationPropertyName name, Bindable<?> target) {
            Class<?> type = typeOf(target);
            if (name.equals(SCOPE_TIMEOUT)) {
                return LimitSetting.QUEUE_TIMEOUT.form();
            }
            if (type == Integer.class || type == Duration.class) {
                return settingAt(name)
                        .map(LimitSetting::form)
                        .orElse(type == Integer.class ? "a whole number" : LimitSetting.DURATION_FORM);
            }
            if (type == GroupConcurrencyProperties.Limits.class || type == ListedGroup.class) {
                return "limits below the key, such as max-concurrency";
            }
            if (type == GroupConcurrencyProperties.RateSetting.class) {
                return LimitSetting.RATE.form();
            }
            if (type == NamedRateSetting.class) {
                return NamedRateSetting.FORM + ", or \"unlimited\"";
            }
            if (isListOfRates(target)) {
                return NamedRateSetting.FORM + ", or several after commas, or \"unlimited\"";
            }
            if (type.isEnum()) {
                return Stream.of(type.getEnumConstants())
                        .map(constant ->
                                constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
                        .collect(Collectors.joining(", ", "one of ", ""));
            }
            return type == Boolean.class ? "true or false" : null;
        }

        private static Optional<LimitSetting> settingAt(ConfigurationPropertyName name) {
            if (KnownNames.isOfOthers(name)) {
                return Optional.empty();
            }
            String last = name.getLastElement(Form.UNIFORM);
            return Stream.of(LimitSetting.values())
                    .filter(setting -> setting.property().replace("-", "").equals(last))
                    .findFirst();
        }

        private @Nullable Object meaning(
                ConfigurationPropertyName name, Class<?> type, ConfigurationProperty property, Exception error) {
            String text = property.getValue() instanceof String raw ? environment.resolvePlaceholders(raw) : "-";
            if (text.isEmpty() && error instanceof ConverterNotFoundException) {
                return type == GroupConcurrencyProperties.Limits.class
                        ? GroupConcurrencyProperties.Limits.INHERITED
                        : type == Map.class ? Map.of() : null;
            }
            if (!text.equals(LimitSetting.UNLIMITED)) {
                return null;
            }
            Optional<LimitSetting> setting =
                    name.equals(SCOPE_TIMEOUT) ? Optional.of(LimitSetting.QUEUE_TIMEOUT) : settingAt(name);
            return setting.flatMap(LimitSetting::unlimited).orElse(null);
        }

        /** Properties that are left over are unknown to Spring Boot, which only knows the names that are bound here. */
        @Override
        public void onFinish(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, @Nullable Object result)
                throws Exception {
            boolean ours = name.equals(PREFIX) || KnownNames.isOfOthers(name);
            try {
                super.onFinish(name, target, context, result);
            } catch (UnboundConfigurationPropertiesException unbound) {
                Class<?> settings = target.getType().resolve(Object.class);
                if (!ours || !settings.isRecord()) {
                    throw unbound;
                }
                refuseUnknown(unbound, name, settings, context);
            }
            Class<?> type = typeOf(target);
            if (context.getDepth() == 0 && ours && type.isRecord()) {
                lookAtVariables(name, type, context);
            }
            if (type == NamedRateSetting.class
                    || (type == GroupConcurrencyProperties.RateSetting.class
                            && name.isNumericIndex(name.getNumberOfElements() - 2))) {
                RateForms.checkNames(name, type, context.getSources());
            }
            if (name.equals(PREFIX) && badRate != null) {
                throw badRate;
            }
        }

        /**
         * Spring Boot tells of no unknown names among system properties and environment variables. Some of the second may be
         * from the system, for a service of that name.
         */
        private void lookAtVariables(ConfigurationPropertyName bound, Class<?> settings, BindContext context) {
            for (ConfigurationPropertySource source : context.getSources()) {
                boolean isEnvironment = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
                if (!(source instanceof IterableConfigurationPropertySource iterable)
                        || !(isEnvironment || isOfSystemProperties(source))) {
                    continue;
                }
                iterable.stream()
                        .filter(name -> bound.isAncestorOf(name) && !KnownNames.isKnown(name, bound, settings))
                        .map(source::getConfigurationProperty)
                        .filter(Objects::nonNull)
                        .map(unknown -> refusalOf(unknown, bound, settings, null))
                        .filter(Objects::nonNull)
                        .forEach(refusal -> {
                            if (!isEnvironment) {
                                throw refusal;
                            }
                            LOGGER.warn(refusal.getMessage() + " (" + PrintableText.inOneLine(refusal.origin()) + ")");
                        });
            }
        }

        private static boolean isOfSystemProperties(ConfigurationPropertySource source) {
            return source.getUnderlyingSource() instanceof PropertySource<?> properties
                    && properties.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
        }

        private static void refuseUnknown(
                UnboundConfigurationPropertiesException unbound,
                ConfigurationPropertyName bound,
                Class<?> settings,
                BindContext context) {
            for (ConfigurationProperty unknown : unbound.getUnboundProperties()) {
                if (RateForms.isOverruled(unknown, context.getSources())) {
                    continue;
                }
                InvalidSettingException refusal = refusalOf(unknown, bound, settings, unbound);
                if (refusal != null) {
                    throw refusal;
                }
            }
        }

        /** {@return what is wrong with a name that wasn't bound; {@code null}: it is bound by itself} */
        private static @Nullable InvalidSettingException refusalOf(
                ConfigurationProperty unknown,
                ConfigurationPropertyName bound,
                Class<?> settings,
                @Nullable Throwable cause) {
            return bound.equals(PREFIX) && KnownNames.isOfOthers(unknown.getName())
                    ? KnownNames.withoutJar(unknown)
                    : KnownNames.refusal(unknown, bound, settings, cause);
        }

        private static @Nullable ConfigurationProperty firstOf(ConfigurationPropertyName name, BindContext context) {
            for (ConfigurationPropertySource source : context.getSources()) {
                ConfigurationProperty property = source.getConfigurationProperty(name);
                if (property != null) {
                    return property;
                }
            }
            return null;
        }
    }
}
