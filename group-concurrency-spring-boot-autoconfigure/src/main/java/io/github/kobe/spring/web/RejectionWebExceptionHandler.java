package io.github.kobe.spring.web;

import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * Answers rejections with which a WebFlux request ends. It comes after the application's own handlers of the exception,
 * and before Spring Boot's for all others.
 */
final class RejectionWebExceptionHandler implements WebExceptionHandler, Ordered {

    /** Spring Boot's handler, which answers everything, has -1. */
    private static final int BEFORE_THE_DEFAULT = -2;

    private final ReactiveRejectionAnswer answer;

    RejectionWebExceptionHandler(ReactiveRejectionAnswer answer) {
        this.answer = answer;
    }

    @Override
    public int getOrder() {
        return BEFORE_THE_DEFAULT;
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
        return RejectionProblem.of(failure)
                .flatMap(problem -> answer.write(problem, exchange))
                .orElseGet(() -> Mono.error(failure));
    }
}
