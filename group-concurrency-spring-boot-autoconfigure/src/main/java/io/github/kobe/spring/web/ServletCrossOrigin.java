package io.github.kobe.spring.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.cors.DefaultCorsProcessor;

/**
 * Gives a refusal the CORS headers that the handler's own answer would have, since a browser shows a script of another
 * origin neither status nor headers without them. The handler is looked up, not called.
 */
final class ServletCrossOrigin extends DefaultCorsProcessor {

    /** Spring MVC's bean that finds the configuration of a handler; by its name, since Spring MVC may not be there. */
    private static final String CONFIGURATIONS = "mvcHandlerMappingIntrospector";

    private final BeanFactory beans;

    /**
     * @param beans has Spring MVC's handlers
     */
    ServletCrossOrigin(BeanFactory beans) {
        this.beans = beans;
    }

    /** Sets the headers, unless a filter has. */
    void allow(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (!CorsUtils.isCorsRequest(request) || !beans.containsBean(CONFIGURATIONS)) {
            return;
        }
        CorsConfiguration configuration =
                beans.getBean(CONFIGURATIONS, CorsConfigurationSource.class).getCorsConfiguration(request);
        if (configuration != null) {
            processRequest(configuration, request, response);
        }
    }

    /** Whoever isn't allowed gets the refusal too, without the headers. */
    @Override
    protected void rejectRequest(ServerHttpResponse response) {}
}
