package io.github.kobe.internal.permits;

import java.util.concurrent.locks.ReentrantLock;

/** What the queue of a group links, dead nodes included. */
public final class LinkedNodes {

    private LinkedNodes() {}

    /** {@return how many there are} */
    public static int in(Group group) {
        ReentrantLock lock = group.lockGuard();
        try {
            int linked = 0;
            for (Node node = group.queue.about(); node != null; node = node.next) {
                linked++;
            }
            return linked;
        } finally {
            group.unlockGuard(lock);
        }
    }
}
