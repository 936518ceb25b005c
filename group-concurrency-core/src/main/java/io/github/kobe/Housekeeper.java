package io.github.kobe;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.ref.WeakReference;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The engine's one platform thread: time-outs, the idle sweep, retries, and the outside hop. It is made at first need
 * and ends when there is nothing to wait for. It knows the engine by a weak reference only, so a forgotten executor is
 * not kept alive by it.
 *
 * <p>No user code runs on it.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Housekeeper {

    private static final Logger LOGGER = System.getLogger(GroupExecutor.class.getName());

    /** How long the thread stays without anything to do. */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** How long it sleeps at most before it looks whether the engine is still there. */
    private static final long LONGEST_SLEEP_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** With fewer alarms than this, pointless ones don't matter. */
    private static final int LEAST_PURGE = 64;

    private final Engine engine;
    private final ConcurrentLinkedQueue<Run> hops = new ConcurrentLinkedQueue<>();

    /** A leaf: nothing else is locked while it is held. */
    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock. */
    private final PriorityQueue<Alarm> alarms = new PriorityQueue<>();
    /** Guarded by the lock: at how many alarms pointless ones are looked for, so that it costs amortised nothing. */
    private int purgeAt = LEAST_PURGE;
    /** Guarded by the lock; {@code null}: none runs. */
    private @Nullable Thread thread;
    /** Who runs what is due. */
    private volatile @Nullable Thread runner;

    /** What is due at a time, unless it has become pointless by then. */
    private record Alarm(long at, BooleanSupplier pointless, LongConsumer action) implements Comparable<Alarm> {
        @Override
        public int compareTo(Alarm other) {
            return Long.compare(at, other.at);
        }
    }

    Housekeeper(Engine engine) {
        this.engine = engine;
    }

    /**
     * Has {@code action} run at a time of the engine's clock, or soon after; it is told the time.
     *
     * @param pointless whether the alarm may be forgotten before, so that a long time-out keeps nothing alive
     * @return false if there is no thread to run it and none can be made
     */
    boolean at(long time, BooleanSupplier pointless, LongConsumer action) {
        Alarm alarm = new Alarm(time, pointless, action);
        Thread sleeper;
        lock.lock();
        try {
            if (alarms.size() >= purgeAt) {
                alarms.removeIf(old -> old.pointless().getAsBoolean());
                purgeAt = Math.max(LEAST_PURGE, 2 * alarms.size());
            }
            alarms.add(alarm);
            if (engine.environment.timers() && thread == null && !startThread()) {
                alarms.remove(alarm);
                return false;
            }
            sleeper = alarms.peek() == alarm ? thread : null;
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(sleeper);
        return true;
    }

    /** {@return how many alarms are set, pointless ones included; for tests} */
    int alarms() {
        lock.lock();
        try {
            return alarms.size();
        } finally {
            lock.unlock();
        }
    }

    /** Has {@code run} start from the housekeeper's thread; false if there is none and none can be made. */
    boolean hop(Run run) {
        if (!engine.environment.timers()) {
            return false;
        }
        Thread sleeper;
        lock.lock();
        try {
            if (thread == null && !startThread()) {
                return false;
            }
            hops.add(run);
            sleeper = thread;
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(sleeper);
        return true;
    }

    private boolean startThread() {
        try {
            Thread started = Thread.ofPlatform()
                    .daemon()
                    .name("group-concurrency-housekeeper")
                    .inheritInheritableThreadLocals(false)
                    .unstarted(new Worker(new WeakReference<>(this), hops));
            started.start();
            thread = started;
            return true;
        } catch (Throwable noThread) {
            return false;
        }
    }

    /** Runs all that is due; for the thread, and for tests that have timers switched off. */
    void runDue() {
        runner = Thread.currentThread();
        try {
            runAllDue();
        } finally {
            runner = null;
        }
    }

    /** {@return whether the current thread is the one on which no user code may run} */
    boolean isCurrent() {
        return runner == Thread.currentThread();
    }

    private void runAllDue() {
        for (Run run = hops.poll(); run != null; run = hops.poll()) {
            Batch batch = new Batch(engine);
            engine.dispatcher.startHere(run, batch);
            batch.carryOut();
        }
        long now = engine.now();
        for (Alarm due = pollDue(now); due != null; due = pollDue(now)) {
            try {
                due.action().accept(now);
            } catch (Throwable failure) {
                LOGGER.log(Level.ERROR, "A timer of the group executor failed; the others go on", failure);
            }
        }
    }

    private @Nullable Alarm pollDue(long now) {
        lock.lock();
        try {
            Alarm first = alarms.peek();
            return first == null || first.at() > now ? null : alarms.poll();
        } finally {
            lock.unlock();
        }
    }

    /** {@return how long the thread may sleep, in nanoseconds; -1: it has nothing to wait for and is let go} */
    private long nextSleep(boolean mayEnd) {
        lock.lock();
        try {
            if (!hops.isEmpty()) {
                return 0;
            }
            if (engine.lifecycle.isOver() && engine.waiting.get() == 0) {
                // Nothing waits or will: no time-out, no retry, and the idle groups go with the executor.
                alarms.clear();
                thread = null;
                return -1;
            }
            Alarm first = alarms.peek();
            if (first != null) {
                return Math.min(LONGEST_SLEEP_NANOS, Math.max(0, first.at() - engine.now()));
            }
            if (mayEnd) {
                thread = null;
                return -1;
            }
            return LINGER_NANOS;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The thread's loop; between two looks it has no strong reference to the engine, unless a run waits to be started.
     */
    private record Worker(WeakReference<Housekeeper> housekeeper, Queue<Run> hops) implements Runnable {

        @Override
        public void run() {
            boolean mayEnd = false;
            for (long sleep = look(false); sleep >= 0; sleep = look(mayEnd)) {
                if (sleep > 0) {
                    long start = System.nanoTime();
                    LockSupport.parkNanos(sleep);
                    mayEnd = System.nanoTime() - start >= LINGER_NANOS;
                } else {
                    mayEnd = false;
                }
            }
        }

        private long look(boolean mayEnd) {
            Housekeeper target = housekeeper.get();
            if (target == null) {
                return -1;
            }
            target.runDue();
            return target.nextSleep(mayEnd);
        }
    }
}
