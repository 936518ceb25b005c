package io.github.kobe.spring.autoconfigure;

import io.github.kobe.spring.properties.GroupConcurrencyProperties;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Reads the setting that a {@link ConditionalOnSwitch} names. */
final class OnSwitch extends SpringBootCondition {

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        MergedAnnotation<ConditionalOnSwitch> annotation =
                metadata.getAnnotations().get(ConditionalOnSwitch.class);
        String property = GroupConcurrencyProperties.PREFIX + "." + annotation.getString("value");
        boolean on = isOn(context.getEnvironment(), property, annotation.getBoolean("byDefault"));
        return new ConditionOutcome(on, property + (on ? " is on" : " is off"));
    }

    static boolean isOn(Environment environment, String property, boolean byDefault) {
        return Binder.get(environment).bind(property, Boolean.class).orElse(byDefault);
    }
}
