package io.github.kobe.internal.cluster;

import io.github.kobe.internal.base.Log;
import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Has a node do what is due, for as long as its engine exists: one daemon platform thread, on which no user code runs. It refers
 * to the node only weakly, so it doesn't keep a forgotten executor alive.
 */
final class ClusterThread implements Runnable {

    private static final long AFTER_FAILURE = TimeUnit.MILLISECONDS.toNanos(100);

    /** So long it sleeps at most before it looks whether the node still exists. */
    private static final long LONGEST_SLEEP = TimeUnit.SECONDS.toNanos(5);

    private final WeakReference<ClusterNode> node;
    private final Inbox inbox;

    private ClusterThread(ClusterNode node) {
        this.node = new WeakReference<>(node);
        inbox = node.inbox();
    }

    /** {@return the thread, which runs} */
    static Thread start(ClusterNode node) {
        ClusterThread body = new ClusterThread(node);
        Thread thread =
                Thread.ofPlatform().name("group-concurrency-cluster").daemon().unstarted(body);
        body.inbox.readBy(thread);
        thread.start();
        return thread;
    }

    @Override
    public void run() {
        for (long sleep = 0; sleep != Long.MAX_VALUE; sleep = step(node.get())) {
            if (sleep > 0) {
                LockSupport.parkNanos(this, Math.min(sleep, LONGEST_SLEEP));
                boolean unused = Thread.interrupted(); // else it would never park again
            }
        }
        inbox.close();
    }

    private static long step(@Nullable ClusterNode node) {
        if (node == null) {
            return Long.MAX_VALUE;
        }
        try {
            return node.step();
        } catch (Throwable failure) {
            Log.failed(failure); // it goes on; if it can't, what is leased soon counts no more
            return AFTER_FAILURE;
        }
    }
}
