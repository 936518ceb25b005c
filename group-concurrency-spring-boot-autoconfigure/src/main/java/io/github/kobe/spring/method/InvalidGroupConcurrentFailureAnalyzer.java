package io.github.kobe.spring.method;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports what is wrong with an annotation, where it is, and what to do. */
final class InvalidGroupConcurrentFailureAnalyzer extends AbstractFailureAnalyzer<InvalidGroupConcurrentException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidGroupConcurrentException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
