package io.github.kobe.internal.work;

import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTrace;
import io.github.kobe.internal.base.Core;
import io.github.kobe.internal.base.Later;
import io.github.kobe.internal.base.SafeRecorder;
import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Charge;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.GroupRecord;
import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Lent;
import io.github.kobe.internal.permits.Particulars;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One task with its permits, on its way to a thread of its own and on it.
 *
 * <p><b>Interrupts</b> reach the task's code and nothing after it:
 *
 * <pre>
 *   CODE -> INTERRUPTING -> INTERRUPTED     whoever interrupts first
 *   INTERRUPTED -> INTERRUPTING             a scope, which interrupts again
 *   INTERRUPTING -> AGAIN -> INTERRUPTING   a scope, while another thread interrupts, which then does it again
 * </pre>
 *
 * The interrupting thread writes the phase, then asks whether the {@linkplain Task#isRunBy task's work} is still this run. The
 * task's thread, when its code has ended, replaces the work and then reads the phase. So at least one of them sees
 * the other. A thread that sees INTERRUPTING or AGAIN waits, parked, for INTERRUPTED. Either way it then clears its flag.
 */
public final class Run extends Hold implements Runnable, Later {

    private static final int CODE = 0;
    private static final int INTERRUPTING = 1;
    private static final int INTERRUPTED = 2;
    private static final int AGAIN = 3;

    private static final VarHandle PHASE;
    private static final VarHandle ENDED_PARTS;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            PHASE = lookup.findVarHandle(Run.class, "phase", int.class);
            ENDED_PARTS = lookup.findVarHandle(Run.class, "endedParts", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    public final Task<?> task;
    final @Nullable ClassLoader loader;
    private final Callable<?> code;
    /** The group's at the time of the grant: if it has changed since, a group shutdown may have missed this run. */
    private final int stopEpoch;

    /** What the permits are lent on. */
    private final @Nullable Lent loan;

    /** What its start was charged of the group's rates. */
    private final @Nullable Charge charge;

    /** Since when its code runs, on the engine's clock; 0: it is about to begin. Written by its thread, read by anyone. */
    private long begun;

    /** Guarded by the housekeeper's lock. */
    private @Nullable Later later;

    private volatile int phase; // CODE

    /** One more than how many of code and stage have ended; 0: no stage follows the code. */
    private volatile int endedParts;

    private Run(
            Task<?> task,
            Callable<?> code,
            @Nullable ClassLoader loader,
            boolean async,
            int stopEpoch,
            @Nullable Lent loan,
            @Nullable Charge charge) {
        super(task.group);
        this.task = task;
        this.code = code;
        this.loader = loader;
        if (async) {
            ENDED_PARTS.set(this, 1);
        }
        this.stopEpoch = stopEpoch;
        this.loan = loan;
        this.charge = charge;
        if (loan != null) {
            setBorrowed();
        }
    }

    /**
     * Makes a run of queued work.
     *
     * @param loader for work that has none of its own
     * @param loan what its permits are lent on, if they are
     * @param charge what its start is charged of the group's rates, if anything
     */
    public static Run of(
            Task<?> task,
            Object work,
            @Nullable ClassLoader loader,
            int stopEpoch,
            @Nullable Lent loan,
            @Nullable Charge charge) {
        return work instanceof WorkSpec tailored
                ? new Run(task, tailored.code(), tailored.loader(), tailored.async(), stopEpoch, loan, charge)
                : new Run(task, (Callable<?>) work, loader, false, stopEpoch, loan, charge);
    }

    @Override
    public int stripe() {
        return group.home;
    }

    @Override
    public Particulars particulars(Group of) {
        return new Particulars(task.taskId(), begun);
    }

    /** {@return since when its code runs, on the engine's clock; 0: it is about to begin} */
    long begun() {
        return begun;
    }

    /** {@return whether a shutdown has come since the permits were granted, which ends what it finds running} */
    boolean isStopped() {
        return group.stopEpoch() != stopEpoch || group.engine.stage.isForced();
    }

    /** {@return whether the current thread is the one that runs it} */
    @SuppressWarnings("ReferenceEquality") // threads have identity
    boolean isCurrent() {
        return thread == Thread.currentThread();
    }

    /**
     * Interrupts the code, if it hasn't ended and wasn't interrupted before. That runs foreign code, which closes a channel
     * or wakes a selector; whatever it throws, the thread goes on.
     */
    void interrupt() {
        Thread target = thread;
        if (target != null && PHASE.compareAndSet(this, CODE, INTERRUPTING)) {
            interrupt(target);
        }
    }

    /** As {@link #interrupt()}, also if it was interrupted before. */
    void interruptAgain() {
        Thread target = thread;
        if (target == null) {
            return;
        }
        for (; ; ) {
            int p = phase;
            if (p == AGAIN) {
                return;
            }
            if (PHASE.compareAndSet(this, p, p == INTERRUPTING ? AGAIN : INTERRUPTING)) {
                if (p != INTERRUPTING) {
                    interrupt(target);
                }
                return;
            }
        }
    }

    /** By whoever has made the phase INTERRUPTING. */
    private void interrupt(Thread target) {
        Throwable thrown = null;
        do {
            phase = INTERRUPTING;
            try {
                if (task.isRunBy(this)) {
                    target.interrupt();
                }
            } catch (Throwable foreign) {
                thrown = foreign;
            }
        } while (!PHASE.compareAndSet(this, INTERRUPTING, INTERRUPTED));
        // Also for the code itself, whose thread may have its flag and not have been woken.
        LockSupport.unpark(target);
        if (thrown != null) {
            group.engine.reports.uninterruptible(group.key, thrown);
        }
    }

    // ---- its permits are out, and its thread is to be started by the housekeeper

    @Override
    public void again(Core core) {
        Batch batch = Batch.orNull(group.engine, 0);
        Work.of(group).dispatcher.startHere(this, batch);
        Batch.carryOutIfMade(batch);
    }

    @Override
    public @Nullable Later later() {
        return later;
    }

    @Override
    public void setLater(@Nullable Later next) {
        later = next;
    }

    // ---- on its thread

    @Override
    public void run() {
        Work engine = Work.of(group);
        if (!task.isEngagedBy(this)) {
            thread = null; // which holds nothing yet
            endHere(null);
            return;
        }
        OpenStage tail;
        try {
            // Not before: many more may wait for a carrier than have begun. A shutdown that misses this run has
            // changed its state before, which isStopped sees below.
            engine.holds.pushFirst(this, Objects.requireNonNull(thread));
            // Now, since there is no way back once the code has made a stage.
            tail = endedParts == 0 ? null : new OpenStage(this);
        } catch (OutOfMemoryError oom) {
            endHere(oom);
            return;
        }
        if (task.hasOpenWait()) {
            group.record.started(task, group.engine);
        }
        TaskTrace trace = task.trace();
        if (engine.reports.isObserved(trace)) {
            task.markWaited(task.hasOpenWait() ? engine.now() : 0);
            engine.reports.started(task.groupKey(), task.taskId(), task.waitedNanos(0), trace);
        }
        long start = engine.nanoTime();
        begun = engine.sinceOrigin(start);
        task.markWaited(begun);
        // An interrupt that came before the thread had started may be lost to it.
        if (phase != CODE || isStopped()) {
            Thread.currentThread().interrupt();
        }
        Object value = null;
        Throwable failure = null;
        try {
            value = task.call(code);
        } catch (Throwable thrown) {
            failure = thrown;
        }
        long end = engine.nanoTime();
        if (tail != null && value instanceof CompletionStage<?> stage) {
            tail.follow(stage, start);
            return;
        }
        if (tail != null && failure == null) {
            failure = OpenStage.noStage(task);
        }
        boolean completes = letGo();
        endInterrupts();
        task.ran(value, failure, end - start, isStopped());
        finish(completes ? task.outcomeOf(value, failure, start, end) : null, end, end - start);
    }

    /** Ends a run whose code never began, by its thread. */
    private void endHere(@Nullable Throwable failure) {
        boolean completes = letGo();
        endInterrupts(); // one may have come all the same
        long now = group.engine.nanoTime();
        finish(withoutCode(completes, failure, now), now, SafeRecorder.UNTIMED);
    }

    /**
     * Ends a run whose code never began, because its thread couldn't be started: counts it, and gives its permits back.
     *
     * @param batch takes what its permits let start; {@code null}: that is carried out here
     * @return what is left to be told, as in {@link Task#reportAndComplete}
     */
    @Nullable
    Object endWithoutThread(Throwable failure, @Nullable Batch batch) {
        long now = group.engine.nanoTime();
        Object outcome = withoutCode(letGo(), failure, now);
        group.counters.ended(Outcome.statusOf(outcome));
        if (batch == null) {
            Work.of(group).releases.close(this, 0);
        } else {
            Work.of(group).releases.closeUnregistered(this, batch);
        }
        return outcome;
    }

    /**
     * {@return the outcome of a run whose code never began}
     *
     * @param failure why; {@code null}: it was cancelled, and the handle is complete
     */
    private @Nullable Object withoutCode(boolean completes, @Nullable Throwable failure, long now) {
        task.markWaited(group.engine.sinceOrigin(now));
        return completes ? Outcome.of(task, null, failure, 0, 0) : null;
    }

    /** Lets go of the task's work; true if the caller has to complete the handle. */
    private boolean letGo() {
        if (task.claim(this)) {
            return true;
        }
        task.forgetRun();
        return false;
    }

    /**
     * At the end of a task: count, permits back, tell, complete.
     *
     * @param outcome of {@link Outcome}'s; {@code null}: it was cancelled while it ran, and is complete
     * @param now as in {@link Batch#now}
     * @param nanos as in {@link GroupRecord#ended}
     */
    private void finish(@Nullable Object outcome, long now, long nanos) {
        TaskStatus status = Outcome.statusOf(outcome);
        group.counters.ended(status);
        Work.of(group).releases.close(this, now);
        group.record.ended(status, nanos);
        task.reportAndComplete(outcome);
    }

    @Override
    public @Nullable Charge charge() {
        return charge;
    }

    @Override
    public @Nullable Lent loan() {
        return loan;
    }

    @Override
    public boolean endsLastPart() {
        return (int) ENDED_PARTS.getAndAdd(this, 1) == 2;
    }

    /** Waits until no interrupt comes any more, and clears its flag; by its thread, once that has let go of the work. */
    void endInterrupts() {
        for (int p = phase; p == INTERRUPTING || p == AGAIN; p = phase) {
            // Cleared first: park returns at once while the flag is set.
            Thread.interrupted();
            LockSupport.park(this);
        }
        Thread.interrupted();
    }
}
