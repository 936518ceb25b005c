package io.github.kobe.spring.internal.executors;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Looks for the executors that a {@link ConditionalOnDefaultExecutor} asks for. */
final class OnDefaultExecutor extends SpringBootCondition implements ConfigurationCondition {

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConfigurableListableBeanFactory beans = Objects.requireNonNull(context.getBeanFactory());
        List<String> executors = new ExecutorBeans(beans).defaults();
        if (executors.size() != 1) {
            return ConditionOutcome.noMatch(executors.size() + " executors are default candidates " + executors);
        }
        String executor = executors.getFirst();
        Class<?> made = metadata.getAnnotations()
                .get(ConditionalOnDefaultExecutor.class)
                .getClass("value");
        boolean isOfAncestor = !beans.containsLocalBean(executor);
        return isOfAncestor && hasOne(beans.getParentBeanFactory(), made)
                ? ConditionOutcome.noMatch("an ancestor has executor " + executor + " and " + made.getName())
                : ConditionOutcome.match("executor " + executor);
    }

    private static boolean hasOne(@Nullable BeanFactory context, Class<?> type) {
        return context instanceof ListableBeanFactory beans
                && BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false).length > 0;
    }
}
