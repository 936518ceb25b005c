package io.github.kobe.spring.policy;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskTrace;
import io.github.kobe.TaskTracer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Several tracers as one. One that throws is logged once and changes nothing for the others. */
final class TracerChain implements TaskTracer {

    private static final Log LOGGER = LogFactory.getLog(TracerChain.class);

    private final List<TaskTracer> tracers;
    private final AtomicBoolean logged = new AtomicBoolean();

    private TracerChain(List<TaskTracer> tracers) {
        this.tracers = tracers;
    }

    static @Nullable TaskTracer of(List<TaskTracer> tracers) {
        return switch (tracers.size()) {
            case 0 -> null;
            case 1 -> tracers.getFirst();
            default -> new TracerChain(List.copyOf(tracers));
        };
    }

    @Override
    public @Nullable TaskTrace trace(String groupKey, String taskId) {
        TaskTrace only = null;
        List<TaskTrace> several = null;
        for (TaskTracer tracer : tracers) {
            TaskTrace trace = traceBy(tracer, groupKey, taskId);
            if (trace == null) {
                continue;
            }
            if (only == null) {
                only = trace;
                continue;
            }
            if (several == null) {
                several = new ArrayList<>(List.of(only));
            }
            several.add(trace);
        }
        return several == null ? only : new Traces(several);
    }

    private @Nullable TaskTrace traceBy(TaskTracer tracer, String groupKey, String taskId) {
        try {
            return tracer.trace(groupKey, taskId);
        } catch (Throwable failure) {
            logOnce(failure);
            return null;
        }
    }

    private void logOnce(Throwable failure) {
        if (logged.compareAndSet(false, true)) {
            LOGGER.warn("A TaskTracer failed. Nothing changes by it; later failures are not logged.", failure);
        }
    }

    /** The first is outermost. */
    private final class Traces implements TaskTrace {
        private final List<TaskTrace> traces;

        Traces(List<TaskTrace> traces) {
            this.traces = traces;
        }

        @Override
        public <T> Callable<T> around(Callable<T> task) {
            Callable<T> wrapped = task;
            for (TaskTrace trace : traces.reversed()) {
                wrapped = around(trace, wrapped);
            }
            return wrapped;
        }

        @SuppressWarnings("ConstantValue") // user code may return null, whatever it declares
        private <T> Callable<T> around(TaskTrace trace, Callable<T> task) {
            try {
                Callable<T> wrapped = trace.around(task);
                if (wrapped != null) {
                    return wrapped;
                }
                logOnce(new NullPointerException("The trace returned null"));
            } catch (Throwable failure) {
                logOnce(failure);
            }
            return task;
        }

        @Override
        public void onStarted(long queuedNanos) {
            ListenerChain.tellAll(traces, trace -> trace.onStarted(queuedNanos));
        }

        @Override
        public void onRejected(RejectionReason reason) {
            ListenerChain.tellAll(traces, trace -> trace.onRejected(reason));
        }

        @Override
        public void onCompleted(GroupResult<?> result) {
            ListenerChain.tellAll(traces, trace -> trace.onCompleted(result));
        }
    }
}
