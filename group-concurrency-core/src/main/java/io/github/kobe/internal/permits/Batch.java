package io.github.kobe.internal.permits;

import io.github.kobe.RejectionReason;
import io.github.kobe.internal.base.Core;
import io.github.kobe.internal.base.Later;
import io.github.kobe.internal.base.Lease;
import io.github.kobe.internal.base.Log;
import io.github.kobe.internal.base.Rejection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decisions that were made under a lock and are carried out after it: starts, ends of waits, groups that became idle.
 * Used by one thread.
 *
 * <p>If a start fails, its permits are returned into the same batch: a loop, not a recursion. The memory that a
 * decision needs here is reserved before it is made ({@link #reserveAside}, {@link #reserveEnd}), so that a lack of
 * memory loses nothing.
 *
 * <p>One critical section decides about no more than a portion, so that a long queue keeps nobody else from the lock. A
 * group that has more to decide {@linkplain #leavesOff leaves off}, and continues when the portion is carried out.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
public final class Batch {

    private final Core core;

    /** A recent reading of the clock, by which a start may be left to the housekeeper's thread (an outside hop); 0: it isn't. */
    final long now;

    private @Nullable Node firstGranted;
    private @Nullable Node lastGranted;

    /** Granted out of turn: their queue may still link them as dead ones, so {@link Node#next} is not theirs to use. */
    private @Nullable ArrayList<Node> grantedAside;

    /** What is to be done by others. */
    private @Nullable Later firstLater;

    /** Global permits that the last one has left, linked by {@link Backing#nextFreed}. */
    private @Nullable Backing toFree;

    /** Leases that those who lease are to be told of, linked by themselves. */
    private @Nullable Lease firstTouched;

    private @Nullable Endings ended;
    private @Nullable Continued idle;
    private @Nullable List<Continued> moreIdle;
    private boolean carrying;

    /** What has kept a group from going on, and that group. */
    private @Nullable Throwable failure;

    private String failedKey = "";

    /** How much was decided since it was last carried out. */
    private int decided;
    /** What has more to decide. */
    private @Nullable Continued unfinished;

    /** Why {@link Group#admit} rejected. */
    public @Nullable Rejection rejection;

    public Batch(Core core) {
        this(core, 0);
    }

    public Batch(Core core, long now) {
        this.core = core;
        this.now = now;
    }

    /** {@return a batch, or {@code null} for want of memory: for permits that have to go back all the same} */
    public static @Nullable Batch orNull(Core core, long now) {
        try {
            return new Batch(core, now);
        } catch (OutOfMemoryError oom) {
            return null;
        }
    }

    /**
     * Asked by a group that has more to decide. It needs no memory.
     *
     * @return whether as much is decided as one critical section may decide: then the group has to leave, and goes on when
     *     this is carried out, with the lock free in between
     */
    public boolean leavesOff(Continued group) {
        if (decided < core.environment.portion()) {
            return false;
        }
        if (unfinished == null || unfinished == group) {
            unfinished = group;
        } else {
            core.housekeeper.retry(group);
        }
        return true;
    }

    void granted(Node node) {
        decided++;
        node.next = null;
        if (lastGranted == null) {
            firstGranted = node;
        } else {
            lastGranted.next = node;
        }
        lastGranted = node;
    }

    /** Makes room for one {@link #grantedAside}. */
    public void reserveAside() {
        if (grantedAside == null) {
            grantedAside = new ArrayList<>();
        }
        grantedAside.ensureCapacity(grantedAside.size() + 1);
    }

    /** As {@link #granted}, for a node that was taken from the middle of its queue; there is room for it. */
    public void grantedAside(Node node) {
        if (grantedAside == null) {
            throw new AssertionError("no room was made");
        }
        decided++;
        grantedAside.add(node);
    }

    /** Makes room for one {@link #ended}. */
    public void reserveEnd() {
        if (ended == null) {
            ended = new Endings(core);
        }
        ended.reserve();
    }

    /** A node's wait has ended; there is room for it. */
    void ended(Node node, RejectionReason reason, Object work) {
        if (ended == null) {
            throw new AssertionError("no room was made");
        }
        decided++;
        ended.add(node, reason, work);
    }

    /** {@code deed} is to be done. */
    public void later(Later deed) {
        deed.linkTo(firstLater);
        firstLater = deed;
    }

    /** The last one that shared a global permit has left it. */
    void free(Backing left) {
        left.nextFreed = toFree;
        toFree = left;
    }

    /** Those who lease are to be told of {@code lease}. */
    void touched(Lease lease) {
        lease.linkTo(firstTouched);
        firstTouched = lease;
    }

    /** A group can't go on, for {@code why}; that is told when no lock is held. */
    void failed(String key, Throwable why) {
        failedKey = key;
        failure = why;
    }

    /** A group has nothing to do. */
    void idle(Continued group) {
        if (idle == null || idle == group) {
            idle = group;
            return;
        }
        try {
            if (moreIdle == null) {
                moreIdle = new ArrayList<>();
            }
            moreIdle.add(group);
        } catch (OutOfMemoryError oom) {
            core.housekeeper.retry(group);
        }
    }

    /** As {@link #carryOut}; {@code null}: there was no memory for a batch, so nothing is in it. */
    public static void carryOutIfMade(@Nullable Batch batch) {
        if (batch != null) {
            batch.carryOut();
        }
    }

    /**
     * Carries everything out; without any lock. What is added meanwhile is carried out too, by the outermost call. Never
     * fails: each of those concerned is seen to, whatever becomes of another.
     */
    public void carryOut() {
        if (!carrying) {
            carrying = true;
            try {
                do {
                    carryOutPortion();
                } while (goOn());
            } finally {
                carrying = false;
            }
        }
    }

    private void carryOutPortion() {
        try {
            do {
                freeAndSeeToOthers();
                startGranted();
                reportEndings();
            } while (offerIdle());
            tellFailure();
            core.housekeeper.ensureThread();
        } catch (Throwable failure) {
            Log.failed(failure);
        } finally {
            tellTouched();
        }
    }

    private void freeAndSeeToOthers() {
        while (toFree != null) {
            Backing left = toFree;
            toFree = left.nextFreed;
            left.free(this);
        }
        while (firstLater != null) {
            Later deed = firstLater;
            firstLater = deed.unlink();
            deed.again(core);
        }
    }

    /** Has decided what was left, another portion at most; false if nothing was. */
    private boolean goOn() {
        decided = 0;
        Continued group = unfinished;
        if (group == null) {
            return false;
        }
        unfinished = null;
        group.goOn(this);
        return true;
    }

    private void startGranted() {
        while (firstGranted != null || grantedAside != null) {
            // What starts may add to both.
            for (int i = 0; grantedAside != null && i < grantedAside.size(); i++) {
                start(grantedAside.get(i));
            }
            grantedAside = null;
            for (Node node = firstGranted; node != null; node = firstGranted) {
                firstGranted = node.next;
                if (firstGranted == null) {
                    lastGranted = null;
                }
                node.next = null;
                start(node);
            }
        }
    }

    private void reportEndings() {
        Endings endings = ended;
        ended = null;
        if (endings != null && endings.wakeThreads()) {
            core.report(endings);
        }
    }

    private void start(Node node) {
        start(node, now, this);
    }

    /** Acts on a grant, as {@link Node#start}; never fails. */
    static void start(Node node, long now, @Nullable Batch batch) {
        try {
            node.start(now, batch);
        } catch (Throwable failure) {
            Log.failed(failure);
        }
    }

    /** {@return whether there were any} Then groups may have been retired, which may add to all of this. */
    private boolean offerIdle() {
        Continued first = idle;
        if (first == null) {
            return false;
        }
        List<Continued> others = moreIdle;
        idle = null;
        moreIdle = null;
        first.offerAsIdle(this);
        for (int i = 0; others != null && i < others.size(); i++) {
            others.get(i).offerAsIdle(this);
        }
        return true;
    }

    private void tellTouched() {
        while (firstTouched != null) {
            Lease lease = firstTouched;
            firstTouched = lease.unlink();
            core.cluster.touched(lease);
        }
    }

    private void tellFailure() {
        Throwable why = failure;
        failure = null;
        if (why != null) {
            core.reports.groupFailed(failedKey, why);
        }
    }
}
