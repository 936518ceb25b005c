package io.github.kobe.spring.autoconfigure;

import io.github.kobe.GroupExecutor;
import io.github.kobe.scope.Scopes;
import io.github.kobe.spring.internal.settings.GroupConcurrencyProperties;
import io.github.kobe.spring.internal.settings.OtherJar;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** Reports why a requested bean of the starter doesn't exist. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class MissingBeanFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {

    private static final String ROLLOUTS = "io.github.kobe.rollout.Rollouts";
    private static final String ROLLOUT_SWITCH = GroupConcurrencyProperties.PREFIX + ".rollout.enabled";

    /** By its name, since not each is there: how one is made. */
    private static final Map<String, String> MADE_OVER_AN_EXECUTOR =
            Map.of(Scopes.class.getName(), "Scopes.of(executor)", ROLLOUTS, "Rollouts.builder(executor)");

    private final Environment environment;

    /** Made by Spring Boot. */
    MissingBeanFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause) {
        Class<?> type = cause.getBeanType();
        if (type == null
                || cause instanceof NoUniqueBeanDefinitionException
                || !type.getPackageName().startsWith(GroupExecutor.class.getPackageName())) {
            return null;
        }
        String missing = "There is no bean of type " + type.getName();
        if (!OnGroupConcurrencyEnabled.isMetIn(environment)) {
            return new FailureAnalysis(
                    missing + ": " + OnGroupConcurrencyEnabled.PROPERTY
                            + " is false, which removes every bean of the library.",
                    "If only annotated methods are to run without limit, as in a test, set"
                        + " group-concurrency.annotation.enabled to false instead: then the beans stay. Or ask for the"
                        + " bean with an ObjectProvider.",
                    cause);
        }
        if (type.getName().equals(ROLLOUTS) && OtherJar.ROLLOUT.isMissing(type.getClassLoader())) {
            return new FailureAnalysis(
                    missing + ": the jar that makes one isn't on the class path.",
                    "Add " + OtherJar.ROLLOUT.coordinates() + ", or a bean made by Rollouts.builder(executor).",
                    cause);
        }
        String rollouts = environment.getProperty(ROLLOUT_SWITCH, "true");
        if (type.getName().equals(ROLLOUTS) && !rollouts.equalsIgnoreCase("true")) {
            return new FailureAnalysis(
                    missing + ": " + ROLLOUT_SWITCH + " is " + rollouts + ".",
                    "Take that setting away, or ask for the bean with an ObjectProvider.",
                    cause);
        }
        String making = MADE_OVER_AN_EXECUTOR.get(type.getName());
        if (making != null) {
            return new FailureAnalysis(
                    missing
                            + ": it is made for the default GroupExecutor, and there is not"
                            + " exactly one such bean.",
                    "Make one of the GroupExecutor beans @Primary, or all but one @Bean(defaultCandidate = false). Or"
                            + " add a bean made by " + making + ".",
                    cause);
        }
        return type == GroupConcurrencyRefresher.class
                ? new FailureAnalysis(
                        missing
                                + ": it is made only if both the GroupPolicy and the GroupExecutor are the"
                                + " starter's.",
                        "Ask for it with an ObjectProvider, or remove the application's own GroupPolicy and"
                                + " GroupExecutor beans; a further GroupExecutor may stay as a"
                                + " @Bean(defaultCandidate = false).",
                        cause)
                : null;
    }
}
