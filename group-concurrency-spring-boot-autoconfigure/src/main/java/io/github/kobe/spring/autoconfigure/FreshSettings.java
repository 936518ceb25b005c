package io.github.kobe.spring.autoconfigure;

import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.internal.settings.BoundSettings;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import io.github.kobe.spring.internal.settings.InvalidSettings;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.ConfigurableEnvironment;

/** Binds the settings again after start-up, as strictly as Spring Boot did at start-up. */
final class FreshSettings {

    private FreshSettings() {}

    static GroupConcurrencyProperties bind(ConfigurableEnvironment environment, BoundSettings settings) {
        BindHandler handler = settings.apply(
                new NoUnboundElementsBindHandler(BindHandler.DEFAULT, new UnboundElementsSourceFilter()));
        try {
            return Binder.get(environment)
                    .bindOrCreate(
                            GroupConcurrencyProperties.PREFIX, Bindable.of(GroupConcurrencyProperties.class), handler);
        } catch (BindException failure) {
            throw translate(failure);
        }
    }

    private static InvalidSettingException translate(BindException failure) {
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof InvalidSettingException refusal) {
                return refusal;
            }
        }
        ConfigurationProperty property = failure.getProperty();
        String problem = "can't be read: "
                + NestedExceptionUtils.getMostSpecificCause(failure).getMessage();
        String allowed = "a value of type " + failure.getTarget().getType();
        return property == null
                ? InvalidSettings.of(failure.getName().toString(), null, "not known", problem, allowed, failure)
                : InvalidSettings.of(property, problem, allowed, failure);
    }
}
