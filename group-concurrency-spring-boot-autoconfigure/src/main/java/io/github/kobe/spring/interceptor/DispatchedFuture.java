package io.github.kobe.spring.interceptor;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a dispatched method returns: ends with the method's value, its exception, a {@link CancellationException}, or a
 * {@link RejectedTaskException}, whatever the rejection policy. Cancelling it cancels the task.
 */
final class DispatchedFuture extends CompletableFuture<Object> {

    private final TaskHandle<?> handle;
    private final BiConsumer<CompletableFuture<Object>, RejectedTaskException> onRejected;

    /**
     * @param onRejected completes this future when the task is rejected
     */
    DispatchedFuture(TaskHandle<?> handle, BiConsumer<CompletableFuture<Object>, RejectedTaskException> onRejected) {
        this.handle = handle;
        this.onRejected = onRejected;
    }

    /** Begins to watch the task. */
    @SuppressWarnings("FutureReturnValueIgnored") // this future is what becomes of it
    void follow() {
        handle.toCompletableFuture().whenComplete(this::settle);
    }

    private void settle(@Nullable GroupResult<?> result, @Nullable Throwable failure) {
        if (result == null) {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (cause instanceof RejectedTaskException rejection) {
                onRejected.accept(this, rejection);
            } else {
                AsynchronousEnd.complete(this, null, failure);
            }
            return;
        }
        switch (result.status()) {
            case SUCCESS -> complete(result.value());
            case FAILED -> AsynchronousEnd.complete(this, null, result.error());
            case CANCELLED -> super.cancel(false);
            case REJECTED -> onRejected.accept(this, rejection(result));
        }
    }

    /** {@return the exception of a task that was rejected without one} */
    private static RejectedTaskException rejection(GroupResult<?> result) {
        RejectionReason reason = Objects.requireNonNull(result.rejectionReason(), "an executor names the reason");
        return new RejectedTaskException(result.groupKey(), result.taskId(), reason, -1, -1);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) {
            handle.cancel(true);
        }
        return cancelled;
    }
}
