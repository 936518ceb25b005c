package io.github.kobe.spring.web;

import io.github.kobe.spring.internal.context.EnclosingPermit;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.servlet.config.annotation.AsyncSupportConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Makes Spring MVC run asynchronous handlers inside the permits of their requests, on the executor that Spring Boot
 * gives it. It comes right after Spring Boot's configurer: an executor of the application's own is left alone.
 */
final class MvcAsyncSupport implements WebMvcConfigurer, Ordered {

    private static final String EXECUTOR = "applicationTaskExecutor";

    private final BeanFactory beans;

    /**
     * @param beans has Spring Boot's executor
     */
    MvcAsyncSupport(BeanFactory beans) {
        this.beans = beans;
    }

    /** Spring Boot's own configurer has 0. */
    @Override
    public int getOrder() {
        return 1;
    }

    @Override
    public void configureAsyncSupport(AsyncSupportConfigurer configurer) {
        if (beans.containsBean(EXECUTOR) && beans.getBean(EXECUTOR) instanceof AsyncTaskExecutor executor) {
            configurer.setTaskExecutor(task -> {
                EnclosingPermit permit = ofCurrentRequest();
                executor.execute(permit == null ? task : () -> permit.enter(task));
            });
        }
    }

    private static @Nullable EnclosingPermit ofCurrentRequest() {
        RequestAttributes request = RequestContextHolder.getRequestAttributes();
        return request == null
                ? null
                : (EnclosingPermit)
                        request.getAttribute(RequestGroupKey.PERMIT_ATTRIBUTE, RequestAttributes.SCOPE_REQUEST);
    }
}
