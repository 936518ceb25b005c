package io.github.kobe.spring.properties;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.core.convert.ConverterNotFoundException;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Watches as {@link GroupConcurrencyProperties} are bound: checks the keys of groups before, and keeps each property, so
 * that it can be told later where a value came from.
 */
public final class BoundSettings implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName PREFIX =
            ConfigurationPropertyName.of(GroupConcurrencyProperties.PREFIX);

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
     * @param cause what found it out; may be {@code null}
     * @param elements the elements of its name, after the prefix
     * @return the exception to throw
     */
    public InvalidSettingException refusal(
            String problem, String allowed, @Nullable Throwable cause, String... elements) {
        ConfigurationProperty property = find(elements);
        if (property == null) {
            String name = String.join(".", elements).replaceFirst("^group-list\\.(\\d+)", "group-list[$1]");
            return new InvalidSettingException(
                    GroupConcurrencyProperties.PREFIX + "." + name, null, "not set", problem, allowed, cause);
        }
        return new InvalidSettingException(
                property.getName().toString(),
                String.valueOf(property.getValue()),
                String.valueOf(property.getOrigin()),
                problem,
                allowed,
                cause);
    }

    /** {@return the property with these elements, each in any of its spellings} */
    @Nullable
    ConfigurationProperty find(String... elements) {
        return find(name -> {
            if (name.getNumberOfElements() != elements.length + 1) {
                return false;
            }
            for (int i = 0; i < elements.length; i++) {
                boolean key = i == 1 && elements[0].equals("groups");
                String element = name.getElement(i + 1, key ? Form.ORIGINAL : Form.UNIFORM);
                if (!element.equals(key ? elements[i] : elements[i].replace("-", ""))) {
                    return false;
                }
            }
            return true;
        });
    }

    private @Nullable ConfigurationProperty find(Predicate<ConfigurationPropertyName> name) {
        return properties.values().stream()
                .filter(property -> name.test(property.getName()))
                .findFirst()
                .orElse(null);
    }

    /** {@return all that was bound under the group of the map with this key} */
    List<ConfigurationProperty> ofGroup(String key) {
        return properties.values().stream()
                .filter(property -> property.getName().getNumberOfElements() > 2
                        && property.getName().getElement(1, Form.UNIFORM).equals("groups")
                        && property.getName().getElement(2, Form.ORIGINAL).equals(key))
                .toList();
    }

    private final class WatchingHandler extends AbstractBindHandler {

        WatchingHandler(BindHandler parent) {
            super(parent);
        }

        @Override
        public <T> @Nullable Bindable<T> onStart(
                ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
            if (name.equals(PREFIX)) {
                properties.clear();
                GroupKeySpelling.check(environment);
            }
            return super.onStart(name, target, context);
        }

        @Override
        public Object onSuccess(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
            keep(name, context);
            return super.onSuccess(name, target, context, result);
        }

        /** In YAML nothing is an empty text: {@code vip:} is a group with no limit of its own. */
        @Override
        public Object onFailure(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error)
                throws Exception {
            if (PREFIX.isAncestorOf(name) && error instanceof ConverterNotFoundException) {
                ConfigurationProperty property = firstOf(name, context);
                Class<?> type = target.getType().resolve(Object.class);
                if (property != null && "".equals(property.getValue())) {
                    if (type == GroupConcurrencyProperties.Limits.class) {
                        properties.put(name, property);
                        return super.onSuccess(name, target, context, GroupConcurrencyProperties.Limits.INHERITED);
                    }
                    if (type == Map.class) {
                        return super.onSuccess(name, target, context, Map.of());
                    }
                }
            }
            return super.onFailure(name, target, context, error);
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

        private void keep(ConfigurationPropertyName name, BindContext context) {
            ConfigurationProperty property = context.getConfigurationProperty();
            if (property != null && PREFIX.isAncestorOf(name) && PREFIX.isAncestorOf(property.getName())) {
                properties.put(property.getName(), property);
            }
        }
    }
}
