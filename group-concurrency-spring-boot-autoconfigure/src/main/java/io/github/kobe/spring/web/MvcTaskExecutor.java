package io.github.kobe.spring.web;

import io.github.kobe.spring.internal.context.EnclosingPermit;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Runs tasks that Spring MVC moves to another thread, such as a {@code Callable} that a controller has returned, inside
 * the permit of their request.
 */
final class MvcTaskExecutor implements AsyncTaskExecutor {

    private final AsyncTaskExecutor executor;

    /**
     * @param executor what runs it
     */
    MvcTaskExecutor(AsyncTaskExecutor executor) {
        this.executor = executor;
    }

    @Override
    public void execute(Runnable task) {
        EnclosingPermit permit = ofCurrentRequest();
        executor.execute(permit == null ? task : () -> permit.enter(task));
    }

    private static @Nullable EnclosingPermit ofCurrentRequest() {
        RequestAttributes request = RequestContextHolder.getRequestAttributes();
        return request == null
                ? null
                : (EnclosingPermit)
                        request.getAttribute(RequestGroupKey.PERMIT_ATTRIBUTE, RequestAttributes.SCOPE_REQUEST);
    }
}
