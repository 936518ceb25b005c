package io.github.kobe.spring.autoconfigure;

import io.github.kobe.spring.InvalidSettingException;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import io.github.kobe.spring.internal.settings.InvalidSettings;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.context.properties.ConstructorBound;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.core.NestedExceptionUtils;

/** Binds the settings again after start-up, as Spring Boot did at start-up: from the same sources, and as strictly. */
final class FreshSettings {

    private FreshSettings() {}

    static GroupConcurrencyProperties bind(BeanFactory beans) {
        try {
            return (GroupConcurrencyProperties)
                    ConstructorBound.from(beans, GroupConcurrencyProperties.PREFIX, GroupConcurrencyProperties.class);
        } catch (ConfigurationPropertiesBindException failure) {
            throw translate(failure);
        }
    }

    private static RuntimeException translate(ConfigurationPropertiesBindException failure) {
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof InvalidSettingException refusal) {
                return refusal;
            }
        }
        return failure.getCause() instanceof BindException unread ? translate(unread) : failure;
    }

    private static InvalidSettingException translate(BindException failure) {
        ConfigurationProperty property = failure.getProperty();
        String problem = "can't be read: "
                + NestedExceptionUtils.getMostSpecificCause(failure).getMessage();
        String allowed = "a value of type " + failure.getTarget().getType();
        return property == null
                ? InvalidSettings.of(failure.getName().toString(), null, "not known", problem, allowed, failure)
                : InvalidSettings.of(property, problem, allowed, failure);
    }
}
