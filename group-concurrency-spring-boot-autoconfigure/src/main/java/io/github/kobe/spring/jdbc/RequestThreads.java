package io.github.kobe.spring.jdbc;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Takes from a thread what a request leaves open with it: the thread serves another request next. A session of JPA that is open
 * in the view keeps its connection until an asynchronous answer. This is the outermost filter, since until then the thread works
 * for the request, and must not wait for what that has.
 */
final class RequestThreads extends OncePerRequestFilter implements Ordered {

    /** Asked for with the first request, since filters are made before other beans. */
    private final SingletonSupplier<LimitedConnections> connections;

    RequestThreads(ObjectProvider<LimitedConnections> connections) {
        this.connections = SingletonSupplier.of(connections::getObject);
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    protected boolean shouldNotFilterAsyncDispatch() {
        return false;
    }

    @Override
    protected boolean shouldNotFilterErrorDispatch() {
        return false;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        try {
            chain.doFilter(request, response);
        } finally {
            connections.obtain().leaveThread();
        }
    }
}
