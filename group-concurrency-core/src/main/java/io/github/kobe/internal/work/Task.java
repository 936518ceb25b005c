package io.github.kobe.internal.work;

import io.github.kobe.GroupResult;
import io.github.kobe.GroupWaiter;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTrace;
import io.github.kobe.internal.base.KeyText;
import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.base.Rejection;
import io.github.kobe.internal.base.Reports;
import io.github.kobe.internal.base.SafeRecorder;
import io.github.kobe.internal.base.StackReserve;
import io.github.kobe.internal.lending.Offer;
import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Charge;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Lent;
import io.github.kobe.internal.work.Outcome.Dependent;
import io.github.kobe.internal.work.Outcome.LazyResult;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A submitted task: what runs, its {@linkplain TaskCompletion handle} and its place in the queue in one object of 40
 * bytes, because a million of them may wait.
 *
 * <pre>
 *   work      queued    a Callable or a {@link WorkSpec}
 *             engaged   a {@link Run}, for asynchronous work then an {@link OpenStage}; a {@link CallersStage}
 *             claimed   null, or a {@link CancelledRun} until its run has ended, or {@link Telling}: the claimer has to
 *                       complete the handle
 *
 *   queued  -> engaged   the granter of its permits         under the group's guard, or before anyone knows the task
 *   queued  -> claimed   cancel, time-out, shutdown; the submitter, for a rejection
 *   claimed -> engaged   the submitter, if it has run the code itself and that has returned a stage
 *   engaged -> claimed   the run (or its stage) at its end, or cancel
 * </pre>
 *
 * <p>Each transition for which several parties may compete is one compare-and-set, so exactly one party runs, cancels
 * or rejects a task. The one that claims a queued task takes it out of the queue; the one that claims an engaged task
 * doesn't touch its permits, which are returned when its code has ended.
 */
@SuppressWarnings("ReferenceEquality") // threads have identity
public class Task<T> extends TaskCompletion<T> {

    private static final VarHandle WORK;

    static {
        try {
            WORK = MethodHandles.lookup().findVarHandle(Task.class, "work", Object.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** Claimed by a cancel while engaged: the run, perhaps not started yet, still has permits to give back. */
    private record CancelledRun(Run run) {}

    /** Claimed, and a thread tells user code of the end, before the handle is complete. */
    private record Telling(Thread thread) {}

    private volatile @Nullable Object work;

    /** Makes a task that is about to be queued, or granted. */
    public Task(Group group, String id, Object queuedWork) {
        super(group, id);
        WORK.set(this, queuedWork);
    }

    /** {@return the scope that its code is in; {@code null}: none} A scheduled run isn't in the family of its own. */
    public @Nullable Lineage scope() {
        return lineage();
    }

    // ---- work

    /** {@return whether {@code work} has, or had, its permits, or does without} */
    private static boolean isEngaged(Object work) {
        return work instanceof Run
                || work instanceof OpenStage
                || work instanceof CallersStage
                || work instanceof CancelledRun;
    }

    /** {@return what is to run, if it waits for its permits} */
    public @Nullable Object queuedWork() {
        Object w = work;
        return w == null || isEngaged(w) || w instanceof Telling ? null : w;
    }

    @Override
    public boolean wantsLoader() {
        return true;
    }

    @Override
    public void tailor(@Nullable ClassLoader loader) {
        if (WORK.get(this) instanceof Callable<?> code) {
            WORK.set(this, new WorkSpec(code, loader, Long.MAX_VALUE, false));
        }
    }

    @Override
    public boolean asksFromInside() {
        return Work.of(group).isUnderPermit();
    }

    @Override
    public @Nullable RejectionReason countsShutdownAs() {
        return null;
    }

    @Override
    public boolean isUnclaimed() {
        return isQueued() && queuedWork() != null;
    }

    @Override
    public long ownTimeoutNanos() {
        return work instanceof WorkSpec tailored ? tailored.timeoutNanos() : Long.MAX_VALUE;
    }

    @Override
    public boolean grant(@Nullable Lent loan, boolean shares, @Nullable Charge charge) {
        Object w = queuedWork();
        return w != null && engage(w, Run.of(this, w, group.queueLoader(), group.stopEpoch(), loan, charge));
    }

    /** Moves the work on to the next that sees to it. */
    boolean engage(Object from, Object to) {
        return WORK.compareAndSet(this, from, to);
    }

    /** As {@link #engage}, before anyone else knows the task. */
    public void engageBeforePublication(Run run) {
        WORK.set(this, run);
    }

    /** Takes on the duty to complete the handle, if {@code from} still has it. */
    public boolean claim(Object from) {
        return WORK.compareAndSet(this, from, null);
    }

    /** As {@link #claim}, if it still waits for its permits; {@link #endClaimed} has to follow. */
    public boolean claimQueued() {
        Object w = queuedWork();
        return w != null && claim(w);
    }

    /** Takes a task that was claimed while it was queued out of its queue, and tells of its cancellation. */
    public void endClaimed() {
        group.withdraw(this);
        reportCancelled();
    }

    /** Its submitter, which has claimed it, has run its code itself. */
    void follow(CallersStage stage) {
        work = stage;
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
    public boolean heedsHandler() {
        return heedsPolicy();
    }

    /** {@return whether the rejection policy says what becomes of it; if not, its handle tells of a rejection} */
    boolean heedsPolicy() {
        return true;
    }

    /** Interrupts its code, if it runs; the handle stays as it is. */
    public void interruptRun() {
        if (work instanceof Run run) {
            run.interrupt();
        }
    }

    /** As {@link #interruptRun}, also if its code was interrupted before. */
    void interruptRunAgain() {
        Run run = run();
        if (run != null) {
            run.interruptAgain();
        }
    }

    /** Cancels it, if it has its permits, and interrupts its code, also if that was done before. */
    void cancelRun() {
        try {
            if (work instanceof Run run && engage(run, new CancelledRun(run))) {
                tell(settle(LazyResult.CANCELLED));
            }
        } finally {
            interruptRunAgain();
        }
    }

    /** {@return the run that its thread hasn't let go of yet, cancelled or not} */
    private @Nullable Run run() {
        Object w = work;
        return w instanceof CancelledRun cancelled ? cancelled.run : w instanceof Run run ? run : null;
    }

    /** {@return the thread that runs it, or is about to; {@code null}: none} */
    @Nullable
    Thread runThread() {
        Run run = run();
        return run == null ? null : run.thread;
    }

    /** {@return about when it was submitted: when it was queued, else when it began; {@code now} if it is about to} */
    final long submittedAt(long now) {
        Run run = run();
        long until = run == null || run.begun() == 0 ? now : run.begun();
        return until - waitedNanos(until);
    }

    /** Runs its code, as decorated; by its thread. */
    @Nullable
    Object call(Callable<?> code) throws Exception {
        return code.call();
    }

    /** Its code has ended, and its permits aren't back yet; by its thread, which no interrupt reaches any more. */
    void ran(@Nullable Object value, @Nullable Throwable failure, long nanos, boolean stopped) {}

    /** {@return how it has ended, of {@link Outcome}'s; doesn't fail} */
    Object outcomeOf(@Nullable Object value, @Nullable Throwable failure, long start, long end) {
        return Outcome.of(this, value, failure, start, end);
    }

    boolean isEngagedBy(Run run) {
        return work == run;
    }

    /** {@return whether the thread of {@code run} hasn't let go of it yet, cancelled or not} */
    boolean isRunBy(Run run) {
        return run() == run;
    }

    @Override
    public void start(long now, @Nullable Batch batch) {
        Work.of(group).dispatcher.start(grantedRun(), now, batch);
    }

    /** {@return what is to be started of a task that has been granted its permits} */
    public Run grantedRun() {
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
    public @Nullable Object end(RejectionReason reason) {
        Object w = queuedWork();
        return w != null && claim(w) ? w : null;
    }

    @Override
    public GroupWaiter shown(Duration waited) {
        return new GroupWaiter(taskId(), waited, GroupWaiter.Kind.TASK, Optional.empty(), List.of());
    }

    /** {@return whether user code hears of its end before it is complete} */
    public boolean isFollowed() {
        return group.engine.reports.isObserved(trace());
    }

    @Override
    public @Nullable Object settleEnd(RejectionReason reason, Object endedWork) {
        if (isFollowed()) {
            return endedWork;
        }
        Object terminal = reason == RejectionReason.SHUTDOWN
                ? LazyResult.CANCELLED
                : Work.of(group).rejections.outcomeWithoutHandler(this, reason);
        if (terminal == null) {
            return endedWork;
        }
        markWaited(group.engine.now());
        Dependent dependents = settle(terminal);
        return dependents == null && group.record.isRecorded() ? this : dependents;
    }

    @Override
    public void reportEnd(RejectionReason reason, Object endedWork) {
        if (reason == RejectionReason.SHUTDOWN) {
            group.record.ended(TaskStatus.CANCELLED, SafeRecorder.UNTIMED);
        } else {
            group.record.rejected(reason);
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
                rejection = group.rejection(reason, this);
            } catch (OutOfMemoryError oom) {
                complete(LazyResult.OUT_OF_MEMORY);
                return;
            }
            Work.of(group).rejections.reject(this, endedWork, rejection, false);
        }
    }

    /** Tells of and completes a task that was cancelled before it ran; it is claimed and counted. */
    public void reportCancelled() {
        markWaited(group.engine.now());
        reportAndComplete(group.engine.reports.isObserved(trace()) ? Outcome.cancelled(this) : LazyResult.CANCELLED);
    }

    /** {@return what to tell the listener of an end, as {@link #reportAndComplete} has it} */
    GroupResult<?> told(@Nullable Object end) {
        if (end instanceof GroupResult<?> result) {
            return result;
        }
        return resultOf(end instanceof LazyResult brief ? brief : LazyResult.CANCELLED);
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
            if (isEngaged(w)) {
                Dependent dependents = settle(LazyResult.CANCELLED);
                try {
                    stop(w, mayInterruptIfRunning);
                } finally {
                    tell(dependents); // last, for they may block
                }
            } else {
                endClaimed();
            }
            return true;
        }
    }

    private static void stop(Object work, boolean mayInterrupt) {
        if (work instanceof Tail tail) {
            tail.cancelStage();
        } else if (mayInterrupt && work instanceof Run run) {
            run.interrupt();
        }
    }

    /**
     * Tells of and completes a task whose permits are back.
     *
     * @param end how it ended, of {@link Outcome}'s; {@code null}: it was cancelled while it ran, and is complete
     */
    public void reportAndComplete(@Nullable Object end) {
        TaskTrace followed = trace();
        if (end != LazyResult.SUCCEEDED && group.engine.reports.isObserved(followed)) {
            tellCompleted(end, followed);
        }
        if (end != null) {
            complete(end);
        }
    }

    private void tellCompleted(@Nullable Object end, @Nullable TaskTrace followed) {
        Reports reports = group.engine.reports;
        GroupResult<?> result;
        try {
            result = told(end);
        } catch (Throwable failure) {
            reports.methodFailed("listener's onCompleted", groupKey(), failure);
            return;
        }
        beginTelling();
        try {
            reports.completed(groupKey(), taskId(), result, followed);
        } finally {
            endTelling();
        }
    }

    /** Tells that it was rejected; before it is complete. */
    final void tellRejected(RejectionReason reason) {
        Reports reports = group.engine.reports;
        TaskTrace followed = trace();
        if (reports.isObserved(followed)) {
            beginTelling();
            try {
                reports.rejected(groupKey(), taskId(), reason, followed);
            } finally {
                endTelling();
            }
        }
    }

    // ---- waits that lend

    /** Waits until it is done, lending what the thread has. */
    @Override
    public void awaitDone() throws InterruptedException {
        awaitDone(() -> {});
    }

    /** As {@link #awaitDone()}; {@code onInterrupt} runs before what is lent is waited for. */
    public void awaitDone(Runnable onInterrupt) throws InterruptedException {
        if (!isDone()) {
            Offer offer = beginWait();
            try {
                sleep();
            } catch (InterruptedException interrupted) {
                onInterrupt.run();
                throw interrupted;
            } finally {
                if (offer != null) {
                    Work.of(group).lending.withdraw(offer);
                }
            }
        }
    }

    /** Offers the current thread's permits to this task, if it waits and the thread has any. */
    public @Nullable Offer beginWait() {
        StackReserve.require();
        requireNotOwn();
        return queuedWork() == null ? null : Work.of(group).lending.lend(this);
    }

    /**
     * The current thread, which has claimed the work, calls user code before it completes the handle: that must not wait
     * for it. Followed by {@link #endTelling}.
     */
    void beginTelling() {
        if (!isDone()) {
            try {
                work = new Telling(Thread.currentThread());
            } catch (OutOfMemoryError oom) {
                // Then it isn't seen if it does.
            }
        }
    }

    void endTelling() {
        if (work instanceof Telling) {
            work = null;
        }
    }

    @Override
    void requireNotOwn() {
        Object w = work;
        if ((w instanceof Run run && run.isCurrent())
                || (w instanceof Telling telling && telling.thread == Thread.currentThread())) {
            throw new IllegalStateException(
                    "Task '" + KeyText.printable(taskId()) + "' waits for its own handle and would wait for ever");
        }
    }
}
