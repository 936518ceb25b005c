package io.github.kobe.internal.permits;

import io.github.kobe.RejectionReason;
import io.github.kobe.internal.base.Counters;
import io.github.kobe.internal.base.EffectiveLimits;
import io.github.kobe.internal.base.Lease;
import io.github.kobe.internal.base.Recording;
import org.jspecify.annotations.Nullable;

/**
 * What the guard of a group protects: who gets its permits, which of them are lent or shared, and when it dies. Callers
 * hold the guard, so this reads like single-threaded code; {@link GuardedGroup} says who locks, and when.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
public abstract sealed class GroupState extends GroupStarts permits GuardedGroup {

    /** Who hears of its work. */
    public final GroupRecord record;

    /** Owned by {@link IdleGroups}: whether it is in the list. */
    volatile boolean listed;
    /** Whether it was idle again since the list last looked; see {@link IdleGroups}. */
    volatile boolean touched;

    // ---- written under the guard, read by anyone for statistics and guesses
    /**
     * The number in flight here, less the global permits that were taken here and are out: so many share the global
     * permit of another, without those that are {@linkplain Counters#carried carried}. Negative if the one that took a global permit has ended
     * before those that share it, or if one that is carried is lent.
     */
    private int nested;
    /** Lenders whose group permits are lent. */
    private int lent;

    // ---- guarded by the guard, and empty outside
    /** Whether its head lacks nothing but a credit, or a start of the global rate: who leaves has the ledger decide. */
    private boolean lacksCredit;

    // ---- guarded by the ledger's lock
    /** Open loans that need the ledger, and offers that are known here. */
    public int pins;

    @Nullable
    GroupState ringNext;

    @Nullable
    GroupState ringPrevious;

    @Nullable
    GroupState startNext;

    @Nullable
    GroupState startPrevious;
    /** Where it waits for its turn, if it does. */
    int place;
    /** How many it may still start in its turn; 0: its turn hasn't begun. */
    int leftInTurn;
    /** The same for {@link StartTurns}. */
    int startsLeft;

    GroupState(Groups engine, String key, EffectiveLimits base, boolean named, Recording recording) {
        super(engine, key, base, named);
        this.record = new GroupRecord(recording);
    }

    // ---- permits

    final int inFlightHere() {
        return inFlightHere(limits());
    }

    /** {@return whether {@code node}, which the current thread brings, is let in} */
    final boolean admits(Node node) {
        return engine.stage.isRunning() || (engine.stage.isDraining() && node.asksFromInside());
    }

    /** {@return whether something waits that only the global limit or rate may keep from starting} */
    final boolean isEligible() {
        return !queue.isEmpty() && hasRoom() && isHeadInPace();
    }

    /** {@return whether something waits, and nothing but the group's limits keeps it from starting} */
    final boolean isSaturated() {
        return !queue.isEmpty() && !settings.isPaused() && !stalled && !isStopping() && !hasFreeBoth() && !isRated();
    }

    /** {@return whether it can do without the guard: nothing waits, and nothing is out of the ordinary} */
    final boolean isCalm() {
        return queue.isEmpty() && !settings.isPaused() && !stalled && !attached && !isOverdrawn() && !isRated();
    }

    final int weight() {
        return limits().weight().value();
    }

    /**
     * {@return how many starts are left of its turn by its weight}
     *
     * @param known how many were left by the weight it had then; 0: the turn begins
     */
    final int leftOfTurn(int known) {
        return known == 0 ? weight() : Math.min(known, weight());
    }

    /** {@return how many global permits it has out itself} What shares one of another group doesn't count. */
    final int held() {
        return inFlightHere() - (int) nested();
    }

    /** {@return where it is to wait for its turn, as {@link Turns} has it} */
    final int placeNow() {
        EffectiveLimits limits = limits();
        return Turns.placeOf(held(), limits.guaranteedInForce(), limits.isGuaranteedByName(), weight());
    }

    /** {@return whether it holds less than its guarantee and one weight: then it may have the headroom} */
    final boolean holdsLittle() {
        return held() - limits().guaranteedInForce() < weight();
    }

    /** Has it placed anew if it waits for a turn; a {@linkplain #dispatch} of this group does that too. */
    final void heldHasChanged() {
        if (ringNext != null) {
            ledger.turns.place(this);
        }
    }

    /** Takes the group's permits of a piece, whether they are free or not; the caller has taken the global one. */
    public final void take(Piece piece) {
        takeFree(piece.concurrency, piece.inFlight);
        nested += piece.nested();
        if (attached) {
            ledger.addInFlight(piece.inFlight);
            heldHasChanged();
        }
    }

    /** Gives back the group's permits of a piece; the caller sees to the global one, and to the group's place in the turns. */
    private void put(Piece piece) {
        takeFree(-piece.concurrency, -piece.inFlight);
        nested -= piece.nested();
        if (attached) {
            ledger.addInFlight(-piece.inFlight);
        }
    }

    /** Gives back a piece; the caller leaves the group by {@link GuardedGroup#exit}, which places it anew. */
    final void putBack(Piece piece) {
        put(piece);
        if (piece.isGlobal()) {
            freeGlobal();
        }
    }

    /** Gives back a piece, its global permit to the ledger; under the lock of that. */
    public final void putBackToLedger(Piece piece) {
        put(piece);
        heldHasChanged();
        if (piece.isGlobal() && isCapped()) {
            ledger.permits.give(1);
        }
    }

    /** Takes a piece, its global permit from the ledger, whether it is free or not; under the lock of that. */
    public final void takeFromLedger(Piece piece) {
        take(piece);
        if (piece.isGlobal() && isCapped()) {
            ledger.permits.give(-1);
        }
    }

    /**
     * Adds to how many in flight share the global permit of another; a negative number subtracts. The caller leaves the group by
     * {@link GuardedGroup#exit}, or nothing waits here.
     */
    final void addNested(int delta) {
        nested += delta;
    }

    /** Notes that a lender's group permits are lent (+1), or back (-1). */
    public final void addLent(int delta) {
        lent += delta;
    }

    // ---- what is for the ledger

    /** {@return whether the ledger has to decide over the head} The caller has to see to that from now on. */
    final boolean takeLackOfCredit() {
        boolean lacks = lacksCredit;
        lacksCredit = false;
        return lacks;
    }

    /** From now on it counts in the ledger's sums; under its lock. */
    final void joinLedger() {
        attached = true;
        queue.setCounted(true);
        ledger.addInFlight(inFlightHere());
    }

    /** As {@link Ledger#detach}: it counts there no more. */
    final void leaveLedger() {
        attached = false;
        queue.setCounted(engine.policy.boundsQueues());
        ledger.addInFlight(-inFlightHere());
    }

    /** From now on what is out has credits: they are the ledger's loss. Under its lock. */
    final void becomeCapped() {
        ledger.permits.give(nested + counters.cap() - inFlightHere());
        cap(limits());
    }

    // ---- grants

    /** What can be granted to one that has just come. */
    enum Chance {
        GRANTED,
        /** The group has no room, others wait, or it wants none any more: it has to queue. */
        NONE,
        /** Only a global permit is short, and for those the ledger has to be on. */
        LACKS_CREDIT
    }

    /** Grants its permits to {@code node}, which hasn't waited, if nobody is before it and there are some. */
    final Chance tryGrantAtOnce(Node node, Batch batch) {
        if (!queue.isEmpty() || !hasRoom() || exceedsARate(node) || !isInPace(node)) {
            return Chance.NONE;
        }
        boolean shares = node.tryShare();
        if (shares || tryTakeSpareGlobal()) {
            if (!tryGrant(node, shares, batch)) {
                return Chance.NONE;
            }
            started(node);
            return Chance.GRANTED;
        }
        return isDecidedByLedger() ? Chance.NONE : Chance.LACKS_CREDIT;
    }

    /**
     * Grants the group's permits to {@code node}, if that still wants them.
     *
     * @param shares whether it shares a global permit; else it has been given one. That is taken back if it fails
     */
    private boolean tryGrant(Node node, boolean shares, Batch batch) {
        boolean granted = false;
        try {
            granted = node.grant(null, shares, chargeFor(node));
            return granted;
        } finally {
            if (granted) {
                take(Piece.all(!shares));
            } else if (shares) {
                node.unshare(batch);
            } else {
                untakeGlobal();
            }
        }
    }

    /**
     * Grants permits to the first that still wants one; false if none does, if that one lacks a free global permit, or if
     * the batch is full. The caller has seen to the group's limits.
     */
    final boolean grantHead(Batch batch) {
        for (Node first = queue.first(); first != null; first = queue.first()) {
            if (batch.leavesOff(asGroup())) {
                return false;
            }
            RejectionReason ends = endsFor(first);
            if (ends != null) {
                endFirst(first, ends, batch);
                continue;
            }
            if (!isInPace(first)) { // another one than was looked at before
                armRate(first);
                return false;
            }
            // Looked at for each: who comes after one that has left may need what that one did without.
            boolean shares = first.tryShare();
            if (!shares && !tryTakeGlobal(false)) {
                return false;
            }
            boolean granted = tryGrant(first, shares, batch);
            queue.removeFirst(first);
            if (granted) {
                batch.granted(first);
                started(first);
                return true;
            }
            countLeft(first);
        }
        return false;
    }

    /** {@return whether the head can do without a free global permit} */
    final boolean headIsExempt() {
        Node first = queue.first();
        return first != null && first.mayShare();
    }

    /** Grants all that can be granted, here and, while the ledger decides, elsewhere; where memory is short, it stalls. */
    final void dispatch(Batch batch) {
        try {
            if (!isDecidedByLedger()) {
                grantOffered(false, batch);
                while (isEligible() && grantHead(batch)) {
                    // each turn of the loop grants one
                }
                // For want of a credit, or the batch is full: then too those who come meanwhile stay behind.
                if (isCapped() && isEligible()) {
                    if (attached) {
                        ledger.bind();
                    } else {
                        lacksCredit = true;
                    }
                }
                grantOffered(true, batch);
            }
            if (isDecidedByLedger()) {
                ledger.dispatch(this, batch);
            }
            armRate();
            armRateOfExempt();
            offerIfIdle(batch);
        } catch (Throwable failure) {
            stalled = engine.housekeeper.retry(asGroup());
            batch.failed(key, failure);
        }
    }

    // ---- grants without a free global permit

    /** {@return whether something that waits may share a global permit, as far as the group's limits go} */
    final boolean mayGrantExempt() {
        if (!queue.hasExempt()) {
            return false;
        }
        LocalLending lending = queue.lending();
        return mayStart() || (lending != null && lending.isOfferedByInsider());
    }

    /** {@return whether something that waits is offered permits} */
    final boolean isOffered() {
        LocalLending lending = queue.lending();
        return lending != null && lending.isOffered();
    }

    /** Grants to those that share a global permit. */
    final void grantExempt(Batch batch) {
        while (hasRoom()) {
            Node node = queue.firstExempt();
            if (node == null || batch.leavesOff(asGroup())) {
                return;
            }
            RejectionReason ends = endsFor(node);
            if (ends == null && !isInPace(node)) {
                armRate(node);
                return;
            }
            boolean isHead = rate != null && node == queue.first();
            batch.reserveEnd();
            batch.reserveAside();
            boolean shares = ends == null && node.tryShare();
            if (ends == null && !shares) {
                continue; // it may no longer
            }
            boolean granted = false;
            try {
                granted = ends == null && node.grant(null, shares, chargeFor(node));
            } finally {
                if (shares && !granted) {
                    node.unshare(batch);
                }
            }
            queue.remove(node);
            if (ends != null) {
                endLeft(node, ends, batch);
            } else if (granted) {
                take(Piece.ALL_BUT_GLOBAL);
                batch.grantedAside(node);
                started(node);
            } else {
                countLeft(node);
            }
            if (isHead) {
                headHasLeft();
            }
        }
    }

    /** Grants what is offered to those that wait here; see {@link LocalLending#grant}. */
    final void grantOffered(boolean last, Batch batch) {
        LocalLending lending = queue.lending();
        if (lending != null) {
            lending.grant(last, batch);
        }
    }

    // ---- idle, and dead

    /** Has the group told to the idle list, if it is idle and the list doesn't know. */
    public final void offerIfIdle(Batch batch) {
        if (isIdle() && needsOffer()) {
            batch.idle(asGroup());
        }
    }

    /** {@return whether the idle list wants to know that it is idle; by anyone} */
    final boolean needsOffer() {
        return !(listed && touched) && !settings.isKept() && !isLeased();
    }

    /** {@return whether it is to be forgotten as soon as nothing is leased} By anyone. */
    final boolean isUnwanted() {
        Lease known = lease; // once: it may be gone the next time
        return known != null && known.isUnwanted();
    }

    /** {@return whether something is leased that has to go back before it can be forgotten} By anyone. */
    private boolean isLeased() {
        EffectiveLimits limits = limits();
        return limits.isClustered() && limits.leased() > 0 && limits.leased() != EffectiveLimits.ALONE;
    }

    /** {@return whether nothing runs or waits} */
    final boolean isIdle() {
        return queue.isEmpty() && lent == 0 && nested == 0 && pins == 0 && !stalled && isAllFree(limits());
    }

    /** Dies if nothing runs or waits, and nothing is leased. */
    private boolean dieIfIdle() {
        if (!isIdle() || isLeased()) {
            return false;
        }
        if (!keepRate()) {
            touched = false;
            boolean unused = engine.housekeeper.retry(asGroup());
            return false;
        }
        if (attached) {
            ledger.forget(this);
        }
        die();
        engine.forget(asGroup());
        engine.idle.forget(asGroup());
        record.handOver(counters);
        return true;
    }

    /**
     * Forgets override and pause; dies if nothing runs or waits, or once what is leased has gone back, which it does at once.
     * Its counters {@link Groups#record} drops if it lives on.
     */
    final Eviction evictInside(EffectiveLimits newBase, Batch batch) {
        override(null, newBase, GroupSettings.NEVER, batch);
        settings.setPaused(false, GroupSettings.NEVER);
        resetRate();
        if (lease != null && isIdle() && isLeased()) {
            lease.markUnwanted();
            touched = false; // so the idle list hears of it once that is done
        }
        return dieIfIdle() ? Eviction.GONE : Eviction.IN_USE;
    }

    /** Dies if nothing runs or waits and nothing keeps it. */
    final boolean dieIfUnkept() {
        return !settings.isKept() && dieIfIdle();
    }

    // ---- readings that may be stale, by anyone

    /** {@return how many are in flight and count in another group for the global limit} */
    public final long nested() {
        return nested + counters.carried();
    }

    public final int lent() {
        return lent;
    }
}
