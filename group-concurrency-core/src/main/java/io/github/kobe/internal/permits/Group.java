package io.github.kobe.internal.permits;

import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.base.ClusterSignals;
import io.github.kobe.internal.base.Counters;
import io.github.kobe.internal.base.EffectiveLimits;
import io.github.kobe.internal.base.KeyText;
import io.github.kobe.internal.base.Recording;
import io.github.kobe.internal.base.Rejection;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * One group, for callers that hold no lock: takes and returns permits, requests one, leaves the queue. Each method
 * locks what it needs and unlocks it again.
 *
 * <p>While it is {@linkplain FreePermits fast}, nothing waits and nothing is overdrawn, and taking or returning permits
 * is one compare-and-set. Its code is in six classes, each of which extends the one before: {@link FreePermits}, the word;
 * {@link GroupWaits}, what waits and how a wait ends; {@link GroupStarts}, what keeps it from starting; {@link GroupState}, who gets permits; {@link GuardedGroup}, the lock
 * around these; and this class. The lower ones hand the group to others by {@link #asGroup}, and use it as no more than they
 * are. It is one object, because of the cache line and because one lock guards it all.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
public final class Group extends GuardedGroup {

    /** What became of a request for a permit. */
    public enum Verdict {
        GRANTED,
        QUEUED,
        /** The reason is in the batch. */
        REJECTED,
        /** The executor takes no more work. */
        SHUT_DOWN,
        /** The group is dead: look for the key again. */
        DEAD
    }

    // ---- immutable
    /** Makes the threads of its tasks. */
    public final ThreadFactory threads;

    public final UnboundPermits unbound = new UnboundPermits();

    /** When the idle list last knew it to become idle; guarded by the list's lock. */
    long idleSince;
    /** The next in the idle list; guarded by its lock. */
    @Nullable
    Group idleNext;

    @Nullable
    Group idlePrevious;

    public Group(Groups engine, String key, EffectiveLimits base, boolean named, Recording recording) {
        super(engine, key, base, named, recording);
        this.threads = engine.environment.taskThreads().named(KeyText.printable(key));
    }

    // ---- without the guard

    /**
     * Takes both permits of a task, and a global one, if the group is fast and has them. The caller holds no lock: what
     * it gives back may let others start.
     *
     * @param stripe where to look for a credit first; as holds know it
     * @return as {@link #lookedAt}
     */
    public long tryTakeFast(int stripe) {
        ClusterSignals.Term term = term();
        Take taken = tryTake(false);
        if (taken != Take.WANTS_CREDIT) {
            return taken == Take.TAKEN ? keepTaken(term, stripe) : NOT_TAKEN;
        }
        GlobalPermits permits = ledger.permits;
        if (!permits.tryTakeCredit(stripe)) {
            return NOT_TAKEN;
        }
        // Looked at first, too: else each request that is refused for its lease would use up a start.
        boolean lapsed = permits.isRated() && isLeaseOver();
        if (lapsed || !permits.tryStart(stripe) || tryTake(true) != Take.TAKEN) {
            giveCredit(0, stripe);
            return NOT_TAKEN;
        }
        return keepTaken(term, stripe);
    }

    /** {@return as {@link #lookedAt}} What counts no more is given back. */
    private long keepTaken(ClusterSignals.@Nullable Term term, int stripe) {
        long looked = lookedAt(term);
        if (looked == NOT_TAKEN) {
            release(0, stripe);
        }
        return looked;
    }

    /** Gives a piece back, if the group is fast. Whoever calls it may hold the ledger's lock. */
    private boolean tryGiveBackFast(Piece piece, @Nullable Batch batch) {
        long after = tryGiveBack(piece.word());
        if (isIdleWord(after) && needsOffer()) {
            if (batch != null) {
                batch.idle(this);
            } else {
                engine.housekeeper.retry(this);
            }
        }
        if (piece.isGlobal() && isCappedWord(after) && !ledger.permits.tryGiveCredit(home)) {
            settleWithLedger(1, false, batch);
        }
        return !isSlowWord(after);
    }

    // ---- carried: without a global permit, by the one of the hold that is below on the same thread

    /**
     * Takes permits for a call that is carried, if the group is fast and has them.
     *
     * <p>It is counted once they are taken. If the first global limit is set in between, they have got a credit, which goes
     * back: so no more credits are free at any time than the limit allows.
     *
     * @return as {@link #lookedAt}
     */
    public long tryTakeCarriedFast() {
        ClusterSignals.Term term = term();
        long after = tryTakeCarried();
        if (isSlowWord(after)) {
            return NOT_TAKEN;
        }
        if (counters.carriedBegins() && !isCappedWord(after)) {
            giveCredit(0, home);
        }
        if (isSlow()) {
            engine.housekeeper.retry(this); // who has entered in between took it for one that holds a global permit
        }
        long looked = lookedAt(term);
        if (looked == NOT_TAKEN) {
            releaseCarried(counters.carriedNoMore());
        }
        return looked;
    }

    /**
     * Gives back both permits of a call that was carried, and carries out what that lets start.
     *
     * <p>It is counted as ended already. Until there is a limit it is like one that has a global permit of its own since, and
     * gets a credit if the first limit is set in between.
     *
     * @param capped whether the group was capped when it was counted as ended
     */
    public void releaseCarried(boolean capped) {
        if (!capped) {
            release(0, home);
            return;
        }
        long after = tryGiveBack(ONE_OF_BOTH);
        offerIfIdle(after);
        if (isSlowWord(after)) {
            Batch batch = Batch.orNull(engine, 0);
            enter();
            try {
                addNested(1); // what was carried counts as nested here
                putBack(Piece.ALL_BUT_GLOBAL);
            } finally {
                exit(batch);
            }
            Batch.carryOutIfMade(batch);
        }
    }

    // ---- the fast way from inside another group: the guard keeps the number of nested ones in step with the word

    /**
     * Takes permits for what shares {@code shared}, which is joined, if the group is fast and has them; the word stays as it
     * is but for that. It needs no memory.
     *
     * @param as as in {@link Backing#tryJoin}
     * @return as {@link #lookedAt}
     */
    public long tryTakeNested(Backing shared, long as) {
        if (!lockFast()) {
            return NOT_TAKEN;
        }
        try {
            if (tryTake(true) != Take.TAKEN) {
                return NOT_TAKEN;
            }
            long looked = lookedAt(term());
            if (looked == NOT_TAKEN || !shared.tryJoin(as)) {
                tryGiveBack(ONE_OF_BOTH); // nobody makes the group slow meanwhile, so nobody waits
                return NOT_TAKEN;
            }
            addNested(1);
            return looked;
        } finally {
            unlock();
        }
    }

    /** Gives back the permits of a hold that was nested, if the group is fast; by who holds no lock. It needs no memory. */
    boolean tryGiveBackNested() {
        if (!lockFast()) {
            return false;
        }
        long after;
        try {
            addNested(-1);
            after = tryGiveBack(ONE_OF_BOTH); // nobody makes the group slow meanwhile
        } finally {
            unlock();
        }
        offerIfIdle(after);
        return true;
    }

    // ---- giving back

    /** Gives back a piece of a hold. */
    public void giveBack(Piece piece, @Nullable Batch batch) {
        if (piece.nested() == 0 && tryGiveBackFast(piece, batch)) {
            return;
        }
        enter();
        try {
            putBack(piece);
        } finally {
            exit(batch);
        }
    }

    /**
     * Gives back both permits of a hold that stood alone for its thread, global one included, and carries out what that
     * lets start.
     *
     * @param now as in {@link Batch#now}
     * @param stripe where the credit goes
     */
    public void release(long now, int stripe) {
        long after = tryGiveBack(ONE_OF_BOTH);
        if (isCappedWord(after)) {
            giveCredit(now, stripe); // first: others may wait for it
        }
        offerIfIdle(after);
        if (!isSlowWord(after)) {
            return;
        }
        Node successor = passOn();
        if (successor != null) {
            Batch.start(successor, now, null);
            engine.housekeeper.ensureThread();
            return;
        }
        Batch batch = Batch.orNull(engine, now);
        giveBack(Piece.ALL, batch);
        Batch.carryOutIfMade(batch);
    }

    /**
     * Passes the permits of a hold that stood alone for its thread on to the first that waits, if others wait behind that
     * one: the group has as many out as before.
     *
     * @return who is to be started; {@code null}: nothing has changed, it takes more than that
     */
    private @Nullable Node passOn() {
        if (!lockSaturated()) {
            return null;
        }
        try {
            Node first = queue.first();
            if (first == null
                    || queue.size() == 1
                    || isOverdrawn()
                    || isLeaseOver()
                    || first.shared() != null
                    || isExpired(first)
                    || !ledger.permits.tryStart(home)
                    || !first.grant(null, false, null)) {
                return null;
            }
            queue.removeFirst(first);
            return first;
        } catch (Throwable failure) {
            return null; // what takes more than that fails with it too, and sees to it
        } finally {
            unlock();
        }
    }

    /** Has the idle list know the group, if {@code after}, the word as a change of it has left it, shows that it is idle. */
    private void offerIfIdle(long after) {
        if (isIdleWord(after) && needsOffer()) {
            engine.idle.offer(this);
        }
    }

    // ---- asking

    /**
     * Queues {@code node} behind others. If it fails, nothing has come of it.
     *
     * @param maxWait how long it waits at most, besides what the group and the node itself say, in nanoseconds
     * @return false if it isn't queued: it takes more than that
     */
    public boolean queueBehind(Node node, @Nullable ClassLoader loader, long maxWait) {
        if (!tryQueueBehind(node, loader, maxWait)) {
            return false;
        }
        engine.housekeeper.ensureThread();
        if (node.lineage() != null) {
            engine.queued(node, this);
        }
        return true;
    }

    private boolean tryQueueBehind(Node node, @Nullable ClassLoader loader, long maxWait) {
        if (queue.size() >= limits().queueThreshold().value() || !lockSaturated()) {
            return false;
        }
        try {
            queue.takeLoader(node, loader);
            if (reserve(node, maxWait) != null) {
                return false;
            }
            enqueue(node);
            return true;
        } finally {
            unlock();
        }
    }

    /**
     * Asks for a permit: grants it, or queues {@code node}, or rejects it. Enters and leaves. If it fails, nothing has
     * come of it, and the batch is carried out.
     *
     * @param loader the context class loader of the asking thread
     * @param maxWait how long it waits at most, besides what the group and the node itself say, in nanoseconds; 0: not at all
     */
    public Verdict admit(Node node, @Nullable ClassLoader loader, long maxWait, Batch batch) {
        try {
            Verdict verdict = decide(node, loader, maxWait, batch);
            if (verdict == null) {
                ledger.lock();
                try {
                    while (verdict == null) {
                        ledger.refillOrBind();
                        verdict = decide(node, loader, maxWait, batch);
                    }
                } finally {
                    ledger.unlock();
                }
            }
            if (verdict == Verdict.QUEUED && node.lineage() != null) {
                engine.queued(node, this);
            }
            return verdict;
        } catch (Throwable failure) {
            batch.carryOut();
            throw failure;
        }
    }

    /** Does what {@link #admit} says; {@code null}: only a global permit is short, or a start of the global rate. */
    private @Nullable Verdict decide(Node node, @Nullable ClassLoader loader, long maxWait, Batch batch) {
        boolean alive = enter();
        try {
            if (!alive) {
                return Verdict.DEAD;
            }
            if (!admits(node)) {
                count(node.countsShutdownAs());
                return Verdict.SHUT_DOWN;
            }
            queue.takeLoader(node, loader);
            Chance chance = tryGrantAtOnce(node, batch);
            if (chance != Chance.NONE) {
                return chance == Chance.GRANTED ? Verdict.GRANTED : null;
            }
            Rejection rejection = reserve(node, maxWait);
            if (rejection != null) {
                counters.rejected(rejection.reason());
                batch.rejection = rejection;
                noteRefusal();
                return Verdict.REJECTED;
            }
            enqueue(node);
            if (settings.isPausedForGood() && engine.stage.isDraining()) {
                endPaused(batch);
            }
            return Verdict.QUEUED;
        } finally {
            exit(batch);
        }
    }

    // ---- leaving

    /** Sees to the place of a node whose wait its owner has ended. */
    public void withdraw(Node node) {
        RejectionReason reason = node.leftFor();
        if (withdrawAmongOthers(node)) {
            engine.housekeeper.ensureThread();
            record.left(reason);
            return;
        }
        Batch batch = Batch.orNull(engine, 0);
        enter();
        try {
            if (node.isQueued()) {
                queue.remove(node);
                countLeft(node);
            }
        } finally {
            exit(batch);
        }
        Batch.carryOutIfMade(batch);
        record.left(reason);
    }

    /**
     * As {@link #withdraw}, where others go on waiting.
     *
     * @return false if nothing has changed: it takes more than that
     */
    private boolean withdrawAmongOthers(Node node) {
        if (!lockSaturated()) {
            return false;
        }
        try {
            if (!node.isQueued() || queue.size() == 1) {
                return false;
            }
            queue.remove(node);
            countLeft(node);
            return true;
        } finally {
            unlock();
        }
    }

    /** Counts work that ended without ever asking for a permit; false if the group is dead, and counts no more. */
    public boolean countOutside(TaskStatus status, @Nullable Batch batch) {
        boolean alive = enter();
        try {
            if (alive) {
                counters.ended(status);
            }
            return alive;
        } finally {
            exit(batch);
        }
    }

    // ---- control

    /** Forgets override and pause; dies if nothing runs or waits. */
    public Eviction evict(EffectiveLimits newBase, Batch batch) {
        boolean alive = enter();
        try {
            return alive ? evictInside(newBase, batch) : Eviction.KNOWN_NO_MORE;
        } finally {
            exit(batch);
        }
    }

    /** As {@link GroupState#dieIfUnkept}, and carries out what follows, unless the batch is being carried out anyway. */
    public boolean retire(@Nullable Batch batch) {
        boolean died;
        boolean alive = enter();
        try {
            died = alive && dieIfUnkept();
        } finally {
            exit(batch);
        }
        Batch.carryOutIfMade(batch);
        return died;
    }

    /**
     * Has it counted and recorded by {@code made} from now on, in the place of {@code before}.
     *
     * @param counted gets what it has counted since then
     * @param kept for what it has counted in all, of which it keeps account; {@code null}: it forgets that
     * @return false if it is dead, or counts by another one
     */
    boolean replaceRecording(Recording before, Recording made, Counters counted, @Nullable Counters kept, Batch batch) {
        boolean replaced = enter();
        try {
            replaced &= record.recording() == before;
            if (replaced) {
                record.replace(made, counters, counted, kept);
            }
            return replaced;
        } finally {
            exit(batch);
        }
    }
}
