package io.github.kobe.internal.work;

import io.github.kobe.Costs;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupWaiter;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTrace;
import io.github.kobe.internal.base.Rejection;
import io.github.kobe.internal.base.Report;
import io.github.kobe.internal.base.SafeRecorder;
import io.github.kobe.internal.base.StackReserve;
import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.SharedGlobal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous request for a permit: the node, and the future that it completes.
 *
 * <p>Once it is granted, a fresh virtual thread completes the future, and returns the permit if the future was completed or
 * cancelled meanwhile: then it counts as cancelled.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
public final class PermitFuture extends PermitRequest {

    private final Cancellable future = new Cancellable();

    /** What a fresh thread does for it; made before it can be needed. */
    private final Report onFreshThread = new OnFreshThread();

    private final long timeoutNanos;
    private final @Nullable TaskTrace trace;

    /**
     * Makes a request.
     *
     * @param id names it in events and exceptions
     * @param timeoutNanos how long it may wait by its own wish; {@link Long#MAX_VALUE}: no wish
     * @param shared the global permit of the permit that it is asked of; {@code null}: it is asked of the executor
     * @param costs what it costs, as far as that is said
     */
    public PermitFuture(
            Group group,
            String id,
            long timeoutNanos,
            @Nullable TaskTrace trace,
            @Nullable SharedGlobal shared,
            @Nullable Costs costs) {
        super(group, id, shared, costs);
        this.timeoutNanos = timeoutNanos;
        this.trace = trace;
    }

    @Override
    public long ownTimeoutNanos() {
        return timeoutNanos;
    }

    public CompletableFuture<GroupPermit> future() {
        return future;
    }

    @Override
    public GroupWaiter shown(Duration waited) {
        return new GroupWaiter(id, waited, GroupWaiter.Kind.ASYNC, Optional.empty(), List.of());
    }

    @Override
    public boolean asksFromInside() {
        return shared() != null || Work.of(group).isUnderPermit();
    }

    @Override
    public void start(long now, @Nullable Batch batch) {
        group.engine.report(onFreshThread);
    }

    /**
     * Hands out the permit that it was granted; it is given back if the wait for it was given up.
     *
     * @param taken when that was taken, by the engine's clock; 0: no clock was read
     */
    public void handOut(long taken) {
        Work engine = Work.of(group);
        SharedGlobal joined = joined();
        Permit permit;
        try {
            permit = Permit.granted(this, taken, joined, charge(), id, trace);
        } catch (OutOfMemoryError oom) {
            group.counters.ended(TaskStatus.FAILED);
            engine.returns.giveBackUnused(group, joined, SharedGlobal.UNBOUND, null);
            group.record.ended(TaskStatus.FAILED, SafeRecorder.UNTIMED);
            engine.reports.failed(group.key, id, oom, trace);
            future.completeExceptionally(oom);
            return;
        }
        if (!future.complete(permit)) {
            permit.closeUnused();
        }
    }

    @Override
    public void reportEnd(RejectionReason reason, Object work) {
        group.record.rejected(reason);
        Rejection rejection;
        try {
            rejection = group.rejection(reason, this);
        } catch (OutOfMemoryError oom) {
            future.completeExceptionally(oom);
            return;
        }
        reject(rejection);
    }

    /** Completes the future with a rejection; of a request that has ended, or that nobody knows yet. */
    public void reject(Rejection rejection) {
        Object unused = end(rejection.reason());
        group.engine.reports.rejected(group.key, id, rejection.reason(), trace);
        try {
            future.completeExceptionally(rejection.toUntraced(group.key, id));
        } catch (OutOfMemoryError oom) {
            future.completeExceptionally(oom);
        } catch (Throwable failure) {
            group.engine.reports.dependentFailed(group.key, failure); // as in Outcome.FutureOf
        }
    }

    /** Hands out the permit; or, where there was no memory for it before, has the future be cancelled. */
    private final class OnFreshThread extends Report {
        @Override
        public void run() {
            if (state == LEFT) {
                future.cancelLeft();
            } else {
                handOut(0);
            }
        }
    }

    private final class Cancellable extends CompletableFuture<GroupPermit> {
        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            StackReserve.require();
            // It leaves before what is chained on it runs, which may block.
            return leave(LEFT) ? cancelLeft() : super.cancel(mayInterruptIfRunning);
        }

        /** Cancels the future of a request that has left the queue. */
        private boolean cancelLeft() {
            boolean cancelled;
            try {
                cancelled = super.cancel(false);
            } catch (OutOfMemoryError oom) {
                group.engine.report(onFreshThread);
                throw oom;
            }
            group.engine.reports.cancelled(group.key, id, null, trace);
            return cancelled;
        }

        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            return new CompletableFuture<>();
        }
    }
}
