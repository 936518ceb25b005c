package io.github.kobe.internal.permits;

import io.github.kobe.GroupLimits;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.base.Answer;
import io.github.kobe.internal.base.Counters;
import io.github.kobe.internal.base.EffectiveLimits;
import io.github.kobe.internal.base.Lease;
import io.github.kobe.internal.base.RateTerms;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a group, the nodes that wait for its permits, and how a wait ends: by a time-out, a shutdown, or the
 * shutdown of the group. Callers hold the group's guard, unless a method says otherwise.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
abstract sealed class GroupWaits extends FreePermits permits GroupStarts {

    // ---- immutable
    public final Groups engine;
    public final String key;

    public final Counters counters = new Counters();

    // ---- written under the guard, read by anyone for statistics and guesses
    final GroupSettings settings;
    public final GroupQueue queue;
    /** Rises with each group shutdown. */
    private volatile int stopEpoch;

    /**
     * {@code null}: no other instance shares its limit. It comes and goes with a policy, under the guard, while the group is
     * slow. Who has taken permits from the word reads it after that, without the guard, and needs no more: if they were taken
     * since the group became fast again, it is what it was then, by the write that made it fast. If they were taken before it
     * became slow, they were out when it changed, and whichever it is, they count.
     */
    @Nullable
    Lease lease;

    /** {@code null}: it has no rates. It changes with a policy or an override, under the guard. */
    @Nullable
    GroupRate rate;

    // ---- guarded by the guard
    /** Whether a group of its key that was forgotten had started something. */
    boolean ranBefore;
    /** No start is tried until the housekeeper has been here: the last one failed, or there was no memory for it. */
    boolean stalled;
    /** When the earliest alarm of the housekeeper is due; 0: none is set. */
    private long alarmAt;
    /** How many, from the head, a group shutdown has yet to end; nothing starts until then. */
    private int toStop;
    /** The last of those; what comes after it is not meant. */
    private @Nullable Node lastToStop;

    /** Whether the ledger's lock is the guard; guarded by that lock. */
    boolean attached;

    GroupWaits(Groups engine, String key, EffectiveLimits base, boolean named) {
        super(base, engine.ledger.permits.isCapped());
        this.engine = engine;
        this.key = key;
        this.lease = base.isClustered() ? new Lease(key) : null;
        List<RateTerms> rateTerms = base.rateTerms();
        this.rate = rateTerms == null ? null : GroupRate.rested(rateTerms, engine.now());
        this.settings = new GroupSettings(base, named);
        this.queue = new GroupQueue(engine.waiting);
        if (isCapped()) {
            long unused = counters.cap();
        }
    }

    /** {@return the group as those see it who have no lock} */
    public final Group asGroup() {
        return (Group) this;
    }

    /** {@return the limits in force; by anyone} */
    public final EffectiveLimits limits() {
        return settings.limits();
    }

    /** {@return what tells a run whether the group was shut down after its permits were granted; by anyone} */
    public final int stopEpoch() {
        return stopEpoch;
    }

    // ---- what a limits resolver has said; by anyone

    public final Answer answer() {
        return settings.answer();
    }

    /** Keeps an answer, unless there is one that was asked for later; returns the one there is then. */
    public final Answer keep(Answer given) {
        return settings.keep(given);
    }

    // ---- the limits of the policy, and the override

    /** Takes over the limits of another policy. */
    final void rebase(EffectiveLimits base, boolean named, Batch batch) {
        EffectiveLimits after = settings.resolved(settings.override(), base);
        Lease nextLease = leaseBy(base);
        GroupRate nextRate = rateBy(after.rateTerms());
        EffectiveLimits before = limits();
        settings.rebase(after, named);
        countQueueIfAsked();
        limitsChanged(before, nextLease, nextRate, batch);
    }

    /**
     * Sets the override, or removes it with {@code null}.
     *
     * @param base the policy's limits
     * @param ends when it ends by itself; {@link Long#MAX_VALUE}: it doesn't
     */
    public final void override(@Nullable GroupLimits override, EffectiveLimits base, long ends, Batch batch) {
        EffectiveLimits after = settings.resolved(override, base);
        Lease nextLease = leaseBy(base);
        GroupRate nextRate = rateBy(after.rateTerms());
        EffectiveLimits before = limits();
        settings.override(override, after, ends);
        limitsChanged(before, nextLease, nextRate, batch);
    }

    /** {@return what there is to know of a lease by those limits} Asked for before they are in force: it may need memory. */
    private @Nullable Lease leaseBy(EffectiveLimits base) {
        if (!base.isClustered()) {
            return null;
        }
        return lease != null ? lease : new Lease(key);
    }

    /** {@return what there is to know of those rates} As {@link #leaseBy}. */
    private @Nullable GroupRate rateBy(@Nullable List<RateTerms> terms) {
        if (terms == null) {
            return null;
        }
        if (rate == null
                && !ranBefore
                && queue.isEmpty()
                && isAllFree(limits())
                && !asGroup().record.hasCounted(counters)) {
            return GroupRate.rested(terms, engine.now()); // nothing has come yet
        }
        if (rate != null && rate.isBy(terms)) {
            return rate;
        }
        return rate != null && rate.isUnused()
                ? GroupRate.rested(terms, engine.now())
                : GroupRate.changed(rate, terms, engine.now());
    }

    private void limitsChanged(
            EffectiveLimits before, @Nullable Lease next, @Nullable GroupRate nextRate, Batch batch) {
        Lease last = lease;
        lease = next;
        GroupRate lastRate = rate;
        if (nextRate != null && lastRate != null && !nextRate.isNew()) {
            nextRate.follow(lastRate, engine.now());
        }
        rate = nextRate;
        resize(before, limits());
        try {
            armAlarm(engine.now());
        } catch (OutOfMemoryError oom) {
            endTheRestLater(); // which arms it
        }
        if (next == null) {
            if (last != null && last.isNews()) {
                batch.touched(last);
            }
        } else if (!before.equals(limits())) {
            next.limitsChanged();
        }
    }

    /** As {@link #override}, if {@code expected} is the override still; else it returns false. */
    public final boolean replaceOverride(
            @Nullable GroupLimits expected,
            @Nullable GroupLimits override,
            EffectiveLimits base,
            long ends,
            Batch batch) {
        if (!Objects.equals(settings.override(), expected)) {
            return false;
        }
        override(override, base, ends, batch);
        return true;
    }

    /** Removes the override if its end has come; else it returns false. */
    public final boolean endOverride(EffectiveLimits base, Batch batch) {
        if (!settings.isOverrideOver(engine.now())) {
            return false;
        }
        override(null, base, GroupSettings.NEVER, batch);
        return true;
    }

    /** {@return whether the pause or the override ends then} By anyone. */
    public final boolean lastsUntil(long end) {
        return settings.lastsUntil(end);
    }

    /** Resumes if the end of the pause has come; else it returns false. */
    public final boolean endPause(Batch batch) {
        if (!settings.isPauseOver(engine.now())) {
            return false;
        }
        setPaused(false, GroupSettings.NEVER, batch);
        return true;
    }

    /**
     * Pauses or resumes. What waits in a group that is paused without an end ends at once while the executor drains.
     *
     * @param ends when the pause ends by itself; {@link Long#MAX_VALUE}: it doesn't
     */
    public final void setPaused(boolean pause, long ends, Batch batch) {
        settings.setPaused(pause, ends);
        if (settings.isPausedForGood() && engine.stage.isDraining()) {
            endPaused(batch);
        }
    }

    // ---- what is leased of a limit that several instances share

    /** {@return whether several instances share its limit} By anyone. */
    public final boolean isClustered() {
        return limits().isClustered();
    }

    /** {@return whether nothing may start since what is leased counts no more} By who has the guard, or only shows it. */
    final boolean isLeaseOver() {
        return lease != null && engine.cluster.isOver(engine.now());
    }

    /** So many are leased from now on. */
    final void setLeased(int capacity) {
        EffectiveLimits before = limits();
        settings.lease(capacity);
        resize(before, limits());
        if (lease != null && limits().leased() > before.leased()) {
            lease.markWanted();
        }
    }

    // ---- into the queue

    /** Has the queue count in the sum of all, if somebody asks for that: by the policy in force now. */
    final void countQueueIfAsked() {
        queue.setCounted(attached || engine.policy.boundsQueues());
    }

    /** Queues {@code node}, for which a place is reserved. If it fails, nothing has come of it. */
    final void enqueue(Node node) {
        try {
            long now = engine.now();
            if (node.lineage() != null) {
                LocalLending unused = lendingMade();
            }
            queue.add(node, now);
            armAlarm(now);
            long ownTimeout = node.ownTimeoutNanos();
            if (ownTimeout != Long.MAX_VALUE) { // the group's may be shorter, and grow
                engine.housekeeper.surelyAt(
                        now + ownTimeout,
                        () -> !node.isQueued(),
                        due -> asGroup().expireOne(node, due));
            }
        } catch (Throwable failure) {
            if (node.isQueued()) {
                queue.remove(node);
            } else {
                queue.unreserve();
            }
            throw failure;
        }
    }

    /** {@return what the group has to do with lending; {@code null}: nothing} */
    public final @Nullable LocalLending lending() {
        return queue.lending();
    }

    /** {@return as {@link #lending}, made if need be} */
    public final LocalLending lendingMade() {
        LocalLending known = queue.lending();
        if (known == null) {
            known = engine.newLending(asGroup());
            queue.lendBy(known);
        }
        return known;
    }

    // ---- time

    public final boolean isExpired(Node node) {
        long timeout = Math.min(limits().queueTimeoutNanos(), node.ownTimeoutNanos());
        return timeout != Long.MAX_VALUE && engine.now() - node.queuedAt() >= timeout;
    }

    /** {@return whether a rate never lets {@code node} start, since it costs more than the limit} */
    final boolean exceedsARate(Node node) {
        return rate != null && rate.isExceededBy(node.costs());
    }

    /** {@return why the wait of {@code node} ends now, whatever is free; {@code null}: it goes on} */
    public final @Nullable RejectionReason endsFor(Node node) {
        if (isExpired(node)) {
            return RejectionReason.QUEUE_TIMEOUT;
        }
        return exceedsARate(node) ? RejectionReason.RATE_LIMITED : null;
    }

    /** Sees to it that the housekeeper looks when the head's time is up. */
    final void armAlarm(long now) {
        long timeout = limits().queueTimeoutNanos();
        Node first = timeout == Long.MAX_VALUE ? null : queue.first();
        if (first == null) {
            return;
        }
        long due = Math.max(now, first.queuedAt() + timeout);
        if (alarmAt == 0 || due < alarmAt) {
            engine.housekeeper.surelyAt(due, this::isDead, asGroup()::expire);
            alarmAt = due;
        }
    }

    /** An alarm has come: there may be an earlier one than it was. */
    final void alarmHasCome(long now) {
        if (alarmAt <= now) {
            alarmAt = 0;
        }
    }

    // ---- ends of waits, of a portion at most

    final void endFirst(Node first, RejectionReason reason, Batch batch) {
        batch.reserveEnd();
        queue.removeFirst(first);
        endLeft(first, reason, batch);
    }

    /** Ends the wait of a node that has left the queue; the batch has room for it. */
    public final void endLeft(Node node, RejectionReason reason, Batch batch) {
        Object work = node.end(reason);
        if (work != null) {
            count(reason == RejectionReason.SHUTDOWN ? node.countsShutdownAs() : reason);
            batch.ended(node, reason, work);
        } else {
            countLeft(node);
        }
    }

    /**
     * Counts a node whose wait its owner has ended. Whoever takes such a node out of the queue does that, in the same
     * critical section: the group may die as soon as nothing waits.
     */
    public final void countLeft(Node node) {
        count(node.leftFor());
    }

    /** Counts what wasn't let in; {@code null}: it was cancelled. */
    final void count(@Nullable RejectionReason reason) {
        if (reason == null) {
            counters.ended(TaskStatus.CANCELLED);
        } else {
            counters.rejected(reason);
        }
    }

    /** Ends the waits whose time is up. */
    final void endExpired(long now, Batch batch) {
        long timeout = limits().queueTimeoutNanos();
        for (Node first = queue.first(); first != null && now - first.queuedAt() >= timeout; first = queue.first()) {
            if (batch.leavesOff(asGroup())) {
                return;
            }
            endFirst(first, RejectionReason.QUEUE_TIMEOUT, batch);
        }
        armAlarm(now);
    }

    /** Ends all waits. */
    final void endQueued(Batch batch) {
        for (Node first = queue.first(); first != null; first = queue.first()) {
            if (batch.leavesOff(asGroup())) {
                return;
            }
            endFirst(first, RejectionReason.SHUTDOWN, batch);
        }
    }

    /** Ends all waits in the group, which is paused while the executor drains. */
    final void endPaused(Batch batch) {
        if (!queue.isEmpty()) {
            engine.stage.endedAside();
        }
        endQueued(batch);
    }

    /** Ends the waits of all that wait now, and has runs that are granted but not registered yet stop themselves. */
    final void endAllOfNow(Batch batch) {
        stopRuns();
        toStop = queue.size();
        lastToStop = queue.last();
        endStopped(batch);
    }

    private void stopRuns() {
        int next = stopEpoch + 1;
        stopEpoch = next;
    }

    /** Ends what was queued when the group was stopped. If the last has left by itself, as many as were queued. */
    private void endStopped(Batch batch) {
        for (Node first = queue.first(); first != null && toStop > 0; first = queue.first()) {
            if (batch.leavesOff(asGroup())) {
                return;
            }
            endFirst(first, RejectionReason.SHUTDOWN, batch);
            toStop = first == lastToStop ? 0 : toStop - 1;
        }
        stopNoMore();
        stopRuns(); // one may have been granted on a loan meanwhile
    }

    /** {@return whether all that waits is about to be ended by a shutdown} So nothing of it starts, on whatever permits. */
    public final boolean isEnding() {
        return isStopping() || engine.stage.isForced();
    }

    /** {@return whether a group shutdown has yet to end some} */
    final boolean isStopping() {
        return toStop != 0;
    }

    final void stopNoMore() {
        toStop = 0;
        lastToStop = null;
    }

    /** Ends what a shutdown, a time-out or a group shutdown has not come to; what made it begin still holds. */
    final void endWhatIsLeft(Batch batch) {
        if (engine.stage.isForced()) {
            endQueued(batch);
        } else if (settings.isPausedForGood() && engine.stage.isDraining()) {
            endPaused(batch);
        } else {
            if (toStop > 0) {
                endStopped(batch);
            }
            if (limits().queueTimeoutNanos() != Long.MAX_VALUE) {
                endExpired(engine.now(), batch);
            }
        }
    }

    /** There was no memory for it; the housekeeper tries again. */
    final void endTheRestLater() {
        stalled = engine.housekeeper.retry(asGroup());
        if (!stalled) {
            stopNoMore(); // nobody may come for long, and nothing would start until then
        }
    }

    // ---- readings that may be stale, by anyone

    public final @Nullable ClassLoader queueLoader() {
        return queue.loader();
    }

    public final int queued() {
        return queue.size();
    }

    public final int running() {
        return concurrencyOut(limits());
    }

    public final int inFlight() {
        return inFlightOut(limits());
    }

    /** {@return since when the one waits that has waited longest, on the engine's clock; 0: nothing waits} */
    final long oldestQueuedAt() {
        return queue.oldestQueuedAt();
    }

    /** {@return the override in force; {@code null}: none} */
    public final @Nullable GroupLimits currentOverride() {
        return settings.override();
    }
}
