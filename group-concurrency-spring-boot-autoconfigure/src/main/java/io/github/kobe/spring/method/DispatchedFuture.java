package io.github.kobe.spring.method;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The future that a dispatched method returns. It ends with the method's value, its exception, a
 * {@link CancellationException}, or a {@link RejectedTaskException}. Cancelling it cancels the task; waiting for it
 * lends.
 */
final class DispatchedFuture extends LendingFuture<Object> {

    private final BiConsumer<CompletableFuture<Object>, RejectedTaskException> onRejected;

    /**
     * @param handle of a task that aborts on rejection
     * @param onRejected completes this future when the task is rejected
     */
    DispatchedFuture(TaskHandle<?> handle, BiConsumer<CompletableFuture<Object>, RejectedTaskException> onRejected) {
        super(handle);
        this.onRejected = onRejected;
    }

    /** Begins to watch the task. */
    @SuppressWarnings("FutureReturnValueIgnored") // this future is what becomes of it
    void follow() {
        task().toCompletableFuture().whenComplete(this::settle);
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
            case REJECTED -> throw new IllegalStateException("The task aborts on rejection");
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) {
            task().cancel(true);
        }
        return cancelled;
    }
}
