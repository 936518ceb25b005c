package io.github.kobe;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps idle groups up to a number and for a time, so that a group that comes back soon is found as it was.
 *
 * <p>A queue with a second chance (the clock algorithm): a group that becomes idle is appended once; when it becomes idle
 * again while it is listed, it is only marked, which costs one read on the hot path. Who overflows the queue takes the
 * eldest off; a marked one is appended again without its mark. So about the most recently idle ones stay, and it may be
 * that a group that is in use is listed too: it is found out when its turn comes.
 *
 * <p>No group is lost to the list: it is told off the list ({@link Group#listed}) before it is looked at, so a group
 * that becomes idle after that look offers itself again.
 */
final class IdleGroups {

    private final Engine engine;

    /** A leaf: nothing is locked or called while it is held. */
    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock. */
    private final ArrayDeque<Group> eldestFirst = new ArrayDeque<>();
    /** Guarded by the lock: whether an alarm for {@link #sweep} is set. */
    private boolean sweeping;
    /** Written under the lock: rises with each new policy; alarms of before are void. */
    private volatile int epoch;

    IdleGroups(Engine engine) {
        this.engine = engine;
    }

    /** A group has become idle; without any lock. */
    void offer(Group group) {
        if (group.listed) {
            if (!group.touched) {
                group.touched = true;
            }
            return;
        }
        lock.lock();
        try {
            if (!group.listed) {
                group.listed = true;
                group.touched = false;
                group.idleSince = engine.now();
                eldestFirst.add(group);
            }
        } finally {
            lock.unlock();
        }
        trim();
        armSweep();
    }

    /** Goes by the bounds of a new policy; without any lock. */
    void policyChanged() {
        lock.lock();
        try {
            int next = epoch + 1;
            epoch = next;
            sweeping = false;
        } finally {
            lock.unlock();
        }
        trim();
        armSweep();
    }

    /** Lets go of the eldest beyond the bound of the policy; without any lock. */
    private void trim() {
        List<Group> taken = takeBeyond(engine.policy.maxIdleGroups());
        if (!taken.isEmpty() && engine.housekeeper.isCurrent()) {
            engine.dispatcher.report(() -> retire(taken));
        } else {
            retire(taken);
        }
    }

    private List<Group> takeBeyond(int bound) {
        List<Group> taken = new ArrayList<>();
        lock.lock();
        try {
            for (int chances = eldestFirst.size(); eldestFirst.size() > bound; chances--) {
                Group eldest = eldestFirst.remove();
                if (eldest.touched && chances > 0) {
                    eldest.touched = false;
                    eldestFirst.add(eldest);
                } else {
                    eldest.listed = false;
                    taken.add(eldest);
                }
            }
        } finally {
            lock.unlock();
        }
        return taken;
    }

    /** Sets an alarm for the sweep, if there is something to sweep and none is set. */
    private void armSweep() {
        long timeout = EffectiveLimits.saturatedNanos(engine.policy.idleTimeout());
        int armedIn;
        lock.lock();
        try {
            if (sweeping || eldestFirst.isEmpty() || timeout == Long.MAX_VALUE) {
                return;
            }
            sweeping = true;
            armedIn = epoch;
        } finally {
            lock.unlock();
        }
        if (!engine.housekeeper.at(
                engine.now() + Math.max(1, timeout / 4), () -> armedIn != epoch, now -> sweep(armedIn))) {
            ended(armedIn);
        }
    }

    /** An alarm that was set in {@code armedIn} is no more. False if it was void. */
    private boolean ended(int armedIn) {
        lock.lock();
        try {
            boolean valid = armedIn == epoch;
            sweeping &= !valid;
            return valid;
        } finally {
            lock.unlock();
        }
    }

    /** Lets go of those that have been idle for long enough; by the housekeeper. */
    private void sweep(int armedIn) {
        if (!ended(armedIn)) {
            return;
        }
        List<Group> taken = takeOlderThan(EffectiveLimits.saturatedNanos(engine.policy.idleTimeout()));
        if (!taken.isEmpty()) {
            engine.dispatcher.report(() -> retire(taken));
        }
        armSweep();
    }

    private List<Group> takeOlderThan(long timeout) {
        List<Group> taken = new ArrayList<>();
        long now = engine.now();
        lock.lock();
        try {
            eldestFirst.removeIf(group -> {
                if (group.touched) {
                    group.touched = false;
                    group.idleSince = now;
                } else if (now - group.idleSince >= timeout) {
                    group.listed = false;
                    taken.add(group);
                    return true;
                }
                return false;
            });
        } finally {
            lock.unlock();
        }
        return taken;
    }

    private void retire(List<Group> groups) {
        for (Group group : groups) {
            if (group.retire()) {
                engine.reports.groupRemoved(group.key);
            }
        }
    }
}
