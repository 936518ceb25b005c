package io.github.kobe.spring.method;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupTaskDecorator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The future of a dispatched method whose caller is inside an unbound permit of its group: the method also runs inside
 * that permit, on a thread of its own. Perhaps no thread ever waits there and lends the permit, so the method must not
 * wait for one.
 */
final class SharedRun extends CompletableFuture<Object> {

    private final GroupPermit permit;
    private final Callable<?> work;
    private @Nullable Thread thread;

    private SharedRun(GroupPermit permit, Callable<?> work) {
        this.permit = permit;
        this.work = work;
    }

    /**
     * Starts a method.
     *
     * @param permit shares that of the caller, and is closed at the end
     * @param taskId the name of its thread
     * @param decorators as tasks have them, the first outermost
     */
    static CompletableFuture<Object> start(
            GroupPermit permit, String taskId, List<GroupTaskDecorator> decorators, Callable<?> method) {
        boolean started = false;
        try {
            Callable<?> work = method;
            for (GroupTaskDecorator decorator : decorators.reversed()) {
                work = decorator.decorate(permit.groupKey(), work);
            }
            SharedRun run = new SharedRun(permit, work);
            Thread thread = Thread.ofVirtual()
                    .inheritInheritableThreadLocals(false)
                    .name(taskId)
                    .unstarted(run::run);
            thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
            run.thread = thread;
            thread.start();
            started = true;
            return run;
        } catch (Exception failure) {
            return CompletableFuture.failedFuture(failure);
        } finally {
            if (!started) {
                permit.close();
            }
        }
    }

    private void run() {
        Object value = null;
        Throwable failure = null;
        try {
            value = permit.call(work);
        } catch (Throwable thrown) {
            failure = thrown;
        } finally {
            permit.close();
        }
        AsynchronousEnd.complete(this, value, failure);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled && thread != null) {
            thread.interrupt();
        }
        return cancelled;
    }
}
