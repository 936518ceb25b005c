package io.github.kobe.internal.permits;

import io.github.kobe.RejectionReason;
import io.github.kobe.internal.base.Core;
import io.github.kobe.internal.base.Log;
import io.github.kobe.internal.base.Report;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Nodes whose waits one critical section has ended, with the work that they waited to run.
 *
 * <p>User code of one node delays no other node. Threads are woken first. Then the nodes that need no user code end.
 * Each of the rest is reported on a thread of its own, which starts the next thread before it calls user code; so there
 * are only as many threads at once as block or work. One thread at a time uses this object: the start of the next one
 * passes it on.
 */
final class Endings extends Report {

    private static final int WORDS = 3;

    private final Core core;

    /** Node, reason and work of each; or what {@link Node#settleEnd} has left of the work. */
    private final ArrayList<@Nullable Object> entries = new ArrayList<>();

    private boolean settled;

    /** Where the first entry is that hasn't been taken. */
    private int first;

    Endings(Core core) {
        this.core = core;
    }

    /** Makes room for one more. */
    void reserve() {
        entries.ensureCapacity(entries.size() + WORDS);
    }

    /** Adds one; there is room for it. */
    void add(Node node, RejectionReason reason, Object work) {
        entries.add(node);
        entries.add(reason);
        entries.add(work);
    }

    /**
     * Wakes the threads among them.
     *
     * @return whether there are others
     */
    boolean wakeThreads() {
        return settle(true);
    }

    /**
     * Sees to what calls no user code, and keeps the rest. It needs no memory.
     *
     * @param threadsOnly whether it leaves all but threads as they are
     * @return whether there is a rest
     */
    private boolean settle(boolean threadsOnly) {
        int kept = 0;
        for (int i = 0; i < entries.size(); i += WORDS) {
            Node node = node(i);
            RejectionReason reason = reason(i);
            Object left = entries.get(i + 2);
            try {
                if (node.wake()) {
                    left = null;
                } else if (!threadsOnly && left != null) {
                    left = node.settleEnd(reason, left);
                }
            } catch (Throwable failure) {
                Log.failed(failure); // and it is told as it is
            }
            if (left != null) {
                entries.set(kept++, node);
                entries.set(kept++, reason);
                entries.set(kept++, left);
            }
        }
        while (entries.size() > kept) {
            entries.removeLast();
        }
        return kept > 0;
    }

    private Node node(int entry) {
        if (entries.get(entry) instanceof Node node) {
            return node;
        }
        throw new AssertionError("an entry was taken twice");
    }

    private RejectionReason reason(int entry) {
        if (entries.get(entry + 1) instanceof RejectionReason reason) {
            return reason;
        }
        throw new AssertionError("an entry was taken twice");
    }

    @Override
    public void run() {
        if (!settled) {
            settled = true;
            settle(false);
        }
        boolean handedOver = false;
        while (!handedOver && first < entries.size()) {
            Node node = node(first);
            RejectionReason reason = reason(first);
            Object left = entries.get(first + 2);
            for (int end = first + WORDS; first < end; first++) {
                entries.set(first, null); // which another thread may keep for long
            }
            handedOver = first < entries.size() && core.handOver(this);
            tell(node, reason, left);
        }
    }

    private static void tell(Node node, RejectionReason reason, @Nullable Object left) {
        try {
            if (left != null) {
                node.reportEnd(reason, left);
            }
        } catch (Throwable failure) {
            Log.failed(failure);
        }
    }
}
