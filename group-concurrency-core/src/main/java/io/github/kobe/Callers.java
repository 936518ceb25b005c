package io.github.kobe;

import io.github.kobe.Group.Verdict;
import io.github.kobe.Outcome.Rejection;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Permits for code that runs on the caller's own thread, or on nobody's. */
final class Callers {

    private final Engine engine;

    Callers(Engine engine) {
        this.engine = engine;
    }

    <T> T call(String key, String id, @Nullable Duration maxWait, Callable<T> task) throws Exception {
        StackReserve.require();
        Thread thread = Thread.currentThread();
        Hold parked = engine.holds.parked(thread);
        boolean outside = isOutside(thread, parked);
        Hold outer = outside ? null : enclosing(key);
        if (outer != null) {
            try {
                return task.call();
            } finally {
                engine.releases.closeOnce(outer, 0);
            }
        }
        engine.requireAdmits();
        if (!engine.policy.isSilent()) {
            TaskTrace trace = engine.reports.submitted(key, id);
            if (engine.reports.isHeard(trace)) {
                return callFollowed(key, id, maxWait, task, trace);
            }
            // The tracer may have called, and so parked something.
            parked = engine.holds.parked(thread);
            outside = isOutside(thread, parked);
        }
        Hold hold = outside ? enterUnheard(key, id, maxWait, thread, parked) : enterNestedUnheard(key, false, thread);
        return hold != null ? runUnheard(hold, task) : callFollowed(key, id, maxWait, task, null);
    }

    /** {@return whether the current thread is outside all groups} */
    private boolean isOutside(Thread thread, @Nullable Hold parked) {
        return parked != null || engine.holds.topOpen(thread) == null;
    }

    /** A call that somebody hears of, or that takes more than {@link #enterUnheard}. */
    private <T> T callFollowed(
            String key, String id, @Nullable Duration maxWait, Callable<T> task, @Nullable TaskTrace trace)
            throws Exception {
        Hold hold = new Entrance(key, id, trace).ask(false, nanos(maxWait)).orThrow();
        Callable<T> code = engine.reports.around(trace, key, task);
        boolean heard = engine.reports.isHeard(trace);
        long start = heard ? engine.nanoTime() : 0;
        T value;
        try {
            value = code.call();
        } catch (Throwable failure) {
            endCall(hold, id, null, failure, heard, start, trace);
            throw failure;
        }
        endCall(hold, id, value, null, heard, start, trace);
        return value;
    }

    /** Runs a call that nobody hears of; apart from those that somebody does, for speed. */
    private <T> T runUnheard(Hold hold, Callable<T> task) throws Exception {
        T value;
        try {
            value = task.call();
        } catch (Throwable failure) {
            hold.group.counters.ended(TaskStatus.of(failure));
            leave(hold);
            throw failure;
        }
        hold.group.counters.ended(TaskStatus.SUCCESS);
        leave(hold);
        return value;
    }

    private void endCall(
            Hold hold,
            String id,
            @Nullable Object value,
            @Nullable Throwable failure,
            boolean heard,
            long start,
            @Nullable TaskTrace trace) {
        Group group = hold.group;
        group.counters.ended(TaskStatus.of(failure));
        leave(hold);
        if (heard) {
            engine.reports.ended(group.key, id, value, failure, start, engine.nanoTime(), trace);
        }
    }

    /** Closes the hold of a call. */
    private void leave(Hold hold) {
        Group group = hold.group;
        Thread thread = Thread.currentThread();
        if (!engine.holds.isInSlot(hold, thread) || !hold.park()) {
            engine.releases.close(hold, 0);
            return;
        }
        group.giveBackBoth(0);
        if (group.isDead()) {
            engine.holds.forgetParked(hold, thread);
        }
    }

    /**
     * Lets a call of the current thread, which is outside all groups, into one: by one compare-and-set, or at the end of
     * the queue.
     *
     * @param parked what the thread has parked, if anything
     * @return {@code null}: neither of the two ways will do
     */
    private @Nullable Hold enterUnheard(
            String key, String id, @Nullable Duration maxWait, Thread thread, @Nullable Hold parked)
            throws InterruptedException {
        Group group = engine.groupIfKnown(key);
        if (group == null) {
            return null; // a resolver is asked for its limits, which may call, and unpark what is parked
        }
        if (!group.tryTakeFast()) {
            long maxWaitNanos = nanos(maxWait);
            Waiter waiter = maxWaitNanos > 0 ? new Waiter(group, null) : null;
            if (waiter == null || !group.queueBehind(waiter, null)) {
                return null;
            }
            RejectionReason reason = waiter.await(maxWaitNanos);
            if (reason != null) {
                throw new Rejection(reason, -1, group.queued()).toException(key, id);
            }
        }
        if (parked != null) {
            parked.unpark(group);
            return parked;
        }
        try {
            return newCallHold(thread, group);
        } catch (OutOfMemoryError lack) {
            giveBackUnused(group, lack, id, null);
            throw lack;
        }
    }

    /**
     * Lets the current thread, which is inside another group, into one that is free.
     *
     * @return {@code null}: that won't do
     */
    private @Nullable Hold enterNestedUnheard(String key, boolean asPermit, Thread thread) {
        Group group = engine.groupIfKnown(key);
        if (group == null || !group.mayBeFree()) {
            return null;
        }
        Hold asking = asPermit ? new Permit(null, group, false) : new Hold(null, group, false);
        boolean granted = false;
        try {
            engine.releases.registerAsking(asking, thread);
            granted = group.tryTakeNested(asking);
        } finally {
            if (!granted) {
                giveUp(asking, thread);
            }
        }
        return granted ? asking : null;
    }

    private void giveUp(Hold asking, Thread thread) {
        asking.giveUp();
        engine.holds.prune(thread);
    }

    /** {@return the hold of a call of the current thread, on the only permit that it has} */
    private Hold newCallHold(Thread thread, Group group) {
        Hold hold = new Hold(null, group, true);
        hold.setParkable(!thread.isVirtual());
        engine.holds.push(hold, thread);
        return hold;
    }

    /** Gives back what the current thread was granted and has no memory for. */
    private void giveBackUnused(Group group, OutOfMemoryError lack, String id, @Nullable TaskTrace trace) {
        Batch batch = Batch.orNull(engine, 0);
        group.counters.ended(TaskStatus.FAILED);
        group.giveBackUnused(false, batch);
        if (batch != null) {
            batch.carryOut();
        }
        engine.reports.failed(group.key, id, lack, trace);
    }

    GroupPermit acquire(String key) throws InterruptedException {
        return Objects.requireNonNull(permit(key, Long.MAX_VALUE, true));
    }

    Optional<GroupPermit> tryAcquire(String key, Duration maxWait) throws InterruptedException {
        return Optional.ofNullable(permit(key, nanos(maxWait), false));
    }

    /**
     * Gets a permit for the current thread.
     *
     * @param throwing whether to throw what keeps it out; else only a shutdown is thrown, and the rest is {@code null}
     */
    private @Nullable GroupPermit permit(String key, long maxWaitNanos, boolean throwing) throws InterruptedException {
        StackReserve.require();
        Thread thread = Thread.currentThread();
        boolean outside = isOutside(thread, engine.holds.parked(thread));
        Hold outer = outside ? null : enclosing(key);
        if (outer != null) {
            return new Reentry(outer);
        }
        engine.requireAdmits();
        TaskTrace trace = null;
        if (!engine.policy.isSilent()) {
            trace = engine.reports.submitted(key, "");
            outside = isOutside(thread, engine.holds.parked(thread)); // the tracer may have called
        }
        if (!engine.reports.isHeard(trace)) {
            Hold unheard = outside ? permitUnheard(key, thread) : enterNestedUnheard(key, true, thread);
            if (unheard != null) {
                return (Permit) unheard;
            }
        }
        Entrance entrance = new Entrance(key, "", trace).ask(true, maxWaitNanos);
        if (throwing || entrance.reason() == RejectionReason.SHUTDOWN) {
            return (Permit) entrance.orThrow();
        }
        return (Permit) entrance.hold;
    }

    /** Takes a permit for the current thread, which is outside all groups, by one compare-and-set, if that will do. */
    private @Nullable Permit permitUnheard(String key, Thread thread) {
        Group group = engine.groupIfKnown(key);
        if (group == null || !group.tryTakeFast()) {
            return null; // for want of a group as above
        }
        try {
            Permit permit = new Permit(null, group, true);
            engine.holds.push(permit, thread);
            return permit;
        } catch (OutOfMemoryError lack) {
            giveBackUnused(group, lack, "", null);
            throw lack;
        }
    }

    CompletionStage<GroupPermit> acquireAsync(String key, String id, @Nullable Duration maxWait) {
        StackReserve.require();
        engine.requireAdmits();
        long maxWaitNanos = nanos(maxWait);
        TaskTrace trace = engine.reports.submitted(key, id);
        for (; ; ) {
            Group group = engine.group(key);
            PermitFuture node = new PermitFuture(group, id, maxWaitNanos, trace);
            if (group.tryTakeFast()) {
                node.grant(null);
                node.handOut();
                return node.future();
            }
            Batch batch = new Batch(engine);
            Verdict verdict = group.admit(node, null, maxWaitNanos > 0, RejectionReason.SHUTDOWN, batch);
            batch.carryOut();
            switch (verdict) {
                case GRANTED -> node.handOut();
                case QUEUED -> {}
                case REJECTED, SHUT_DOWN -> node.reject(rejection(batch, group));
                case DEAD -> {
                    engine.forget(group);
                    continue;
                }
            }
            return node.future();
        }
    }

    /** A way into a group for the current thread: with a hold, or with the reason why not. */
    private final class Entrance {
        private final String key;
        private final String id;
        private final @Nullable TaskTrace trace;
        private @Nullable Hold hold;
        private @Nullable Rejection rejection;

        /** Prepares to ask; nothing has been asked for yet. */
        Entrance(String key, String id, @Nullable TaskTrace trace) {
            this.key = key;
            this.id = id;
            this.trace = trace;
        }

        /** Asks, and waits if that is necessary. */
        Entrance ask(boolean asPermit, long maxWaitNanos) throws InterruptedException {
            Thread thread = Thread.currentThread();
            boolean dead;
            do {
                Group group = engine.group(key); // which may ask a resolver, and so may call
                dead = engine.holds.topOpen(thread) == null
                        ? enter(group, null, asPermit, maxWaitNanos)
                        : enterFromInside(group, thread, asPermit, maxWaitNanos);
                if (dead) {
                    engine.forget(group);
                }
            } while (dead);
            return this;
        }

        /** Has what it asks for registered while it asks, so that whoever closes what it rests on finds it. */
        private boolean enterFromInside(Group group, Thread thread, boolean asPermit, long maxWaitNanos)
                throws InterruptedException {
            Hold asking = newHold(group, asPermit, false);
            try {
                engine.releases.registerAsking(asking, thread);
                return enter(group, asking, asPermit, maxWaitNanos);
            } finally {
                if (asking.asks()) {
                    giveUp(asking, thread);
                }
            }
        }

        /** {@return whether the group is dead; else it has a hold, or the reason why not} */
        private boolean enter(Group group, @Nullable Hold asking, boolean asPermit, long maxWaitNanos)
                throws InterruptedException {
            if (asking == null ? group.tryTakeFast() : group.tryTakeNested(asking)) {
                hold = granted(group, asking, asPermit, 0);
                return false;
            }
            Waiter waiter = new Waiter(group, asking);
            if (maxWaitNanos > 0 && group.queueBehind(waiter, null)) {
                hold = await(waiter, asking, asPermit, maxWaitNanos);
                return false;
            }
            Batch batch = new Batch(engine);
            Verdict verdict = group.admit(waiter, null, maxWaitNanos > 0, RejectionReason.SHUTDOWN, batch);
            batch.carryOut();
            switch (verdict) {
                case GRANTED -> hold = granted(group, asking, asPermit, 0);
                case QUEUED -> hold = await(waiter, asking, asPermit, maxWaitNanos);
                case REJECTED, SHUT_DOWN -> hold = rejected(rejection(batch, group));
                case DEAD -> {
                    return true;
                }
            }
            return false;
        }

        private @Nullable Hold await(Waiter waiter, @Nullable Hold asking, boolean asPermit, long maxWaitNanos)
                throws InterruptedException {
            RejectionReason reason;
            try {
                reason = waiter.await(maxWaitNanos);
            } catch (InterruptedException interrupted) {
                engine.reports.cancelled(key, id, interrupted, trace);
                throw interrupted;
            }
            if (reason != null) {
                return rejected(new Rejection(reason, -1, waiter.group.queued()));
            }
            long queued = engine.reports.isHeard(trace) ? waiter.waitedNanos(engine.now()) : 0;
            return granted(waiter.group, asking, asPermit, queued);
        }

        private Hold granted(Group group, @Nullable Hold asking, boolean asPermit, long queuedNanos) {
            Hold made;
            if (asking != null) {
                asking.grant(); // whoever grants may not have come so far
                made = asking;
            } else {
                made = registered(group, asPermit);
            }
            if (engine.reports.isHeard(trace)) {
                engine.reports.started(key, id, queuedNanos, trace); // from inside, for it may call
                if (made instanceof Permit.Reported permit) {
                    permit.begin();
                }
            }
            return made;
        }

        /** {@return the hold of the current thread, which was outside all groups, on what it was granted} */
        private Hold registered(Group group, boolean asPermit) {
            Thread thread = Thread.currentThread();
            try {
                Hold parked = asPermit ? null : engine.holds.parked(thread);
                if (parked != null) {
                    parked.unpark(group);
                    return parked;
                }
                if (!asPermit) {
                    return newCallHold(thread, group);
                }
                Hold made = newHold(group, true, true);
                engine.holds.push(made, thread);
                return made;
            } catch (OutOfMemoryError lack) {
                giveBackUnused(group, lack, id, trace);
                throw lack;
            }
        }

        private Hold newHold(Group group, boolean asPermit, boolean granted) {
            if (!asPermit) {
                return new Hold(null, group, granted);
            }
            return engine.reports.isHeard(trace)
                    ? new Permit.Reported(null, group, granted, id, trace)
                    : new Permit(null, group, granted);
        }

        private @Nullable Hold rejected(Rejection why) {
            engine.reports.rejected(key, id, why.reason(), trace);
            rejection = why;
            return null;
        }

        /** {@return why it has no hold, if it has none} */
        private @Nullable RejectionReason reason() {
            return rejection == null ? null : rejection.reason();
        }

        private Hold orThrow() {
            if (hold == null) {
                throw Objects.requireNonNull(rejection).toException(key, id);
            }
            return hold;
        }
    }

    private static Rejection rejection(Batch batch, Group group) {
        Rejection rejection = batch.rejection;
        return rejection != null ? rejection : new Rejection(RejectionReason.SHUTDOWN, -1, group.queued());
    }

    /** Makes the permit that {@code node} was granted; it is nobody's. */
    Permit newPermit(Node node, String id, @Nullable TaskTrace trace) {
        if (!engine.reports.isHeard(trace)) {
            return new Permit(null, node.group, true);
        }
        engine.reports.started(node.group.key, id, node.waitedNanos(engine.now()), trace);
        return new Permit.Reported(null, node.group, true, id, trace);
    }

    /** Opens the hold that the current thread has in a group once more, if there is one. */
    private @Nullable Hold enclosing(String key) {
        for (Hold h = engine.holds.topOpen(Thread.currentThread()); h != null; h = Holds.open(h.below)) {
            if (h.group.key.equals(key) && h.reopen()) {
                return h;
            }
        }
        return null;
    }

    /** Closes a permit for the one who was handed it. */
    void close(Permit permit) {
        StackReserve.requireToGiveBack();
        int before = permit.closeOwn();
        if (Hold.wasClosedByOwner(before)) {
            return;
        }
        permit.group.countLate(TaskStatus.SUCCESS);
        if (Hold.wasLast(before)) {
            engine.releases.lastClose(permit, before, 0);
        }
        permit.reportEnd();
    }

    private static long nanos(@Nullable Duration maxWait) {
        return maxWait == null ? Long.MAX_VALUE : EffectiveLimits.saturatedNanos(maxWait);
    }

    /** A permit of a thread that was inside the group already: it shares the hold. */
    private final class Reentry implements GroupPermit {
        private final Hold hold;
        private final AtomicBoolean closed = new AtomicBoolean();

        Reentry(Hold hold) {
            this.hold = hold;
        }

        @Override
        public String groupKey() {
            return hold.group.key;
        }

        @Override
        public void close() {
            StackReserve.requireToGiveBack();
            if (closed.compareAndSet(false, true)) {
                engine.releases.closeOnce(hold, 0);
            }
        }
    }
}
