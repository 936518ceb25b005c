package io.github.kobe.spring.web;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.ResolvableType;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.codec.HttpMessageWriter;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.ErrorResponse;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.result.view.ViewResolver;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Writes the problem of a rejection to a response of WebFlux. */
final class ReactiveRejectionAnswer implements SmartInitializingSingleton {

    private static final ResolvableType BODY = ResolvableType.forClass(ProblemDetail.class);

    private final ApplicationAnswer application;
    private final SingletonSupplier<Codecs> codecs;

    /**
     * @param beans has what changes answers, and what writes them; asked once all other beans are there
     */
    ReactiveRejectionAnswer(BeanFactory beans) {
        application = new ApplicationAnswer(beans);
        codecs = SingletonSupplier.of(() -> new Codecs(beans.getBeanProvider(ServerCodecConfigurer.class)
                .getIfAvailable(ServerCodecConfigurer::create)
                .getWriters()));
    }

    /** Has the bean made that changes answers, if there is one. */
    @Override
    public void afterSingletonsInstantiated() {
        application.makeReady();
    }

    /** {@return what writes it; none where something is on its way to the client already} */
    Optional<Mono<Void>> write(RejectionProblem problem, ServerWebExchange exchange) {
        ServerHttpResponse response = exchange.getResponse();
        if (!response.setStatusCode(problem.status())) {
            return Optional.empty();
        }
        if (application.isThere()) {
            Locale asked = exchange.getLocaleContext().getLocale();
            Locale locale = asked == null ? Locale.getDefault() : asked;
            return Optional.of(Mono.defer(() -> write(application.to(problem, locale), exchange)));
        }
        ErrorResponse answer = RejectionResponse.of(problem);
        byte[] body = RejectionResponse.jsonOf(answer.getBody());
        response.getHeaders().setAll(answer.getHeaders().toSingleValueMap());
        response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        response.getHeaders().setContentLength(body.length);
        return Optional.of(response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(body))));
    }

    private Mono<Void> write(ErrorResponse answer, ServerWebExchange exchange) {
        Codecs writers = codecs.obtain();
        String accept = exchange.getRequest().getHeaders().getFirst(HttpHeaders.ACCEPT);
        MediaType type = RejectionResponse.typesFor(accept).stream()
                .filter(writers::canWrite)
                .findFirst()
                .orElse(MediaType.APPLICATION_PROBLEM_JSON);
        return ServerResponse.status(answer.getStatusCode())
                .headers(headers -> answer.getHeaders()
                        .forEach((name, values) -> values.forEach(value -> headers.add(name, value))))
                .contentType(type)
                .bodyValue(answer.getBody())
                .flatMap(written -> written.writeTo(exchange, writers));
    }

    /**
     * What writes bodies.
     *
     * @param messageWriters those of the application
     */
    private record Codecs(List<HttpMessageWriter<?>> messageWriters) implements ServerResponse.Context {

        boolean canWrite(MediaType type) {
            return messageWriters.stream().anyMatch(writer -> writer.canWrite(BODY, type));
        }

        @Override
        public List<ViewResolver> viewResolvers() {
            return List.of();
        }
    }
}
