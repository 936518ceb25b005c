package io.github.kobe.spring.autoconfigure;

import io.github.kobe.InvalidPolicyException;
import io.github.kobe.spring.internal.settings.PrintableText;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Reports a bad number that the application's own code has set in a policy. It comes after the analyzer of settings,
 * which knows where a number from the settings is written.
 */
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
final class InvalidPolicyFailureAnalyzer extends AbstractFailureAnalyzer<InvalidPolicyException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidPolicyException cause) {
        String rule = cause.rule() == null ? "" : "%n    Group: %s".formatted(PrintableText.ofKey(cause.rule()));
        return new FailureAnalysis(
                "The bean '%s' can't be created, because a number in its policy is out of range:%n%n    Number: %s%s%n    Value: %s%n    Allowed: %s"
                        .formatted(nameOfBean(rootFailure), cause.setting(), rule, cause.value(), cause.allowed()),
                "The number doesn't come from the settings: change it in the GroupPolicyCustomizer, in the GroupPolicy"
                        + " bean or wherever else the policy is made.",
                cause);
    }

    /** Of the innermost bean, whose code has failed. */
    private static String nameOfBean(Throwable failure) {
        String name = "?";
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BeanCreationException creation && creation.getBeanName() != null) {
                name = creation.getBeanName();
            }
        }
        return PrintableText.inOneLine(name);
    }
}
