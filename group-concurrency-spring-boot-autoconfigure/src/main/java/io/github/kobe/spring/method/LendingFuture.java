package io.github.kobe.spring.method;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A future that depends on a task. A thread inside a group that waits for it without a time-out lends its permits to
 * the task, as if it waited for the {@link TaskHandle}. The same holds for futures derived from it, by
 * {@code thenApply} and the like.
 */
class LendingFuture<T> extends CompletableFuture<T> {

    private final TaskHandle<?> task;

    LendingFuture(TaskHandle<?> task) {
        this.task = task;
    }

    final TaskHandle<?> task() {
        return task;
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        awaitTask();
        return super.get();
    }

    @Override
    public T join() {
        boolean interrupted = false;
        while (true) {
            try {
                awaitTask();
                break;
            } catch (InterruptedException again) {
                interrupted = true; // a join goes on, and so does what it lends
            }
        }
        try {
            return super.join();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void awaitTask() throws InterruptedException {
        if (!isDone()) {
            try {
                task.await();
            } catch (RejectedTaskException rejection) {
                // This future tells of it, or of what the fallback answers.
            }
        }
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new LendingFuture<>(task);
    }
}
