package io.github.kobe;

import io.github.kobe.Outcome.Rejection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What was decided under a lock and is carried out after it: starts, ends of waits, wake-ups. Used by one thread.
 *
 * <p>What a start that fails gives back lands in the same batch: a loop, not a recursion.
 */
final class Batch {

    private final Engine engine;

    /** A recent reading of the clock, for the outside hop; 0: none, nothing hops. */
    final long now;

    private @Nullable Node firstGranted;
    private @Nullable Node lastGranted;

    /** Granted out of turn: their queue may still link them as dead ones, so {@link Node#next} is not theirs to use. */
    private @Nullable List<Node> grantedAside;

    private @Nullable List<Ended> ended;
    private @Nullable List<Thread> wakes;
    private @Nullable List<Group> idle;
    private boolean carrying;

    /** Why {@link Group#admit} rejected. */
    @Nullable
    Rejection rejection;

    private record Ended(Node node, RejectionReason reason, Object work) {}

    Batch(Engine engine) {
        this(engine, 0);
    }

    Batch(Engine engine, long now) {
        this.engine = engine;
        this.now = now;
    }

    void granted(Node node) {
        node.next = null;
        if (lastGranted == null) {
            firstGranted = node;
        } else {
            lastGranted.next = node;
        }
        lastGranted = node;
    }

    /** As {@link #granted}, for a node that was taken from the middle of its queue. */
    void grantedAside(Node node) {
        if (grantedAside == null) {
            grantedAside = new ArrayList<>();
        }
        grantedAside.add(node);
    }

    void ended(Node node, RejectionReason reason, Object work) {
        if (ended == null) {
            ended = new ArrayList<>();
        }
        ended.add(new Ended(node, reason, work));
    }

    void wake(Thread thread) {
        if (wakes == null) {
            wakes = new ArrayList<>();
        }
        wakes.add(thread);
    }

    /** A group has nothing to do. */
    void idle(Group group) {
        if (idle == null) {
            idle = new ArrayList<>(1);
        }
        idle.add(group);
    }

    /** Carries everything out; without any lock. What is added meanwhile is carried out too, by the outermost call. */
    void carryOut() {
        if (!carrying) {
            carrying = true;
            try {
                startGranted();
                tellOthers();
            } finally {
                carrying = false;
            }
        }
    }

    private void startGranted() {
        while (grantedAside != null) {
            List<Node> started = grantedAside;
            grantedAside = null;
            for (Node node : started) {
                node.start(this);
            }
        }
        for (Node node = firstGranted; node != null; node = firstGranted) {
            firstGranted = node.next;
            if (firstGranted == null) {
                lastGranted = null;
            }
            node.next = null;
            node.start(this);
        }
    }

    private void tellOthers() {
        if (wakes != null) {
            wakes.forEach(LockSupport::unpark);
            wakes = null;
        }
        if (ended != null) {
            List<Ended> told = ended;
            ended = null;
            engine.dispatcher.report(() -> told.forEach(e -> e.node().reportEnd(e.reason(), e.work())));
        }
        if (idle != null) {
            List<Group> offered = idle;
            idle = null;
            offered.forEach(engine.idle::offer);
        }
    }
}
