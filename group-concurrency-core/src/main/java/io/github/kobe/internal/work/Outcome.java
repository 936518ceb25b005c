package io.github.kobe.internal.work;

import io.github.kobe.GroupResult;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.base.Reports;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** What the outcome of a {@link Task} can be besides a {@link GroupResult}: those that wait for it, or a way to end. */
public final class Outcome {

    /** Ends of which a result is made when someone asks. */
    public enum LazyResult {
        CANCELLED,
        /** There was no memory to make the result. */
        OUT_OF_MEMORY,
        /** Of a task that is handed out to nobody, and ended before anyone listened: who listens since then isn't told. */
        SUCCEEDED
    }

    private Outcome() {}

    /** {@return how a task has ended that ran, or was about to; doesn't fail} */
    static Object of(Task<?> task, @Nullable Object value, @Nullable Throwable failure, long start, long end) {
        try {
            return Reports.resultOf(task.groupKey(), task.taskId(), value, failure, start, end);
        } catch (OutOfMemoryError oom) {
            return LazyResult.OUT_OF_MEMORY;
        }
    }

    /** {@return how a task has ended that failed before it was asked in, whatever the failure; doesn't fail} */
    public static Object failed(Task<?> task, Throwable failure) {
        try {
            return GroupResult.failed(task.groupKey(), task.taskId(), failure, 0, 0);
        } catch (OutOfMemoryError oom) {
            return LazyResult.OUT_OF_MEMORY;
        }
    }

    /** {@return how a task has ended that was cancelled, with its result if there is memory for it} */
    static Object cancelled(Task<?> task) {
        try {
            return task.cancelledResult();
        } catch (OutOfMemoryError oom) {
            return LazyResult.CANCELLED;
        }
    }

    /** {@return how to count an end; {@code null}: it was cancelled while it ran} */
    static TaskStatus statusOf(@Nullable Object outcome) {
        if (outcome instanceof GroupResult<?> result) {
            return result.status();
        }
        if (outcome == LazyResult.SUCCEEDED) {
            return TaskStatus.SUCCESS;
        }
        return outcome == LazyResult.OUT_OF_MEMORY ? TaskStatus.FAILED : TaskStatus.CANCELLED;
    }

    /** One that waits for the outcome; they form a stack. */
    public abstract static class Dependent {
        /** Leads past those that have given up, never past one that still waits; so anyone may shorten it. */
        public volatile @Nullable Dependent below;

        /** {@return whether it has given up} */
        abstract boolean isGone();
    }

    /** A thread that waits. */
    static final class Sleeper extends Dependent {
        private volatile @Nullable Thread thread = Thread.currentThread();

        void giveUp() {
            thread = null;
        }

        @Override
        boolean isGone() {
            return thread == null;
        }

        void wake() {
            LockSupport.unpark(thread);
        }
    }

    /** A future that someone asked for. */
    static final class FutureOf<T> extends CompletableFuture<GroupResult<T>> {
        private final TaskCompletion<T> task;
        /** Set before the task is cancelled by it: it ends as cancelled then, and not with the task's result. */
        private volatile boolean cancelling;

        FutureOf(TaskCompletion<T> task) {
            this.task = task;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            cancelling = true;
            try {
                task.cancel(true); // before what is chained on this, which may block
            } catch (Throwable failure) {
                cancelling = false;
                if (task.isDone()) {
                    completeFrom(task);
                }
                throw failure;
            }
            return super.cancel(mayInterruptIfRunning);
        }

        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            return new CompletableFuture<>();
        }

        void completeFrom(TaskCompletion<T> done) {
            if (cancelling) {
                return;
            }
            try {
                tell(done);
            } catch (Throwable failure) {
                // On older JDKs what is chained on a future can make it throw; others wait to be told after it.
                done.group.engine.reports.dependentFailed(done.groupKey(), failure);
            }
        }

        private void tell(TaskCompletion<T> done) {
            GroupResult<T> result;
            try {
                result = done.resultNow();
            } catch (Throwable rejected) { // or there is no memory for the result
                completeExceptionally(rejected);
                return;
            }
            complete(result);
        }
    }

    /** The entry of a {@link FutureOf}. */
    static final class FutureEntry<T> extends Dependent {
        private final FutureOf<T> future;

        FutureEntry(FutureOf<T> future) {
            this.future = future;
        }

        @Override
        boolean isGone() {
            return future.isDone();
        }

        void complete() {
            future.completeFrom(future.task);
        }
    }
}
