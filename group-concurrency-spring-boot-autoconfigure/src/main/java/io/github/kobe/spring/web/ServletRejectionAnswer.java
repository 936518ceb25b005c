package io.github.kobe.spring.web;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Writes the problem of a rejection to a servlet's response. */
final class ServletRejectionAnswer {

    private ServletRejectionAnswer() {}

    /** {@return whether it was written: not where something is on its way to the client already} */
    static boolean write(RejectionProblem problem, HttpServletResponse response) throws IOException {
        if (response.isCommitted()) {
            return false;
        }
        byte[] body = problem.body();
        response.resetBuffer();
        response.setStatus(problem.status().value());
        if (problem.mayPass()) {
            response.setHeader(RejectionProblem.RETRY_AFTER, RejectionProblem.retryAfter());
        }
        response.setContentType(RejectionProblem.CONTENT_TYPE);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
        response.flushBuffer();
        return true;
    }
}
