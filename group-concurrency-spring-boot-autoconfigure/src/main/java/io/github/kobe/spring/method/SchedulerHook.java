package io.github.kobe.spring.method;

import java.util.concurrent.locks.ReentrantLock;
import reactor.core.scheduler.Schedulers;

/**
 * What tells Reactor's schedulers that tasks go on inside of what they were scheduled in. All applications that share
 * Reactor have these schedulers together, so each takes its hook away with the last of its contexts that needs it.
 */
final class SchedulerHook {

    /** Another application may have loaded the same class. */
    private static final String NAME =
            SchedulerHook.class.getName() + "@" + Integer.toHexString(System.identityHashCode(SchedulerHook.class));

    private static final ReentrantLock LOCK = new ReentrantLock();

    /** Guarded by the lock. */
    private static int users;

    private SchedulerHook() {}

    /** Somebody needs it, until he {@linkplain #leave leaves} it. */
    static void use() {
        LOCK.lock();
        try {
            users++;
            if (users == 1) {
                Schedulers.onScheduleHook(NAME, ReactiveTurn::carriedOn);
            }
        } finally {
            LOCK.unlock();
        }
    }

    static void leave() {
        LOCK.lock();
        try {
            users--;
            if (users == 0) {
                Schedulers.resetOnScheduleHook(NAME);
            }
        } finally {
            LOCK.unlock();
        }
    }
}
