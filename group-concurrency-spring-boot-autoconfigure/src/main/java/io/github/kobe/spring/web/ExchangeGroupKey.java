package io.github.kobe.spring.web;

import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Supplies the key of the group in which a request is limited, with WebFlux, as {@link RequestGroupKey} does in a
 * servlet application:
 *
 * <pre>{@code
 * @Bean
 * ExchangeGroupKey byClient() {
 *     return exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-Client-Id"))
 *             .map(client -> "client:" + client);
 * }
 * }</pre>
 */
@FunctionalInterface
public interface ExchangeGroupKey {

    /**
     * Returns the key of a request's group. Called once for each request, after the filters before this one.
     *
     * @param exchange the request
     * @return the key, used unchanged; empty or blank: there is none, and the rule's {@code missing-key} applies
     */
    Mono<String> of(ServerWebExchange exchange);
}
