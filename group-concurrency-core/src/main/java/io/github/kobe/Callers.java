package io.github.kobe;

import io.github.kobe.Group.Verdict;
import io.github.kobe.Outcome.Rejection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Permits for code that runs on the caller's own thread, or on nobody's. */
final class Callers {

    private final Engine engine;

    Callers(Engine engine) {
        this.engine = engine;
    }

    // ---- calls

    <T> T call(String key, String id, @Nullable Duration maxWait, Callable<T> task) throws Exception {
        StackReserve.require();
        Thread thread = Thread.currentThread();
        Hold outer = enclosing(key, thread);
        if (outer != null) {
            try {
                return task.call();
            } finally {
                engine.releases.closeOnce(outer, 0);
            }
        }
        engine.requireAdmits();
        TaskTrace trace = engine.policy.isSilent() ? null : engine.reports.submitted(key, id);
        if (engine.reports.isHeard(trace)) {
            return callHeard(key, id, maxWait, task, trace, thread);
        }
        Hold hold = enterCall(key, id, maxWait, null, !id.isEmpty(), thread);
        boolean timed = hold.group.isTimed();
        long start = timed ? begin(hold) : 0;
        T value;
        try {
            value = task.call();
        } catch (Throwable failure) {
            endCall(hold, TaskStatus.of(failure), timed ? engine.nanoTime() - start : SafeRecorder.UNTIMED, thread);
            throw failure;
        }
        endCall(hold, TaskStatus.SUCCESS, timed ? engine.nanoTime() - start : SafeRecorder.UNTIMED, thread);
        return value;
    }

    /** A call that somebody hears of; apart from those that nobody does, for speed. */
    private <T> T callHeard(
            String key,
            String id,
            @Nullable Duration maxWait,
            Callable<T> task,
            @Nullable TaskTrace trace,
            Thread thread)
            throws Exception {
        Hold hold = enterCall(key, id, maxWait, trace, true, thread);
        Callable<T> code = engine.reports.around(trace, key, task);
        long start = begin(hold);
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
            endCall(hold, TaskStatus.of(failure), end - start, thread);
            engine.reports.ended(key, id, value, failure, start, end, trace);
        }
    }

    /** The code of a call begins; returns when. */
    private long begin(Hold hold) {
        long now = engine.nanoTime();
        if (hold instanceof Call call) {
            call.begin(engine.sinceOrigin(now));
        }
        return now;
    }

    /**
     * Counts a call, closes its hold, and tells its group's recorder.
     *
     * @param nanos as in {@link Group#recordEnd}
     */
    private void endCall(Hold hold, TaskStatus status, long nanos, Thread thread) {
        Group group = hold.group; // which a parked hold may change with the next call
        group.counters.ended(status);
        leave(hold, group, thread);
        group.recordEnd(status, nanos);
    }

    private void leave(Hold hold, Group group, Thread thread) {
        if (!engine.holds.isInSlot(hold, thread) || !hold.park()) {
            engine.releases.close(hold, 0);
            return;
        }
        group.giveBackBoth(0, hold.stripe());
        if (group.isDead()) {
            engine.holds.forgetParked(hold, thread);
        }
    }

    /**
     * Gets the permits for a call, and has {@code thread}, the current one, be inside by them.
     *
     * @param told whether there is more to show of it than its thread; there is, too, if its time is taken
     */
    private Hold enterCall(
            String key, String id, @Nullable Duration maxWait, @Nullable TaskTrace trace, boolean told, Thread thread)
            throws InterruptedException {
        long maxWaitNanos = nanos(maxWait);
        for (; ; ) {
            Group group = engine.group(key); // which may ask a resolver, and so may call
            Hold hold = engine.holds.parked(thread);
            SharedGlobal shared = null;
            boolean more = told || group.isTimed();
            if (hold == null || (more && !(hold instanceof Call))) {
                shared = engine.holds.shareOf(thread);
                hold = more ? new Call(group, id) : new Hold(group);
                if (shared == null && !thread.isVirtual()) {
                    hold.setParkable();
                }
            }
            Object got = ask(group, hold, thread, shared, shared != null, id, maxWaitNanos, trace);
            if (got instanceof Rejection rejection) {
                throw rejection.toException(key, id);
            }
            if (got != null) {
                return hold;
            }
        }
    }

    // ---- permits

    /**
     * Gets a permit.
     *
     * @param bound whether it is to belong to the current thread
     */
    GroupPermit acquire(String key, boolean bound) throws InterruptedException {
        Object got = permit(key, Long.MAX_VALUE, bound);
        if (got instanceof Rejection rejection) {
            throw rejection.toException(key, "");
        }
        return (GroupPermit) got;
    }

    Optional<GroupPermit> tryAcquire(String key, Duration maxWait, boolean bound) throws InterruptedException {
        Object got = permit(key, nanos(maxWait), bound);
        if (got instanceof Rejection rejection) {
            if (rejection.reason() == RejectionReason.SHUTDOWN) {
                throw rejection.toException(key, "");
            }
            return Optional.empty();
        }
        return Optional.of((GroupPermit) got);
    }

    /** {@return a permit, or the {@link Rejection}} */
    private Object permit(String key, long maxWaitNanos, boolean bound) throws InterruptedException {
        StackReserve.require();
        Thread thread = Thread.currentThread();
        Hold outer = bound ? enclosing(key, thread) : null;
        if (outer != null) {
            return reentry(outer);
        }
        engine.requireAdmits();
        TaskTrace trace = engine.policy.isSilent() ? null : engine.reports.submitted(key, "");
        for (; ; ) {
            Group group = engine.group(key); // which may ask a resolver, and so may call
            SharedGlobal shared = bound ? engine.holds.shareOf(thread) : null;
            boolean fromInside = bound ? shared != null : engine.holds.topOpen(thread) != null;
            Permit permit = newPermit(group, "", trace);
            Object got = ask(group, permit, bound ? thread : null, shared, fromInside, "", maxWaitNanos, trace);
            if (got != null) {
                permit.begin();
                if (!bound && !(got instanceof Rejection)) {
                    permit.register("");
                }
                return got;
            }
        }
    }

    /** {@return a permit that shares {@code opened}, which was opened once more for it} */
    private GroupPermit reentry(Hold opened) {
        try {
            return new Reentry(opened, null);
        } catch (OutOfMemoryError lack) {
            engine.releases.closeOnce(opened, 0);
            throw lack;
        }
    }

    private Permit newPermit(Group group, String id, @Nullable TaskTrace trace) {
        if (engine.reports.isHeard(trace)) {
            return new Permit.Reported(group, id, trace);
        }
        return group.isTimed() ? new Permit.Timed(group) : new Permit(group);
    }

    /**
     * Asks for the permits that {@code hold} is for, and waits if that is necessary.
     *
     * @param hold registered once they are granted, and not before: whoever hears that they are not may call
     * @param owner the current thread, if that is inside by the hold then
     * @param shared the global permit that it may share, if there is one
     * @param fromInside whether the thread is inside a group
     * @return the hold; the {@link Rejection} if it is not let in; {@code null}: the group is dead
     */
    private @Nullable Object ask(
            Group group,
            Hold hold,
            @Nullable Thread owner,
            @Nullable SharedGlobal shared,
            boolean fromInside,
            String id,
            long maxWaitNanos,
            @Nullable TaskTrace trace)
            throws InterruptedException {
        Waiter waiter = null;
        boolean shares = shared != null;
        int stripe = owner == null ? group.home : Hold.stripeOf(owner);
        if (shared == null ? !group.tryTakeFast(stripe) : !group.tryTakeNested(shared, SharedGlobal.BOUND)) {
            waiter = new Waiter(group, id, shared, fromInside);
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
            shares = waiter.shares();
        }
        SharedGlobal joined = shares ? shared : null;
        if (joined != null) {
            hold.joined(joined);
        }
        if (owner != null) {
            register(hold, owner, group, joined, id, trace);
        }
        tellStarted(waiter, group, id, trace);
        return hold;
    }

    /** Has {@code owner}, the current thread, be inside by a hold; gives back what that is for if there is no memory. */
    private void register(
            Hold hold, Thread owner, Group group, @Nullable SharedGlobal joined, String id, @Nullable TaskTrace trace) {
        if (hold.isParked()) {
            if (hold instanceof Call call) {
                call.unpark(group, id);
            } else {
                hold.unpark(group);
            }
            return;
        }
        try {
            engine.holds.push(hold, owner);
        } catch (OutOfMemoryError lack) {
            group.counters.ended(TaskStatus.FAILED);
            engine.releases.giveBackUnused(group, joined, SharedGlobal.BOUND);
            group.recordEnd(TaskStatus.FAILED, SafeRecorder.UNTIMED);
            engine.reports.failed(group.key, id, lack, trace);
            throw lack;
        }
    }

    /** Tells of a start those who hear of it; from inside, for they may call. */
    private void tellStarted(@Nullable Waiter waiter, Group group, String id, @Nullable TaskTrace trace) {
        boolean heard = engine.reports.isHeard(trace);
        long queuedNanos = 0;
        if (waiter != null && waiter.hasOpenWait()) {
            group.recordStart(waiter);
            queuedNanos = heard ? waiter.waitedNanos(engine.now()) : 0;
        }
        if (heard) {
            engine.reports.started(group.key, id, queuedNanos, trace);
        }
    }

    /** {@return the {@link Rejection} if {@code waiter} is not let in; {@link Verdict#DEAD}; {@code null}: it is} */
    private @Nullable Object await(Waiter waiter, long maxWaitNanos) throws InterruptedException {
        Group group = waiter.group;
        if (maxWaitNanos <= 0 || !group.queueBehind(waiter, null)) {
            Batch batch = new Batch(engine);
            Verdict verdict = group.admit(waiter, null, maxWaitNanos > 0, RejectionReason.SHUTDOWN, batch);
            batch.carryOut();
            switch (verdict) {
                case GRANTED -> {
                    return null;
                }
                case QUEUED -> {}
                case REJECTED, SHUT_DOWN -> {
                    return refusal(batch, group);
                }
                case DEAD -> {
                    engine.forget(group);
                    return verdict;
                }
            }
        }
        RejectionReason reason = waiter.await(maxWaitNanos);
        return reason == null ? null : new Rejection(reason, -1, group.queued());
    }

    /** {@return why a group has not let in who asked; its recorder hears it here} */
    private static Rejection refusal(Batch batch, Group group) {
        Rejection rejection = batch.rejection;
        group.recordRejected(rejection != null ? rejection.reason() : RejectionReason.SHUTDOWN);
        return rejection != null ? rejection : new Rejection(RejectionReason.SHUTDOWN, -1, group.queued());
    }

    // ---- permits that nobody waits for

    CompletionStage<GroupPermit> acquireAsync(String key, String id, @Nullable Duration maxWait) {
        StackReserve.require();
        engine.requireAdmits();
        return acquireAsync(key, id, nanos(maxWait), null);
    }

    private CompletionStage<GroupPermit> acquireAsync(
            String key, String id, long maxWaitNanos, @Nullable SharedGlobal shared) {
        TaskTrace trace = engine.reports.submitted(key, id);
        for (; ; ) {
            Group group = engine.group(key);
            PermitFuture node = new PermitFuture(group, id, maxWaitNanos, trace, shared);
            if (shared == null ? group.tryTakeFast(group.home) : group.tryTakeNested(shared, SharedGlobal.UNBOUND)) {
                boolean unused = node.grant(null, shared != null);
                node.handOut();
                return node.future();
            }
            Batch batch = new Batch(engine);
            Verdict verdict = group.admit(node, null, maxWaitNanos > 0, RejectionReason.SHUTDOWN, batch);
            batch.carryOut();
            switch (verdict) {
                case GRANTED -> node.handOut();
                case QUEUED -> {}
                case REJECTED, SHUT_DOWN -> node.reject(refusal(batch, group));
                case DEAD -> {
                    engine.forget(group);
                    continue;
                }
            }
            return node.future();
        }
    }

    /**
     * Makes the permit that {@code node} was granted; it is nobody's.
     *
     * @param joined the global permit that it shares, if it does
     */
    Permit newPermit(Node node, @Nullable SharedGlobal joined, String id, @Nullable TaskTrace trace) {
        Permit permit = newPermit(node.group, id, trace);
        if (joined != null) {
            permit.joined(joined);
        }
        if (node.hasOpenWait()) {
            node.group.recordStart(node);
        }
        if (engine.reports.isHeard(trace)) {
            engine.reports.started(node.group.key, id, node.waitedNanos(engine.now()), trace);
        }
        permit.begin();
        permit.register(id);
        return permit;
    }

    /** Closes a permit for the one who was handed it. */
    void close(Permit permit) {
        StackReserve.requireToGiveBack();
        int before = permit.closeOwn();
        if (!Hold.wasClosedByOwner(before) && Hold.wasLast(before)) {
            engine.releases.lastClose(permit, before, 0);
        }
    }

    // ---- from inside

    /** Opens the hold that {@code thread}, the current one, has in a group once more, if there is one. */
    private @Nullable Hold enclosing(String key, Thread thread) {
        if (engine.holds.parked(thread) != null) {
            return null;
        }
        for (Hold h = engine.holds.topOpen(thread); h != null; h = Holds.open(h.below)) {
            if (h.group.key.equals(key) && h.reopen()) {
                return h;
            }
        }
        return null;
    }

    /**
     * Runs {@code task} with the current thread inside of a permit.
     *
     * @param kept kept for this
     */
    <T> T callInside(OpenablePermit kept, Callable<T> task) throws Exception {
        Inside inside = enter(kept);
        try {
            return task.call();
        } finally {
            engine.releases.closeOnce(inside, 0);
        }
    }

    /** Has the current thread be inside of {@code kept}; releases that if it fails. */
    private Inside enter(OpenablePermit kept) throws InterruptedException {
        Thread thread = Thread.currentThread();
        Inside inside = null;
        boolean entered = false;
        try {
            SharedGlobal shared = kept.hold().shareKept();
            inside = new Inside(kept, shared);
            engine.holds.push(inside, thread);
            while (!shared.tryJoin(SharedGlobal.BOUND)) {
                engine.lending.awaitReturned(shared);
            }
            entered = true;
            return inside;
        } finally {
            if (!entered) {
                if (inside != null && inside.thread != null) {
                    int unused = inside.closeOnce();
                    engine.holds.prune(thread);
                }
                kept.release();
            }
        }
    }

    /**
     * Asks for a permit of another group that shares the global permit of a permit; in its own group it shares that.
     *
     * @param kept kept for this
     */
    CompletionStage<GroupPermit> acquireAsync(OpenablePermit kept, String key) {
        boolean passedOn = false;
        try {
            if (kept.groupKey().equals(key)) {
                CompletionStage<GroupPermit> stage = CompletableFuture.completedStage(new Reentry(kept.hold(), kept));
                if (kept.hold().real() instanceof Permit permit) {
                    permit.register(""); // its thread may close it before
                }
                passedOn = true;
                return stage;
            }
            engine.requireAdmitsFromInside();
            return acquireAsync(key, "", Long.MAX_VALUE, kept.hold().shareKept());
        } finally {
            if (!passedOn) {
                kept.release();
            }
        }
    }

    /**
     * Submits a task that borrows the global permit of a permit.
     *
     * @param kept kept for this
     */
    <T> TaskHandle<T> submit(OpenablePermit kept, String key, String id, Callable<?> task, boolean async) {
        try {
            return engine.admission.submitSharing(
                    key, id, task, async, kept.hold().shareKept());
        } finally {
            kept.release();
        }
    }

    private static long nanos(@Nullable Duration maxWait) {
        return maxWait == null ? Long.MAX_VALUE : EffectiveLimits.saturatedNanos(maxWait);
    }

    /** A permit of one that has the group already: it shares that. */
    private final class Reentry implements OpenablePermit {

        private static final int CLOSED = 1 << 31;

        private final Hold hold;

        /** What it keeps; {@code null}: it has opened the hold once more. */
        private final @Nullable OpenablePermit kept;

        /** How many use it, the one who has yet to close it among them; with {@link #CLOSED} once that is done. */
        private final AtomicInteger uses = new AtomicInteger(1);

        Reentry(Hold hold, @Nullable OpenablePermit kept) {
            this.hold = hold;
            this.kept = kept;
        }

        @Override
        public Hold hold() {
            return hold;
        }

        /** Whether it keeps the hold out by itself; else what it shares does. */
        private boolean keepsByItself() {
            return !(hold instanceof Permit);
        }

        @Override
        public boolean keep() {
            int u = uses.get();
            while (u >= 0 && !uses.compareAndSet(u, u + 1)) {
                u = uses.get();
            }
            if (u < 0 || keepsByItself()) {
                return u >= 0;
            }
            try {
                return ((Permit) hold).keepShared(); // its own thread may be outside before this ends
            } finally {
                endUse();
            }
        }

        @Override
        public void release() {
            if (keepsByItself()) {
                endUse();
            } else {
                ((Permit) hold).release();
            }
        }

        private void endUse() {
            if ((uses.decrementAndGet() & ~CLOSED) != 0) {
                return;
            }
            if (kept != null) {
                kept.release();
            } else {
                engine.releases.closeOnce(hold, 0);
            }
        }

        @Override
        public void close() {
            StackReserve.requireToGiveBack();
            int u = uses.get();
            while (u >= 0 && !uses.compareAndSet(u, u | CLOSED)) {
                u = uses.get();
            }
            if (u >= 0) {
                endUse();
            }
        }
    }
}
