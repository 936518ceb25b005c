package io.github.kobe.spring.internal.settings;

import io.github.kobe.spring.InvalidSettingException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Reports a bad setting in Spring Boot's form. It comes first, since Boot's analyzer of bind exceptions knows less. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class InvalidSettingFailureAnalyzer extends AbstractFailureAnalyzer<InvalidSettingException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidSettingException cause) {
        String value = cause.value() == null ? "" : "%n    Value: \"%s\"".formatted(shown(cause.value()));
        String description = "%s%n%n    Property: %s%s%n    Origin: %s%n    Allowed: %s"
                .formatted(
                        String.valueOf(cause.getMessage()).endsWith("?")
                                ? cause.getMessage()
                                : cause.getMessage() + ":",
                        shown(cause.property()),
                        value,
                        shown(cause.origin()),
                        shown(cause.allowed()));
        return new FailureAnalysis(description, "Change the setting to what is allowed.", cause);
    }

    /** Keys may hold anything, and all of these may hold a key. */
    private static String shown(String text) {
        return PrintableText.inOneLine(text);
    }
}
