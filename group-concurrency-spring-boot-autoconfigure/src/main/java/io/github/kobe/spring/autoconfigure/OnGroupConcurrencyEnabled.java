package io.github.kobe.spring.autoconfigure;

import io.github.kobe.spring.properties.GroupConcurrencyProperties;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches unless the library is switched off, and says so then: nothing else of it is there to do that. */
final class OnGroupConcurrencyEnabled extends SpringBootCondition {

    static final String PROPERTY = GroupConcurrencyProperties.PREFIX + ".enabled";

    private static final Log LOGGER = LogFactory.getLog(OnGroupConcurrencyEnabled.class);

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        boolean disabled = "false".equalsIgnoreCase(context.getEnvironment().getProperty(PROPERTY));
        if (disabled) {
            LOGGER.warn(PROPERTY + " is false: methods with @GroupConcurrent run without limit");
        }
        return new ConditionOutcome(!disabled, PROPERTY + (disabled ? " is false" : " is not false"));
    }
}
