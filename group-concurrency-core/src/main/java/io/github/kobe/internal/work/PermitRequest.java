package io.github.kobe.internal.work;

import io.github.kobe.Costs;
import io.github.kobe.RejectionReason;
import io.github.kobe.internal.permits.Charge;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Lent;
import io.github.kobe.internal.permits.Request;
import io.github.kobe.internal.permits.SharedGlobal;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A request for a permit that belongs to no task.
 *
 * <pre>
 *   WAITING -> GRANTED      the granter, under the guard
 *   WAITING -> its reason   who ends the wait (time-out, rate, shutdown), under the guard; or who asks, if it isn't let in
 *   WAITING -> LEFT         the thread that waits, interrupted, or whoever cancels the future
 *   WAITING -> LATE         the thread that waits: its own time is up
 * </pre>
 */
abstract class PermitRequest extends Request {

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(PermitRequest.class, "state", Object.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    static final Object GRANTED = new Object();
    static final Object LEFT = new Object();
    static final Object LATE = new Object();

    final String id;

    /** The global permit that it may share: of what its thread is inside, or of the permit that it was asked of. */
    private final @Nullable SharedGlobal shared;

    /** What it costs, as far as it says so. */
    private final @Nullable Costs costs;

    /** Whether it was granted on {@link #shared}; written before the state. */
    private boolean shares;

    /** What its start was charged of the group's rates; written before the state. */
    private @Nullable Charge charge;

    /** {@code null}: waiting; else GRANTED, LEFT, LATE, or a {@link RejectionReason}. */
    volatile @Nullable Object state;

    PermitRequest(Group group, String id, @Nullable SharedGlobal shared, @Nullable Costs costs) {
        super(group);
        this.id = id;
        this.shared = shared;
        this.costs = costs;
    }

    @Override
    public final @Nullable Costs costs() {
        return costs;
    }

    @Override
    public final @Nullable SharedGlobal shared() {
        return shared;
    }

    @Override
    public boolean grant(@Nullable Lent loan, boolean sharing, @Nullable Charge taken) {
        shares = sharing;
        charge = taken;
        return STATE.compareAndSet(this, null, GRANTED);
    }

    /** {@return the global permit that it was granted on, if it shares one} */
    public final @Nullable SharedGlobal joined() {
        return shares ? shared : null;
    }

    /** {@return what its start was charged, once it was granted} */
    public final @Nullable Charge charge() {
        return charge;
    }

    @Override
    public final @Nullable Object end(RejectionReason reason) {
        return STATE.compareAndSet(this, null, reason) ? this : null;
    }

    /** Leaves the queue; false if it doesn't wait. */
    final boolean leave(Object as) {
        if (STATE.compareAndSet(this, null, as)) {
            group.withdraw(this);
            return true;
        }
        return false;
    }
}
