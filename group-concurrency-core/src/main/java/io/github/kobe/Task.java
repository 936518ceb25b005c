package io.github.kobe;

import io.github.kobe.Outcome.Brief;
import io.github.kobe.Outcome.Dependent;
import io.github.kobe.Outcome.FutureEntry;
import io.github.kobe.Outcome.FutureOf;
import io.github.kobe.Outcome.Rejection;
import io.github.kobe.Outcome.Sleeper;
import io.github.kobe.internal.KeyText;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A submitted task: its handle, its future and its place in the queue in one object of 40 bytes, because a million of
 * them may wait.
 *
 * <pre>
 *   work      queued    a Callable or a {@link Tailored}
 *             engaged   a {@link Run}, for asynchronous work then an {@link AsyncTail}
 *             claimed   null, or a {@link CancelledRun} until its run has ended, or {@link Telling}: someone has taken
 *                       it on himself to complete the handle
 *
 *   queued  -> engaged   whoever grants the permits         under the group's guard, or before anyone knows the task
 *   queued  -> claimed   cancel, time-out, shutdown; the submitter, for a rejection
 *   engaged -> claimed   the run (or its stage) at its end, or cancel
 *
 *   outcome   null or a stack of {@link Dependent}s  ->  a {@link GroupResult}, a {@link Rejection} or a {@link Brief};
 *             by whoever claimed the work, once
 * </pre>
 *
 * <p>Each edge is one compare-and-set, where more than one party may be after it, so a task is run, cancelled or rejected by exactly one party. Who claims a queued
 * task sees to its place in the queue; who claims an engaged one doesn't touch its permits: they come back when its code
 * has ended.
 */
@SuppressWarnings("ReferenceEquality") // threads have identity
class Task<T> extends Node implements TaskHandle<T> {

    private static final VarHandle WORK;
    private static final VarHandle OUTCOME;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            WORK = lookup.findVarHandle(Task.class, "work", Object.class);
            OUTCOME = lookup.findVarHandle(Task.class, "outcome", Object.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** Claimed by a cancel while engaged: the run, perhaps not started yet, still has permits to give back. */
    private record CancelledRun(Run run) {}

    /** Claimed, and a thread tells user code of the end, before the handle is complete. */
    private record Telling(Thread thread) {}

    private final String id;
    private volatile @Nullable Object work;
    private volatile @Nullable Object outcome;

    /** Makes a task that is about to be queued, or granted. */
    Task(Group group, String id, Object queuedWork) {
        super(group);
        this.id = id;
        WORK.set(this, queuedWork);
    }

    // ---- work

    /** {@return whether {@code work} has, or had, its permits} */
    private static boolean isGranted(Object work) {
        return work instanceof Run || work instanceof AsyncTail || work instanceof CancelledRun;
    }

    /** {@return what is to run, if it waits for its permits} */
    @Nullable
    Object queuedWork() {
        Object w = work;
        return w == null || isGranted(w) || w instanceof Telling ? null : w;
    }

    /** Gives it a context class loader of its own; before anyone else knows the task. */
    void tailor(@Nullable ClassLoader loader) {
        if (WORK.get(this) instanceof Callable<?> code) {
            WORK.set(this, new Tailored(code, loader, Long.MAX_VALUE, false));
        }
    }

    @Override
    long ownTimeoutNanos() {
        return work instanceof Tailored tailored ? tailored.timeoutNanos() : Long.MAX_VALUE;
    }

    @Override
    boolean grant(@Nullable Loan loan, boolean shares) {
        Object w = queuedWork();
        return w != null
                && engage(w, Run.of(this, w, group.queueLoader(), group.stopEpoch(), loan, shares ? shared() : null));
    }

    /** Moves the work on to the next that sees to it. */
    boolean engage(Object from, Object to) {
        return WORK.compareAndSet(this, from, to);
    }

    /** As {@link #engage}, before anyone else knows the task. */
    void engageUnknown(Run run) {
        WORK.set(this, run);
    }

    /** Takes on the duty to complete the handle, if {@code from} still has it. */
    boolean claim(Object from) {
        return WORK.compareAndSet(this, from, null);
    }

    /** As {@link #claim}, if it still waits for its permits; {@link #endClaimed} has to follow. */
    boolean claimQueued() {
        Object w = queuedWork();
        return w != null && claim(w);
    }

    /** Takes a task that was claimed while it was queued out of its queue, and tells of its cancellation. */
    void endClaimed() {
        group.withdraw(this, null);
        reportCancelled();
    }

    /** The run of a cancelled task has ended: lets go of it. */
    void forgetRun() {
        work = null;
    }

    /** {@return what follows this task alone, if anything} */
    @Nullable
    TaskTrace trace() {
        return null;
    }

    /** {@return whether a rejection handler speaks for it} */
    boolean heedsHandler() {
        return true;
    }

    /** Interrupts its code, if it runs; the handle stays as it is. */
    void interruptRun() {
        if (work instanceof Run run) {
            run.interrupt();
        }
    }

    boolean isEngagedBy(Run run) {
        return work == run;
    }

    /** {@return whether the thread of {@code run} hasn't let go of it yet, cancelled or not} */
    boolean isRunBy(Run run) {
        Object w = work;
        return w == run || (w instanceof CancelledRun cancelled && cancelled.run == run);
    }

    @Override
    void start(long now, @Nullable Batch batch) {
        group.engine.dispatcher.start(grantedRun(), now, batch);
    }

    /** {@return what is to be started of a task that has been granted its permits} */
    Run grantedRun() {
        Object w = work;
        if (w instanceof Run run) {
            return run;
        }
        if (w instanceof CancelledRun cancelled) {
            // Cancelled between grant and start; its thread gives the permits back, and nothing else.
            return cancelled.run;
        }
        throw new AssertionError("started without a run: " + this);
    }

    @Override
    @Nullable
    Object end(RejectionReason reason) {
        Object w = queuedWork();
        return w != null && claim(w) ? w : null;
    }

    @Override
    GroupWaiter shown(Duration waited) {
        return new GroupWaiter(id, waited, GroupWaiter.Kind.TASK, Optional.empty());
    }

    /** {@return whether user code hears of its end before it is complete} */
    boolean isFollowed() {
        return group.engine.reports.isHeard(trace());
    }

    @Override
    @Nullable
    Object settleEnd(RejectionReason reason, Object endedWork) {
        if (isFollowed()) {
            return endedWork;
        }
        Object terminal = reason == RejectionReason.SHUTDOWN
                ? Brief.CANCELLED
                : group.engine.rejections.outcomeWithoutHandler(this, reason);
        if (terminal == null) {
            return endedWork;
        }
        markWaited(group.engine.now());
        Dependent dependents = settle(terminal);
        return dependents == null && group.isRecorded() ? this : dependents;
    }

    @Override
    void reportEnd(RejectionReason reason, Object endedWork) {
        if (reason == RejectionReason.SHUTDOWN) {
            group.recordEnd(TaskStatus.CANCELLED, SafeRecorder.UNTIMED);
        } else {
            group.recordRejected(reason);
        }
        if (endedWork == this) {
            return; // settled, and nobody else is to be told
        }
        if (endedWork instanceof Dependent dependents) {
            tell(dependents);
        } else if (reason == RejectionReason.SHUTDOWN) {
            reportCancelled();
        } else {
            markWaited(group.engine.now());
            Rejection rejection;
            try {
                rejection = new Rejection(reason, -1, group.queued());
            } catch (OutOfMemoryError lack) {
                complete(Brief.OUT_OF_MEMORY);
                return;
            }
            group.engine.rejections.reject(this, endedWork, rejection, false);
        }
    }

    /** Tells of and completes a task that was cancelled before it ran; it is claimed and counted. */
    void reportCancelled() {
        markWaited(group.engine.now());
        tellEnd(group.engine.reports.isHeard(trace()) ? Outcome.cancelled(this) : Brief.CANCELLED);
    }

    /** {@return what to tell the listener of an end, as {@link #tellEnd} has it} */
    GroupResult<?> told(@Nullable Object end) {
        if (end instanceof GroupResult<?> result) {
            return result;
        }
        return resultOf(end instanceof Brief brief ? brief : Brief.CANCELLED);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        StackReserve.require();
        for (; ; ) {
            Object w = work;
            if (w == null || w instanceof CancelledRun || w instanceof Telling) {
                return false;
            }
            if (!(w instanceof Run run ? engage(w, new CancelledRun(run)) : claim(w))) {
                continue;
            }
            if (w instanceof Run run) {
                Dependent dependents = settle(Brief.CANCELLED);
                try {
                    if (mayInterruptIfRunning) {
                        run.interrupt();
                    }
                } finally {
                    tell(dependents); // last, for they may block
                }
            } else if (w instanceof AsyncTail tail) {
                Dependent dependents = settle(Brief.CANCELLED);
                tail.cancelStage();
                tell(dependents);
            } else {
                endClaimed();
            }
            return true;
        }
    }

    // ---- outcome

    private static boolean isTerminal(@Nullable Object outcome) {
        return outcome != null && !(outcome instanceof Dependent);
    }

    /** Completes the handle, and runs what depends on it; by whoever claimed the work, outside every lock. */
    final void complete(Object terminal) {
        tell(settle(terminal));
    }

    /**
     * Completes the handle and wakes the threads that wait for it; by whoever claimed the work, outside every lock. It
     * calls no user code, unless {@link #isFollowed}.
     *
     * @return futures that are left to be {@linkplain #tell told}, the newest first; {@code null}: none
     */
    @Nullable
    Dependent settle(Object terminal) {
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
        } catch (OutOfMemoryError lack) {
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

    /**
     * Tells of and completes a task whose permits are back.
     *
     * @param end how it ended, of {@link Outcome}'s; {@code null}: it was cancelled while it ran, and is complete
     */
    void tellEnd(@Nullable Object end) {
        group.engine.reports.ended(this, end);
        if (end != null) {
            complete(end);
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
    GroupResult<T> resultNow() {
        Object o = outcome;
        if (o instanceof Rejection rejection) {
            throw rejection.toException(groupKey(), id);
        }
        if (o instanceof Brief brief) {
            OUTCOME.compareAndSet(this, o, resultOf(brief));
            o = outcome;
        }
        if (o instanceof GroupResult<?> result) {
            return (GroupResult<T>) result;
        }
        throw new AssertionError("asked for the result of a task that isn't done: " + this);
    }

    private GroupResult<T> resultOf(Brief brief) {
        return brief == Brief.CANCELLED
                ? cancelledResult()
                : GroupResult.failed(
                        groupKey(), id, new OutOfMemoryError("There was no memory to make the task's result"), 0, 0);
    }

    /** {@return how a cancelled task is reported; made only when someone asks, for the sake of its stack trace} */
    GroupResult<T> cancelledResult() {
        if (outcome instanceof GroupResult<?>) {
            return resultNow();
        }
        return GroupResult.cancelled(
                groupKey(), id, new CancellationException("Task '" + KeyText.printable(id) + "' was cancelled"), 0, 0);
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

    /** Waits until it is done, lending what the thread has. */
    void awaitDone() throws InterruptedException {
        awaitDone(() -> {});
    }

    /** As {@link #awaitDone()}; {@code onInterrupt} runs before what is lent is waited for. */
    void awaitDone(Runnable onInterrupt) throws InterruptedException {
        if (!isDone()) {
            Loan loan = beginWait();
            try {
                sleep();
            } catch (InterruptedException interrupted) {
                onInterrupt.run();
                throw interrupted;
            } finally {
                if (loan != null) {
                    group.engine.lending.reclaim(loan);
                }
            }
        }
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
                        new TimeoutException("Not done within " + timeout + " " + unit + "; the task goes on"),
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

    /** Lends the current thread's permits to this task, if it waits and the thread has any that help. */
    @Nullable
    Loan beginWait() {
        StackReserve.require();
        requireNotOwn();
        return queuedWork() == null ? null : group.engine.lending.lend(this);
    }

    /**
     * The current thread, which has claimed the work, calls user code before it completes the handle: that must not wait
     * for it. Followed by {@link #endTelling}.
     */
    void beginTelling() {
        if (!isDone()) {
            try {
                work = new Telling(Thread.currentThread());
            } catch (OutOfMemoryError lack) {
                // Then it isn't seen if it does.
            }
        }
    }

    void endTelling() {
        if (work instanceof Telling) {
            work = null;
        }
    }

    private void requireNotOwn() {
        Object w = work;
        if ((w instanceof Run run && run.isCurrent())
                || (w instanceof Telling telling && telling.thread == Thread.currentThread())) {
            throw new IllegalStateException(
                    "Task '" + KeyText.printable(id) + "' waits for its own handle, which would never end");
        }
    }

    private void sleep() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Sleeper sleeper = new Sleeper();
        if (!add(sleeper)) {
            return;
        }
        while (!isDone()) {
            LockSupport.park(this);
            if (Thread.interrupted()) {
                giveUp(sleeper);
                throw new InterruptedException();
            }
        }
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
            LockSupport.parkNanos(this, left);
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
