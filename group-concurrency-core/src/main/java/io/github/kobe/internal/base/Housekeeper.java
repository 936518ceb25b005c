package io.github.kobe.internal.base;

import io.github.kobe.internal.base.Alarms.Alarm;
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
 * The engine's one platform thread: time-outs, the idle sweep, retries, and now and then the start of a task (an outside
 * hop). It is made when first needed and ends when there is nothing to wait for. It refers to the engine only weakly, so
 * it does not keep a forgotten executor alive.
 *
 * <p>No user code runs on it.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
public final class Housekeeper {

    /** When what has failed is tried again. */
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Core core;
    private final long lingerNanos;
    private final long longestSleepNanos;
    private final ConcurrentLinkedQueue<Later> hops = new ConcurrentLinkedQueue<>();

    /** A leaf: nothing else is locked while it is held. */
    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock. */
    private final Alarms alarms = new Alarms();
    /** Guarded by the lock: what is to be tried again, linked by {@link Later#later}. */
    private @Nullable Later firstRetried;

    private @Nullable Later lastRetried;
    /** Guarded by the lock: when that is to be tried. */
    private long retryAt;
    /** Whether something is to be done or tried again, and there was no thread for it; written under the lock. */
    private volatile boolean lacksThread;
    /** Guarded by the lock; {@code null}: none runs. */
    private @Nullable Thread thread;
    /** Guarded by the lock: when that will have looked again at the latest, on the engine's clock. */
    private long looksBy;

    Housekeeper(Core core) {
        this.core = core;
        lingerNanos = core.environment.linger().toNanos();
        longestSleepNanos = core.environment.longestSleep().toNanos();
    }

    /**
     * Has {@code action} run at a time of the engine's clock, or soon after; it is told the time.
     *
     * @param pointless whether the alarm may be forgotten before, so that a long time-out keeps nothing alive
     * @return false if there is no thread to run it and none can be made
     */
    public boolean at(long time, BooleanSupplier pointless, LongConsumer action) {
        return at(time, false, pointless, action);
    }

    /** As that; {@code outlastsShutdown} says whether also after one. */
    public boolean at(long time, boolean outlastsShutdown, BooleanSupplier pointless, LongConsumer action) {
        return set(time, new Alarm(time, outlastsShutdown, pointless, action), false);
    }

    /** As {@link #at}; but if there is no thread, whoever comes by {@link #ensureThread} next makes one. */
    public void surelyAt(long time, BooleanSupplier pointless, LongConsumer action) {
        boolean unused = set(time, new Alarm(time, false, pointless, action), true);
    }

    private boolean set(long time, Alarm alarm, boolean alsoWithoutThread) {
        Thread sleeper;
        lock.lock();
        try {
            boolean seen = hasThread();
            if (seen || alsoWithoutThread) {
                alarms.add(alarm);
            }
            if (!seen) {
                lacksThread |= alsoWithoutThread;
                return false;
            }
            sleeper = time < looksBy ? thread : null;
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(sleeper);
        return true;
    }

    /** An alarm has become pointless; by anyone. */
    public void alarmCancelled() {
        if (alarms.isLookDueAfterCancel()) {
            boolean unused = forgetCancelled();
        }
    }

    private boolean forgetCancelled() {
        lock.lock();
        try {
            return alarms.forgetCancelled();
        } finally {
            lock.unlock();
        }
    }

    /** {@return how many alarms are set, pointless ones included; for tests} */
    public int alarms() {
        lock.lock();
        try {
            return alarms.size();
        } finally {
            lock.unlock();
        }
    }

    /** Has {@code run} start from the housekeeper's thread; false if there is none and none can be made. */
    public boolean hop(Later run) {
        if (!core.environment.timers()) {
            return false;
        }
        Thread sleeper;
        lock.lock();
        try {
            if (!hasThread()) {
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
     * Has {@code failed} {@linkplain Later#again tried again} in a while, once however often it is asked. It needs no
     * memory, unless for the thread, and doesn't fail.
     *
     * @return false if there is no thread to do it and none can be made: then whoever comes by {@link #ensureThread} next
     *     makes one
     */
    public boolean retry(Later failed) {
        return retry(failed, true);
    }

    /** As {@link #retry}; but if it returns false, nothing comes of it. */
    public boolean tryRetry(Later failed) {
        return retry(failed, false);
    }

    private boolean retry(Later failed, boolean alsoWithoutThread) {
        Thread sleeper;
        lock.lock();
        try {
            boolean seen = hasThread();
            if (seen || alsoWithoutThread) {
                list(failed);
            }
            if (!seen) {
                lacksThread |= alsoWithoutThread;
                return false;
            }
            sleeper = thread;
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(sleeper);
        return true;
    }

    private void list(Later failed) {
        if (failed.isListed()) {
            return;
        }
        Later last = lastRetried;
        if (last == null) {
            firstRetried = failed;
            retryAt = core.now() + RETRY_NANOS;
        } else {
            last.linkTo(failed);
        }
        failed.linkTo(null);
        lastRetried = failed;
    }

    /** Makes the thread that could not be made for {@link #retry} or {@link #surelyAt}; without any lock. */
    public void ensureThread() {
        if (lacksThread) {
            lock.lock();
            try {
                boolean unused = hasThread();
            } finally {
                lock.unlock();
            }
        }
    }

    /** {@return false if a thread is wanted, and there is none and none can be made} Under the lock. */
    private boolean hasThread() {
        return !core.environment.timers() || thread != null || startThread();
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
            looksBy = Long.MAX_VALUE;
            lacksThread = false;
            return true;
        } catch (Throwable noThread) {
            return false;
        }
    }

    /**
     * Runs all that is due; for the thread, and for tests that have timers switched off. Nothing here keeps what comes
     * after it from being done: what there is no memory for is tried again.
     */
    public void runDue() {
        for (Later run = hops.poll(); run != null; run = hops.poll()) {
            tryAgain(run);
        }
        long now = core.now();
        retryDue(now);
        runAlarms(now);
        boolean some = true;
        while (some) {
            some = forgetCancelled();
        }
    }

    /** Tries all again that is to be, if it is time; what fails once more begins a new list. */
    private void retryDue(long now) {
        Later due;
        lock.lock();
        try {
            if (now < retryAt) {
                return;
            }
            due = firstRetried;
            firstRetried = null;
            lastRetried = null;
        } finally {
            lock.unlock();
        }
        while (due != null) {
            Later next = unlink(due);
            tryAgain(due);
            due = next;
        }
    }

    private void tryAgain(Later due) {
        try {
            due.again(core);
        } catch (Throwable failure) {
            Log.failed(failure);
        }
    }

    /** {@return the next of those that are due} */
    private @Nullable Later unlink(Later due) {
        lock.lock();
        try {
            return due.unlink();
        } finally {
            lock.unlock();
        }
    }

    private void runAlarms(long now) {
        for (Alarm due = pollDue(now); due != null; due = pollDue(now)) {
            tryAgain(due);
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
            long now = core.now();
            long sleep = sleepFrom(now, mayEnd);
            looksBy = now + sleep;
            return sleep;
        } finally {
            lock.unlock();
        }
    }

    private long sleepFrom(long now, boolean mayEnd) {
        if (!hops.isEmpty()) {
            return 0;
        }
        boolean retries = firstRetried != null;
        if (core.stage.isOver() && core.waiting.get() == 0 && !retries) {
            // Nothing waits or will: no time-out, no retry, and the idle groups go with the executor.
            if (alarms.forgetAfterShutdown()) {
                return 0;
            }
            if (alarms.isEmpty()) {
                thread = null;
                return -1;
            }
        }
        if (!alarms.isEmpty() || retries) {
            long next = retries ? Math.min(alarms.nextAt(), retryAt) : alarms.nextAt();
            return Math.min(longestSleepNanos, Math.max(0, next - now));
        }
        if (mayEnd) {
            thread = null;
            return -1;
        }
        return lingerNanos;
    }

    /**
     * The thread's loop; between two looks it has no strong reference to the engine, unless a run waits to be started.
     */
    private record Worker(WeakReference<Housekeeper> housekeeper, Queue<Later> hops, long lingerNanos)
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
                target.core.reports.housekeeperFailed(failure);
                return RETRY_NANOS;
            }
        }
    }
}
