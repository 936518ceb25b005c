package io.github.kobe.spring.method;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The future that a dispatched method returns. It ends with the method's value, its exception, a
 * {@link CancellationException}, or a {@link RejectedTaskException}. Cancelling it cancels the task; waiting for it
 * lends.
 */
final class DispatchedFuture extends LendingFuture<Object> {

    /** What has started at once needs nothing lent. Longer than the way to its thread takes, however busy the machine. */
    private static final long START_MILLIS = 100;

    private final GuardedCall call;
    private final TaskHandle<?> task;
    private final CompletableFuture<Thread> runner;

    /**
     * @param call completes this future when the task is rejected
     * @param task runs the method, and aborts on rejection
     * @param runner completes when the method begins, with its thread
     */
    DispatchedFuture(GuardedCall call, TaskHandle<?> task, CompletableFuture<Thread> runner) {
        super(null);
        this.call = call;
        this.task = task;
        this.runner = runner;
    }

    /** Begins to watch the task. */
    @SuppressWarnings("FutureReturnValueIgnored") // this future is what becomes of it
    void follow() {
        task.toCompletableFuture().whenComplete(this::settle);
    }

    /** {@return whether the method waits for permits} Not yet in the moment in which it begins to. */
    boolean waitsForItsTurn() {
        return !isDone() && !runner.isDone() && task.queuedNanos() > 0;
    }

    /**
     * Has the current thread wait until the method has ended, and lend to it, unless there is no need: the method has its
     * permits, or the thread has none.
     */
    void lendUntilItsEnd() throws InterruptedException {
        if (!runsElsewhere() && call.isInsideAGroup()) {
            try {
                GroupResult<?> unused = task.await();
            } catch (RejectedTaskException rejection) {
                // This future tells of it, or of what the fallback answers.
            }
        }
    }

    /** {@return whether another thread runs the method} A method that waits for its own end is told so by the task. */
    @SuppressWarnings("ReferenceEquality") // threads have identity
    private boolean runsElsewhere() throws InterruptedException {
        if (task.queuedNanos() == 0) {
            try {
                Object unused = anyOf(runner, this).get(START_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException | ExecutionException notSeen) {
                // It was queued just now, or it has been rejected.
            }
        }
        Thread running = runner.getNow(null);
        return running != null && running != Thread.currentThread();
    }

    private void settle(@Nullable GroupResult<?> result, @Nullable Throwable failure) {
        if (result == null) {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (cause instanceof RejectedTaskException rejection) {
                call.answer(this, rejection);
            } else {
                AsynchronousEnd.complete(this, null, failure);
            }
            return;
        }
        switch (result.status()) {
            case SUCCESS -> complete(result.value());
            case FAILED -> AsynchronousEnd.complete(this, null, result.error());
            case CANCELLED -> super.cancel(false);
            case REJECTED -> throw new IllegalStateException("The task aborts on rejection");
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) {
            task.cancel(true);
        }
        return cancelled;
    }
}
