package io.github.kobe.spring.dashboard;

import java.net.URI;
import java.util.Map;
import java.util.Set;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.server.MethodNotAllowedException;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;
import reactor.core.publisher.Mono;

/** The page with WebFlux, before the application's handlers with patterns for any path. */
final class DashboardHandlerMapping extends SimpleUrlHandlerMapping {

    /** As the actuator's own. */
    private static final int ORDER = -100;

    private static final Set<HttpMethod> READS = Set.of(HttpMethod.GET, HttpMethod.HEAD);

    DashboardHandlerMapping(DashboardPage page) {
        String path = page.path().value();
        WebHandler handler = exchange -> handle(page, exchange);
        setUrlMap(Map.of(path, handler, path + "/**", handler));
        setOrder(ORDER);
    }

    private static Mono<Void> handle(DashboardPage page, ServerWebExchange exchange) {
        HttpMethod method = exchange.getRequest().getMethod();
        if (!READS.contains(method)) {
            return Mono.error(new MethodNotAllowedException(method, READS));
        }
        String below = exchange.getRequest()
                .getPath()
                .pathWithinApplication()
                .value()
                .substring(page.path().value().length());
        ServerHttpResponse response = exchange.getResponse();
        if (below.isEmpty()) {
            response.setStatusCode(HttpStatus.FOUND);
            response.getHeaders().setLocation(URI.create(page.withSlash()));
            return response.setComplete();
        }
        PageFile file = page.find(below);
        return file == null ? Mono.error(new ResponseStatusException(HttpStatus.NOT_FOUND)) : write(file, exchange);
    }

    private static Mono<Void> write(PageFile file, ServerWebExchange exchange) {
        ServerHttpResponse response = exchange.getResponse();
        HttpHeaders headers = response.getHeaders();
        PageFile.HEADERS.forEach(headers::set);
        if (exchange.checkNotModified(file.tag())) {
            return response.setComplete();
        }
        headers.setContentType(MediaType.parseMediaType(file.type()));
        headers.setContentLength(file.content().length);
        return response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(file.content())));
    }
}
