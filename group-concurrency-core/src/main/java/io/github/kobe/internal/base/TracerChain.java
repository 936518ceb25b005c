package io.github.kobe.internal.base;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskTrace;
import io.github.kobe.TaskTracer;
import io.github.kobe.internal.jfr.FlightRecording;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Combines several tracers: each is asked for a trace, in their order. */
final class TracerChain implements TaskTracer {

    private final List<Member<TaskTracer>> tracers;

    private TracerChain(List<TaskTracer> tracers) {
        this.tracers = Member.all(tracers);
    }

    /** {@return all of them and the Flight Recorder's, which is the last, as one; {@code null} if there is none} */
    static @Nullable TaskTracer of(List<TaskTracer> tracers) {
        List<TaskTracer> all = new ArrayList<>(tracers);
        TaskTracer recorder = FlightRecording.tracer();
        if (recorder != null) {
            all.add(recorder);
        }
        return switch (all.size()) {
            case 0 -> null;
            case 1 -> all.getFirst();
            default -> new TracerChain(all);
        };
    }

    /** {@return whether a tracer is to be asked for a trace; one that fails is, so that its failure is logged} */
    static boolean isOn(TaskTracer tracer) {
        try {
            return tracer.isOn();
        } catch (Throwable failure) {
            return true;
        }
    }

    @Override
    public boolean isOn() {
        for (int i = 0; i < tracers.size(); i++) { // an iterator would be an object for each call
            if (isOn(tracers.get(i).code())) {
                return true;
            }
        }
        return false;
    }

    @Override
    public @Nullable TaskTrace trace(String groupKey, String taskId) {
        Member<TaskTrace> only = null;
        List<Member<TaskTrace>> several = null;
        for (int i = 0; i < tracers.size(); i++) {
            Member<TaskTracer> tracer = tracers.get(i);
            TaskTrace trace = traceBy(tracer, groupKey, taskId);
            if (trace == null) {
                continue;
            }
            Member<TaskTrace> member = new Member<>(trace, tracer.failures());
            if (only == null) {
                only = member;
                continue;
            }
            if (several == null) {
                several = new ArrayList<>(List.of(only));
            }
            several.add(member);
        }
        if (only == null) {
            return null;
        }
        return several == null ? only.code() : new Traces(groupKey, several);
    }

    private static @Nullable TaskTrace traceBy(Member<TaskTracer> tracer, String groupKey, String taskId) {
        try {
            return tracer.code().isOn() ? tracer.code().trace(groupKey, taskId) : null;
        } catch (Throwable failure) {
            tracer.failures().methodFailed("tracer", groupKey, failure);
            return null;
        }
    }

    /** The traces of one piece of work; the first wraps it outermost. */
    private record Traces(String groupKey, List<Member<TaskTrace>> traces) implements TaskTrace {

        @Override
        public <T> Callable<T> around(Callable<T> task) {
            Callable<T> wrapped = task;
            for (Member<TaskTrace> trace : traces.reversed()) {
                wrapped = around(trace, wrapped);
            }
            return wrapped;
        }

        @SuppressWarnings("ConstantValue") // user code may return null, whatever it declares
        private <T> Callable<T> around(Member<TaskTrace> trace, Callable<T> task) {
            Throwable cause;
            try {
                Callable<T> wrapped = trace.code().around(task);
                if (wrapped != null) {
                    return wrapped;
                }
                cause = new NullPointerException("The trace returned null");
            } catch (Throwable failure) {
                cause = failure;
            }
            trace.failures().methodFailed("trace's around", groupKey, cause);
            return task;
        }

        @Override
        public void onStarted(long queuedNanos) {
            tellAll("onStarted", trace -> trace.onStarted(queuedNanos));
        }

        @Override
        public void onRejected(RejectionReason reason) {
            tellAll("onRejected", trace -> trace.onRejected(reason));
        }

        @Override
        public void onCompleted(GroupResult<?> result) {
            tellAll("onCompleted", trace -> trace.onCompleted(result));
        }

        private void tellAll(String method, Consumer<TaskTrace> event) {
            for (Member<TaskTrace> trace : traces) {
                trace.tell("trace's " + method, groupKey, event);
            }
        }
    }
}
