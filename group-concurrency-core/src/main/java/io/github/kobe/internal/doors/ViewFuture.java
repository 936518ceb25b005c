package io.github.kobe.internal.doors;

import io.github.kobe.internal.lending.Offer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The future of what was submitted to a {@link GroupExecutorService}: its untimed waits lend the caller's permits. */
final class ViewFuture<V> extends FutureTask<V> {
    private final @Nullable BlockingQueue<Future<V>> toldWhenDone;
    /** Whether only {@code invokeAll} or {@code invokeAny} knows it, which waits for its end. */
    private final boolean ofMany;

    private volatile @Nullable ViewEntry entry;

    ViewFuture(Callable<V> callable) {
        this(callable, false, null);
    }

    private ViewFuture(Callable<V> callable, boolean ofMany, @Nullable BlockingQueue<Future<V>> toldWhenDone) {
        super(callable);
        this.ofMany = ofMany;
        this.toldWhenDone = toldWhenDone;
    }

    /** Makes one of several that their submitter waits for. */
    static <V> ViewFuture<V> ofMany(Callable<V> callable, @Nullable BlockingQueue<Future<V>> toldWhenDone) {
        return new ViewFuture<>(callable, true, toldWhenDone);
    }

    /** What is submitted for it, before it is. */
    void submittedAs(ViewEntry newEntry) {
        entry = newEntry;
    }

    /**
     * A shutdown gives it back. Whoever gets it may run it somewhere else; but what {@code invokeAll} or {@code invokeAny}
     * waits for is cancelled, or they might wait for ever.
     */
    void withdrawn() {
        leave();
        if (ofMany) {
            super.cancel(false);
        }
    }

    /** It is a plain future from now on. */
    void leave() {
        entry = null;
    }

    private @Nullable ViewTask task() {
        ViewEntry submitted = entry;
        return submitted == null ? null : submitted.task();
    }

    boolean isQueued() {
        ViewTask task = task();
        return task != null && task.queuedWork() != null;
    }

    <T> T lendingFor(Wait<T> wait) throws InterruptedException {
        ViewTask task = task();
        Offer offer = task == null ? null : task.beginWait();
        try {
            return wait.await();
        } finally {
            if (offer != null) {
                offer.lending().withdraw(offer);
            }
        }
    }

    @Override
    public V get() throws InterruptedException, ExecutionException {
        awaitOrElse(() -> {});
        return super.get();
    }

    /** Waits until it is done, lending; {@code onInterrupt} runs before what is lent is waited for. */
    void awaitOrElse(Runnable onInterrupt) throws InterruptedException {
        if (!isDone()) {
            lendingFor(() -> {
                try {
                    awaitDone();
                } catch (InterruptedException interrupted) {
                    onInterrupt.run();
                    throw interrupted;
                }
                return this;
            });
        }
    }

    private void awaitDone() throws InterruptedException {
        try {
            super.get();
        } catch (ExecutionException | CancellationException done) {
            // The caller's own get tells it, once the permits are back.
        }
    }

    /** Waits so long at most, and lends nothing; false if the time is up before it is done. */
    boolean awaitFor(long nanos) throws InterruptedException {
        try {
            super.get(nanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException | CancellationException done) {
            // as above
        } catch (TimeoutException e) {
            return false;
        }
        return true;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (entry == null) {
            // Inside another command, as a CompletionService has it: that is the engine's task, this only runs in it.
            return super.cancel(mayInterruptIfRunning);
        }
        // The engine interrupts, which knows when the code has ended.
        boolean cancelled = super.cancel(false);
        ViewTask task = task();
        if (cancelled && task != null) {
            task.cancel(mayInterruptIfRunning);
        }
        return cancelled;
    }

    @Override
    protected void setException(Throwable failure) {
        super.setException(failure);
    }

    @Override
    protected void done() {
        if (toldWhenDone != null) {
            toldWhenDone.add(this);
        }
    }

    /** Ends the engine's task as this future has ended. */
    void throwFailure() throws Exception {
        switch (state()) {
            case FAILED -> {
                Throwable failure = exceptionNow();
                if (failure instanceof Error error) {
                    throw error;
                }
                throw failure instanceof Exception exception ? exception : new ExecutionException(failure);
            }
            case CANCELLED -> throw new CancellationException();
            default -> {}
        }
    }

    /** One way to wait. */
    interface Wait<T> {
        T await() throws InterruptedException;
    }
}
