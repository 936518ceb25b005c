package io.github.kobe.spring.autoconfigure;

import io.github.kobe.spring.properties.GroupConcurrencyProperties;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Matches unless the library is switched off, and says so once then: nothing else of it is there to do that. What is no
 * boolean fails the start-up.
 */
public final class OnGroupConcurrencyEnabled extends SpringBootCondition {

    static final String PROPERTY = GroupConcurrencyProperties.PREFIX + ".enabled";

    private static final Log LOGGER = LogFactory.getLog(OnGroupConcurrencyEnabled.class);

    /** Made by Spring. */
    public OnGroupConcurrencyEnabled() {}

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        boolean enabled = OnSwitch.isOn(context.getEnvironment(), PROPERTY, true);
        if (!enabled
                && metadata instanceof AnnotationMetadata type
                && type.getClassName().equals(GroupConcurrencyAutoConfiguration.class.getName())) {
            LOGGER.warn(PROPERTY + " is false: methods with @GroupConcurrent run without limit");
        }
        return new ConditionOutcome(enabled, PROPERTY + (enabled ? " is not false" : " is false"));
    }
}
