package io.github.kobe.internal.doors;

import io.github.kobe.Costs;
import io.github.kobe.GroupPermit;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTrace;
import io.github.kobe.internal.base.Counters;
import io.github.kobe.internal.base.EffectiveLimits;
import io.github.kobe.internal.base.Rejection;
import io.github.kobe.internal.base.SafeRecorder;
import io.github.kobe.internal.base.StackReserve;
import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Call;
import io.github.kobe.internal.permits.ChargedCall;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Group.Verdict;
import io.github.kobe.internal.permits.GroupRecord;
import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Holds;
import io.github.kobe.internal.permits.Lent;
import io.github.kobe.internal.permits.SharedGlobal;
import io.github.kobe.internal.work.Holders;
import io.github.kobe.internal.work.Permit;
import io.github.kobe.internal.work.Waiter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Calls, which run on the caller's own thread, and permits that a thread waits for. */
public final class Callers {

    /** Made here, for there may be no memory to link it once a hold is open. */
    private static final Function<GroupPermit, Optional<GroupPermit>> PRESENT = Callers::present;

    private final Engine engine;

    Callers(Engine engine) {
        this.engine = engine;
    }

    // ---- calls

    public <T> T call(String key, String id, @Nullable Duration maxWait, @Nullable Costs costs, Callable<T> task)
            throws Exception {
        StackReserve.require();
        Thread thread = Thread.currentThread();
        Hold open = engine.holds.topOpen(thread);
        if (open != null) {
            return callInside(open, key, id, maxWait, costs, task, thread);
        }
        engine.requireAdmits();
        TaskTrace trace = engine.policy.isUnobserved() ? null : engine.reports.submitted(key, id);
        if (engine.reports.isObserved(trace)) {
            return callObserved(key, id, maxWait, costs, task, trace, null, null, thread);
        }
        return run(enterCall(key, id, maxWait, costs, null, !id.isEmpty(), null, null, thread), task, thread);
    }

    /**
     * A call by a thread that is inside of {@code open}. It is a method of its own so that it is compiled for what is carried,
     * and other calls aren't.
     */
    private <T> T callInside(
            Hold open,
            String key,
            String id,
            @Nullable Duration maxWait,
            @Nullable Costs costs,
            Callable<T> task,
            Thread thread)
            throws Exception {
        Group known = engine.groupIfKnown(key);
        if (known != null && Holds.isInside(known, open)) {
            return task.call();
        }
        engine.requireAdmits();
        if (!engine.policy.isUnobserved()) {
            TaskTrace trace = engine.reports.submitted(key, id);
            if (engine.reports.isObserved(trace)) {
                return callObserved(key, id, maxWait, costs, task, trace, known, open, thread);
            }
        }
        if (costs != null && known != null) {
            known.tellOfUnknown(costs);
        }
        boolean told = !id.isEmpty();
        Hold hold = known == null ? null : enterCarried(open, known, id, told || known.record.isTimed(), null, thread);
        if (hold == null) {
            hold = enterCall(key, id, maxWait, costs, null, told, known, open, thread);
        }
        return run(hold, task, thread);
    }

    private <T> T run(Hold hold, Callable<T> task, Thread thread) throws Exception {
        boolean timed = hold.group.record.isTimed();
        long start = timed ? Call.begin(hold, engine) : 0;
        T value;
        try {
            value = task.call();
        } catch (Throwable failure) {
            endCall(hold, Counters.statusAfter(failure), timed ? engine.now() - start : SafeRecorder.UNTIMED, thread);
            throw failure;
        }
        endCall(hold, TaskStatus.SUCCESS, timed ? engine.now() - start : SafeRecorder.UNTIMED, thread);
        return value;
    }

    /** A call that a listener or a trace hears of. It is a method of its own so that other calls are fast. */
    private <T> T callObserved(
            String key,
            String id,
            @Nullable Duration maxWait,
            @Nullable Costs costs,
            Callable<T> task,
            @Nullable TaskTrace trace,
            @Nullable Group known,
            @Nullable Hold open,
            Thread thread)
            throws Exception {
        Hold hold = enterCall(key, id, maxWait, costs, trace, true, known, open, thread);
        Callable<T> code = engine.reports.around(trace, key, task);
        long start = engine.nanoTime();
        hold.beginAt(engine.sinceOrigin(start));
        T value = null;
        Throwable failure = null;
        try {
            value = code.call();
            return value;
        } catch (Throwable thrown) {
            failure = thrown;
            throw thrown;
        } finally {
            long end = engine.nanoTime();
            endCall(hold, Counters.statusAfter(failure), end - start, thread);
            engine.reports.ended(key, id, value, failure, start, end, trace);
        }
    }

    /**
     * Counts a call, closes its hold, and tells its group's recorder.
     *
     * @param nanos as in {@link GroupRecord#ended}
     */
    void endCall(Hold hold, TaskStatus status, long nanos, Thread thread) {
        if (hold.isCarried()) {
            endCarried(hold, status, nanos, thread);
        } else {
            endOther(hold, status, nanos, thread);
        }
    }

    private void endOther(Hold hold, TaskStatus status, long nanos, Thread thread) {
        Group group = hold.group; // which a parked hold may change with the next call
        group.counters.ended(status);
        leave(hold, group, thread);
        group.record.ended(status, nanos);
    }

    private void leave(Hold hold, Group group, Thread thread) {
        if (!engine.holds.isOnTop(hold, thread) || !hold.park()) {
            engine.releases.close(hold, 0);
            return;
        }
        group.release(0, hold.stripe());
        if (group.isDead()) {
            engine.holds.forgetParked(hold, thread);
        }
    }

    private void endCarried(Hold hold, TaskStatus status, long nanos, Thread thread) {
        Group group = hold.group;
        boolean capped = group.counters.carriedEnded(status);
        if (!engine.holds.isOnTop(hold, thread) || !hold.park()) {
            close(hold, thread);
        }
        group.releaseCarried(capped);
        if (group.isDead()) {
            engine.holds.forgetParked(hold, thread);
        }
        group.record.ended(status, nanos);
    }

    /** Closes what is carried, and so kept by nobody but {@code thread}. */
    private void close(Hold carried, Thread thread) {
        if (engine.holds.removeNewest(carried, thread)) {
            carried.closeSole();
        } else {
            int unused = carried.closeForThread();
            engine.holds.prune(thread);
        }
    }

    /**
     * Gets the permits for a call, and has {@code thread}, the current one, be inside by them.
     *
     * @param told whether {@link Holders} has more to show of it than its thread; it has, too, if its time is taken
     * @param known the group, if it was known to be asked for a moment ago
     * @param open the newest open hold of the thread, if it has one
     */
    Hold enterCall(
            String key,
            String id,
            @Nullable Duration maxWait,
            @Nullable Costs costs,
            @Nullable TaskTrace trace,
            boolean told,
            @Nullable Group known,
            @Nullable Hold open,
            Thread thread)
            throws InterruptedException {
        long maxWaitNanos = EffectiveLimits.saturatedNanos(maxWait);
        Group group = known;
        for (; ; ) {
            if (group == null) {
                group = engine.group(key); // which may ask a resolver, and so may call
            }
            if (costs != null) {
                group.tellOfUnknown(costs);
            }
            boolean more = told || group.record.isTimed();
            boolean charged = costs != null || group.isRated();
            Hold hold;
            SharedGlobal shared = null;
            if (open == null) {
                hold = charged ? null : engine.holds.parked(thread);
                if (hold == null || (more && !(hold instanceof Call))) {
                    hold = made(group, id, more, charged);
                    if (!charged && !thread.isVirtual()) {
                        hold.setParkable();
                    }
                }
            } else {
                hold = enterCarried(open, group, id, more, trace, thread);
                if (hold != null) {
                    tellStarted(null, group, id, trace);
                    return hold;
                }
                shared = open.share();
                hold = made(group, id, more, charged);
            }
            Object got = ask(group, hold, thread, shared, shared != null, id, maxWaitNanos, costs, trace);
            if (got instanceof Rejection rejection) {
                throw rejection.toException(key, id);
            }
            if (got != null) {
                return (Hold) got;
            }
            group = null;
        }
    }

    private static Hold made(Group group, String id, boolean more, boolean charged) {
        if (charged) {
            return new ChargedCall(group, id);
        }
        return more ? new Call(group, id) : new Hold(group);
    }

    /**
     * Has {@code thread}, the current one, be inside of one more group at once, carried by what it is inside of already:
     * nobody can close that before this call has ended.
     *
     * @param open the newest open hold of the thread
     * @return {@code null} if that takes more: it is to wait, or user code calls amid a wait that lends what the thread has
     */
    private @Nullable Hold enterCarried(
            Hold open, Group group, String id, boolean more, @Nullable TaskTrace trace, Thread thread) {
        if (open.isOffered()) {
            return null;
        }
        Hold hold = engine.holds.parkedOn(open, thread);
        if (hold == null || (more && !(hold instanceof Call))) {
            if (group.isSlow()) {
                return null;
            }
            hold = made(group, id, more, false);
            hold.setCarriedBy(open);
        }
        long taken = group.tryTakeCarriedFast();
        if (taken == Group.NOT_TAKEN) {
            return null;
        }
        register(hold, thread, group, null, null, id, trace);
        hold.takenAt(taken);
        return hold;
    }

    // ---- permits

    public GroupPermit acquire(String key, String id) throws InterruptedException {
        return permit(key, id, Long.MAX_VALUE, UnaryOperator.identity(), null);
    }

    public Optional<GroupPermit> tryAcquire(String key, Duration maxWait) throws InterruptedException {
        return permit(key, "", EffectiveLimits.saturatedNanos(maxWait), PRESENT, Optional.empty());
    }

    private static Optional<GroupPermit> present(GroupPermit permit) {
        return Optional.of(permit);
    }

    /**
     * Gets a permit.
     *
     * @param wrapper makes what is returned, before the permit is granted: there may be no memory for it
     * @param refused what is returned if it isn't let in, unless for a shutdown; {@code null}: that is thrown
     */
    private <R> R permit(
            String key, String id, long maxWaitNanos, Function<GroupPermit, R> wrapper, @Nullable R refused)
            throws InterruptedException {
        StackReserve.require();
        engine.requireAdmits();
        TaskTrace trace = engine.policy.isUnobserved() ? null : engine.reports.submitted(key, id);
        for (; ; ) {
            Group group = engine.group(key); // which may ask a resolver, and so may call
            Permit permit = Permit.of(group, id, trace);
            R wrapped = wrapper.apply(permit);
            Object got = ask(group, permit, null, null, engine.isUnderPermit(), id, maxWaitNanos, null, trace);
            if (got instanceof Rejection rejection) {
                if (refused == null || rejection.reason() == RejectionReason.SHUTDOWN) {
                    throw rejection.toException(key, id);
                }
                return refused;
            }
            if (got != null) {
                permit.begin();
                permit.register(id);
                return wrapped;
            }
        }
    }

    /**
     * Asks for the permits that {@code hold} is for, and waits if that is necessary.
     *
     * @param hold what is registered once they are granted, and not before: a listener that hears of a rejection may call
     * @param owner the current thread, if that is inside by the hold then
     * @param shared the global permit that it may share, if there is one
     * @param fromInside whether the thread is inside a group
     * @return {@code hold}, or that of a call that turned out to be charged; the {@link Rejection} if it is not let in;
     *     {@code null}: the group is dead
     */
    private @Nullable Object ask(
            Group group,
            Hold hold,
            @Nullable Thread owner,
            @Nullable SharedGlobal shared,
            boolean fromInside,
            String id,
            long maxWaitNanos,
            @Nullable Costs costs,
            @Nullable TaskTrace trace)
            throws InterruptedException {
        Waiter waiter = null;
        Hold held = hold;
        SharedGlobal joined = shared;
        int stripe = owner == null ? group.home : Hold.stripeOf(owner);
        long taken = shared == null ? group.tryTakeFast(stripe) : group.tryTakeNested(shared, SharedGlobal.BOUND);
        if (taken == Group.NOT_TAKEN) {
            // The group may get a rate meanwhile, and once the permits are granted there may be no memory.
            Hold ifCharged = owner == null || hold instanceof ChargedCall ? hold : new ChargedCall(group, id);
            waiter = new Waiter(
                    group, id, shared, fromInside, owner == null ? null : ScopeBridge.lineageOf(owner), costs);
            Object refused;
            try {
                refused = await(waiter, maxWaitNanos);
            } catch (InterruptedException interrupted) {
                engine.reports.cancelled(group.key, id, interrupted, trace);
                throw interrupted;
            }
            if (refused instanceof Rejection rejection) {
                engine.reports.rejected(group.key, id, rejection.reason(), trace);
                return rejection;
            }
            if (refused == Verdict.DEAD) {
                return null;
            }
            joined = waiter.joined();
            if (waiter.charge() != null) {
                held = ifCharged;
                held.charged(waiter.charge());
            }
        }
        if (joined != null) {
            held.joined(joined);
        }
        if (owner != null) {
            register(held, owner, group, joined, waiter == null ? null : waiter.loan(), id, trace);
        }
        held.takenAt(taken);
        tellStarted(waiter, group, id, trace);
        return held;
    }

    /** Registers a hold for {@code owner}, the current thread; if there is no memory for that, its permits go back. */
    private void register(
            Hold hold,
            Thread owner,
            Group group,
            @Nullable SharedGlobal joined,
            @Nullable Lent loan,
            String id,
            @Nullable TaskTrace trace) {
        if (hold.isParked()) {
            if (hold instanceof Call call) {
                call.unpark(group, id);
            } else {
                hold.unpark(group);
            }
            return;
        }
        try {
            if (loan != null) {
                engine.lending.borrowers.add(hold, loan);
            }
            engine.holds.push(hold, owner);
        } catch (OutOfMemoryError oom) {
            if (hold.isCarried()) {
                group.releaseCarried(group.counters.carriedEnded(TaskStatus.FAILED));
            } else {
                giveBackUnused(group, hold, joined, loan);
            }
            group.record.ended(TaskStatus.FAILED, SafeRecorder.UNTIMED);
            engine.reports.failed(group.key, id, oom, trace);
            throw oom;
        }
    }

    private void giveBackUnused(Group group, Hold hold, @Nullable SharedGlobal joined, @Nullable Lent loan) {
        group.counters.ended(TaskStatus.FAILED);
        if (loan != null) {
            engine.lending.borrowers.remove(hold);
        }
        engine.returns.giveBackUnused(group, joined, SharedGlobal.BOUND, loan);
    }

    /** Tells recorder, listener and trace of a start; once the hold is registered, for they may call. */
    private void tellStarted(@Nullable Waiter waiter, Group group, String id, @Nullable TaskTrace trace) {
        boolean heard = engine.reports.isObserved(trace);
        long queuedNanos = 0;
        if (waiter != null && waiter.hasOpenWait()) {
            group.record.started(waiter, group.engine);
            queuedNanos = heard ? waiter.waitedNanos(engine.now()) : 0;
        }
        if (heard) {
            engine.reports.started(group.key, id, queuedNanos, trace);
        }
    }

    /** {@return the {@link Rejection} if {@code waiter} is not let in; {@link Verdict#DEAD}; {@code null}: it is} */
    private @Nullable Object await(Waiter waiter, long maxWaitNanos) throws InterruptedException {
        Group group = waiter.group;
        if (maxWaitNanos <= 0 || !group.queueBehind(waiter, null, maxWaitNanos)) {
            Batch batch = new Batch(engine);
            Verdict verdict = group.admit(waiter, null, maxWaitNanos, batch);
            batch.carryOut();
            switch (verdict) {
                case GRANTED -> {
                    return null;
                }
                case QUEUED -> {}
                case REJECTED, SHUT_DOWN -> {
                    return AsyncPermits.refusal(batch, group);
                }
                case DEAD -> {
                    engine.forget(group);
                    return verdict;
                }
            }
        }
        RejectionReason reason = waiter.await(maxWaitNanos);
        return reason == null ? null : group.rejection(reason, waiter);
    }
}
