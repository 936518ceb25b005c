package io.github.kobe;

import io.github.kobe.internal.KeyText;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A permit of the engine: what is done under any of them keeps it out meanwhile, whoever closes it. */
interface OpenablePermit extends GroupPermit {

    /** {@return what is out} */
    Hold hold();

    /** Keeps it out until {@link #release}; false if it is closed. */
    boolean keep();

    /** Takes back one {@link #keep}. */
    void release();

    private void keepOrThrow() {
        if (!keep()) {
            throw new IllegalStateException("This permit of group '" + KeyText.printable(groupKey()) + "' is closed");
        }
    }

    private Callers callers() {
        return hold().group.engine.callers;
    }

    @Override
    default String groupKey() {
        return hold().group.key;
    }

    @Override
    default <T> T call(Callable<T> task) throws Exception {
        Objects.requireNonNull(task, "task");
        StackReserve.require();
        keepOrThrow();
        return callers().callInside(this, task);
    }

    @Override
    default CompletionStage<GroupPermit> acquireAsync(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        StackReserve.require();
        try {
            keepOrThrow();
        } catch (IllegalStateException closed) {
            return CompletableFuture.failedStage(closed);
        }
        return callers().acquireAsync(this, groupKey);
    }

    @Override
    default <T> TaskHandle<T> submit(String groupKey, String taskId, Callable<T> task) {
        return submit(groupKey, taskId, task, false);
    }

    @Override
    default <T> TaskHandle<T> submitAsync(String groupKey, String taskId, Callable<? extends CompletionStage<T>> task) {
        return submit(groupKey, taskId, task, true);
    }

    private <T> TaskHandle<T> submit(String groupKey, String taskId, Callable<?> task, boolean async) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(task, "task");
        StackReserve.require();
        keepOrThrow();
        return callers().submit(this, groupKey, taskId, task, async);
    }
}
