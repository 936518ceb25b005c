package io.github.kobe.internal.work;

import io.github.kobe.Costs;
import io.github.kobe.GroupWaiter;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.base.SafeRecorder;
import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Charge;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Holds;
import io.github.kobe.internal.permits.Lent;
import io.github.kobe.internal.permits.SharedGlobal;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread that waits for a permit. */
@SuppressWarnings("ReferenceEquality") // identity is meant
public final class Waiter extends PermitRequest {

    private final Thread thread = Thread.currentThread();

    /** Whether its thread is inside another group. */
    private final boolean fromInside;

    /** The scope of the fork that its thread runs. */
    private final @Nullable Lineage lineage;

    /** What its permits are lent on, if they are; written before the state. */
    private @Nullable Lent loan;

    /** Makes a waiter for the current thread. */
    public Waiter(
            Group group,
            String id,
            @Nullable SharedGlobal shared,
            boolean fromInside,
            @Nullable Lineage lineage,
            @Nullable Costs costs) {
        super(group, id, shared, costs);
        this.lineage = lineage;
        this.fromInside = fromInside;
    }

    @Override
    public GroupWaiter shown(Duration waited) {
        return new GroupWaiter(id, waited, GroupWaiter.Kind.THREAD, Optional.of(thread.getName()), keysInside());
    }

    /** {@return the keys of what its thread is inside, the innermost first} By any thread; as it is now. */
    private List<String> keysInside() {
        if (!fromInside) {
            return List.of();
        }
        Set<String> keys = new LinkedHashSet<>();
        Holds.forEachOpen(Work.of(group).holds.topOpen(thread), hold -> keys.add(hold.group.key));
        return List.copyOf(keys);
    }

    @Override
    public long sharesAs() {
        return SharedGlobal.BOUND;
    }

    @Override
    public Thread asking() {
        return thread;
    }

    @Override
    public @Nullable Lineage lineage() {
        return lineage;
    }

    @Override
    public boolean asksFromInside() {
        return fromInside;
    }

    @Override
    public boolean grant(@Nullable Lent on, boolean sharing, @Nullable Charge taken) {
        loan = on;
        return super.grant(on, sharing, taken);
    }

    /** {@return what its permits are lent on, if they are, once it was granted} */
    public @Nullable Lent loan() {
        return loan;
    }

    @Override
    public void start(long now, @Nullable Batch batch) {
        boolean unused = wake();
    }

    @Override
    public void reportEnd(RejectionReason reason, Object work) {
        boolean unused = wake();
    }

    /** Has the thread look at the state. */
    @Override
    public boolean wake() {
        LockSupport.unpark(thread);
        return true;
    }

    /**
     * Waits for the grant.
     *
     * @param maxWaitNanos at most so long; {@link Long#MAX_VALUE}: for ever
     * @return {@code null} once granted; else why not
     * @throws InterruptedException if interrupted while it waited; it has left then, or passed its permit on
     */
    public @Nullable RejectionReason await(long maxWaitNanos) throws InterruptedException {
        Work engine = Work.of(group);
        boolean timed = maxWaitNanos != Long.MAX_VALUE;
        long start = timed ? engine.now() : 0;
        while (state == null) {
            if (Thread.interrupted()) {
                leaveInterrupted();
            }
            if (timed) {
                long left = maxWaitNanos - (engine.now() - start);
                if (left <= 0) {
                    if (leave(LATE)) {
                        return RejectionReason.QUEUE_TIMEOUT;
                    }
                    break;
                }
                LockSupport.parkNanos(this, left);
            } else {
                LockSupport.park(this);
            }
        }
        if (!(state instanceof RejectionReason reason)) {
            return null;
        }
        group.record.rejected(reason);
        return reason;
    }

    private void leaveInterrupted() throws InterruptedException {
        if (leave(LEFT)) {
            throw new InterruptedException();
        }
        if (state == GRANTED) {
            group.counters.ended(TaskStatus.CANCELLED);
            giveBackUnused();
            group.record.ended(TaskStatus.CANCELLED, SafeRecorder.UNTIMED);
            throw new InterruptedException();
        }
        // Rejected in the same instant: that is the answer, and the interrupt is for what comes next.
        thread.interrupt();
    }

    private void giveBackUnused() {
        Work.of(group).returns.giveBackUnused(group, joined(), SharedGlobal.BOUND, loan);
    }

    @Override
    public @Nullable RejectionReason leftFor() {
        return state == LATE ? RejectionReason.QUEUE_TIMEOUT : null;
    }
}
