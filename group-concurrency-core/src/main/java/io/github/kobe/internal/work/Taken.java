package io.github.kobe.internal.work;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTrace;
import io.github.kobe.internal.base.Core;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What was captured from a thread when it forked a task that runs later, perhaps more than once: trace, decorated code
 * and context class loader.
 *
 * <p>The trace follows the task from there to its {@link #end}: it is told of the first start, and of the last end.
 */
public final class Taken {

    public final String key;
    public final String id;
    public final Callable<?> code;
    public final @Nullable ClassLoader loader;

    /** Why it can't run: its decorator failed. */
    public final @Nullable Throwable failure;

    private final Core core;
    private final @Nullable AttemptsTrace trace;

    /** Takes it of the current thread. */
    public Taken(Core core, String key, String id, Callable<?> task) {
        this.core = core;
        this.key = key;
        this.id = id;
        TaskTrace followed = core.reports.trace(key, id);
        trace = followed == null ? null : new AttemptsTrace(followed);
        loader = Thread.currentThread().getContextClassLoader();
        Callable<?> decorated = core.reports.around(followed, key, task);
        Throwable thrown = null;
        try {
            decorated = core.policy.decorated(key, decorated);
        } catch (Throwable failed) {
            thrown = failed;
        }
        code = decorated;
        failure = thrown;
    }

    public @Nullable TaskTrace trace() {
        return trace;
    }

    /**
     * No attempt follows any more.
     *
     * @param failure what it failed with; {@code null}: it has succeeded, or was cancelled
     */
    public void end(@Nullable Throwable failure) {
        if (trace != null) {
            try {
                trace.end(this, failure);
            } catch (Throwable thrown) {
                core.reports.methodFailed("trace's onCompleted", key, thrown);
            }
        }
    }

    /** One trace for all attempts; they come one after the other. */
    private static final class AttemptsTrace implements TaskTrace {

        private final TaskTrace followed;
        private volatile boolean started;
        /** A {@link GroupResult} or a {@link RejectionReason}; {@code null}: no attempt has ended. */
        private volatile @Nullable Object last;

        private final AtomicBoolean ended = new AtomicBoolean();

        AttemptsTrace(TaskTrace followed) {
            this.followed = followed;
        }

        @Override
        public void onStarted(long queuedNanos) {
            if (!started) {
                started = true;
                followed.onStarted(queuedNanos);
            }
        }

        @Override
        public void onRejected(RejectionReason reason) {
            last = reason;
        }

        @Override
        public void onCompleted(GroupResult<?> result) {
            last = result;
        }

        void end(Taken taken, @Nullable Throwable failure) {
            Object end = last;
            if (ended.getAndSet(true)) {
                return;
            }
            if (end instanceof RejectionReason reason && !started && failure instanceof RejectedTaskException) {
                followed.onRejected(reason);
            } else if (end instanceof GroupResult<?> result && agrees(result, failure)) {
                followed.onCompleted(result);
            } else if (failure == null) { // it was cancelled before another attempt
                followed.onCompleted(GroupResult.cancelled(taken.key, taken.id, new CancellationException(), 0, 0));
            } else if (end instanceof GroupResult<?> ran) {
                followed.onCompleted(
                        GroupResult.failed(taken.key, taken.id, failure, ran.startTimeNanos(), ran.endTimeNanos()));
            } else {
                followed.onCompleted(GroupResult.failed(taken.key, taken.id, failure, 0, 0));
            }
        }

        @SuppressWarnings("ReferenceEquality") // failures have identity
        private static boolean agrees(GroupResult<?> result, @Nullable Throwable failure) {
            boolean failed = result.status() == TaskStatus.FAILED;
            return failure == null ? !failed : failed && result.error() == failure;
        }
    }
}
