package io.github.kobe.spring.autoconfigure;

import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches unless the library is switched off. Then this condition logs that, since no other part of the library is
 * loaded. A value that isn't a boolean fails the start-up. Only one configuration has this condition, so that it is
 * logged once.
 */
final class OnGroupConcurrencyEnabled extends SpringBootCondition {

    static final String PROPERTY = GroupConcurrencyProperties.PREFIX + ".enabled";

    private static final Log LOGGER = LogFactory.getLog(OnGroupConcurrencyEnabled.class);

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        boolean enabled = isMetIn(context.getEnvironment());
        if (!enabled) {
            LOGGER.warn(PROPERTY + " is false: methods with @GroupConcurrent run without limit");
        }
        return new ConditionOutcome(enabled, PROPERTY + (enabled ? " is not false" : " is false"));
    }

    static boolean isMetIn(Environment environment) {
        return Binder.get(environment).bind(PROPERTY, Boolean.class).orElse(true);
    }
}
