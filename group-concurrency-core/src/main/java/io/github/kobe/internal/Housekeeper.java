package io.github.kobe.internal;

import io.github.kobe.internal.Alarms.Alarm;
import java.lang.ref.WeakReference;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The engine's one platform thread: time-outs, the idle sweep, retries, and the outside hop. It is made when first
 * needed and ends when there is nothing to wait for. It refers to the engine only weakly, so it does not keep a
 * forgotten executor alive.
 *
 * <p>No user code runs on it.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Housekeeper {

    /** When a group that stalled is tried again, or what there was no memory for. */
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Engine engine;
    private final long lingerNanos;
    private final long longestSleepNanos;
    private final ConcurrentLinkedQueue<Run> hops = new ConcurrentLinkedQueue<>();

    /** A leaf: nothing else is locked while it is held. */
    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock. */
    private final Alarms alarms = new Alarms();
    /** Guarded by the lock: when what follows is to be tried again. */
    private long retryAt;
    /** Guarded by the lock: groups to be tried again, linked by {@link Group#retriedNext}. */
    private @Nullable Group firstRetried;
    /** Guarded by the lock: runs to be started again, linked by {@link Hold#below}, which is free until they are. */
    private @Nullable Run firstUnstarted;
    /** Guarded by the lock: reports that wait for a thread, linked by {@link Report#next}. */
    private @Nullable Report firstUntold;

    private @Nullable Report lastUntold;
    /** Whether there are groups to be tried again and was no thread for it; written under the lock. */
    private volatile boolean lacksRetryThread;
    /** Guarded by the lock; {@code null}: none runs. */
    private @Nullable Thread thread;

    Housekeeper(Engine engine) {
        this.engine = engine;
        lingerNanos = engine.environment.linger().toNanos();
        longestSleepNanos = engine.environment.longestSleep().toNanos();
    }

    /**
     * Has {@code action} run at a time of the engine's clock, or soon after; it is told the time.
     *
     * @param pointless whether the alarm may be forgotten before, so that a long time-out keeps nothing alive
     * @return false if there is no thread to run it and none can be made
     */
    boolean at(long time, BooleanSupplier pointless, LongConsumer action) {
        return at(time, false, pointless, action);
    }

    /** As that; {@code outlastsShutdown} says whether also after one. */
    boolean at(long time, boolean outlastsShutdown, BooleanSupplier pointless, LongConsumer action) {
        Alarm alarm = new Alarm(time, outlastsShutdown, pointless, action);
        Thread sleeper;
        lock.lock();
        try {
            if (lacksThread()) {
                return false;
            }
            alarms.add(alarm);
            sleeper = alarms.isFirst(alarm) ? thread : null;
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(sleeper);
        return true;
    }

    /** An alarm has become pointless; by anyone. */
    void alarmCancelled() {
        if (alarms.isLookDueAfterCancel()) {
            lock.lock();
            try {
                alarms.forgetCancelled();
            } finally {
                lock.unlock();
            }
        }
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
        } catch (OutOfMemoryError oom) {
            return false;
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(sleeper);
        return true;
    }

    /**
     * Has {@link Group#unstall} called in a while. It needs no memory, unless for the thread, and doesn't fail.
     *
     * @return false if there is no thread to do it and none can be made: whoever carries out a batch next tries again
     */
    boolean retryLater(Group group) {
        Thread sleeper;
        lock.lock();
        try {
            if (!group.retried) {
                setRetry();
                group.retried = true;
                group.retriedNext = firstRetried;
                firstRetried = group;
            }
            if (lacksThread()) {
                lacksRetryThread = true;
                return false;
            }
            sleeper = thread;
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(sleeper);
        return true;
    }

    /** Sees to it that what is about to be listed is tried again in a while; under the lock. */
    private void setRetry() {
        if (!hasRetries()) {
            retryAt = engine.now() + RETRY_NANOS;
        }
    }

    private boolean hasRetries() {
        return firstRetried != null || firstUnstarted != null || firstUntold != null;
    }

    /**
     * Has {@code report} handed over to a fresh thread in a while. It needs no memory, unless for the housekeeper's own
     * thread, and doesn't fail.
     *
     * @return false if there is no thread to do it and none can be made
     */
    boolean reportLater(Report report) {
        Thread sleeper;
        lock.lock();
        try {
            if (lacksThread()) {
                return false;
            }
            setRetry();
            if (lastUntold == null) {
                firstUntold = report;
            } else {
                lastUntold.next = report;
            }
            lastUntold = report;
            sleeper = thread;
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(sleeper);
        return true;
    }

    /** As {@link #reportLater}, for a run that has its permits and is to be started again. */
    boolean startLater(Run run) {
        Thread sleeper;
        lock.lock();
        try {
            if (lacksThread()) {
                return false;
            }
            setRetry();
            run.below = firstUnstarted;
            firstUnstarted = run;
            sleeper = thread;
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(sleeper);
        return true;
    }

    /** Makes the thread that could not be made for {@link #retryLater}; without any lock. */
    void ensureRetryThread() {
        if (lacksRetryThread) {
            lock.lock();
            try {
                if (thread == null) {
                    startThread();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** {@return whether a thread is wanted, and there is none and none can be made} Under the lock. */
    private boolean lacksThread() {
        return engine.environment.timers() && thread == null && !startThread();
    }

    private boolean startThread() {
        try {
            Thread started = Thread.ofPlatform()
                    .daemon()
                    .name("group-concurrency-housekeeper")
                    .inheritInheritableThreadLocals(false)
                    .unstarted(new Worker(new WeakReference<>(this), hops, lingerNanos));
            started.start();
            thread = started;
            lacksRetryThread = false;
            return true;
        } catch (Throwable noThread) {
            return false;
        }
    }

    /**
     * Runs all that is due; for the thread, and for tests that have timers switched off. Nothing here keeps what comes
     * after it from being done: what there is no memory for is tried again.
     */
    void runDue() {
        startHops();
        engine.endShutdownOrLater();
        long now = engine.now();
        retryDue(now);
        runAlarms(now);
    }

    /** Starts what hops, without a batch if there is no memory for one: its permits are out, and nobody else starts it. */
    private void startHops() {
        if (hops.isEmpty()) {
            return;
        }
        Batch batch = Batch.orNull(engine, 0);
        for (Run run = hops.poll(); run != null; run = hops.poll()) {
            try {
                engine.dispatcher.startHere(run, batch);
            } catch (Throwable failure) {
                Batch.logged(failure);
            }
            Batch.carryOutIfMade(batch);
        }
    }

    private void runAlarms(long now) {
        for (Alarm due = pollDue(now); due != null; due = pollDue(now)) {
            try {
                due.action.accept(now);
            } catch (OutOfMemoryError oom) {
                postpone(due, now + RETRY_NANOS);
            } catch (Throwable failure) {
                Batch.logged(failure);
            }
        }
    }

    /** Tries all again that is to be, if it is time; what fails once more begins new lists. */
    private void retryDue(long now) {
        Report report;
        Run run;
        Group group;
        lock.lock();
        try {
            if (!hasRetries() || now < retryAt) {
                return;
            }
            report = firstUntold;
            run = firstUnstarted;
            group = firstRetried;
            firstUntold = null;
            lastUntold = null;
            firstUnstarted = null;
            firstRetried = null;
        } finally {
            lock.unlock();
        }
        while (report != null) {
            Report next = report.next;
            report.next = null;
            engine.dispatcher.report(report);
            report = next;
        }
        while (run != null) {
            Run next = (Run) run.below;
            run.below = null;
            Batch batch = Batch.orNull(engine, 0);
            engine.dispatcher.startHere(run, batch);
            Batch.carryOutIfMade(batch);
            run = next;
        }
        for (Group next; group != null; group = next) {
            next = unlinkRetried(group);
            retry(group);
        }
    }

    /** Has a group go on; if it fails, it is tried again, and others are all the same. */
    private void retry(Group group) {
        Batch batch = Batch.orNull(engine, 0);
        try {
            group.unstall(batch);
        } catch (Throwable failure) {
            retryLater(group);
            engine.reports.groupFailed(group.key, failure);
        }
        Batch.carryOutIfMade(batch);
    }

    private @Nullable Group unlinkRetried(Group due) {
        lock.lock();
        try {
            Group next = due.retriedNext;
            due.retriedNext = null;
            due.retried = false;
            return next;
        } finally {
            lock.unlock();
        }
    }

    private void postpone(Alarm alarm, long until) {
        lock.lock();
        try {
            alarms.postpone(alarm, until);
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Alarm pollDue(long now) {
        lock.lock();
        try {
            return alarms.pollDue(now);
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
            if (engine.lifecycle.isOwing()) {
                return RETRY_NANOS; // there was no memory for it
            }
            if (engine.stage.isOver() && engine.waiting.get() == 0 && !hasRetries()) {
                // Nothing waits or will: no time-out, no retry, and the idle groups go with the executor.
                if (alarms.forgetAfterShutdown()) {
                    return 0;
                }
                if (alarms.isEmpty()) {
                    thread = null;
                    return -1;
                }
            }
            if (!alarms.isEmpty() || hasRetries()) {
                long next = hasRetries() ? Math.min(alarms.nextAt(), retryAt) : alarms.nextAt();
                return Math.min(longestSleepNanos, Math.max(0, next - engine.now()));
            }
            if (mayEnd) {
                thread = null;
                return -1;
            }
            return lingerNanos;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The thread's loop; between two looks it has no strong reference to the engine, unless a run waits to be started.
     */
    private record Worker(WeakReference<Housekeeper> housekeeper, Queue<Run> hops, long lingerNanos)
            implements Runnable {

        @Override
        public void run() {
            boolean mayEnd = false;
            for (long sleep = look(false); sleep >= 0; sleep = look(mayEnd)) {
                if (sleep > 0) {
                    long start = System.nanoTime();
                    LockSupport.parkNanos(sleep);
                    // Nobody has a reason to interrupt it; with the flag set, it would never sleep again.
                    Thread.interrupted();
                    mayEnd = System.nanoTime() - start >= lingerNanos;
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
            try {
                target.runDue();
                return target.nextSleep(mayEnd);
            } catch (Throwable failure) {
                target.engine.reports.housekeeperFailed(failure);
                return RETRY_NANOS;
            }
        }
    }
}
