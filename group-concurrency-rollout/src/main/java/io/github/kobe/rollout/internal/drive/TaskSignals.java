package io.github.kobe.rollout.internal.drive;

import io.github.kobe.rollout.TaskId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Where a drive tells the threads of its tasks, which may wait for a stage's next try, that there is something to see to. */
final class TaskSignals {

    private final Map<TaskId, Signal> signals = new ConcurrentHashMap<>();

    /** {@return the signal of a task whose thread begins} */
    Signal open(TaskId id) {
        Signal signal = new Signal();
        signals.put(id, signal);
        return signal;
    }

    void close(TaskId id) {
        signals.remove(id);
    }

    /** Somebody wants something of the task. */
    void wake(TaskId id) {
        Signal signal = signals.get(id);
        if (signal != null) {
            signal.wake();
        }
    }

    void wakeAll() {
        signals.values().forEach(Signal::wake);
    }

    /** The signal of one task. */
    static final class Signal {

        private final Semaphore woken = new Semaphore(0);

        private void wake() {
            woken.release();
        }

        /** Waits so long, or until it is woken; if it was meanwhile, not at all. */
        void await(Duration atMost) throws InterruptedException {
            if (woken.tryAcquire(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
                woken.drainPermits();
            }
        }
    }
}
