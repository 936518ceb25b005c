package io.github.kobe.spring.web;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Tells the group that a request is limited in, in a servlet application. As a bean it serves the rules of
 * {@code group-concurrency.web.filter} that have no {@code key-source}, or all paths where there is no rule:
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
     * The attribute under which a limited request has its {@link io.github.kobe.GroupPermit}, for code that works for the
     * request on threads of its own: what it does in the permit's {@code call} is inside, as what the request's own
     * threads do is.
     */
    String PERMIT_ATTRIBUTE = "io.github.kobe.spring.web.permit";

    /**
     * Gives the key of one request's group. Called once for each request, on its thread, after the filters before this one.
     *
     * @param request the request
     * @return the key, taken as it is; {@code null} or blank: there is none, and the rule's {@code missing-key} holds
     */
    @Nullable
    String of(HttpServletRequest request);
}
