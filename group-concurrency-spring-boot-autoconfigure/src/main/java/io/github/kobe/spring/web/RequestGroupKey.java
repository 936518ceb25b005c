package io.github.kobe.spring.web;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Supplies the key of the group in which a request is limited, in a servlet application. A bean of this type is used
 * for the rules of {@code group-concurrency.web.filter} that have no {@code key-source}, or for all paths if there is
 * no rule:
 *
 * <pre>{@code
 * @Bean
 * RequestGroupKey byClient() {
 *     return request -> "client:" + request.getHeader("X-Client-Id");
 * }
 * }</pre>
 */
@FunctionalInterface
public interface RequestGroupKey {

    /**
     * The attribute under which a limited request has its {@link io.github.kobe.GroupPermit}. It is for code that works
     * for the request on its own threads: code in the permit's {@code call} is inside the permit, as are the request's
     * own threads. Once the permit is back, with {@code hold: until-first-byte} when the answer begins, its {@code call}
     * throws an {@link IllegalStateException}.
     */
    String PERMIT_ATTRIBUTE = "io.github.kobe.spring.web.permit";

    /**
     * The attribute in which a filter of the application may set, as a {@link java.time.Instant}, until when somebody
     * waits for the answer to a request. A limited request that can't begin before that is refused, as one whose time in
     * the queue is up. It counts before the header that {@code deadline-header} names.
     */
    String DEADLINE_ATTRIBUTE = "io.github.kobe.spring.web.deadline";

    /**
     * Returns the key of a request's group. Called once for each request, on its thread, after the filters before this
     * one.
     *
     * @param request the request
     * @return the key, used unchanged; {@code null} or blank: there is none, and the rule's {@code missing-key} applies
     */
    @Nullable
    String of(HttpServletRequest request);
}
