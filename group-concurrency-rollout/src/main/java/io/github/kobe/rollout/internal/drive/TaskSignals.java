package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.TaskId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where a drive tells the threads of its tasks that somebody wants something: a thread that waits for the next try of a stage
 * sees to it at once, and a stage whose task is to be cancelled now is interrupted.
 */
final class TaskSignals {

    private final Consumer<Thread> interruption;
    private final Map<TaskId, Signal> signals = new ConcurrentHashMap<>();

    TaskSignals(Consumer<Thread> interruption) {
        this.interruption = interruption;
    }

    /** {@return the signal of a task whose thread begins} */
    Signal open(TaskId id) {
        Signal signal = new Signal();
        signals.put(id, signal);
        return signal;
    }

    void close(TaskId id) {
        signals.remove(id);
    }

    /** Something is wanted of a task, and its stage isn't to go on if that says {@code now}. */
    void tell(TaskId id, boolean now) {
        Signal signal = signals.get(id);
        if (signal != null) {
            signal.tell(now);
        }
    }

    /** Interrupts again what is to be cancelled now and still runs: it may have missed the interrupts before. */
    void remind() {
        signals.values().forEach(Signal::interrupt);
    }

    void wakeAll() {
        signals.values().forEach(signal -> signal.tell(false));
    }

    /** The signal of one task. */
    final class Signal {

        private final Semaphore woken = new Semaphore(0);
        private final ReentrantLock lock = new ReentrantLock();

        /** Who is in a stage. Guarded by the lock. */
        private @Nullable Thread worker;

        /** Guarded by the lock. */
        private boolean isCut;

        private void tell(boolean now) {
            lock.lock();
            try {
                isCut |= now;
                interrupt();
            } finally {
                lock.unlock();
            }
            woken.release();
        }

        private void interrupt() {
            lock.lock();
            try {
                if (isCut && worker != null) {
                    interruption.accept(worker);
                }
            } finally {
                lock.unlock();
            }
        }

        boolean isCut() {
            lock.lock();
            try {
                return isCut;
            } finally {
                lock.unlock();
            }
        }

        /** Does something that is interrupted if the task is to be cancelled now, but nothing that comes after it. */
        void during(UserCode.Work<Exception> stage) throws Exception {
            if (!enter()) {
                throw new InterruptedException("the task is to be cancelled now");
            }
            UserCode.run(() -> {
                try {
                    stage.run();
                } finally {
                    leave();
                }
            });
        }

        /** {@return whether the stage may begin} */
        private boolean enter() {
            lock.lock();
            try {
                worker = isCut ? null : Thread.currentThread();
                return !isCut;
            } finally {
                lock.unlock();
            }
        }

        private void leave() {
            lock.lock();
            try {
                worker = null;
            } finally {
                lock.unlock();
            }
        }

        /** Waits so long, or until something is wanted; if it was meanwhile, not at all. */
        void await(Duration atMost) throws InterruptedException {
            if (woken.tryAcquire(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
                woken.drainPermits();
            }
        }
    }
}
