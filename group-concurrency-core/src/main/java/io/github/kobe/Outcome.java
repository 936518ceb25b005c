package io.github.kobe;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** What can stand in {@link Task}'s outcome beside a {@link GroupResult}: who waits for it, or a way to end. */
final class Outcome {

    /** The task was cancelled; a result is made of it when someone asks. */
    enum Cancelled {
        CANCELLED
    }

    private Outcome() {}

    /** The task was rejected, and whoever waits for it gets an exception of its own. */
    record Rejection(RejectionReason reason, int limit, long queued) {

        RejectedTaskException toException(String groupKey, String taskId) {
            return new RejectedTaskException(groupKey, taskId, reason, limit, queued);
        }
    }

    /** One that waits for the outcome; they form a stack. */
    abstract static class Dependent {
        /** Leads past those that have given up, never past one that still waits; so anyone may shorten it. */
        @Nullable
        volatile Dependent below;

        /** {@return whether it has given up} */
        abstract boolean isGone();

        abstract void completed(Task<?> task);
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

        @Override
        void completed(Task<?> task) {
            LockSupport.unpark(thread);
        }
    }

    /** A future that someone asked for. */
    static final class FutureOf<T> extends CompletableFuture<GroupResult<T>> {
        private final Task<T> task;

        FutureOf(Task<T> task) {
            this.task = task;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            task.cancel(true);
            return cancelled;
        }

        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            return new CompletableFuture<>();
        }

        void completeFrom(Task<T> done) {
            try {
                complete(done.resultNow());
            } catch (RejectedTaskException rejected) {
                completeExceptionally(rejected);
            }
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

        @Override
        void completed(Task<?> task) {
            future.completeFrom(future.task);
        }
    }
}
