package io.github.kobe.internal.permits;

import io.github.kobe.GroupPolicy;
import io.github.kobe.internal.base.EffectiveLimits;
import io.github.kobe.internal.base.Log;
import io.github.kobe.internal.base.Report;
import io.github.kobe.internal.base.Rounds;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a number of idle groups for some time, so that a group that is soon used again is still there unchanged.
 *
 * <p>It is a second-chance queue (the clock algorithm): a group that becomes idle is appended once; when it becomes
 * idle again while it is listed, it is only marked, which costs one read on the hot path. The thread that overflows the
 * queue removes the oldest group; a marked one is appended again without its mark. So roughly the most recently idle
 * ones stay. A listed group may be in use, which is discovered when its turn comes.
 *
 * <p>The list loses no group: a group is marked as off the list ({@link Group#listed}) before it is checked, so one
 * that becomes idle after the check lists itself again.
 */
public final class IdleGroups {

    /** At most so many groups are looked at in one critical section. */
    private static final int PORTION = 256;

    /** If more groups a second leave for want of room, that is told: many of them will be back. */
    private static final int MANY_LEFT = 100;

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Groups engine;

    /** A leaf: nothing is locked or called while it is held. Not private for the tests. */
    public final ReentrantLock lock = new ReentrantLock();
    /**
     * Guarded by the lock: the queue, linked by {@link Group#idleNext} and {@link Group#idlePrevious}, so that a group joins
     * and leaves it without any memory.
     */
    private @Nullable Group eldest;

    private @Nullable Group newest;
    private int size;
    /** Guarded by the lock: those that are to be retired, linked in the same way. */
    private @Nullable Group firstLeaving;

    /** Guarded by the lock: how many have left for want of room since then. */
    private int crowdedOut;

    private long countedSince;
    /** Guarded by the lock: whether it has been told that these are many. */
    private boolean toldOfMany;

    private final Rounds sweeps;

    IdleGroups(Groups engine) {
        this.engine = engine;
        sweeps = new Rounds(engine, this::nextSweepIn, this::sweep, false);
    }

    /** A group has become idle; without any lock. It doesn't fail: where memory is short, the next one sees to the rest. */
    void offer(Group group) {
        offer(group, null);
    }

    /**
     * As {@link #offer(Group)}.
     *
     * @param batch what the current thread carries out, which takes up what follows; {@code null}: nothing
     */
    void offer(Group group, @Nullable Batch batch) {
        if (group.listed && !group.isUnwanted()) {
            if (!group.touched) {
                group.touched = true;
            }
            return;
        }
        boolean someLeave;
        boolean manyLeave;
        long now = engine.now();
        lock.lock();
        try {
            if (group.isUnwanted()) {
                leaveAtOnce(group);
            } else if (!group.listed && !group.isDead()) {
                group.listed = true;
                group.touched = false;
                group.idleSince = now;
                append(group);
            }
            trim();
            someLeave = firstLeaving != null;
            manyLeave = someLeave && haveManyLeft(now);
        } finally {
            lock.unlock();
        }
        try {
            if (someLeave) {
                retireLeaving(batch);
            }
            if (manyLeave) {
                engine.report(new ManyLeft(engine.policy.source().maxIdleGroups()));
            }
            sweeps.next();
        } catch (OutOfMemoryError oom) {
            // The next that is offered sees to it.
        }
    }

    private void append(Group group) {
        Group last = newest;
        if (last == null) {
            eldest = group;
        } else {
            last.idleNext = group;
        }
        group.idlePrevious = last;
        newest = group;
        size++;
    }

    private void unlink(Group group) {
        Group before = group.idlePrevious;
        Group after = group.idleNext;
        if (before == null) {
            eldest = after;
        } else {
            before.idleNext = after;
        }
        if (after == null) {
            newest = before;
        } else {
            after.idlePrevious = before;
        }
        group.idlePrevious = null;
        group.idleNext = null;
        size--;
    }

    private Group removeEldest() {
        Group first = Objects.requireNonNull(eldest);
        unlink(first);
        return first;
    }

    /** A group has died, which is offered no more. It may be on its way out already. */
    void forget(Group dead) {
        lock.lock();
        try {
            if (isInQueue(dead)) {
                unlink(dead);
                dead.listed = false;
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean isInQueue(Group group) {
        return eldest == group || group.idlePrevious != null;
    }

    /** Has one leave that was to do so before, when something was leased to it. */
    private void leaveAtOnce(Group unwanted) {
        if (isInQueue(unwanted)) {
            unlink(unwanted);
        } else if (unwanted.listed || unwanted.isDead()) {
            return; // it does
        }
        unwanted.listed = true;
        leave(unwanted);
    }

    /** It stays marked as listed until it is looked at, and so isn't listed a second time. */
    private void leave(Group group) {
        group.idleNext = firstLeaving;
        firstLeaving = group;
    }

    /** Goes by the bounds of a new policy; without any lock. */
    public void policyChanged() {
        for (boolean done = false; !done; ) {
            boolean someLeave;
            lock.lock();
            try {
                done = trim();
                crowdedOut = 0; // the bound is smaller now: that doesn't make it too small
                someLeave = firstLeaving != null;
            } finally {
                lock.unlock();
            }
            if (someLeave) {
                retireLeaving(null);
            }
        }
        GroupPolicy policy = engine.policy.source();
        sweeps.goBy(List.of(policy.idleTimeout(), policy.maxIdleGroups()), () -> {});
    }

    /** Has the eldest leave beyond the bound of the policy, a portion of them; under the lock. False if it has left off. */
    private boolean trim() {
        // Read here: who brings another policy may have been here before the lock was had.
        int bound = engine.policy.source().maxIdleGroups();
        for (int left = PORTION, chances = Math.min(size, PORTION / 2); size > bound; left--) {
            if (left == 0) {
                return false;
            }
            Group first = removeEldest();
            if (first.touched && chances > 0) {
                chances--;
                first.touched = false;
                append(first);
            } else {
                crowdedOut++;
                leave(first);
            }
        }
        return true;
    }

    /** {@return whether more than usual have left for want of room, for the first time} Under the lock. */
    private boolean haveManyLeft(long now) {
        if (now - countedSince >= SECOND) {
            countedSince = now;
            crowdedOut = 0;
        }
        boolean tells =
                crowdedOut > MANY_LEFT && !toldOfMany && engine.policy.source().maxIdleGroups() > 0;
        toldOfMany |= tells;
        return tells;
    }

    private long nextSweepIn() {
        long timeout = EffectiveLimits.saturatedNanos(engine.policy.source().idleTimeout());
        if (timeout == Long.MAX_VALUE || engine.policy.source().maxIdleGroups() == 0) {
            return Long.MAX_VALUE; // with none to be kept, what is in the queue is on its way out
        }
        return size() == 0 ? Long.MAX_VALUE : Math.max(1, timeout / 4);
    }

    /** Lets go of those that have been idle for long enough. */
    private void sweep() {
        engine.forgetLeftBehind();
        long timeout = EffectiveLimits.saturatedNanos(engine.policy.source().idleTimeout());
        for (int left = size(); left > 0; left -= PORTION) {
            if (removeOlderThan(timeout, Math.min(left, PORTION))) {
                retireLeaving(null);
            }
        }
    }

    private int size() {
        lock.lock();
        try {
            return size;
        } finally {
            lock.unlock();
        }
    }

    /** Looks at the eldest. True if some leave. */
    private boolean removeOlderThan(long timeout, int atMost) {
        long now = engine.now();
        lock.lock();
        try {
            for (int left = Math.min(size, atMost); left > 0; left--) {
                Group first = removeEldest();
                if (first.touched) {
                    first.touched = false;
                    first.idleSince = now;
                } else if (now - first.idleSince >= timeout) {
                    leave(first);
                    continue;
                }
                append(first);
            }
            return firstLeaving != null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Looks at what leaves; if there is no memory for that, the next that is offered sees to it. The listener hears of
     * what is removed on a fresh thread, for the current one has others to see to.
     *
     * @param carried as in {@link #offer(Group, Batch)}; with a batch of its own, each group that makes others idle would
     *     have them retired deeper on the stack
     */
    private void retireLeaving(@Nullable Batch carried) {
        Removals removals = null;
        try {
            removals = new Removals();
            retireAll(removals, carried != null ? carried : Batch.orNull(engine, 0));
        } catch (OutOfMemoryError oom) {
            // Those that are left stay listed.
        } finally {
            if (removals != null && !removals.isEmpty()) {
                engine.report(removals);
            }
        }
    }

    private void retireAll(Removals removals, @Nullable Batch batch) {
        for (; ; ) {
            removals.reserve();
            Group group = takeLeaving();
            if (group == null) {
                return;
            }
            if (group.retire(batch) && (group.record.isRecorded() || engine.reports.hearsOfGroups())) {
                removals.add(group);
            }
        }
    }

    /** Tells of groups that were removed. */
    private final class Removals extends Report {
        private final ArrayList<Group> groups = new ArrayList<>();

        /** Makes room for one more. */
        private void reserve() {
            groups.ensureCapacity(groups.size() + 1);
        }

        private void add(Group group) {
            groups.add(group);
        }

        private boolean isEmpty() {
            return groups.isEmpty();
        }

        @Override
        public void run() {
            for (Group group : groups) {
                group.record.recording().end(group.counters);
                engine.reports.groupRemoved(group.key);
            }
        }
    }

    /** Tells that the bound may be too small. */
    private static final class ManyLeft extends Report {
        private final int bound;

        ManyLeft(int bound) {
            this.bound = bound;
        }

        @Override
        public void run() {
            Log.write(
                    Level.INFO,
                    () -> "More than " + MANY_LEFT + " groups a second are forgotten, since no more than about " + bound
                            + " idle ones are remembered (maxIdleGroups). A group that comes back is made anew: its"
                            + " totals begin at 0, and resolvers are asked again. If that many keys are in use, raise"
                            + " maxIdleGroups; if clients choose their keys, bound these. This is logged once.");
        }
    }

    private @Nullable Group takeLeaving() {
        lock.lock();
        try {
            Group first = firstLeaving;
            if (first != null) {
                firstLeaving = first.idleNext;
                first.idleNext = null;
                first.listed = false;
            }
            return first;
        } finally {
            lock.unlock();
        }
    }
}
