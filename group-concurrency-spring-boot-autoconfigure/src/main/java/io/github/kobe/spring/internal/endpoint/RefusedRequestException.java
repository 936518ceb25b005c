package io.github.kobe.spring.internal.endpoint;

import io.github.kobe.spring.internal.settings.PrintableText;
import java.io.Serial;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** Ends an operation, with a problem as the response. */
public final class RefusedRequestException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    private static final int STATUS_CONFLICT = 409;

    private final transient EndpointProblem problem;
    /** The status of the response. */
    private final int status;

    private RefusedRequestException(EndpointProblem problem, int status) {
        super(problem.error() + "; allowed: " + problem.allowed(), null, false, false);
        this.problem = problem;
        this.status = status;
    }

    /**
     * Refuses a request with 400.
     *
     * @param error what is wrong
     * @param parameter what it is wrong with
     * @param value its value; {@code null}: not given
     * @param allowed what is allowed
     * @return the exception to throw
     */
    public static RefusedRequestException badRequest(
            String error, String parameter, @Nullable String value, String allowed) {
        return new RefusedRequestException(
                problem(error, parameter, value, allowed), WebEndpointResponse.STATUS_BAD_REQUEST);
    }

    /**
     * Refuses a request with 404.
     *
     * @param error what is wrong
     * @param parameter what it is wrong with
     * @param value its value
     * @param allowed what is allowed
     * @return the exception to throw
     */
    public static RefusedRequestException notFound(String error, String parameter, String value, String allowed) {
        return new RefusedRequestException(
                problem(error, parameter, value, allowed), WebEndpointResponse.STATUS_NOT_FOUND);
    }

    /**
     * Refuses a request with 409.
     *
     * @param error what is wrong
     * @param parameter what it is wrong with
     * @param value its value
     * @param allowed what is allowed
     * @return the exception to throw
     */
    public static RefusedRequestException conflict(String error, String parameter, String value, String allowed) {
        return new RefusedRequestException(problem(error, parameter, value, allowed), STATUS_CONFLICT);
    }

    private static EndpointProblem problem(String error, String parameter, @Nullable String value, String allowed) {
        return new EndpointProblem(error, parameter, value == null ? null : PrintableText.wellFormed(value), allowed);
    }

    /** {@return what is answered} */
    public WebEndpointResponse<Object> toResponse() {
        return new WebEndpointResponse<>(problem, status);
    }
}
