package io.github.kobe;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous request for a permit: the node, and the future that it completes.
 *
 * <pre>
 *   WAITING -> GRANTED    whoever grants, under the guard; a fresh virtual thread completes the future, and gives the
 *                         permit back if someone has completed or cancelled that meanwhile
 *   WAITING -> ENDED      time-out, shutdown; under the guard
 *   WAITING -> LEFT       who cancels the future
 * </pre>
 */
final class PermitFuture extends Node {

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(PermitFuture.class, "state", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private static final int WAITING = 0;
    private static final int GRANTED = 1;
    private static final int ENDED = 2;
    private static final int LEFT = 3;

    private final CompletableFuture<GroupPermit> future = new Cancellable();

    @SuppressWarnings("UnusedVariable") // through STATE
    private volatile int state = WAITING;

    PermitFuture(Group group) {
        super(group);
    }

    CompletableFuture<GroupPermit> future() {
        return future;
    }

    @Override
    boolean needsGlobal() {
        return true;
    }

    @Override
    boolean grant(@Nullable Loan loan) {
        return STATE.compareAndSet(this, WAITING, GRANTED);
    }

    @Override
    void start(Batch batch) {
        group.engine.dispatcher.report(this::completeWithPermit);
    }

    /** Hands the permit out; it is given back if nobody takes it. */
    void completeWithPermit() {
        Permit permit = group.engine.callers.newPermit(this, null, true);
        if (!future.complete(permit)) {
            permit.close();
        }
    }

    @Override
    @Nullable
    Object end(RejectionReason reason) {
        return STATE.compareAndSet(this, WAITING, ENDED) ? this : null;
    }

    @Override
    void reportEnd(RejectionReason reason, Object work) {
        reject(new Outcome.Rejection(reason, -1, group.queued()));
    }

    /** Completes the future with a rejection. */
    void reject(Outcome.Rejection rejection) {
        group.engine.reports.rejected(group.key, "", rejection.reason());
        future.completeExceptionally(rejection.toException(group.key, ""));
    }

    private void leave() {
        if (STATE.compareAndSet(this, WAITING, LEFT)) {
            group.withdraw(this, null);
            group.engine.reports.cancelled(group.key, "");
        }
    }

    private final class Cancellable extends CompletableFuture<GroupPermit> {
        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            if (cancelled) {
                leave();
            }
            return cancelled;
        }

        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            return new CompletableFuture<>();
        }
    }
}
