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
        String message = String.valueOf(cause.getMessage());
        boolean isMisspelt = message.endsWith("?");
        String value = cause.value() == null ? "" : "%n    Value: \"%s\"".formatted(shown(cause.value()));
        String description = "%s%n%n    Property: %s%s%n    Origin: %s%n    Allowed: %s"
                .formatted(
                        isMisspelt ? message : message + ":",
                        shown(cause.property()),
                        value,
                        shown(cause.origin()),
                        shown(cause.allowed()));
        boolean isSlip = isMisspelt && KnownNames.isSlip(cause.property(), cause.allowed());
        return new FailureAnalysis(description, isSlip ? action(cause) : null, cause);
    }

    /** What is allowed says what to do in all other cases; where more than a slip is wrong, another name may be meant. */
    private static String action(InvalidSettingException misspelt) {
        return "Write " + shown(misspelt.allowed()) + " in its place.";
    }

    /** Keys may hold anything, and all of these may hold a key. */
    private static String shown(String text) {
        return PrintableText.inOneLine(text);
    }
}
