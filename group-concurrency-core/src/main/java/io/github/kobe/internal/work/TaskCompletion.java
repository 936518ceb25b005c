package io.github.kobe.internal.work;

import io.github.kobe.GroupResult;
import io.github.kobe.TaskHandle;
import io.github.kobe.internal.base.KeyText;
import io.github.kobe.internal.base.Rejection;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Request;
import io.github.kobe.internal.work.Outcome.Dependent;
import io.github.kobe.internal.work.Outcome.FutureEntry;
import io.github.kobe.internal.work.Outcome.FutureOf;
import io.github.kobe.internal.work.Outcome.LazyResult;
import io.github.kobe.internal.work.Outcome.Sleeper;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The end of a task, as seen by those who wait for it: its handle, its dependents, and its result.
 *
 * <pre>
 *   outcome   null or a stack of {@link Dependent}s  ->  a {@link GroupResult}, a {@link Rejection} or a {@link LazyResult};
 *             by whoever claimed the {@linkplain Task work}, once
 * </pre>
 */
public abstract class TaskCompletion<T> extends Request implements TaskHandle<T> {

    private static final VarHandle OUTCOME;

    static {
        try {
            OUTCOME = MethodHandles.lookup().findVarHandle(TaskCompletion.class, "outcome", Object.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final String id;
    private volatile @Nullable Object outcome;

    TaskCompletion(Group group, String id) {
        super(group);
        this.id = id;
    }

    /** Waits until it is done, lending what the thread has. */
    public abstract void awaitDone() throws InterruptedException;

    /**
     * Checks that the current thread is not the one that has to complete it.
     *
     * @throws IllegalStateException if it is
     */
    abstract void requireNotOwn();

    // ---- outcome

    private static boolean isTerminal(@Nullable Object outcome) {
        return outcome != null && !(outcome instanceof Dependent);
    }

    /** Completes the handle, and runs what depends on it; by whoever claimed the work, outside every lock. */
    void complete(Object terminal) {
        tell(settle(terminal));
    }

    /**
     * Completes the handle and wakes the threads that wait for it; by whoever claimed the work, outside every lock. It
     * calls no user code, unless {@link Task#isFollowed}.
     *
     * @return futures that are left to be {@linkplain #tell told}, the newest first; {@code null}: none
     */
    public @Nullable Dependent settle(Object terminal) {
        Dependent newest = (Dependent) OUTCOME.getAndSet(this, terminal);
        FutureEntry<?> newestFuture = null;
        for (Dependent d = newest; d != null; d = d.below) {
            if (d instanceof Sleeper sleeper) {
                sleeper.wake();
            } else if (newestFuture == null && d instanceof FutureEntry<?> future) {
                newestFuture = future;
            }
        }
        return newestFuture;
    }

    /** Completes futures, as {@link #settle} has left them. What is chained on them, user code, runs here. */
    void tell(@Nullable Dependent newest) {
        if (newest == null) {
            return;
        }
        List<FutureEntry<?>> newestFirst;
        try {
            newestFirst = new ArrayList<>();
            for (Dependent d = newest; d != null; d = d.below) {
                if (d instanceof FutureEntry<?> future) {
                    newestFirst.add(future);
                }
            }
        } catch (OutOfMemoryError oom) {
            // In the wrong order, then.
            for (Dependent d = newest; d != null; d = d.below) {
                if (d instanceof FutureEntry<?> future) {
                    future.complete();
                }
            }
            return;
        }
        for (int i = newestFirst.size(); --i >= 0; ) {
            newestFirst.get(i).complete();
        }
    }

    /** Takes a sleeper that has given up off the stack, and others on the way to it. */
    private void giveUp(Sleeper sleeper) {
        sleeper.giveUp();
        Dependent d = outcome instanceof Dependent top ? top : null;
        while (d != null && d != sleeper) {
            Dependent below = d.below;
            while (below != null && below.isGone()) {
                if (below == sleeper) {
                    d.below = below.below;
                    return;
                }
                below = below.below;
            }
            d.below = below;
            d = below;
        }
    }

    /** Puts {@code dependent} on the stack, and what has given up off its top. False if the task is done. */
    private boolean add(Dependent dependent) {
        for (; ; ) {
            Object o = outcome;
            if (isTerminal(o)) {
                return false;
            }
            Dependent below = (Dependent) o;
            while (below != null && below.isGone()) {
                below = below.below;
            }
            dependent.below = below;
            if (OUTCOME.compareAndSet(this, o, dependent)) {
                return true;
            }
        }
    }

    /** {@return the result of a task that is done; throws the exception of one that was rejected} */
    @SuppressWarnings("unchecked")
    public GroupResult<T> resultNow() {
        Object o = outcome;
        if (o instanceof Rejection rejection) {
            throw rejection.toException(groupKey(), id);
        }
        if (o instanceof LazyResult brief) {
            OUTCOME.compareAndSet(this, o, resultOf(brief));
            o = outcome;
        }
        if (o instanceof GroupResult<?> result) {
            return (GroupResult<T>) result;
        }
        throw new AssertionError("asked for the result of a task that isn't done: " + this);
    }

    final GroupResult<T> resultOf(LazyResult brief) {
        return brief == LazyResult.CANCELLED
                ? cancelledResult()
                : GroupResult.failed(
                        groupKey(), id, new OutOfMemoryError("There was no memory to make the task's result"), 0, 0);
    }

    /** {@return how a cancelled task is reported; made only when someone asks, for the sake of its stack trace} */
    public GroupResult<T> cancelledResult() {
        if (outcome instanceof GroupResult<?>) {
            return resultNow();
        }
        return GroupResult.cancelled(groupKey(), id, new CancellationException(named() + " was cancelled"), 0, 0);
    }

    /** {@return the task's id and group, for a message} */
    final String named() {
        return "Task '" + KeyText.printable(id) + "' of group '" + KeyText.printable(groupKey()) + "'";
    }

    // ---- handle

    @Override
    public String groupKey() {
        return group.key;
    }

    @Override
    public String taskId() {
        return id;
    }

    @Override
    public boolean isDone() {
        return isTerminal(outcome);
    }

    @Override
    public long queuedNanos() {
        return waitedNanos(group.engine.now());
    }

    @Override
    public GroupResult<T> await() throws InterruptedException {
        awaitDone();
        return resultNow();
    }

    @Override
    public GroupResult<T> await(long timeout, TimeUnit unit) throws InterruptedException {
        long nanos = unit.toNanos(timeout);
        if (!isDone()) {
            requireNotOwn();
            if (!sleepFor(nanos)) {
                return GroupResult.cancelled(
                        groupKey(),
                        id,
                        new TimeoutException("Not done within " + timeout + " " + unit + "; the task itself goes on"),
                        0,
                        0);
            }
        }
        return resultNow();
    }

    @Override
    public GroupResult<T> join() {
        try {
            return await();
        } catch (InterruptedException interrupted) {
            return interruptedWait(interrupted);
        }
    }

    @Override
    public GroupResult<T> join(long timeout, TimeUnit unit) {
        try {
            return await(timeout, unit);
        } catch (InterruptedException interrupted) {
            return interruptedWait(interrupted);
        }
    }

    private GroupResult<T> interruptedWait(InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return GroupResult.cancelled(groupKey(), id, interrupted, 0, 0);
    }

    @Override
    public CompletableFuture<GroupResult<T>> toCompletableFuture() {
        FutureOf<T> future = new FutureOf<>(this);
        if (isDone() || !add(new FutureEntry<>(future))) {
            future.completeFrom(this);
        }
        return future;
    }

    /** Waits until it is done, and lends nothing. */
    public final void sleep() throws InterruptedException {
        boolean unused = sleepFor(Long.MAX_VALUE);
    }

    private boolean sleepFor(long nanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (nanos <= 0) {
            return isDone();
        }
        Sleeper sleeper = new Sleeper();
        if (!add(sleeper)) {
            return true;
        }
        long start = System.nanoTime();
        for (long left = nanos; !isDone(); left = nanos - (System.nanoTime() - start)) {
            if (left <= 0) {
                giveUp(sleeper);
                return false;
            }
            if (nanos == Long.MAX_VALUE) {
                LockSupport.park(this); // for a virtual thread the other one needs a timer
            } else {
                LockSupport.parkNanos(this, left);
            }
            if (Thread.interrupted()) {
                giveUp(sleeper);
                throw new InterruptedException();
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return "Task[" + KeyText.printable(groupKey()) + "/" + KeyText.printable(id) + "]";
    }
}
