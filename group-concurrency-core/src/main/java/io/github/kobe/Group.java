package io.github.kobe;

import io.github.kobe.Outcome.Rejection;
import io.github.kobe.internal.KeyText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One group: its free permits and its queue, and who may touch them.
 *
 * <p>While it is {@linkplain FreePermits fast}, nothing waits and nothing is overdrawn. It becomes slow for whoever
 * enters ({@link #enter}), and fast again for whoever leaves ({@link #exit}) and finds it calm. It stays slow, and unchanged,
 * for whoever uses the queue while nothing can start, before or after ({@link #lockQueue}). It is slow by birth, so that the
 * first use asks the ledger for its state, and dies inside, when it is removed as idle or evicted; whoever meets it then
 * looks for the key again.
 *
 * <p>The guard is the group's own lock, or, while the group is attached to the {@link Ledger}, the ledger's. It changes
 * only under both (attach) or under the ledger's (detach), so whoever has locked it and still finds it the guard may go
 * on.
 *
 * <p>It is one large class because it is one state machine: everything here happens on the permits, between {@link #enter}
 * and {@link #exit}, or between {@link #lockQueue} and the unlock, which change the same fields; what can be told apart
 * stands in {@link FreePermits}, {@link GroupQueue} and {@link GroupSettings}.
 *
 * <p><b>Lock order:</b> ledger, own lock of a group, then leaves (housekeeper, idle list). No user code under any.
 */
@SuppressWarnings({"ReferenceEquality", "LockNotBeforeTry"}) // identity is meant; enter and exit are a pair
final class Group extends FreePermits {

    /** What became of a request for a permit. */
    enum Verdict {
        GRANTED,
        QUEUED,
        /** The reason is in the batch. */
        REJECTED,
        /** The executor takes no more work; counted as the caller said. */
        SHUT_DOWN,
        /** The group is dead: look for the key again. */
        DEAD
    }

    /** What became of a group that was evicted. */
    enum Eviction {
        /** It is dead. */
        GONE,
        /** It lives on, since something runs or waits. */
        IN_USE,
        /** It was dead before. */
        KNOWN_NO_MORE
    }

    // ---- immutable
    final Engine engine;
    final String key;
    /** The stripe of the credits of its tasks. */
    final int home;
    /** Makes the threads of its tasks. */
    final ThreadFactory threads;

    final Counters counters = new Counters();
    final UnboundPermits unbound = new UnboundPermits();
    private final ReentrantLock own = new ReentrantLock();
    private final Ledger ledger;

    // ---- lock-free
    private volatile ReentrantLock guard = own;
    /** Rises with each group shutdown; written under the guard. */
    private volatile int stopEpoch;
    /** Owned by {@link IdleGroups}. */
    volatile boolean listed;
    /** Whether it was idle again since the list last looked; see {@link IdleGroups}. */
    volatile boolean touched;
    /** When the list last knew it to become idle; guarded by the list's lock. */
    long idleSince;
    /** The next in the idle list; guarded by its lock. */
    @Nullable
    Group idleNext;
    /** The next that the housekeeper tries again, and whether this one is among those; guarded by its lock. */
    @Nullable
    Group retriedNext;

    boolean retried;

    // ---- written under the guard, read by anyone for statistics and guesses
    private final GroupSettings settings;
    private final GroupQueue queue;
    private volatile Recording recording;
    /** That of the recording; plain, for it is read at each start and end. */
    private @Nullable SafeRecorder recorder;
    /** What it has counted under other rules; {@code null}: nothing. The accounts of those have it too. */
    private volatile @Nullable Counters earlier;
    /**
     * How many more are in flight here than global permits that were taken here are out: those that share the global permit
     * of another. Negative where the one that took a global permit has ended before those that share it.
     */
    private int nested;
    /** Lenders whose group permits are lent. */
    private int lent;

    // ---- guarded by the guard
    /** No start is tried until the housekeeper has been here: the last one failed, or there was no memory for it. */
    private boolean stalled;
    /** Whether its head lacks nothing but a credit: who leaves has the ledger decide. */
    private boolean lacksCredit;
    /** Credits that were freed here when their stripe was frozen: who leaves gives them to the ledger. */
    private int owedCredits;
    /** When the earliest alarm of the housekeeper is due; 0: none is set. */
    private long alarmAt;
    /** How many, from the head, a group shutdown has yet to end; nothing starts until then. */
    private int toStop;
    /** The last of those; what comes after it is not meant. */
    private @Nullable Node lastToStop;

    // ---- guarded by the ledger's lock
    boolean attached;
    /** Open loans that need the ledger. */
    int pins;

    @Nullable
    Group ringNext;

    @Nullable
    Group ringPrevious;
    /** How many it may still start in its turn; 0: its turn hasn't begun. */
    int credit;

    Group(Engine engine, String key, EffectiveLimits base, boolean named, Recording recording) {
        super(base, engine.ledger.isCapped());
        this.engine = engine;
        this.key = key;
        this.threads = engine.environment.taskThreads().named(KeyText.printable(key));
        this.ledger = engine.ledger;
        this.home = key.hashCode() ^ (key.hashCode() >>> 16);
        this.settings = new GroupSettings(base, named);
        this.queue = new GroupQueue(engine.waiting);
        this.recording = recording;
        this.recorder = recording.recorder();
    }

    private EffectiveLimits limits() {
        return settings.limits();
    }

    // ---- the fast way

    /**
     * Takes one permit of both layers, and a global one, if the group is fast and has them. The caller holds no lock: what
     * it gives back may let others start.
     *
     * @param stripe where to look for a credit first; see {@link Hold#stripe}
     */
    boolean tryTakeFast(int stripe) {
        Take taken = tryTake(false);
        if (taken != Take.WANTS_CREDIT) {
            return taken == Take.TAKEN;
        }
        if (!ledger.tryTakeCredit(stripe)) {
            return false;
        }
        if (tryTake(true) != Take.TAKEN) {
            giveCredit(0, stripe);
            return false;
        }
        return true;
    }

    /** Gives back a credit whose permits are back, or were never taken, and carries out what that lets start. */
    private void giveCredit(long now, int stripe) {
        if (!ledger.tryGiveCredit(stripe)) {
            Batch batch = Batch.orNull(engine, now);
            settleWithLedger(1, false, batch);
            if (batch != null) {
                batch.carryOut();
            }
        }
    }

    /**
     * Gives permits back, if the group is fast. Whoever calls it may hold the ledger's lock.
     *
     * @param global whether one of them stands for a global permit, which goes back too
     * @param batch {@code null}: there is no memory for one
     */
    private boolean tryGiveBackFast(long permits, boolean global, @Nullable Batch batch) {
        long after = tryGiveBack(permits);
        if (isIdleWord(after) && needsOffer()) {
            if (batch != null) {
                batch.idle(this);
            } else {
                engine.housekeeper.retryLater(this);
            }
        }
        if (global && isCappedWord(after) && !ledger.tryGiveCredit(home)) {
            settleWithLedger(1, false, batch);
        }
        return !isSlowWord(after);
    }

    /** Gives back both permits of a hold that stood alone for its thread, if the group is fast; by who holds no lock. */
    private boolean tryGiveBackBoth(long now, int stripe) {
        long after = tryGiveBack(ONE_OF_BOTH);
        if (isIdleWord(after) && needsOffer()) {
            engine.idle.offer(this);
        }
        if (isCappedWord(after)) {
            giveCredit(now, stripe);
        }
        return !isSlowWord(after);
    }

    // ---- the fast way from inside another group: the guard keeps the number of nested ones in step with the word

    /**
     * Takes permits for what shares {@code shared}, which is joined, if the group is fast and has them; the word stays as it
     * is but for that. It needs no memory.
     *
     * @param as as in {@link SharedGlobal#tryJoin}
     */
    boolean tryTakeNested(SharedGlobal shared, long as) {
        if (!lockFast()) {
            return false;
        }
        try {
            if (tryTake(true) != Take.TAKEN) {
                return false;
            }
            if (!shared.tryJoin(as)) {
                tryGiveBack(ONE_OF_BOTH); // nobody makes the group slow meanwhile, so nobody waits
                return false;
            }
            nested++;
            return true;
        } finally {
            own.unlock();
        }
    }

    /** Gives back the permits of a hold that was nested, if the group is fast; by who holds no lock. It needs no memory. */
    boolean tryGiveBackNested() {
        if (!lockFast()) {
            return false;
        }
        long after;
        try {
            nested--;
            after = tryGiveBack(ONE_OF_BOTH); // nobody makes the group slow meanwhile
        } finally {
            own.unlock();
        }
        if (isIdleWord(after) && needsOffer()) {
            engine.idle.offer(this);
        }
        return true;
    }

    /** Locks the own lock, if that is the guard and the group is fast; then it stays so. */
    private boolean lockFast() {
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

    /** Gives back the permits of a hold that stood alone for its thread, global one included. */
    void giveBackBoth(@Nullable Batch batch) {
        if (!tryGiveBackFast(ONE_OF_BOTH, true, batch)) {
            enter();
            try {
                giveBack(1, 1);
                freeGlobal();
            } finally {
                exit(batch);
            }
        }
    }

    /**
     * As {@link #giveBackBoth(Batch)}; what that lets start is carried out.
     *
     * @param now as in {@link Batch#now}
     * @param stripe where the credit goes
     */
    void giveBackBoth(long now, int stripe) {
        if (tryGiveBackBoth(now, stripe)) {
            return;
        }
        Node successor = passOn();
        if (successor != null) {
            Batch.start(successor, now, null);
            engine.seeToWhatIsOwed();
            return;
        }
        Batch batch = Batch.orNull(engine, now);
        giveBackBoth(batch);
        if (batch != null) {
            batch.carryOut();
        }
    }

    /** Gives back what was granted to a thread that doesn't use it. */
    void giveBackUnused(boolean wasNested, @Nullable Batch batch) {
        enter();
        try {
            giveBack(1, 1);
            if (wasNested) {
                nested--;
            } else {
                freeGlobal();
            }
        } finally {
            exit(batch);
        }
    }

    /** Gives back the permits of a hold that shares a global permit, which stays out. */
    void giveBackNested(@Nullable Batch batch) {
        giveBackUnused(true, batch);
    }

    /** Gives back the permit of concurrency of an asynchronous task whose callable has returned. */
    void giveBackConcurrency(@Nullable Batch batch) {
        if (!tryGiveBackFast(ONE_CONCURRENCY, false, batch)) {
            enter();
            try {
                giveBack(1, 0);
            } finally {
                exit(batch);
            }
        }
    }

    /**
     * Gives back the permits of flight of an asynchronous task whose stage has completed.
     *
     * @param shares whether it shares its global permit, which stays out
     */
    void giveBackFlight(boolean shares, @Nullable Batch batch) {
        if (!shares && tryGiveBackFast(ONE_IN_FLIGHT, true, batch)) {
            return;
        }
        enter();
        try {
            giveBack(0, 1);
            if (shares) {
                nested--;
            } else {
                freeGlobal();
            }
        } finally {
            exit(batch);
        }
    }

    /** Frees a global permit that was taken here, after the last hold that shared it was closed. */
    void freeShared(@Nullable Batch batch) {
        enter();
        try {
            nested++;
            freeGlobal();
        } finally {
            exit(batch);
        }
    }

    // ---- in and out

    /**
     * Locks the guard and makes the group slow.
     *
     * @return false if the group is dead; it is entered all the same
     */
    boolean enter() {
        for (; ; ) {
            ReentrantLock lock = guard;
            lock.lock();
            boolean entered = false;
            boolean attach = false;
            try {
                if (lock == guard) {
                    attach = lock == own && (ledger.isOn() || (!isCapped() && ledger.isCapped()));
                    if (!attach) {
                        boolean alive = becomeSlow();
                        entered = true;
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
     * Starts what can start, makes the group fast if it is calm, and unlocks the guard. It doesn't fail: where memory is
     * short, the group stalls until the housekeeper tries again.
     *
     * @param batch {@code null}: there is no memory for one, so nothing can start
     */
    void exit(@Nullable Batch batch) {
        ReentrantLock lock = guard;
        try {
            if (isDead()) {
                return;
            }
            if (batch == null) {
                stalled = engine.housekeeper.retryLater(this);
            } else {
                dispatch(batch);
            }
            if (attached && ledger.isDetachable(this)) {
                ledger.detach(this);
            }
            queue.tidy();
            if (toStop != 0 && queue.isEmpty()) {
                stopNoMore();
            }
            boolean calm = queue.isEmpty() && !settings.isPaused() && !stalled && !attached && !isOverdrawn();
            if (calm) {
                becomeFast();
            }
        } finally {
            int owed = owedCredits;
            boolean lacks = lacksCredit;
            owedCredits = 0;
            lacksCredit = false;
            if (lock == own) {
                own.unlock();
            } else {
                if (!attached) {
                    guard = own;
                }
                ledger.unlock();
            }
            if (owed > 0 || lacks) {
                settleWithLedger(owed, lacks, batch);
            }
        }
    }

    /**
     * Gives credits to the ledger, and has it decide over the head. Like {@link #exit} it doesn't fail.
     *
     * @param lacksCredit whether the head lacks nothing but a credit
     * @param batch {@code null}: there is no memory for one, so nothing can start
     */
    private void settleWithLedger(int credits, boolean lacksCredit, @Nullable Batch batch) {
        ledger.lock();
        try {
            ledger.give(credits);
            if (batch == null) {
                engine.housekeeper.retryLater(this);
                return;
            }
            boolean decided = false;
            if (lacksCredit) {
                ledger.bind();
                decided = enter();
                exit(batch);
            }
            if (!decided) {
                // The group may have died since: then others get what has come.
                ledger.drain(batch);
            }
        } catch (Throwable lack) {
            engine.housekeeper.retryLater(this);
        } finally {
            ledger.unlock();
        }
    }

    // ---- without a batch: what leaves a slow group as slow as it was

    /**
     * Locks the own lock if nothing but that is needed to use the queue, something waits in it, and all that keeps it
     * from starting is the group's limits. Then the executor is not shut down either: that turns the ledger on.
     */
    private boolean lockQueue() {
        if (!isSlow() || guard != own || queue.isEmpty()) {
            return false;
        }
        own.lock();
        if (guard == own
                && !ledger.isOn()
                && isSlow()
                && !isDead()
                && !queue.isEmpty()
                && !settings.isPaused()
                && !stalled
                && toStop == 0
                && !hasFreeBoth()) {
            return true;
        }
        own.unlock();
        return false;
    }

    /**
     * Passes the permits of a hold that stood alone for its thread on to the first that waits, if others wait behind that
     * one: the group has as many out as before.
     *
     * @return who is to be started; {@code null}: nothing has changed, it takes more than that
     */
    private @Nullable Node passOn() {
        if (!lockQueue()) {
            return null;
        }
        try {
            Node first = queue.first();
            if (first == null
                    || queue.size() == 1
                    || isOverdrawn()
                    || first.shared() != null
                    || isExpired(first)
                    || !first.grant(null, false)) {
                return null;
            }
            queue.removeFirst(first);
            return first;
        } catch (OutOfMemoryError lack) {
            return null;
        } finally {
            own.unlock();
        }
    }

    /**
     * Queues {@code node} behind others. If it fails, nothing has come of it.
     *
     * @return false if it isn't queued: it takes more than that
     */
    boolean queueBehind(Node node, @Nullable ClassLoader loader) {
        if (queue.size() >= limits().queueThreshold().value() || !lockQueue()) {
            return false;
        }
        try {
            if (node instanceof Task<?> task) {
                queue.adaptLoader(task, loader);
            }
            if (reserve(true) != null) {
                return false;
            }
            enqueue(node);
            return true;
        } finally {
            own.unlock();
        }
    }

    /**
     * As {@link #withdraw}, where others go on waiting.
     *
     * @return false if nothing has changed: it takes more than that
     */
    private boolean withdrawAmongOthers(Node node, @Nullable RejectionReason reason) {
        if (!lockQueue()) {
            return false;
        }
        try {
            if (!node.isQueued() || queue.size() == 1) {
                return false;
            }
            queue.remove(node);
            count(counters, reason);
            return true;
        } finally {
            own.unlock();
        }
    }

    private void dispatch(Batch batch) {
        try {
            if (!isDecidedByLedger()) {
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
            }
            if (isDecidedByLedger()) {
                ledger.dispatch(this, batch);
            }
            offerIfIdle(batch);
        } catch (Throwable lack) {
            stalled = engine.housekeeper.retryLater(this);
        }
    }

    /** Has the group told to the idle list, if it is idle and the list doesn't know. */
    void offerIfIdle(Batch batch) {
        if (isIdle() && needsOffer()) {
            batch.idle(this);
        }
    }

    private boolean needsOffer() {
        return !(listed && touched) && !settings.isKept();
    }

    /** Hands the group over to the ledger, if it isn't yet; under the ledger's lock. */
    void attach() {
        own.lock();
        try {
            if (guard == own) {
                becomeSlow();
                attached = true;
                queue.setCounted(true);
                ledger.addInFlight(inFlightHere());
                guard = ledger.lock;
            }
            if (!isCapped() && ledger.isCapped()) {
                ledger.give(nested - inFlightHere());
                cap(limits());
            }
        } finally {
            own.unlock();
        }
    }

    /** Takes the group back from the ledger; inside, on the way out. */
    void detach() {
        attached = false;
        queue.setCounted(engine.policy.boundsQueues());
        ledger.addInFlight(-inFlightHere());
    }

    // ---- inside: permits

    private int inFlightHere() {
        return inFlightHere(limits());
    }

    private boolean hasRoom() {
        return hasFreeBoth() && !settings.isPaused() && !stalled && toStop == 0;
    }

    /** {@return whether something waits that only the global limit may keep from starting} */
    boolean isEligible() {
        return !queue.isEmpty() && hasRoom();
    }

    int weight() {
        return limits().weight().value();
    }

    /** Takes permits of the group alone. */
    private void take(boolean global) {
        takeFree(1, 1);
        if (!global) {
            nested++;
        }
        if (attached) {
            ledger.addInFlight(1);
        }
    }

    /** Gives back permits of the group alone. */
    void giveBack(int concurrency, int inFlight) {
        takeFree(-concurrency, -inFlight);
        if (attached) {
            ledger.addInFlight(-inFlight);
        }
    }

    // ---- inside: global permits

    /** {@return whether the ledger decides over what starts here} With credits, it also has all that are free. */
    private boolean isDecidedByLedger() {
        return attached && (ledger.isOn() || !isCapped());
    }

    /** Takes a global permit; true also if there is no limit. */
    private boolean tryTakeGlobal() {
        if (!isCapped()) {
            return true;
        }
        return isDecidedByLedger() ? ledger.tryTake() : ledger.tryTakeCredit(home);
    }

    /** As {@link #tryTakeGlobal}, for one that hasn't waited: what groups of the ring have yet to get is not for it. */
    private boolean tryTakeSpareGlobal() {
        return !(isDecidedByLedger() && ledger.isAwaited()) && tryTakeGlobal();
    }

    /** Frees a global permit. */
    void freeGlobal() {
        if (!isCapped()) {
            return;
        }
        if (isDecidedByLedger()) {
            ledger.give(1);
        } else if (!ledger.tryGiveCredit(home)) {
            owedCredits++;
        }
    }

    /** Frees a global permit into the ledger; under its lock. */
    void freeGlobalToLedger() {
        if (isCapped()) {
            ledger.give(1);
        }
    }

    /** Takes a global permit from the ledger, whether it is free or not; under its lock. */
    void takeGlobalFromLedger() {
        if (isCapped()) {
            ledger.give(-1);
        }
    }

    /** So many more in flight share the global permit of another, or with a negative number fewer. */
    void addNested(int delta) {
        nested += delta;
    }

    /** Notes that a lender's group permits are lent (+1), or back (-1). */
    void addLent(int delta) {
        lent += delta;
    }

    // ---- inside: the queue

    /**
     * Asks for a permit: grants it, or queues {@code node}, or rejects it. Enters and leaves. If it fails, nothing has
     * come of it, and the batch is carried out.
     *
     * @param loader the context class loader of the asking thread
     * @param mayWait whether the node wants to wait at all
     * @param shutDownCountsAs how to count it when the executor takes no more work; {@code null}: as cancelled
     */
    Verdict admit(
            Node node,
            @Nullable ClassLoader loader,
            boolean mayWait,
            @Nullable RejectionReason shutDownCountsAs,
            Batch batch) {
        try {
            Verdict verdict = decide(node, loader, mayWait, shutDownCountsAs, batch);
            if (verdict == null) {
                ledger.lock();
                try {
                    ledger.bind();
                    verdict = Objects.requireNonNull(decide(node, loader, mayWait, shutDownCountsAs, batch));
                } finally {
                    ledger.unlock();
                }
            }
            return verdict;
        } catch (Throwable lack) {
            batch.carryOut();
            throw lack;
        }
    }

    /** Does what {@link #admit} says; {@code null}: only a global permit is short, and for those the ledger has to be on. */
    private @Nullable Verdict decide(
            Node node,
            @Nullable ClassLoader loader,
            boolean mayWait,
            @Nullable RejectionReason shutDownCountsAs,
            Batch batch) {
        boolean alive = enter();
        try {
            if (!alive) {
                return Verdict.DEAD;
            }
            if (!engine.lifecycle.admits(node)) {
                count(counters, shutDownCountsAs);
                return Verdict.SHUT_DOWN;
            }
            if (node instanceof Task<?> task) {
                queue.adaptLoader(task, loader);
            }
            if (queue.isEmpty() && hasRoom()) {
                boolean shares = node.tryShare();
                if (shares || tryTakeSpareGlobal()) {
                    if (tryGrant(node, shares, batch)) {
                        return Verdict.GRANTED;
                    }
                } else if (!isDecidedByLedger()) {
                    return null;
                }
            }
            Rejection rejection = reserve(mayWait);
            if (rejection != null) {
                counters.rejected(rejection.reason());
                batch.rejection = rejection;
                return Verdict.REJECTED;
            }
            enqueue(node);
            if (settings.isPaused() && engine.lifecycle.isDraining()) {
                endPaused(batch);
            }
            return Verdict.QUEUED;
        } finally {
            exit(batch);
        }
    }

    /**
     * Grants the group's permits to {@code node}, if that still wants them.
     *
     * @param shares whether it shares a global permit; else it has been given one. That is taken back if it fails
     */
    private boolean tryGrant(Node node, boolean shares, Batch batch) {
        boolean granted = false;
        try {
            granted = node.grant(null, shares);
            return granted;
        } finally {
            if (granted) {
                take(!shares);
            } else if (shares) {
                node.unshare(batch);
            } else {
                freeGlobal();
            }
        }
    }

    /** Reserves a place in both queues, or says why there is none. */
    private @Nullable Rejection reserve(boolean mayWait) {
        int threshold = limits().queueThreshold().value();
        int size = queue.size();
        if (size >= threshold) {
            return new Rejection(RejectionReason.GROUP_QUEUE_FULL, threshold, size);
        }
        if (!mayWait) {
            return new Rejection(RejectionReason.QUEUE_TIMEOUT, -1, size);
        }
        GroupPolicy policy = engine.policy;
        int globalThreshold = policy.globalQueueThreshold();
        // By the policy in force now: an update may have missed a group that was being made.
        queue.setCounted(attached || policy.boundsQueues());
        long waiting = queue.reserve(globalThreshold);
        return waiting < 0 ? null : new Rejection(RejectionReason.GLOBAL_QUEUE_FULL, globalThreshold, waiting);
    }

    private void enqueue(Node node) {
        try {
            long now = engine.now();
            queue.add(node, now);
            armAlarm(now);
            long ownTimeout = node.ownTimeoutNanos();
            if (ownTimeout != Long.MAX_VALUE) { // the group's may be shorter, and grow
                engine.housekeeper.at(now + ownTimeout, () -> !node.isQueued(), due -> expireOne(node, due));
            }
        } catch (Throwable lack) {
            if (node.isQueued()) {
                queue.remove(node);
            } else {
                queue.unreserve();
            }
            throw lack;
        }
    }

    /**
     * Grants permits to the first that still wants one; false if none does, if that one lacks a free global permit, or if
     * the batch is full. The caller has seen to the group's limits.
     */
    boolean grantHead(Batch batch) {
        for (Node first = queue.first(); first != null; first = queue.first()) {
            if (batch.leavesOff(this)) {
                return false;
            }
            if (isExpired(first)) {
                endFirst(first, RejectionReason.QUEUE_TIMEOUT, batch);
                continue;
            }
            // Looked at for each: who comes after one that has left may need what that one did without.
            boolean shares = first.tryShare();
            if (!shares && !tryTakeGlobal()) {
                return false;
            }
            boolean granted = tryGrant(first, shares, batch);
            queue.removeFirst(first);
            if (granted) {
                batch.granted(first);
                return true;
            }
        }
        return false;
    }

    /** {@return whether the head can do without a free global permit} */
    boolean headIsExempt() {
        Node first = queue.first();
        return first != null && first.mayShare();
    }

    private boolean isExpired(Node node) {
        long timeout = Math.min(limits().queueTimeoutNanos(), node.ownTimeoutNanos());
        return timeout != Long.MAX_VALUE && engine.now() - node.queuedAt() >= timeout;
    }

    private void endFirst(Node first, RejectionReason reason, Batch batch) {
        batch.reserveEnd();
        queue.removeFirst(first);
        endLeft(first, reason, batch);
    }

    /** Ends the wait of a node that has left the queue; the batch has room for it. */
    private void endLeft(Node node, RejectionReason reason, Batch batch) {
        Object work = node.end(reason);
        if (work != null) {
            count(counters, node instanceof Task<?> && reason == RejectionReason.SHUTDOWN ? null : reason);
            batch.ended(node, reason, work);
        }
    }

    private static void count(Counters counters, @Nullable RejectionReason reason) {
        if (reason == null) {
            counters.ended(TaskStatus.CANCELLED);
        } else {
            counters.rejected(reason);
        }
    }

    /**
     * Sees to the place of a node whose wait its owner has ended. Enters and leaves.
     *
     * @param reason how to count it; {@code null}: as cancelled
     */
    void withdraw(Node node, @Nullable RejectionReason reason) {
        if (withdrawAmongOthers(node, reason)) {
            engine.seeToWhatIsOwed();
            recordLeft(reason);
            return;
        }
        Batch batch = Batch.orNull(engine, 0);
        boolean alive = enter();
        try {
            if (node.isQueued()) {
                queue.remove(node);
            }
            count(counters, reason);
            if (!alive) {
                handOverCounts();
            }
        } finally {
            exit(batch);
        }
        if (batch != null) {
            batch.carryOut();
        }
        recordLeft(reason);
    }

    private void recordLeft(@Nullable RejectionReason reason) {
        if (reason == null) {
            recordEnd(TaskStatus.CANCELLED, SafeRecorder.UNTIMED);
        } else {
            recordRejected(reason);
        }
    }

    /** Counts work that ended without ever asking for a permit. Enters and leaves. */
    void countOutside(TaskStatus status, @Nullable Batch batch) {
        boolean alive = enter();
        try {
            counters.ended(status);
            if (!alive) {
                handOverCounts();
            }
        } finally {
            exit(batch);
        }
    }

    /** A dead group counts nothing any more. */
    private void handOverCounts() {
        recording.account().take(counters);
    }

    // ---- inside: without a free global permit

    boolean hasExempt() {
        return queue.hasExempt();
    }

    /** Lets a queued task start on a lent global permit, ahead of the queue; attached. False if it doesn't wait. */
    boolean reserveFor(Task<?> task, Loan loan) {
        if (!task.isQueued() || task.queuedWork() == null) {
            return false;
        }
        queue.addExempt(new GroupQueue.Exempt(task, loan));
        return true;
    }

    /** Takes back what {@link #reserveFor} set aside. */
    void unreserve(Loan loan) {
        queue.removeLoan(loan);
    }

    /** Grants to those that need no free global permit: on loans alone, or to all of them. */
    void grantExempt(boolean onLoan, Batch batch) {
        while (hasRoom()) {
            GroupQueue.Exempt next = queue.firstExempt(onLoan);
            if (next == null) {
                return;
            }
            if (batch.leavesOff(this)) {
                return;
            }
            Node node = next.node();
            Loan loan = next.loan();
            boolean expired = isExpired(node);
            batch.reserveEnd();
            batch.reserveAside();
            boolean shares = loan == null && !expired && node.tryShare();
            if (loan == null && !expired && !shares) {
                continue; // it may no longer
            }
            boolean granted = false;
            try {
                granted = !expired && node.grant(loan, shares);
            } finally {
                if (shares && !granted) {
                    node.unshare(batch);
                }
            }
            queue.remove(node);
            if (loan != null) {
                ledger.unreserve(loan);
            }
            if (expired) {
                endLeft(node, RejectionReason.QUEUE_TIMEOUT, batch);
            } else if (granted) {
                if (loan != null) {
                    takeGlobalFromLedger();
                }
                take(!shares);
                batch.grantedAside(node);
                continue;
            }
            if (loan != null) {
                engine.lending.handBack(loan, false, false, true, batch);
            }
        }
    }

    /**
     * Starts a queued task on lent permits of its own group, whatever the limits and a pause say; attached.
     *
     * @return false if it doesn't wait any more
     */
    boolean grantLent(Task<?> task, Loan loan, Batch batch) {
        batch.reserveAside();
        if (!task.isQueued() || !task.grant(loan, false)) {
            return false;
        }
        queue.remove(task);
        takeGlobalFromLedger();
        take(true);
        batch.grantedAside(task);
        return true;
    }

    /** A lender has its permit of concurrency again. */
    void retakeConcurrency() {
        takeFree(1, 0);
    }

    /** A lender has its permit of flight again; it doesn't stand for a global one yet. */
    void retakeFlight() {
        takeFree(0, 1);
        nested++;
        ledger.addInFlight(1);
    }

    // ---- inside: time

    /** Sees to it that the housekeeper looks when the head's time is up. */
    private void armAlarm(long now) {
        long timeout = limits().queueTimeoutNanos();
        Node first = timeout == Long.MAX_VALUE ? null : queue.first();
        if (first == null) {
            return;
        }
        long due = Math.max(now, first.queuedAt() + timeout);
        if (alarmAt == 0 || due < alarmAt) {
            // Without a thread for it the next enqueueing tries again; a grant looks at the time anyway.
            alarmAt = engine.housekeeper.at(due, this::isDead, this::expire) ? due : 0;
        }
    }

    /** Ends the waits whose time is up. Enters and leaves. */
    private void expire(long now) {
        Batch batch = new Batch(engine);
        enter();
        try {
            if (alarmAt <= now) {
                alarmAt = 0;
            }
            endExpired(now, batch);
        } finally {
            exit(batch);
            batch.carryOut();
        }
    }

    private void endExpired(long now, Batch batch) {
        long timeout = limits().queueTimeoutNanos();
        for (Node first = queue.first(); first != null && now - first.queuedAt() >= timeout; first = queue.first()) {
            if (batch.leavesOff(this)) {
                return;
            }
            endFirst(first, RejectionReason.QUEUE_TIMEOUT, batch);
        }
        armAlarm(now);
    }

    private void expireOne(Node node, long now) {
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

    /**
     * Keeps the group from starting anything until the housekeeper tries again, if there is one: a start has just failed.
     * Enters and leaves.
     */
    void stall(@Nullable Batch batch) {
        enter();
        try {
            stalled = engine.housekeeper.retryLater(this);
        } finally {
            exit(batch);
        }
    }

    /** Lets the group go on where it stalled. Enters and leaves. */
    void unstall(@Nullable Batch batch) {
        boolean alive = enter();
        try {
            stalled = false;
            if (batch != null) {
                endWhatIsLeft(batch);
            }
        } catch (OutOfMemoryError lack) {
            endTheRestLater();
        } finally {
            exit(batch);
        }
        if (!alive) {
            // It may have been kept to let others start, and has died since.
            settleWithLedger(0, false, batch);
        }
    }

    /** Goes on where the group has {@linkplain Batch#leavesOff left off}. Enters and leaves. */
    void goOn(Batch batch) {
        enter();
        try {
            endWhatIsLeft(batch);
        } catch (OutOfMemoryError lack) {
            endTheRestLater();
        } finally {
            exit(batch);
        }
    }

    /** Ends what a shutdown, a time-out or a group shutdown has not come to; what made it begin still holds. */
    private void endWhatIsLeft(Batch batch) {
        if (engine.lifecycle.isForced()) {
            endQueued(batch);
        } else if (settings.isPaused() && engine.lifecycle.isDraining()) {
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
    private void endTheRestLater() {
        stalled = engine.housekeeper.retryLater(this);
        if (!stalled) {
            stopNoMore(); // nobody may come for long, and nothing would start until then
        }
    }

    // ---- control; each enters and leaves, and returns false if the group is dead

    /** Takes over what a policy says. */
    boolean rebase(EffectiveLimits base, boolean named, Batch batch) {
        boolean alive = enter();
        try {
            EffectiveLimits before = limits();
            settings.rebase(base, named);
            queue.setCounted(attached || engine.policy.boundsQueues());
            limitsChanged(before);
            return alive;
        } finally {
            exit(batch);
        }
    }

    /** Sets or, with {@code null}, takes back what stands over the policy, whose limits are {@code base}. */
    boolean override(@Nullable GroupLimits override, EffectiveLimits base, Batch batch) {
        boolean alive = enter();
        try {
            putOverride(override, base);
            return alive;
        } finally {
            exit(batch);
        }
    }

    /** As {@link #override}, if {@code expected} still stands over the policy; false also if it doesn't. */
    boolean replaceOverride(
            @Nullable GroupLimits expected, @Nullable GroupLimits override, EffectiveLimits base, Batch batch) {
        boolean replaced = enter();
        try {
            replaced &= Objects.equals(settings.override(), expected);
            if (replaced) {
                putOverride(override, base);
            }
            return replaced;
        } finally {
            exit(batch);
        }
    }

    private void putOverride(@Nullable GroupLimits override, EffectiveLimits base) {
        EffectiveLimits before = limits();
        settings.override(override, base);
        limitsChanged(before);
    }

    /** {@return what stands over the policy; may be stale} */
    @Nullable
    GroupLimits currentOverride() {
        return settings.override();
    }

    private void limitsChanged(EffectiveLimits before) {
        resize(before, limits());
        armAlarm(engine.now());
    }

    /** Pauses or resumes. What waits in a paused group ends at once while the executor drains. */
    boolean setPaused(boolean pause, Batch batch) {
        boolean alive = enter();
        try {
            settings.setPaused(pause);
            if (pause && engine.lifecycle.isDraining()) {
                endPaused(batch);
            }
            return alive;
        } finally {
            exit(batch);
        }
    }

    /** Ends all waits. Enters and leaves. */
    void endWaits(@Nullable Batch batch) {
        enter();
        try {
            if (batch != null) {
                endQueued(batch);
            }
        } catch (OutOfMemoryError lack) {
            endTheRestLater();
        } finally {
            exit(batch);
        }
    }

    /** Ends all waits if the group is paused, for a drain. Enters and leaves. */
    void endWaitsIfPaused(Batch batch) {
        enter();
        try {
            if (settings.isPaused()) {
                endPaused(batch);
            }
        } finally {
            exit(batch);
        }
    }

    private void endPaused(Batch batch) {
        if (!queue.isEmpty()) {
            engine.lifecycle.pausedWaitsEnded();
        }
        endQueued(batch);
    }

    /** Ends the waits of all that wait now, and has runs that are granted but not registered yet stop themselves. */
    void stop(Batch batch) {
        enter();
        try {
            stopRuns();
            toStop = queue.size();
            lastToStop = queue.last();
            endStopped(batch);
        } catch (OutOfMemoryError lack) {
            endTheRestLater();
        } finally {
            exit(batch);
        }
    }

    private void stopRuns() {
        int next = stopEpoch + 1;
        stopEpoch = next;
    }

    /** Ends what was queued when the group was stopped. If the last has left by itself, as many as were queued. */
    private void endStopped(Batch batch) {
        for (Node first = queue.first(); first != null && toStop > 0; first = queue.first()) {
            if (batch.leavesOff(this)) {
                return;
            }
            endFirst(first, RejectionReason.SHUTDOWN, batch);
            toStop = first == lastToStop ? 0 : toStop - 1;
        }
        stopNoMore();
        stopRuns(); // one may have been granted on a loan meanwhile
    }

    private void stopNoMore() {
        toStop = 0;
        lastToStop = null;
    }

    private void endQueued(Batch batch) {
        for (Node first = queue.first(); first != null; first = queue.first()) {
            if (batch.leavesOff(this)) {
                return;
            }
            endFirst(first, RejectionReason.SHUTDOWN, batch);
        }
    }

    /**
     * Forgets override and pause; dies if nothing runs or waits. Its counters {@link Engine#record} drops if it lives on.
     *
     * @param counted gets what it had counted, if it dies
     */
    Eviction evict(EffectiveLimits newBase, Counters counted, Batch batch) {
        boolean alive = enter();
        try {
            if (!alive) {
                return Eviction.KNOWN_NO_MORE;
            }
            EffectiveLimits before = limits();
            settings.override(null, newBase);
            settings.setPaused(false);
            limitsChanged(before);
            if (!dieIfIdle()) {
                return Eviction.IN_USE;
            }
            handOver(recording, counted);
            return Eviction.GONE;
        } finally {
            exit(batch);
        }
    }

    /** Hands its counts over to the account of {@code until}; inside. */
    private void handOver(Recording until, Counters counted) {
        counters.moveTo(counted);
        until.account().add(counted);
    }

    /**
     * Dies if nothing runs or waits and nothing keeps it.
     *
     * @param counted gets what it had counted, if it dies; {@code null}: it lives on if that is to be told
     */
    boolean retire(@Nullable Counters counted) {
        Batch batch = Batch.orNull(engine, 0);
        boolean died = false;
        boolean alive = enter();
        try {
            // With a recorder, but nobody to tell it: its factory's policy has just been replaced, and whoever did that
            // comes here too.
            boolean tellable = counted != null || recorder == null;
            if (alive && tellable && !settings.isKept() && dieIfIdle()) {
                if (counted != null) {
                    handOver(recording, counted);
                } else {
                    handOverCounts();
                }
                died = true;
            }
        } finally {
            exit(batch);
        }
        if (batch != null) {
            batch.carryOut();
        }
        return died;
    }

    private boolean dieIfIdle() {
        if (!isIdle()) {
            return false;
        }
        if (attached) {
            ledger.forget(this);
        }
        die();
        engine.forget(this);
        return true;
    }

    private boolean isIdle() {
        return queue.isEmpty() && lent == 0 && nested == 0 && pins == 0 && !stalled && isAllFree(limits());
    }

    // ---- who hears of its work; user code, without any lock

    Recording recording() {
        return recording;
    }

    /** {@return the rule that its limits are by} */
    @Nullable
    String rule() {
        return limits().rule();
    }

    /**
     * Has it counted and recorded by {@code made} from now on, in the place of {@code before}. Enters and leaves.
     *
     * @param counted gets what it has counted since then
     * @param kept for what it has counted in all, of which it keeps account; {@code null}: it forgets that
     * @return false if it is dead, or counts by another one
     */
    boolean record(Recording before, Recording made, Counters counted, @Nullable Counters kept, Batch batch) {
        boolean replaced = enter();
        try {
            replaced &= recording == before;
            if (replaced) {
                handOver(before, counted);
                if (kept != null) {
                    if (earlier != null) {
                        earlier.addTo(kept);
                    }
                    counted.addTo(kept);
                }
                earlier = kept;
                recording = made;
                recorder = made.recorder();
            }
            return replaced;
        } finally {
            exit(batch);
        }
    }

    boolean isRecorded() {
        return recorder != null;
    }

    /** {@return whether somebody wants to know how long its work runs} */
    boolean isTimed() {
        SafeRecorder heard = recorder;
        return heard != null && heard.wantsTimes;
    }

    /** Work that has waited is about to begin. */
    void recordStart(Node waited) {
        SafeRecorder heard = recorder;
        if (heard != null && heard.wantsWaits) {
            heard.started(waited.waitedNanos(engine.now()));
        }
    }

    /**
     * Work has ended.
     *
     * @param nanos how long it ran; {@link SafeRecorder#UNTIMED}: that isn't known
     */
    void recordEnd(TaskStatus status, long nanos) {
        SafeRecorder heard = recorder;
        if (heard != null) {
            heard.completed(status, nanos);
        }
    }

    void recordRejected(RejectionReason reason) {
        SafeRecorder heard = recorder;
        if (heard != null) {
            heard.rejected(reason);
        }
    }

    // ---- statistics, and readings that may be stale

    @Nullable
    ClassLoader queueLoader() {
        return queue.loader();
    }

    int stopEpoch() {
        return stopEpoch;
    }

    int queued() {
        return queue.size();
    }

    int running() {
        return concurrencyOut(limits());
    }

    int inFlight() {
        return inFlightOut(limits());
    }

    /** {@return how many are in flight and count in another group for the global limit} */
    int nested() {
        return nested;
    }

    int lent() {
        return lent;
    }

    GroupStats stats() {
        EffectiveLimits l = limits();
        int inFlight = inFlight();
        int queued = queue.size();
        long oldest = queue.oldestQueuedAt();
        return new GroupStats(
                key,
                running(),
                inFlight,
                queued,
                l.maxConcurrency(),
                l.maxInFlight(),
                l.queueThreshold(),
                l.queueTimeout(),
                l.weight(),
                Optional.ofNullable(l.rule()),
                Optional.ofNullable(settings.overriddenSince()),
                Duration.ofNanos(oldest == 0 ? 0 : Math.max(0, engine.now() - oldest)),
                settings.isPaused(),
                totals((long) inFlight + queued + lent));
    }

    /** {@return since when the one waits that has waited longest, on the engine's clock; 0: nothing waits} */
    long oldestQueuedAt() {
        return queue.oldestQueuedAt();
    }

    /** {@return what waits, the oldest first, at most so many; each with the time since when} */
    List<GroupWaiter> waiters(int limit) {
        List<Node> nodes = new ArrayList<>(Math.min(limit, queue.size()));
        while (!isListed(nodes, limit)) {
            nodes.clear();
        }
        long now = engine.now();
        return nodes.stream()
                .map(node -> node.shown(Duration.ofNanos(node.waitedNanos(now))))
                .toList();
    }

    /**
     * Lists what waits, unless so many have left in between that it would take long; then some of those are unlinked, and
     * it is to be tried again.
     */
    private boolean isListed(List<Node> nodes, int limit) {
        ReentrantLock lock = lockGuard();
        try {
            return queue.listOldest(nodes, limit, engine.environment.portion());
        } finally {
            if (lock == own) {
                own.unlock();
            } else {
                ledger.unlock();
            }
        }
    }

    /** Locks the guard, and leaves the group as it is. */
    private ReentrantLock lockGuard() {
        for (; ; ) {
            ReentrantLock lock = guard;
            lock.lock();
            if (lock == guard) {
                return lock;
            }
            lock.unlock();
        }
    }

    private TaskTotals totals(long open) {
        Counters before = earlier;
        if (before == null) {
            return counters.totals(open);
        }
        Counters sum = new Counters();
        before.addTo(sum);
        counters.addTo(sum);
        return sum.totals(open);
    }

    /** {@return how many nodes the queue links, dead ones included; for tests} */
    int linked() {
        Batch batch = new Batch(engine);
        enter();
        try {
            return queue.linked();
        } finally {
            exit(batch);
        }
    }
}
