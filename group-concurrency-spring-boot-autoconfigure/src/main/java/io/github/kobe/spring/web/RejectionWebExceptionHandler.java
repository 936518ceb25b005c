package io.github.kobe.spring.web;

import org.springframework.core.Ordered;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * Answers rejections that a request to WebFlux ends with. After the application's own handlers of the exception, before
 * Spring Boot's for all others.
 */
public final class RejectionWebExceptionHandler implements WebExceptionHandler, Ordered {

    /** Spring Boot's handler, which answers everything, has -1. */
    private static final int BEFORE_THE_DEFAULT = -2;

    /** Makes a handler. */
    public RejectionWebExceptionHandler() {}

    @Override
    public int getOrder() {
        return BEFORE_THE_DEFAULT;
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
        return RejectionProblem.of(failure)
                .map(problem -> answer(exchange.getResponse(), problem, failure))
                .orElseGet(() -> Mono.error(failure));
    }

    private static Mono<Void> answer(ServerHttpResponse response, RejectionProblem problem, Throwable failure) {
        if (!response.setStatusCode(problem.status())) {
            return Mono.error(failure);
        }
        response.getHeaders().set(RejectionProblem.RETRY_AFTER, RejectionProblem.RETRY_AFTER_VALUE);
        response.getHeaders().set("Content-Type", RejectionProblem.CONTENT_TYPE);
        return response.writeWith(Mono.fromSupplier(() -> body(response, problem)));
    }

    private static DataBuffer body(ServerHttpResponse response, RejectionProblem problem) {
        return response.bufferFactory().wrap(problem.body());
    }
}
