package io.github.kobe.spring.scope;

import io.github.kobe.scope.Scopes;
import io.github.kobe.spring.autoconfigure.ExecutorBeans;
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

/**
 * Matches where one executor is meant without a name, unless it is an ancestor's, and so are scopes: these are over it
 * already.
 */
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
            return ConditionOutcome.noMatch(executors.size() + " executors are meant without a name " + executors);
        }
        String executor = executors.getFirst();
        boolean isOfAncestor = !beans.containsLocalBean(executor);
        return isOfAncestor && hasScopes(beans.getParentBeanFactory())
                ? ConditionOutcome.noMatch("an ancestor has executor " + executor + " and scopes")
                : ConditionOutcome.match("executor " + executor);
    }

    private static boolean hasScopes(@Nullable BeanFactory context) {
        return context instanceof ListableBeanFactory beans
                && BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, Scopes.class, true, false).length > 0;
    }
}
