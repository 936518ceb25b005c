package io.github.kobe.internal.permits;

import io.github.kobe.Costs;
import io.github.kobe.RejectionReason;
import io.github.kobe.internal.base.ClusterSignals;
import io.github.kobe.internal.base.EffectiveLimits;
import io.github.kobe.internal.base.KeyText;
import io.github.kobe.internal.base.Log;
import io.github.kobe.internal.base.Rejection;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * What keeps a group from starting anything: its permits and the global ones, a pause, its lease, its rate; and what is told to those who therefore
 * aren't let in. Callers hold the group's guard, unless a method says otherwise.
 */
abstract sealed class GroupStarts extends GroupWaits permits GroupState {

    /** There was none to take, or what was taken counts no more and is back. */
    public static final long NOT_TAKEN = -1;

    final Ledger ledger;

    /** The stripe of the credits of its tasks. */
    public final int home;

    /**
     * Credits that were freed here when their stripe was frozen: who leaves gives them to the ledger. Guarded by the guard, and 0
     * outside.
     */
    private int owedCredits;

    GroupStarts(Groups engine, String key, EffectiveLimits base, boolean named) {
        super(engine, key, base, named);
        this.ledger = engine.ledger;
        this.home = key.hashCode() ^ (key.hashCode() >>> 16);
    }

    /** {@return whether something may start, as far as all but its rates go} */
    public final boolean hasRoom() {
        return hasFreeBoth() && !settings.isPaused() && !stalled && !isEnding() && !isLeaseOver();
    }

    /** {@return how many that wait, and so many more, would start if only more were leased} */
    final int keptByLease(int more) {
        return settings.isPaused() || stalled || isEnding() || !isHeadInPace()
                ? 0
                : keptByLease(limits(), queue.size() + more);
    }

    // ---- global permits

    /** {@return whether the ledger decides over what starts here} With credits, it also has all that are free. */
    final boolean isDecidedByLedger() {
        return attached && (ledger.isOn() || !isCapped());
    }

    /**
     * Takes a global permit for a start, which the global rate counts; true also if there is no limit.
     *
     * @param ofHeadroom as in {@link GlobalPermits#tryTake}
     */
    public final boolean tryTakeGlobal(boolean ofHeadroom) {
        if (!isCapped()) {
            return true;
        }
        if (isDecidedByLedger()) {
            return ledger.permits.tryTake(asGroup(), ofHeadroom);
        }
        if (!ledger.permits.tryTakeCredit(home)) {
            return false;
        }
        boolean starts = ledger.permits.tryStart(home);
        if (!starts) {
            freeGlobal();
        }
        return starts;
    }

    /** Gives back what was taken for a start that isn't one, in the same critical section. */
    public final void untakeGlobal() {
        if (isCapped() && isDecidedByLedger()) {
            ledger.permits.untake();
        } else {
            freeGlobal();
        }
    }

    /** Takes one for work that hasn't waited: what others have yet to get in their turns is not for it. */
    final boolean tryTakeSpareGlobal() {
        return !(isDecidedByLedger() && ledger.isAwaited()) && tryTakeGlobal(false);
    }

    /** {@return whether global permits are short, and there is none that the group may have} Under the ledger's lock. */
    public final boolean lacksGlobal() {
        return isCapped() && isDecidedByLedger() && !ledger.permits.mayTake(asGroup());
    }

    /** Frees a global permit. */
    public final void freeGlobal() {
        if (!isCapped()) {
            return;
        }
        if (isDecidedByLedger()) {
            ledger.permits.give(1);
        } else if (!ledger.permits.tryGiveCredit(home)) {
            owedCredits++;
        }
    }

    /** {@return how many credits are owed to the ledger} The caller has to give them from now on. */
    final int takeOwedCredits() {
        int owed = owedCredits;
        owedCredits = 0;
        return owed;
    }

    // ---- its lease, by anyone

    /** {@return in which term permits are taken next; {@code null}: nothing is leased} */
    final ClusterSignals.@Nullable Term term() {
        return lease == null ? null : engine.cluster.term();
    }

    /**
     * {@return when it was looked at whether what was taken in that term counts, by the engine's clock: it does; 0: it does, and
     * no clock was read, since nothing is leased; {@link #NOT_TAKEN}: it doesn't}
     *
     * <p>The clock is read once it is taken: a thread that stops in between has permits that count. If the limit wasn't
     * shared then, and is now, it may have been taken in any term, also in one that is over.
     *
     * @param term as {@link #term} told before it was taken
     */
    final long lookedAt(ClusterSignals.@Nullable Term term) {
        if (term == null) {
            return lease == null ? 0 : NOT_TAKEN;
        }
        long now = engine.now();
        return term.isOver(now) ? NOT_TAKEN : now;
    }

    // ---- its rate

    /** {@return whether it has rates} By anyone; it may be stale. */
    public final boolean isRated() {
        return rate != null;
    }

    /** {@return whether each start counts against a rate} By anyone; it may be stale. */
    public final boolean countsStarts() {
        return isRated() || ledger.permits.isRated();
    }

    /** {@return whether its rates let {@code node} start; {@code null}: work that says no costs} */
    public final boolean isInPace(@Nullable Node node) {
        GroupRate known = rate;
        return known == null || known.allows(costsOf(node));
    }

    /** {@return whether something that waits may start, as far as the group goes; where it says costs, perhaps not} */
    public final boolean mayStart() {
        return hasRoom() && (rate == null || queue.saysCosts() || rate.allows(null));
    }

    /** {@return whether its rates let the first start that waits; where none waits, work that says no costs} */
    final boolean isHeadInPace() {
        return rate == null || isInPace(queue.first());
    }

    static @Nullable Costs costsOf(@Nullable Node node) {
        return node == null ? null : node.costs();
    }

    /** {@return what a start of {@code node} is charged; {@code null}: the group has no rates} It may need memory. */
    public final @Nullable Charge chargeFor(Node node) {
        GroupRate known = rate;
        return known == null ? null : known.charge(node.costs());
    }

    /** Counts a start of {@code node} against its rates, and sees to what waits behind it. It doesn't fail. */
    public final void started(Node node) {
        GroupRate known = rate;
        if (known != null) {
            known.take(node.costs(), engine.now());
            armRate();
        }
    }

    /** Corrects what a start was charged, by who keeps out what it has got; false if that was done before. */
    public final boolean settle(Charge charge, String name, long used) {
        return charge.settle(name, used, rate, engine.now());
    }

    /** Has the housekeeper look when the head may start. It doesn't fail. */
    final void armRate() {
        Node first = queue.first();
        if (first != null) {
            armRate(first);
        }
    }

    /** As {@link #armRate()}, for the first that may share a global permit. It may need memory. */
    final void armRateOfExempt() {
        Node exempt = rate == null ? null : queue.firstExempt();
        if (exempt != null) {
            armRate(exempt);
        }
    }

    /** Has the housekeeper look when its rates let {@code node} start, unless they do already. It doesn't fail. */
    public final void armRate(Node node) {
        GroupRate known = rate;
        if (known != null && !known.allows(node.costs())) {
            arm(known, known.next(node.costs()));
        }
    }

    private void arm(GroupRate known, long due) {
        if (!known.wantsAlarm(due)) {
            return;
        }
        known.alarmIsSet(due); // first: one that isn't noted is forgotten as pointless
        boolean set = false;
        try {
            set = engine.housekeeper.at(due, () -> isPointless(due), asGroup()::rateIsDue);
        } catch (OutOfMemoryError oom) {
            // As without a thread.
        }
        if (!set) {
            known.alarmIsSet(0); // a later one may be forgotten meanwhile
            boolean unused = engine.housekeeper.retry(asGroup());
        }
    }

    /** {@return whether another alarm was set than that one, which sees to the next} By anyone. */
    private boolean isPointless(long alarm) {
        GroupRate known = rate;
        return isDead() || known == null || (known.alarm() != 0 && known.alarm() != alarm);
    }

    /**
     * The head has left out of its turn. If the one that is now the head may start, though its rates kept the one before, the group
     * is not in the turns.
     */
    public final void headHasLeft() {
        if (rate != null && !queue.isEmpty() && hasRoom() && isHeadInPace()) {
            boolean unused = engine.housekeeper.retry(asGroup());
        }
    }

    /** An alarm has come. */
    final void rateAlarmHasCome(long now) {
        GroupRate known = rate;
        if (known != null) {
            known.alarmHasCome(now);
        }
    }

    /** A critical section begins. In the first one it goes on from a group of the same key that was forgotten. */
    final void lookAtRate() {
        GroupRate known = rate;
        if (known != null) {
            known.look(engine.now());
            if (known.isNew()) {
                GroupRate forgotten = engine.remembered.take(key);
                ranBefore |= forgotten != null;
                known.goOn(forgotten);
            }
        }
    }

    /** Keeps what it has started, if that is of account for its rates; false if it can't, and so the group has to live on. */
    final boolean keepRate() {
        GroupRate known = rate;
        return known == null || known.isRested() || engine.remembered.keep(key, known);
    }

    /** Forgets what was started. */
    final void resetRate() {
        ranBefore = false;
        if (rate != null) {
            rate.reset(engine.now());
        }
    }

    /**
     * {@return in how long its rate and the global one let {@code node} start, behind those that wait here and not before a pause ends; 0:
     * now, or there is none} Others' turns may come before.
     */
    private long waitForRate(Node node) {
        // Who shares a global permit needs no start of the global rate; nobody counts how many of those wait.
        boolean needsOne = ledger.permits.isRated() && !node.mayShare();
        GroupRate known = rate;
        if (known == null && !needsOne) {
            return 0;
        }
        long now = known == null ? engine.now() : known.now();
        long pause = settings.pauseEndsIn(now);
        long from = pause == GroupSettings.NEVER ? now : now + pause;
        long next = known == null ? from : known.nextBehind(queue::costOf, node.costs(), from);
        if (needsOne) {
            long starts = queue.hasExempt() ? 1 : queue.size() + 1L;
            next = Math.max(next, from + ledger.permits.waitFor(starts, from));
        }
        return next - now;
    }

    /** As {@link #tellOfUnknown(String)}, of all that work says it costs. */
    public final void tellOfUnknown(Costs costs) {
        for (int i = 0; i < costs.size(); i++) {
            tellOfUnknown(costs.name(i));
        }
    }

    /** Tells the log, once for all groups of a rule, if work names a rate that the group hasn't got. By anyone. */
    public final void tellOfUnknown(String name) {
        GroupRate known = rate;
        if ((known == null || known.indexOf(name) < 0)
                && asGroup().record.recording().account().toldOfUnknownRate.compareAndSet(false, true)) {
            Log.write(
                    Level.WARNING,
                    () -> "Work of group '" + KeyText.printable(key) + "' says what it costs or has used of '"
                            + KeyText.printable(name)
                            + "', and the group has no rate of that name; that counts nothing. It is told once for all"
                            + " groups of a rule.");
        }
    }

    // ---- into the queue, or not

    /**
     * Reserves a place in both queues for {@code node}, or says why there is none.
     *
     * @param maxWait how long it waits at most, besides what the group and the node itself say, in nanoseconds
     */
    final @Nullable Rejection reserve(Node node, long maxWait) {
        int threshold = limits().queueThreshold().value();
        int size = queue.size();
        if (exceedsARate(node)) {
            return rejection(RejectionReason.RATE_LIMITED, node);
        }
        long rateWait = waitForRate(node);
        if (size >= threshold) {
            return rejection(RejectionReason.GROUP_QUEUE_FULL, threshold, size, rateWait);
        }
        long timeout = Math.min(maxWait, Math.min(limits().queueTimeoutNanos(), node.ownTimeoutNanos()));
        if (rateWait > 0 && rateWait >= timeout) {
            return rejection(RejectionReason.RATE_LIMITED, -1, size, rateWait);
        }
        if (maxWait <= 0) {
            return rejection(RejectionReason.QUEUE_TIMEOUT, -1, size, 0);
        }
        int globalThreshold = engine.policy.globalQueueThreshold();
        countQueueIfAsked();
        long waiting = queue.reserve(globalThreshold);
        return waiting < 0 ? null : rejection(RejectionReason.GLOBAL_QUEUE_FULL, globalThreshold, waiting, rateWait);
    }

    /** {@return what tells why work is not let in, or waits no longer} By anyone. */
    public final Rejection rejection(RejectionReason reason) {
        return rejection(reason, -1, queue.size(), 0);
    }

    /** {@return what tells why {@code node} is not let in, or waits no longer} By anyone. */
    public final Rejection rejection(RejectionReason reason, Node node) {
        GroupRate known = rate;
        String excess = known == null || reason != RejectionReason.RATE_LIMITED ? null : known.excess(node.costs());
        return excess == null ? rejection(reason) : rejection(reason).because(excess);
    }

    private Rejection rejection(RejectionReason reason, int limit, long queued, long retryAfter) {
        boolean wantsRoom = reason != RejectionReason.SHUTDOWN && reason != RejectionReason.INTERRUPTED;
        return new Rejection(reason, limit, queued, wantsRoom ? Readings.waitsFor(asGroup()) : null, retryAfter, null);
    }
}
