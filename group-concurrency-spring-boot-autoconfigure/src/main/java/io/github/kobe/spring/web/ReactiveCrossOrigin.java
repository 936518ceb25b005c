package io.github.kobe.spring.web;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Gives a refusal of WebFlux the CORS headers that the handler's own answer would have, since a browser shows a script
 * of another origin neither status nor headers without them. The handler is looked up, not called.
 */
final class ReactiveCrossOrigin {

    private final ObjectProvider<HandlerMapping> mappings;

    /**
     * @param mappings set the headers when they look a handler up, unless a filter has
     */
    ReactiveCrossOrigin(ObjectProvider<HandlerMapping> mappings) {
        this.mappings = mappings;
    }

    /** {@return what sets the headers; it never fails} */
    Mono<Void> allow(ServerWebExchange exchange) {
        if (!CorsUtils.isCorsRequest(exchange.getRequest())) {
            return Mono.empty();
        }
        return Flux.fromStream(mappings::orderedStream)
                .concatMap(mapping -> mapping.getHandler(exchange))
                .next()
                .onErrorComplete()
                .then();
    }
}
