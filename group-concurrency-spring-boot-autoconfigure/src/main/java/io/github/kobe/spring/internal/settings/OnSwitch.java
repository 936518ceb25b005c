package io.github.kobe.spring.internal.settings;

import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Reads the settings that a {@link ConditionalOnSwitch} names. */
public final class OnSwitch extends SpringBootCondition {

    /** Made by Spring. */
    public OnSwitch() {}

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        MergedAnnotation<ConditionalOnSwitch> annotation =
                metadata.getAnnotations().get(ConditionalOnSwitch.class);
        for (String name : annotation.getStringArray("value")) {
            String property = GroupConcurrencyProperties.PREFIX + "." + name;
            if (!isOn(context.getEnvironment(), property, annotation.getBoolean("byDefault"))) {
                return ConditionOutcome.noMatch(property + " is off");
            }
        }
        return ConditionOutcome.match();
    }

    /**
     * Reads a switch.
     *
     * @param environment where it is set
     * @param property its name
     * @param byDefault what holds if it isn't set
     * @return whether it is on
     */
    public static boolean isOn(Environment environment, String property, boolean byDefault) {
        return Binder.get(environment).bind(property, Boolean.class).orElse(byDefault);
    }
}
