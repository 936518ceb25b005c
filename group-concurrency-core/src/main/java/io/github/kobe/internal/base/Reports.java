package io.github.kobe.internal.base;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTrace;
import io.github.kobe.TaskTracer;
import java.lang.System.Logger.Level;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Calls the listener of the policy, and the trace of the work. What they throw is logged once for each method and has
 * no other effect. Never called under a lock.
 */
public final class Reports {

    private final Core core;
    private final FailureLog failures = new FailureLog();

    Reports(Core core) {
        this.core = core;
    }

    private @Nullable TaskLifecycleListener listener() {
        return core.policy.listener();
    }

    /** {@return whether anyone listens to work of this trace} If not, nothing has to be made to tell of it. */
    public boolean isObserved(@Nullable TaskTrace trace) {
        return trace != null || listener() != null;
    }

    /**
     * {@return what follows the work from now on, if anything}
     *
     * @throws IllegalArgumentException if the key is too long; nobody hears of it then
     */
    public @Nullable TaskTrace submitted(String key, String id) {
        core.requireKey(key);
        TaskTrace trace = trace(key, id);
        tellSubmitted(key, id);
        return trace;
    }

    /** {@return what is to follow work of the current thread, if anything} */
    public @Nullable TaskTrace trace(String key, String id) {
        TaskTracer tracer = core.policy.tracer();
        return tracer == null ? null : traced(tracer, key, id);
    }

    public void tellSubmitted(String key, String id) {
        TaskLifecycleListener listener = listener();
        if (listener != null) {
            try {
                listener.onSubmitted(key, id);
            } catch (Throwable failure) {
                methodFailed("listener's onSubmitted", key, failure);
            }
        }
    }

    private @Nullable TaskTrace traced(TaskTracer tracer, String key, String id) {
        try {
            return tracer.isOn() ? tracer.trace(key, id) : null;
        } catch (Throwable failure) {
            methodFailed("tracer", key, failure);
            return null;
        }
    }

    /** {@return the work as its trace has it; the work itself if that fails} */
    @SuppressWarnings("ConstantValue") // user code may return null, whatever it declares
    public <T> Callable<T> around(@Nullable TaskTrace trace, String key, Callable<T> work) {
        if (trace == null) {
            return work;
        }
        Throwable cause;
        try {
            Callable<T> wrapped = trace.around(work);
            if (wrapped != null) {
                return wrapped;
            }
            cause = new NullPointerException("The trace returned null");
        } catch (Throwable failure) {
            cause = failure;
        }
        methodFailed("trace's around", key, cause);
        return work;
    }

    public void started(String key, String id, long queuedNanos, @Nullable TaskTrace trace) {
        TaskLifecycleListener listener = listener();
        if (listener != null) {
            try {
                listener.onStarted(key, id);
            } catch (Throwable failure) {
                methodFailed("listener's onStarted", key, failure);
            }
        }
        if (trace != null) {
            try {
                trace.onStarted(queuedNanos);
            } catch (Throwable failure) {
                methodFailed("trace's onStarted", key, failure);
            }
        }
    }

    public void rejected(String key, String id, RejectionReason reason, @Nullable TaskTrace trace) {
        TaskLifecycleListener listener = listener();
        if (listener != null) {
            try {
                listener.onRejected(key, id, reason);
            } catch (Throwable failure) {
                methodFailed("listener's onRejected", key, failure);
            }
        }
        if (trace != null) {
            try {
                trace.onRejected(reason);
            } catch (Throwable failure) {
                methodFailed("trace's onRejected", key, failure);
            }
        }
    }

    public void completed(String key, String id, GroupResult<?> result, @Nullable TaskTrace trace) {
        TaskLifecycleListener listener = listener();
        if (listener != null) {
            try {
                listener.onCompleted(key, id, result);
            } catch (Throwable failure) {
                methodFailed("listener's onCompleted", key, failure);
            }
        }
        if (trace != null) {
            try {
                trace.onCompleted(result);
            } catch (Throwable failure) {
                methodFailed("trace's onCompleted", key, failure);
            }
        }
    }

    /** What ran on a caller's thread has ended, or failed to begin. */
    public void ended(
            String key,
            String id,
            @Nullable Object value,
            @Nullable Throwable failure,
            long start,
            long end,
            @Nullable TaskTrace trace) {
        if (isObserved(trace)) {
            GroupResult<?> result;
            try {
                result = resultOf(key, id, value, failure, start, end);
            } catch (Throwable unmade) {
                methodFailed("listener's onCompleted", key, unmade);
                return;
            }
            completed(key, id, result, trace);
        }
    }

    /** {@return the result of work that ended with {@code value} or {@code failure}} */
    public static GroupResult<?> resultOf(
            String key, String id, @Nullable Object value, @Nullable Throwable failure, long start, long end) {
        if (failure == null) {
            return GroupResult.success(key, id, value, start, end);
        }
        return Counters.statusAfter(failure) == TaskStatus.CANCELLED
                ? GroupResult.cancelled(key, id, failure, start, end)
                : GroupResult.failed(key, id, failure, start, end);
    }

    /** There was no memory for what was submitted. */
    public void failed(String key, String id, Throwable failure, @Nullable TaskTrace trace) {
        ended(key, id, null, failure, 0, 0, trace);
    }

    /** A wait was given up by its caller, for {@code cause}; {@code null}: for no reason known. */
    public void cancelled(String key, String id, @Nullable Throwable cause, @Nullable TaskTrace trace) {
        if (isObserved(trace)) {
            GroupResult<?> result;
            try {
                Throwable why = cause != null ? cause : new CancellationException("The wait was given up");
                result = GroupResult.cancelled(key, id, why, 0, 0);
            } catch (Throwable failure) {
                methodFailed("listener's onCompleted", key, failure);
                return;
            }
            completed(key, id, result, trace);
        }
    }

    /** {@return whether anyone hears of groups that are removed} */
    public boolean hearsOfGroups() {
        return listener() != null;
    }

    public void groupRemoved(String key) {
        TaskLifecycleListener listener = listener();
        if (listener != null) {
            try {
                listener.onGroupRemoved(key);
            } catch (Throwable failure) {
                methodFailed("listener's onGroupRemoved", key, failure);
            }
        }
    }

    /** A group can't go on, and is tried again. */
    public void groupFailed(String key, Throwable failure) {
        engineFailed(
                "A fault of the group executor, %1$s, keeps group '%2$s' from going on. It is tried again; later ones"
                        + " of this class are not logged.",
                key, failure);
    }

    /** The housekeeper could not do all that was due, and tries again. */
    void housekeeperFailed(Throwable failure) {
        engineFailed(
                "A fault of the group executor, %1$s, keeps its own thread from what is due. It is tried again; later"
                        + " ones of this class are not logged.",
                "", failure);
    }

    /** Logs a fault of the core. A lack of memory or of stack is none: that is what it tries again for. */
    private void engineFailed(String text, String key, Throwable failure) {
        if (!(failure instanceof OutOfMemoryError) && !(failure instanceof StackOverflowError)) {
            failures.once(Level.ERROR, failure.getClass().getName(), text, key, failure);
        }
    }

    /** User code failed where it was told of something, or asked. */
    public void methodFailed(String method, String key, Throwable failure) {
        failures.methodFailed(method, key, failure);
    }

    /** A future failed when it was told of its end. */
    public void dependentFailed(String key, Throwable failure) {
        failures.once(
                "future",
                "A future of group '%2$s' failed while it was being completed. This has no other effect; later ones"
                        + " are not logged.",
                key,
                failure);
    }

    /** An interrupt failed in foreign code that it runs. */
    public void uninterruptible(String key, Throwable failure) {
        failures.once(
                "interrupt",
                "A task of group '%2$s' was interrupted, and what its thread was waiting in threw an exception. This"
                        + " has no other effect; later ones are not logged.",
                key,
                failure);
    }

    /** A stage can't be cancelled. */
    public void uncancellable(String key, Throwable failure) {
        failures.once(
                "cancel",
                "A stage of group '%2$s' can't be cancelled; its permits come back when it completes. Later ones are"
                        + " not logged.",
                key,
                failure);
    }
}
