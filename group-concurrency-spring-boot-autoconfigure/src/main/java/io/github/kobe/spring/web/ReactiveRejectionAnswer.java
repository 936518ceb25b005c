package io.github.kobe.spring.web;

import java.util.Optional;
import org.springframework.http.server.reactive.ServerHttpResponse;
import reactor.core.publisher.Mono;

/** Writes the problem of a rejection to a response of WebFlux. */
final class ReactiveRejectionAnswer {

    private ReactiveRejectionAnswer() {}

    /** {@return what writes it; none where something is on its way to the client already} */
    static Optional<Mono<Void>> write(RejectionProblem problem, ServerHttpResponse response) {
        if (!response.setStatusCode(problem.status())) {
            return Optional.empty();
        }
        if (problem.mayPass()) {
            response.getHeaders().set(RejectionProblem.RETRY_AFTER, RejectionProblem.retryAfter());
        }
        byte[] body = problem.body();
        response.getHeaders().set("Content-Type", RejectionProblem.CONTENT_TYPE);
        response.getHeaders().setContentLength(body.length);
        return Optional.of(response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(body))));
    }
}
