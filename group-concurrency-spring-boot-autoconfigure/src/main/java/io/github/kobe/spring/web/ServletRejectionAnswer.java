package io.github.kobe.spring.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServletServerHttpResponse;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.ErrorResponse;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/** Writes the problem of a rejection to a servlet's response. */
final class ServletRejectionAnswer implements SmartInitializingSingleton {

    private static final String MVC =
            "org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter";

    private final ApplicationAnswer application;
    private final SingletonSupplier<List<HttpMessageConverter<?>>> converters;

    /**
     * @param beans has what changes answers, and what writes them; asked once all other beans are there
     */
    ServletRejectionAnswer(BeanFactory beans) {
        application = new ApplicationAnswer(beans);
        converters =
                SingletonSupplier.of(() -> ClassUtils.isPresent(MVC, null) ? ConvertersOfMvc.of(beans) : List.of());
    }

    /** Has the bean made that changes answers, if there is one. */
    @Override
    public void afterSingletonsInstantiated() {
        application.makeReady();
    }

    /** {@return whether it was written: not where something is on its way to the client already} */
    boolean write(RejectionProblem problem, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        if (response.isCommitted()) {
            return false;
        }
        empty(response);
        if (application.isThere()) {
            write(application.to(problem, request.getLocale()), request, response);
        } else {
            ErrorResponse answer = RejectionResponse.of(problem);
            response.setStatus(answer.getStatusCode().value());
            answer.getHeaders().toSingleValueMap().forEach(response::setHeader);
            write(answer.getBody(), response);
        }
        response.flushBuffer();
        return true;
    }

    /** Takes back what isn't sent yet, but for the headers, such as those for scripts of other origins. */
    private static void empty(HttpServletResponse response) throws IOException {
        response.resetBuffer();
        try {
            OutputStream unused = response.getOutputStream();
        } catch (IllegalStateException handlerHasWriter) {
            HttpHeaders headers = new HttpHeaders();
            response.getHeaderNames().forEach(name -> headers.addAll(name, List.copyOf(response.getHeaders(name))));
            response.reset();
            headers.forEach((name, values) -> values.forEach(value -> response.addHeader(name, value)));
        }
    }

    private void write(ErrorResponse answer, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        response.setStatus(answer.getStatusCode().value());
        answer.getHeaders().forEach((name, values) -> values.forEach(value -> response.addHeader(name, value)));
        ProblemDetail body = answer.getBody();
        for (MediaType type : RejectionResponse.typesFor(request.getHeader("Accept"))) {
            for (HttpMessageConverter<?> converter : converters.obtain()) {
                if (converter.canWrite(ProblemDetail.class, type)) {
                    writeBy(converter, body, type, response);
                    return;
                }
            }
        }
        write(body, response);
    }

    @SuppressWarnings("unchecked") // it has said that it can write these
    private static void writeBy(
            HttpMessageConverter<?> converter, ProblemDetail body, MediaType type, HttpServletResponse response)
            throws IOException {
        ((HttpMessageConverter<ProblemDetail>) converter).write(body, type, new ServletServerHttpResponse(response));
    }

    private static void write(ProblemDetail body, HttpServletResponse response) throws IOException {
        byte[] json = RejectionResponse.jsonOf(body);
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        response.setContentLength(json.length);
        response.getOutputStream().write(json);
    }

    /** Apart, since Spring MVC may not be there. */
    private static final class ConvertersOfMvc {

        static List<HttpMessageConverter<?>> of(BeanFactory beans) {
            RequestMappingHandlerAdapter adapter =
                    beans.getBeanProvider(RequestMappingHandlerAdapter.class).getIfAvailable();
            return adapter == null ? List.of() : adapter.getMessageConverters();
        }
    }
}
