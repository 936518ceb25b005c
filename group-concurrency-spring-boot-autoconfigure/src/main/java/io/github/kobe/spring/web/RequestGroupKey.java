package io.github.kobe.spring.web;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Tells the group that a request is limited in. As a bean it takes the place of the settings of
 * {@code group-concurrency.web.filter} that name where the key is:
 *
 * <pre>{@code
 * @Bean
 * RequestGroupKey byApiKey() {
 *     return request -> "api-key:" + request.getHeader("X-Api-Key");
 * }
 * }</pre>
 */
@FunctionalInterface
public interface RequestGroupKey {

    /**
     * Gives the key of one request's group. Called once for each request, on its thread, after the filters before this one.
     *
     * @param request the request
     * @return the key, taken as it is; {@code null} or blank: the request isn't limited
     */
    @Nullable
    String of(HttpServletRequest request);
}
