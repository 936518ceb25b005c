package io.github.kobe.internal.work;

import io.github.kobe.Costs;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.internal.base.KeyText;
import io.github.kobe.internal.base.StackReserve;
import io.github.kobe.internal.permits.Hold;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A permit of the engine: work under it keeps it out meanwhile, whoever closes it. */
public interface OpenablePermit extends GroupPermit {

    /** {@return what is out; none that only shares another} */
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

    private Opener opener() {
        return Work.of(hold().group).opener();
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
        return opener().callInside(this, task);
    }

    @Override
    default void settle(String rate, long used) {
        StackReserve.require();
        keepOrThrow();
        try {
            Settlement.settle(hold(), rate, used);
        } finally {
            release();
        }
    }

    @Override
    default CompletionStage<GroupPermit> acquireAsync(String groupKey) {
        return acquireAsync(groupKey, "", GroupLimits.NO_TIMEOUT);
    }

    @Override
    default CompletionStage<GroupPermit> acquireAsync(String groupKey, String taskId, Duration maxWait) {
        return acquireAsync(groupKey, taskId, maxWait, Costs.unsaid());
    }

    @Override
    default CompletionStage<GroupPermit> acquireAsync(String groupKey, String taskId, Duration maxWait, Costs costs) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(maxWait, "maxWait");
        Objects.requireNonNull(costs, "costs");
        StackReserve.require();
        try {
            keepOrThrow();
        } catch (IllegalStateException closed) {
            return CompletableFuture.failedStage(closed);
        }
        return opener().acquireAsync(this, groupKey, taskId, maxWait, costs);
    }
}
