package io.github.kobe.spring.internal.context;

import io.github.kobe.GroupTaskDecorator;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Copies the logging context (MDC) of the submitting thread to the task's, for as long as the task runs. If the task's
 * thread already has a context, as the submitter's own thread does, that context is restored afterwards.
 */
public final class MdcTaskDecorator implements GroupTaskDecorator {

    /** Makes a decorator. */
    public MdcTaskDecorator() {}

    @Override
    public Callable<?> decorate(String groupKey, Callable<?> task) {
        Map<String, String> submitters = MDC.getCopyOfContextMap();
        Thread submitter = Thread.currentThread();
        return () -> {
            // A virtual thread that isn't the submitter's was made for the task, and has nothing to be put back.
            Thread thread = Thread.currentThread();
            boolean fresh = thread.isVirtual() && !thread.equals(submitter);
            Map<String, String> before = fresh ? null : MDC.getCopyOfContextMap();
            put(submitters);
            try {
                return task.call();
            } finally {
                put(before);
            }
        };
    }

    private static void put(@Nullable Map<String, String> context) {
        if (context == null) {
            MDC.clear();
        } else {
            MDC.setContextMap(context);
        }
    }
}
