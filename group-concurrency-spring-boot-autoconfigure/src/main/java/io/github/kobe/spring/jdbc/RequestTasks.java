package io.github.kobe.spring.jdbc;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.servlet.config.annotation.AsyncSupportConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Takes from a thread what a task of a request leaves open with it, such as a {@code Callable} or a
 * {@code StreamingResponseBody} that Spring MVC runs on another thread: that thread runs something else next.
 */
final class RequestTasks implements WebMvcConfigurer, CallableProcessingInterceptor {

    /** Asked for with the first task, since Spring MVC may be set up before data sources are. */
    private final SingletonSupplier<LimitedConnections> connections;

    RequestTasks(ObjectProvider<LimitedConnections> connections) {
        this.connections = SingletonSupplier.of(connections::getObject);
    }

    @Override
    public void configureAsyncSupport(AsyncSupportConfigurer configurer) {
        configurer.registerCallableInterceptors(this);
    }

    @Override
    public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object result) {
        connections.obtain().leaveThread();
    }
}
