package io.github.kobe.spring.method;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupTaskDecorator;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.spring.internal.context.EnclosingPermit;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The future of a dispatched method whose caller is inside a permit that the library holds: the method runs under that
 * permit, on a thread of its own. Perhaps no thread ever waits there and lends the permit, so the method must not wait for
 * one.
 */
final class SharedRun extends CompletableFuture<Object> {

    private final GuardedCall call;
    private final CompletableFuture<GroupPermit> asked;
    private final Callable<?> work;
    private final ClassLoader loader = Thread.currentThread().getContextClassLoader();
    private volatile @Nullable Thread thread;

    private SharedRun(GuardedCall call, CompletableFuture<GroupPermit> asked, Callable<?> work) {
        this.call = call;
        this.asked = asked;
        this.work = work;
    }

    /**
     * Has a method run once it has its permit.
     *
     * @param asked the permit, which is closed at the end; it shares that of the caller
     */
    @SuppressWarnings("FutureReturnValueIgnored") // it gets no further than this
    static CompletableFuture<Object> start(GuardedCall call, CompletableFuture<GroupPermit> asked, Callable<?> method) {
        Callable<?> work = method;
        try {
            for (GroupTaskDecorator decorator :
                    call.executor().policy().taskDecorators().reversed()) {
                work = Objects.requireNonNull(
                        decorator.decorate(call.groupKey(), work), "A GroupTaskDecorator returned null");
            }
        } catch (Throwable failure) {
            EnclosingPermit.giveBack(asked, failure);
            return CompletableFuture.failedFuture(failure);
        }
        SharedRun run = new SharedRun(call, asked, work);
        asked.whenComplete(run::answered);
        return run;
    }

    private void answered(@Nullable GroupPermit granted, @Nullable Throwable refusal) {
        if (granted != null) {
            start(granted);
        } else if (refusal instanceof RejectedTaskException rejection) {
            call.answer(this, rejection);
        } else {
            AsynchronousEnd.complete(this, null, refusal);
        }
    }

    private void start(GroupPermit granted) {
        boolean started = false;
        try {
            Thread starting = Thread.ofVirtual()
                    .inheritInheritableThreadLocals(false)
                    .name(call.taskId())
                    .unstarted(() -> run(granted));
            starting.setContextClassLoader(loader);
            thread = starting;
            starting.start();
            started = true;
        } finally {
            if (!started) {
                granted.close();
            }
        }
    }

    private void run(GroupPermit granted) {
        Object value = null;
        Throwable failure = isCancelled() ? new CancellationException() : null;
        if (failure == null) {
            try {
                value = new EnclosingPermit(call.executor(), granted, null).call(work);
            } catch (Throwable thrown) {
                failure = thrown;
            }
        }
        EnclosingPermit.close(granted, failure);
        AsynchronousEnd.complete(this, value, failure);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) {
            asked.cancel(false);
            Thread running = thread;
            if (running != null) {
                running.interrupt();
            }
        }
        return cancelled;
    }
}
