package io.github.kobe.scope;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The forks of one scope: decides how each ends, and whether that came before the scope was cancelled.
 *
 * <p>Those that are undecided form a list, from the oldest to the newest. Once the scope is cancelled none comes to it and
 * none leaves it, so whoever has cancelled goes over it without the lock.
 */
@SuppressWarnings("ReferenceEquality") // forks have identity
final class Forks {

    private final ReentrantLock lock = new ReentrantLock();

    // ---- guarded by the lock
    private @Nullable ForkedSubtask<?> oldest;
    private @Nullable ForkedSubtask<?> newest;
    /** How many of those that its joiner knows are undecided. */
    private long undecided;
    /** Whether its joiner knows any. */
    private boolean any;

    private long succeeded;
    private long failed;
    private long cancelled;
    private long ranNanos;
    private long longestNanos;

    // ---- written under the lock, read by anyone
    private volatile @Nullable Cause cause;
    /** Whether a fork that its joiner knows was cancelled with the scope. */
    private volatile boolean cut;
    /** Whether something was forked since the owner last waited. */
    private volatile boolean unjoined;

    // ---- by anyone
    private final AtomicLong started = new AtomicLong();
    /** Those that its joiner knows and whose permits and listeners aren't done yet. */
    private final AtomicLong unfinished = new AtomicLong();
    /** Those that ended before the scope was cancelled, and of which the joiner is yet to hear, or just hears. */
    private final AtomicLong untold = new AtomicLong();
    /** As {@link #unfinished}, runs of schedules, which the joiner doesn't know. */
    private final AtomicLong runs = new AtomicLong();

    /** Adds one; false if the scope was cancelled before. */
    boolean add(ForkedSubtask<?> fork) {
        lock.lock();
        try {
            if (cause != null) {
                cut |= !fork.isRunOfSchedule();
                return false;
            }
            fork.older = newest;
            if (newest == null) {
                oldest = fork;
            } else {
                newest.newer = fork;
            }
            newest = fork;
            if (fork.isRunOfSchedule()) {
                runs.incrementAndGet();
            } else {
                any = true;
                undecided++;
                unjoined = true;
                unfinished.incrementAndGet();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes back an {@link #add}: there was no memory to submit it.
     *
     * @param known whether an alarm was to submit it, and so whoever has decided it says that it is over
     * @return how many of its kind are left
     */
    long drop(ForkedSubtask<?> fork, boolean known) {
        lock.lock();
        try {
            if (fork.move(ForkedSubtask.DELAYED, ForkedSubtask.CANCELLED)
                    || fork.move(ForkedSubtask.QUEUED, ForkedSubtask.CANCELLED)) {
                unlink(fork);
            } else if (known) {
                return unfinished();
            }
        } finally {
            lock.unlock();
        }
        return finished(fork);
    }

    /**
     * Decides how a fork ends, unless that is decided; if the scope was cancelled before, it is cancelled.
     *
     * @param result its value or its failure
     * @param nanos how long it has just run
     * @return whether it ends so
     */
    boolean decide(ForkedSubtask<?> fork, int end, @Nullable Object result, long nanos) {
        lock.lock();
        try {
            addRun(nanos);
            int from = fork.phaseNumber();
            for (; from < ForkedSubtask.SUCCESS; from = fork.phaseNumber()) {
                if (cause != null) {
                    fork.move(from, ForkedSubtask.CANCELLED);
                } else if (fork.end(from, end, result)) {
                    ended(fork, end);
                    return true;
                }
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    private void ended(ForkedSubtask<?> fork, int end) {
        unlink(fork);
        if (!fork.isRunOfSchedule()) {
            untold.incrementAndGet();
        }
        if (end == ForkedSubtask.SUCCESS) {
            succeeded++;
        } else if (end == ForkedSubtask.FAILED) {
            failed++;
        }
    }

    /**
     * Cancels one fork, unless it is decided or the scope is cancelled, which does that.
     *
     * @return in which phase it was; -1: it wasn't cancelled here
     */
    int cancel(ForkedSubtask<?> fork) {
        lock.lock();
        try {
            for (int from = fork.phaseNumber(); from < ForkedSubtask.SUCCESS; from = fork.phaseNumber()) {
                if (cause != null) {
                    return -1;
                }
                if (fork.move(from, ForkedSubtask.CANCELLED)) {
                    unlink(fork);
                    return from;
                }
            }
            return -1;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The time of one fork is up: it fails, if its code doesn't run; else it will have failed once that has ended.
     *
     * @return in which phase it was; -1: it is decided, or its scope cancelled
     */
    int timeOut(ForkedSubtask<?> fork, Throwable failure) {
        lock.lock();
        try {
            for (int from = fork.phaseNumber(); from < ForkedSubtask.LATE; from = fork.phaseNumber()) {
                if (cause != null) {
                    return -1;
                }
                if (from == ForkedSubtask.RUNNING) {
                    if (fork.move(from, ForkedSubtask.LATE)) {
                        return from;
                    }
                } else if (fork.end(from, ForkedSubtask.FAILED, failure)) {
                    ended(fork, ForkedSubtask.FAILED);
                    return from;
                }
            }
            return -1;
        } finally {
            lock.unlock();
        }
    }

    /** Cancels the scope; false if that was done before. */
    boolean cancelAll(Cause why) {
        lock.lock();
        try {
            if (cause != null) {
                return false;
            }
            cause = why;
            cut |= undecided > 0 || !any; // the time-out of a scope without forks is one, as the JDK has it
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void unlink(ForkedSubtask<?> fork) {
        if (cause != null) {
            return; // somebody may go over the list
        }
        ForkedSubtask<?> older = fork.older;
        ForkedSubtask<?> newer = fork.newer;
        if (older == null) {
            oldest = newer;
        } else {
            older.newer = newer;
        }
        if (newer == null) {
            newest = older;
        } else {
            newer.older = older;
        }
        fork.older = null;
        fork.newer = null;
        if (!fork.isRunOfSchedule()) {
            undecided--;
        }
    }

    /** {@return the newest of those that were undecided when the scope was cancelled, linked by {@code older}} */
    @Nullable
    ForkedSubtask<?> newest() {
        lock.lock();
        try {
            return newest;
        } finally {
            lock.unlock();
        }
    }

    /** Lets go of those that were cancelled with the scope; all are over. */
    void clear() {
        ForkedSubtask<?> last;
        lock.lock();
        try {
            last = newest;
            newest = null;
            oldest = null;
        } finally {
            lock.unlock();
        }
        while (last != null) {
            ForkedSubtask<?> older = last.older;
            last.older = null;
            last.newer = null;
            last = older;
        }
    }

    // ---- counts

    void begun() {
        started.incrementAndGet();
    }

    /** An attempt has run so long, and nothing is to be decided. */
    void ran(long nanos) {
        lock.lock();
        try {
            addRun(nanos);
        } finally {
            lock.unlock();
        }
    }

    private void addRun(long nanos) {
        ranNanos += nanos;
        longestNanos = Math.max(longestNanos, nanos);
    }

    void countCancelled() {
        lock.lock();
        try {
            cancelled++;
        } finally {
            lock.unlock();
        }
    }

    /** {@return how many of its kind are left} */
    long finished(ForkedSubtask<?> fork) {
        return (fork.isRunOfSchedule() ? runs : unfinished).decrementAndGet();
    }

    long unfinished() {
        return unfinished.get();
    }

    /**
     * The joiner has heard of one.
     *
     * @return whether that was the last of a cancelled scope
     */
    boolean told() {
        return untold.decrementAndGet() == 0 && isCancelled();
    }

    /** {@return whether all are over; or it is cancelled, and the joiner has heard of all that ended before that} */
    boolean isReady() {
        return isCancelled() ? isTold() : unfinished.get() == 0;
    }

    /** {@return whether the joiner has heard of all that have ended; of a cancelled scope: for good} */
    boolean isTold() {
        return untold.get() == 0;
    }

    boolean isQuiet() {
        return unfinished.get() == 0 && runs.get() == 0;
    }

    ScopeTotals totals() {
        lock.lock();
        try {
            return new ScopeTotals(
                    started.get(),
                    succeeded,
                    failed,
                    cancelled,
                    Duration.ofNanos(ranNanos),
                    Duration.ofNanos(longestNanos));
        } finally {
            lock.unlock();
        }
    }

    /** {@return the oldest of those that aren't over, so many at most} */
    List<ForkedSubtask<?>> oldest(int most) {
        List<ForkedSubtask<?>> found = new ArrayList<>();
        lock.lock();
        try {
            for (ForkedSubtask<?> fork = oldest; fork != null && found.size() < most; fork = fork.newer) {
                if (!fork.isOver()) {
                    found.add(fork);
                }
            }
        } finally {
            lock.unlock();
        }
        return found;
    }

    // ---- state

    @Nullable
    Cause cause() {
        return cause;
    }

    boolean isCancelled() {
        return cause != null;
    }

    boolean isCut() {
        return cut;
    }

    boolean isUnjoined() {
        return unjoined;
    }

    void joined() {
        unjoined = false;
    }
}
