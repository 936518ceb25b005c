package io.github.kobe.internal.work;

import io.github.kobe.TaskTrace;
import io.github.kobe.internal.base.Lineage;
import io.github.kobe.internal.permits.Group;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A fork of a scope as the engine knows it. The engine reports to it what happens to it; it has one {@link ForkTask}
 * for each attempt.
 *
 * <p>For each attempt that was submitted, {@link #over} is called last and once, however the attempt ends; before it
 * {@link #ran}, if the attempt began. None of them is called under a lock.
 */
public abstract class Fork implements NodeFactory<ForkTask> {

    private static final VarHandle TASK;

    static {
        try {
            TASK = MethodHandles.lookup().findVarHandle(Fork.class, "task", ForkTask.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /**
     * The task of the last attempt that is known to have been let in, to run, or to be over; {@code null}: there is none yet, or
     * it is {@linkplain #letGo let go}.
     */
    private volatile @Nullable ForkTask task;

    /** Makes one that has no task yet. */
    protected Fork() {}

    // ---- what the engine asks and tells

    /** {@return the scope that it belongs to} */
    public abstract Lineage scope();

    /** {@return what the engine's listeners know it by} */
    public abstract String name();

    /** {@return whether its scope has scheduled it: then the owner waits for it only in {@code close}} */
    public abstract boolean isRunOfSchedule();

    /**
     * Its thread is about to run its code.
     *
     * @return false if it must not: it was cancelled, or its time is up
     */
    protected abstract boolean begin();

    /**
     * Its code has ended, and its permits aren't back yet; by its thread, which no interrupt reaches any more. Doesn't fail.
     *
     * @param failure what the code threw; {@code null}: nothing
     * @param nanos how long it ran
     * @param stopped whether a shutdown of its group or of the executor has come since it got its permits
     */
    protected abstract void ran(@Nullable Object value, @Nullable Throwable failure, long nanos, boolean stopped);

    /** {@return whether it is known how it ends} If not, it is told why it never ran. */
    protected abstract boolean isDecided();

    /**
     * All is over: permits are back, and the engine's listeners have heard. Doesn't fail.
     *
     * @param unrun why its code never began; {@code null} if it did, or if it {@linkplain #isDecided is decided}
     */
    protected abstract void over(@Nullable Throwable unrun);

    // ---- its attempts

    /** Makes the next attempt, which nobody knows yet. */
    @Override
    public final ForkTask newNode(Group group, String id, Object work, @Nullable TaskTrace trace) {
        return new ForkTask(group, id, work, trace, this);
    }

    public final @Nullable ForkTask task() {
        return task;
    }

    /** An attempt was let in; it may have run meanwhile, and another one followed it. */
    public final void admitted(@Nullable ForkTask before, ForkTask attempt) {
        if (task == before) { // else a swap would only take the line from other caches
            TASK.compareAndSet(this, before, attempt);
        }
    }

    /**
     * An attempt is about to run, by its thread: a cancel that finds it running will look for its thread. Or it is over: who
     * submitted it may not have said so yet, and another one follows.
     */
    final void isAt(ForkTask attempt) {
        if (task != attempt) {
            task = attempt;
        }
    }

    // ---- what the scope does to it

    /** It is over, and no attempt follows: who keeps it keeps no task. After an {@link #admitted} that comes later, once more. */
    protected final void letGo() {
        TASK.setRelease(this, null);
    }

    /**
     * Takes it out of its queue, if it waits there; {@code ScopeBridge.tellLeft} has to follow, for what this returns.
     *
     * @return its task; {@code null}: it doesn't wait, or it isn't known yet whether it does
     */
    protected final @Nullable Object leaveQueue() {
        ForkTask attempt = task;
        return attempt != null && attempt.leaveQueue() ? attempt : null;
    }

    /** Cancels it, if it has its permits: its code isn't begun, or is interrupted, also if it was before. */
    protected final void stop() {
        ForkTask attempt = task;
        if (attempt != null) {
            attempt.cancelRun();
        }
    }

    /** Interrupts its code, if that runs, also if it was interrupted before. */
    protected final void interrupt() {
        ForkTask attempt = task;
        if (attempt != null) {
            attempt.interruptRunAgain();
        }
    }

    /** {@return about when it was submitted, on the engine's clock, if it isn't over; {@code now}, if it isn't yet} */
    protected final long submittedAt(long now) {
        ForkTask attempt = task;
        return attempt == null ? now : attempt.submittedAt(now);
    }

    /** {@return the thread that runs it, or is about to; {@code null}: none does} */
    protected final @Nullable Thread thread() {
        ForkTask attempt = task;
        return attempt == null ? null : attempt.runThread();
    }
}
