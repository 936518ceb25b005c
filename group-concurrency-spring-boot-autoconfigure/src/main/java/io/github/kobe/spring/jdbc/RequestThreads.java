package io.github.kobe.spring.jdbc;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.servlet.AsyncHandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Takes a request's connections from its thread once Spring MVC goes on without that, which serves another request then. A
 * session of JPA that is open in the view keeps its connection until the answer.
 */
final class RequestThreads implements WebMvcConfigurer, AsyncHandlerInterceptor {

    private final ObjectProvider<LimitedConnections> connections;

    RequestThreads(ObjectProvider<LimitedConnections> connections) {
        this.connections = connections;
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(this);
    }

    @Override
    public void afterConcurrentHandlingStarted(
            HttpServletRequest request, HttpServletResponse response, Object handler) {
        connections.getObject().leaveThread();
    }
}
