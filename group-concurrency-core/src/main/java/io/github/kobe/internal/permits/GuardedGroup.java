package io.github.kobe.internal.permits;

import io.github.kobe.RejectionReason;
import io.github.kobe.internal.base.Core;
import io.github.kobe.internal.base.EffectiveLimits;
import io.github.kobe.internal.base.Later;
import io.github.kobe.internal.base.Lease;
import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.base.Recording;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The guard of a group, and the ways into and out of the critical section that it protects.
 *
 * <p>A thread that enters ({@link #enter}) makes the group slow, and one that leaves ({@link #exit}) and finds it calm
 * makes it fast again. It stays slow, and unchanged, for a thread that uses the queue while nothing can start, before
 * or after ({@link #lockSaturated}). It starts out slow, so that the first use asks the ledger for its state. It dies
 * in a critical section, when it is removed as idle or evicted; a thread that meets it then looks up the key again.
 *
 * <p>The guard is the group's own lock, or, while the group is attached to the {@link Ledger}, the ledger's. It changes
 * only under both locks (attach) or under the ledger's (detach), so a thread that has locked it and still finds it to
 * be the guard may continue.
 *
 * <p><b>Lock order:</b> ledger, own lock of a group, then leaves (housekeeper, idle list). No user code under any.
 */
@SuppressWarnings({"ReferenceEquality", "LockNotBeforeTry"}) // identity is meant; enter and exit are a pair
abstract sealed class GuardedGroup extends GroupState implements Continued permits Group {

    private final ReentrantLock own = new ReentrantLock();
    private volatile ReentrantLock guard = own;

    /** Guarded by the lock of the housekeeper, which tries again what has failed here. */
    private @Nullable Later later;

    GuardedGroup(Groups engine, String key, EffectiveLimits base, boolean named, Recording recording) {
        super(engine, key, base, named, recording);
    }

    // ---- in and out

    /**
     * Locks the guard and makes the group slow.
     *
     * @return false if the group is dead; it is entered all the same
     */
    public final boolean enter() {
        for (; ; ) {
            ReentrantLock lock = guard;
            lock.lock();
            boolean entered = false;
            boolean attach = false;
            try {
                if (lock == guard) {
                    attach = lock == own && (ledger.isOn() || (!isCapped() && ledger.permits.isCapped()));
                    if (!attach) {
                        boolean alive = becomeSlow();
                        entered = true;
                        if (lease != null) { // as it was last seen: time alone may have what waits need a lease
                            lease.entered(inFlightHere(), keptByLease(0) > 0, isIdle());
                        }
                        lookAtRate();
                        return alive;
                    }
                }
            } finally {
                if (!entered) {
                    lock.unlock();
                }
            }
            if (attach) {
                ledger.attach(this);
            }
        }
    }

    /**
     * Grants what can be granted, makes the group fast if it is calm, and unlocks the guard. It doesn't fail: where memory is
     * short, the group stalls until the housekeeper tries again.
     *
     * @param batch {@code null}: there is no memory for one, so nothing can start
     */
    public final void exit(@Nullable Batch batch) {
        ReentrantLock lock = guard;
        try {
            if (isDead()) {
                return;
            }
            if (batch == null) {
                heldHasChanged(); // nobody may come by to dispatch it
                stalled = engine.housekeeper.retry(asGroup());
            } else {
                dispatch(batch);
            }
            if (attached && ledger.isDetachable(this)) {
                ledger.detach(this);
            }
            queue.tidy();
            if (isStopping() && queue.isEmpty()) {
                stopNoMore();
            }
            if (lease != null
                    && lease.leaves(inFlightHere(), keptByLease(0) > 0, isIdle(), limits().leased(), batch != null)) {
                Objects.requireNonNull(batch).touched(lease);
            }
            if (isCalm()) {
                becomeFast();
            }
        } finally {
            int owed = takeOwedCredits();
            boolean lacks = takeLackOfCredit();
            if (lock != own && !attached) {
                guard = own;
            }
            unlockGuard(lock);
            if (owed > 0 || lacks) {
                settleWithLedger(owed, lacks, batch);
            }
        }
    }

    /**
     * Gives credits to the ledger, and has it decide over the head. Like {@link #exit} it doesn't fail.
     *
     * @param lacksCredit whether the head lacks nothing but a credit, or a start of the global rate
     * @param batch {@code null}: there is no memory for one, so nothing can start
     */
    final void settleWithLedger(int credits, boolean lacksCredit, @Nullable Batch batch) {
        ledger.lock();
        try {
            ledger.permits.give(credits);
            if (batch == null) {
                engine.housekeeper.retry(asGroup());
                return;
            }
            boolean decided = false;
            if (lacksCredit) {
                ledger.refillOrBind();
                decided = enter();
                exit(batch);
            }
            if (!decided) {
                // The group may have died since: then others get what has come.
                ledger.bindForLenders();
                ledger.drain(null, batch);
            }
        } catch (Throwable failure) {
            engine.housekeeper.retry(asGroup());
            if (batch != null) { // else nothing was decided that could fail
                batch.failed(key, failure);
            }
        } finally {
            ledger.unlock();
        }
    }

    /** Gives back a credit whose permits are back, or were never taken, and carries out what that lets start. */
    final void giveCredit(long now, int stripe) {
        if (!ledger.permits.tryGiveCredit(stripe)) {
            Batch batch = Batch.orNull(engine, now);
            settleWithLedger(1, false, batch);
            Batch.carryOutIfMade(batch);
        }
    }

    /** What was carried shares a global permit from now on; by its thread. */
    final void carriedShares() {
        Batch batch = Batch.orNull(engine, 0);
        enter();
        try {
            boolean unused = counters.carriedNoMore();
            addNested(1);
        } finally {
            exit(batch);
        }
        Batch.carryOutIfMade(batch);
    }

    /** Hands the group over to the ledger, if it isn't yet; under the ledger's lock. */
    final void attach() {
        own.lock();
        try {
            if (guard == own) {
                becomeSlow();
                joinLedger();
                guard = ledger.lock;
            }
            if (!isCapped() && ledger.permits.isCapped()) {
                becomeCapped();
            }
        } finally {
            own.unlock();
        }
    }

    // ---- in and out, where the group stays as it is

    /**
     * Locks the own lock if nothing but that is needed to use the queue, something waits in it, and all that keeps it
     * from starting is the group's limits. Then the executor is not shut down either: that turns the ledger on.
     */
    public final boolean lockSaturated() {
        if (!isSlow() || guard != own || queue.isEmpty()) {
            return false;
        }
        own.lock();
        if (guard == own && !ledger.isOn() && isSlow() && !isDead() && isSaturated()) {
            return true;
        }
        own.unlock();
        return false;
    }

    /** Locks the own lock, if that is the guard and the group is fast; then it stays so. */
    final boolean lockFast() {
        if (isSlow()) {
            return false;
        }
        own.lock();
        if (guard == own && !isSlow()) {
            return true;
        }
        own.unlock();
        return false;
    }

    /** Leaves what {@link #lockSaturated} or {@link #lockFast} has locked. */
    public final void unlock() {
        own.unlock();
    }

    /** Lists what waits as {@link GroupQueue#listOldest}, under the guard. */
    final boolean listOldest(List<Node> nodes, int limit) {
        ReentrantLock lock = lockGuard();
        try {
            return queue.listOldest(nodes, limit, engine.environment.portion());
        } finally {
            unlockGuard(lock);
        }
    }

    /** {@return the scopes that have something waiting here} */
    public final List<Lineage> scopesWaiting() {
        ReentrantLock lock = lockGuard();
        try {
            LocalLending lending = queue.lending();
            return lending == null ? List.of() : lending.scopes();
        } finally {
            unlockGuard(lock);
        }
    }

    final ReentrantLock lockGuard() {
        for (; ; ) {
            ReentrantLock lock = guard;
            lock.lock();
            if (lock == guard) {
                return lock;
            }
            lock.unlock();
        }
    }

    final void unlockGuard(ReentrantLock lock) {
        if (lock == own) {
            own.unlock();
        } else {
            ledger.unlock();
        }
    }

    // ---- each enters, does what it says, and leaves

    /** Makes a change, if the group is alive; false if it is dead. */
    public final boolean change(Consumer<GroupState> change, Batch batch) {
        return changeIf(
                state -> {
                    change.accept(state);
                    return true;
                },
                batch);
    }

    /** As {@link #change}; false also if the change returns that. */
    public final boolean changeIf(Predicate<GroupState> change, Batch batch) {
        boolean alive = enter();
        try {
            return alive && change.test(this);
        } finally {
            exit(batch);
        }
    }

    /**
     * Has it have so many in flight at most, of a limit that several instances share: what waits starts if they are more now,
     * and what is out beyond them drains.
     *
     * @return how it stands then, which nobody is told besides; {@code null}: it can have none, since it is dead, or no other
     *     instance shares its limit any more
     */
    public final Lease.@Nullable Reading lease(int capacity) {
        Batch batch = new Batch(engine);
        boolean alive = enter();
        try {
            Lease known = lease;
            if (!alive || known == null) {
                return null;
            }
            setLeased(capacity);
            dispatch(batch);
            return known.read(inFlightHere(), keptByLease(0), isIdle());
        } finally {
            exit(batch);
            batch.carryOut();
        }
    }

    /** One that asked is refused; its group's lease may be why. */
    final void noteRefusal() {
        if (lease != null && keptByLease(1) > 0) {
            lease.refused();
        }
    }

    /** Ends the waits whose time is up. */
    final void expire(long now) {
        Batch batch = new Batch(engine);
        enter();
        try {
            alarmHasCome(now);
            endExpired(now, batch);
        } finally {
            exit(batch);
            batch.carryOut();
        }
    }

    /** Starts what its rate allows by now, or has it forgotten. */
    final void rateIsDue(long now) {
        Batch batch = new Batch(engine);
        enter();
        try {
            rateAlarmHasCome(now);
        } finally {
            exit(batch);
            batch.carryOut();
        }
    }

    /** Ends the wait of a node whose own time is up. */
    final void expireOne(Node node, long now) {
        Batch batch = new Batch(engine);
        enter();
        try {
            if (node.isQueued() && now - node.queuedAt() >= node.ownTimeoutNanos()) {
                batch.reserveEnd();
                queue.remove(node);
                endLeft(node, RejectionReason.QUEUE_TIMEOUT, batch);
            }
        } finally {
            exit(batch);
            batch.carryOut();
        }
    }

    /** Ends the waits of all that wait now, and has runs that are granted but not registered yet stop themselves. */
    public final void stop(Batch batch) {
        enter();
        try {
            endAllOfNow(batch);
        } catch (OutOfMemoryError oom) {
            endTheRestLater();
        } finally {
            exit(batch);
        }
    }

    /** Keeps the group from starting anything until the housekeeper tries again, if there is one: a start has just failed. */
    public final void stall(@Nullable Batch batch) {
        enter();
        try {
            stalled = engine.housekeeper.retry(asGroup());
        } finally {
            exit(batch);
        }
    }

    /** Lets the group go on where it stalled. */
    final void unstall(@Nullable Batch batch) {
        boolean alive = enter();
        try {
            stalled = false;
            if (batch != null) {
                endWhatIsLeft(batch);
            }
        } catch (OutOfMemoryError oom) {
            endTheRestLater();
        } finally {
            exit(batch);
        }
        engine.lookForOffers(asGroup()); // an offer may not have been, for want of memory
        if (!alive || ledger.lenders.haveOthersLeft()) {
            // It may have been kept to let others start, and has died since; or an owner elsewhere may be alone now.
            settleWithLedger(0, false, batch);
        }
    }

    /** Ends what a shutdown is to end, or goes on where the group has {@linkplain Batch#leavesOff left off}. */
    @Override
    public final void goOn(@Nullable Batch batch) {
        enter();
        try {
            if (batch != null) {
                endWhatIsLeft(batch);
            }
        } catch (OutOfMemoryError oom) {
            endTheRestLater();
        } finally {
            exit(batch);
        }
    }

    // ---- what others go on with

    @Override
    public final void offerAsIdle(Batch batch) {
        engine.idle.offer(asGroup(), batch);
    }

    /** Has it go on; what fails is tried again. */
    @Override
    public final void again(Core core) {
        Batch batch = Batch.orNull(engine, 0);
        try {
            unstall(batch);
        } catch (Throwable failure) {
            core.housekeeper.retry(this);
            core.reports.groupFailed(key, failure);
        }
        Batch.carryOutIfMade(batch);
    }

    @Override
    public final @Nullable Later later() {
        return later;
    }

    @Override
    public final void setLater(@Nullable Later next) {
        later = next;
    }
}
