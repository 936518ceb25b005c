package io.github.kobe.rollout.internal.drive;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Keeps interrupts away from transactions, and passes them on afterwards. An interrupt closes the connection that is in
 * use, and with it the whole database, if that is H2 in a file.
 */
final class Uninterrupted {

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final Set<Thread> inside = new HashSet<>();

    /** Who was to be interrupted meanwhile. Guarded by the lock. */
    private final Set<Thread> missed = new HashSet<>();

    /** Does something that {@link #interrupt} leaves alone, on the caller's thread. */
    <T> T run(Supplier<T> work) {
        Thread thread = Thread.currentThread();
        boolean interrupted = enter(thread);
        try {
            return work.get();
        } finally {
            boolean wanted = leave(thread);
            if (wanted || interrupted) {
                thread.interrupt();
            }
        }
    }

    /** {@return whether the thread comes interrupted} */
    private boolean enter(Thread thread) {
        lock.lock();
        try {
            inside.add(thread);
            return Thread.interrupted();
        } finally {
            lock.unlock();
        }
    }

    private boolean leave(Thread thread) {
        lock.lock();
        try {
            inside.remove(thread);
            return missed.remove(thread);
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts a thread at once, or when it is done with what must not be interrupted. */
    void interrupt(Thread thread) {
        lock.lock();
        try {
            if (inside.contains(thread)) {
                missed.add(thread);
            } else {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }
}
