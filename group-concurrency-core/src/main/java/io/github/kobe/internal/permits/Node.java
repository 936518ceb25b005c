package io.github.kobe.internal.permits;

import io.github.kobe.Costs;
import io.github.kobe.GroupWaiter;
import io.github.kobe.RejectionReason;
import io.github.kobe.internal.base.Core;
import io.github.kobe.internal.base.Lineage;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An entry in a group's queue: a task, a blocked caller, or an asynchronous request for a permit.
 *
 * <p>One compare-and-set of the subclass ({@link #grant}, {@link #end}, or its own way of leaving) decides whether it
 * still wants a permit; the winner owns the node. The group's guard guards its place in the queue.
 */
public abstract class Node {

    /** Stamps from here up tell how long a node waited. */
    private static final long WAITED = Core.LATEST + 1;

    /**
     * The next in the queue, guarded by the guard; of a node that was granted as the head, and so is unlinked, the next in
     * a {@link Batch}.
     */
    @Nullable
    Node next;

    /**
     * Where it is in its wait; written under the guard, then by the thread that runs it, read by anyone (a stale reading
     * is harmless: it is a statistic).
     *
     * <ul>
     *   <li>0: never queued
     *   <li>1 … {@link #WAITED}-1: counted as waiting since then
     *   <li>below 0: left the queue, not started; queued at {@code -stamp}
     *   <li>from {@link #WAITED}: has waited that much
     * </ul>
     */
    private long stamp;

    /** {@return the global permit that it may share; {@code null}: it needs one of its own} */
    public @Nullable Backing shared() {
        return null;
    }

    /** {@return what it costs of its group's rates, as far as it says so itself; {@code null}: not at all, as nearly always} */
    public @Nullable Costs costs() {
        return null;
    }

    /** {@return the scope whose family it is in; {@code null}: none, as nearly always} */
    public @Nullable Lineage lineage() {
        return null;
    }

    /** {@return the thread that waits in it; {@code null}: none does} */
    public @Nullable Thread asking() {
        return null;
    }

    /** {@return as what it shares a global permit: see {@link Backing#tryJoin}} */
    public long sharesAs() {
        return Backing.UNBOUND;
    }

    /** {@return whether the global permit that it might share is gone, so that it needs one of its own} */
    final boolean canNeverShare() {
        Backing shared = shared();
        return shared == null || shared.isDead();
    }

    /** {@return whether {@link #tryShare} may succeed} */
    public final boolean mayShare() {
        Backing shared = shared();
        return shared != null && shared.isJoinable();
    }

    /** Joins the global permit that it may share, if that can be; a {@link #grant} or {@link #unshare} follows. */
    public final boolean tryShare() {
        Backing shared = shared();
        return shared != null && shared.tryJoin(sharesAs());
    }

    /** Takes {@link #tryShare} back: it wants no permit any more. It needs no memory. */
    public final void unshare(Batch batch) {
        Backing shared = shared();
        if (shared != null) {
            shared.leaveUnused(sharesAs(), batch);
        }
    }

    /** {@return how it counts if a shutdown ends its wait; {@code null}: as cancelled} */
    public @Nullable RejectionReason countsShutdownAs() {
        return RejectionReason.SHUTDOWN;
    }

    /** {@return how it counts if its owner has ended its wait; {@code null}: as cancelled} */
    public @Nullable RejectionReason leftFor() {
        return null;
    }

    /** {@return whether it runs code with the context class loader of the thread that asks} */
    public boolean wantsLoader() {
        return false;
    }

    /** Gives it a context class loader other than its queue's; under the guard, before it is queued. */
    public void tailor(@Nullable ClassLoader loader) {}

    /** {@return whether it waits, and nobody has claimed it meanwhile; under the guard} */
    public boolean isUnclaimed() {
        return isQueued();
    }

    /** {@return whether a drain lets it in, because it is asked for by code that runs under the executor} */
    public abstract boolean asksFromInside();

    /**
     * Gives it the permits that the caller has taken for it; under the guard.
     *
     * @param loan what the permits are lent on, if they are
     * @param shares whether it {@linkplain #tryShare shares} a global permit
     * @param charge what its start is charged of the group's rates; {@code null}: it has none
     * @return false if it wants none any more: the permits stay with the caller, and nothing is charged
     */
    public abstract boolean grant(@Nullable Lent loan, boolean shares, @Nullable Charge charge);

    /** Wakes the thread that waits in it, which sees to everything itself; false if none does. Outside every lock. */
    public boolean wake() {
        return false;
    }

    /**
     * Acts on a grant, outside every lock.
     *
     * @param now as in {@link Batch#now}
     * @param batch where to put what a failure frees and lets start; {@code null}: that is carried out here
     */
    public abstract void start(long now, @Nullable Batch batch);

    /**
     * Ends its wait; under the guard.
     *
     * @return what it was about to run, or itself if nothing; {@code null} if it wanted no permit any more
     */
    public abstract @Nullable Object end(RejectionReason reason);

    /**
     * Sees to the end of its wait as far as that calls no user code; outside every lock.
     *
     * @param work as {@link #end} returned it
     * @return what is left of it for {@link #reportEnd}; {@code null}: nothing
     */
    public @Nullable Object settleEnd(RejectionReason reason, Object work) {
        return work;
    }

    /**
     * Tells of the end of its wait, outside every lock, on a fresh virtual thread.
     *
     * @param work as {@link #end} returned it, or what {@link #settleEnd} left of it
     */
    public abstract void reportEnd(RejectionReason reason, Object work);

    /** {@return how it is shown to those who ask what waits} */
    public abstract GroupWaiter shown(Duration waited);

    /** {@return how long it may wait by its own wish, in nanoseconds; {@link Long#MAX_VALUE}: no wish} */
    public long ownTimeoutNanos() {
        return Long.MAX_VALUE;
    }

    public final boolean isQueued() {
        return stamp > 0 && stamp < WAITED;
    }

    /** {@return since when it waits; 0: it doesn't. Stale outside the guard} */
    final long queuedSince() {
        long s = stamp;
        return s > 0 && s < WAITED ? s : 0;
    }

    /** {@return when it was enqueued; only while it is queued} */
    public final long queuedAt() {
        return stamp;
    }

    final void markQueued(long now) {
        stamp = now;
    }

    final void markLeft() {
        stamp = -stamp;
    }

    /** Fixes how long it waited, if it did. */
    public final void markWaited(long now) {
        if (stamp < 0) {
            stamp = WAITED + Math.max(0, now + stamp);
        }
    }

    /** {@return whether {@link #markWaited} still has to be told the time} */
    public final boolean hasOpenWait() {
        return stamp < 0;
    }

    public final long waitedNanos(long now) {
        long s = stamp;
        if (s >= WAITED) {
            return s - WAITED;
        }
        return s == 0 ? 0 : Math.max(0, now - Math.abs(s));
    }
}
