package io.github.kobe.spring.web;

import java.util.Locale;
import org.springframework.web.ErrorResponse;

/**
 * Changes what a client is told of a rejection: status, headers, and the problem detail that is the body. A bean of this type
 * is asked for each rejection that the starter answers: those with which a handler of Spring MVC or WebFlux ends, and requests
 * that the filter refuses.
 *
 * <pre>{@code
 * @Bean
 * RejectionAnswer answers(MessageSource messages) {
 *     return (rejection, locale) -> {
 *         rejection.getBody().setType(URI.create("https://example.com/problems/busy"));
 *         rejection.updateAndGetBody(messages, locale);
 *         return rejection;
 *     };
 * }
 * }</pre>
 *
 * <p>The codes of the detail's text are {@code problemDetail.io.github.kobe.RejectedTaskException.REASON}, with a
 * {@link io.github.kobe.RejectionReason}, {@code TOO_COSTLY} where a request costs more than its rate ever allows, or
 * {@code NO_KEY} or {@code OTHER_KEY} where the filter refuses a request for its key. The property {@code reason} of the
 * detail has the reason, but for those last two.
 *
 * <p>The answer is written by the converters of Spring MVC or the codecs of WebFlux: as JSON, or as XML for a client that
 * wants that and an application that can. It is asked on a thread of the request, with WebFlux on one that must not block. If
 * it throws, so does the request. Used by many threads at once.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RejectionAnswer {

    /**
     * Decides on an answer.
     *
     * @param rejection what is answered without this bean; status 400, 403, 429 or 503. Its headers and its body can be
     *     changed
     * @param locale the client's
     * @return what is answered: {@code rejection}, changed or not, or anything else; if it is {@code null} all the same,
     *     {@code rejection} is answered, and the log is told once
     */
    ErrorResponse answer(ErrorResponse rejection, Locale locale);
}
