package io.github.kobe.spring.interceptor;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a dispatched method returns: ends with the method's value, its exception, a {@link CancellationException}, or a
 * {@link RejectedTaskException}, whatever the rejection policy. Cancelling it cancels the task.
 */
final class DispatchedFuture extends CompletableFuture<Object> {

    private final TaskHandle<?> handle;
    private final BiConsumer<CompletableFuture<Object>, RejectedTaskException> onRejected;
    private final Function<Boolean, RejectedTaskException> discarded;

    /**
     * @param onRejected completes this future when the task is rejected
     * @param discarded makes the exception of a task that was rejected without one, told whether it had waited
     */
    DispatchedFuture(
            TaskHandle<?> handle,
            BiConsumer<CompletableFuture<Object>, RejectedTaskException> onRejected,
            Function<Boolean, RejectedTaskException> discarded) {
        this.handle = handle;
        this.onRejected = onRejected;
        this.discarded = discarded;
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
            case REJECTED -> onRejected.accept(this, discarded.apply(handle.queuedNanos() > 0));
        }
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
