package io.github.kobe.spring.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Answers rejections with which a handler of Spring MVC ends, at once or through its future. It is the last of all
 * resolvers, so that the application's own handling of the exception takes precedence.
 */
final class RejectionExceptionResolver implements HandlerExceptionResolver, Ordered {

    private static final Log LOGGER = LogFactory.getLog(RejectionExceptionResolver.class);

    private final ServletRejectionAnswer answer;

    RejectionExceptionResolver(ServletRejectionAnswer answer) {
        this.answer = answer;
    }

    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception exception) {
        Optional<RejectionProblem> problem = RejectionProblem.of(exception);
        try {
            if (problem.isPresent() && answer.write(problem.get(), request, response)) {
                LOGGER.debug("Answered with a problem detail", exception);
                return new ModelAndView();
            }
        } catch (IOException gone) {
            LOGGER.debug("The client was gone before the rejection could be answered", gone);
            return new ModelAndView();
        }
        return null;
    }
}
