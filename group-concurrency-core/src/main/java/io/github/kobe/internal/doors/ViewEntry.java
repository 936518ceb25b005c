package io.github.kobe.internal.doors;

import io.github.kobe.internal.base.Log;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A command that was given to {@code execute}, until it is over.
 *
 * <pre>
 *   ADMITTING -> WAITING              the submitter, once its task is admitted
 *   ADMITTING, WAITING -> STARTED     its thread, or the submitter's under CALLER_RUNS
 *   ADMITTING -> DROPPED              whoever ends its task without running it; the submitter sees to the command
 *   WAITING   -> ENDED                whoever ends its task without running it, and sees to the command
 *   ADMITTING -> REFUSED              shutdownNow, or the submitter itself: the submitter throws
 *   WAITING   -> WITHDRAWN            shutdownNow, which returns it, if its task waits for its permits
 * </pre>
 *
 * A command that is refused is left as it is: its submitter may run it elsewhere. So nobody but the submitter ends the
 * future that it may be, before that one knows that it isn't refused.
 *
 * <p>A command with permits counts as begun for a shutdown, though its thread may not have reached the code yet: it is
 * interrupted. If it were withdrawn, nobody would complete the future that others wait for.
 */
@SuppressWarnings("ReferenceEquality") // threads have identity
final class ViewEntry implements Callable<@Nullable Void> {

    private static final int ADMITTING = 0;
    private static final int WAITING = 1;
    private static final int STARTED = 2;
    private static final int WITHDRAWN = 3;
    /** Never run: rejected, cancelled, or failed before it began. */
    private static final int ENDED = 4;
    /** As that, before its submitter knew of the task. */
    private static final int DROPPED = 5;

    private static final int REFUSED = 6;

    private final Runnable command;
    private final GroupExecutorService view;
    /** The place in the order in which work was submitted. */
    final Long number;

    private final AtomicInteger state = new AtomicInteger(ADMITTING);
    private volatile @Nullable ViewTask task;
    /** Set before {@link #task} is looked at. */
    private volatile boolean interruptWanted;
    /** {@code null} once its task is admitted. Only compared with the current thread, so a stale read can't be mistaken. */
    private @Nullable Thread submitter = Thread.currentThread();
    /** What has kept it from beginning, as far as its submitter has to know. Read only once it is dropped. */
    private @Nullable Throwable hindrance;

    ViewEntry(GroupExecutorService view, Runnable command, long number) {
        this.view = view;
        this.number = number;
        this.command = command;
        if (command instanceof ViewFuture<?> future) {
            future.submittedAs(this);
        }
    }

    /**
     * Its task is admitted. Not known before: nobody may claim a task that asks for its permits.
     *
     * @return false if shutdownNow has come before, and nobody runs it
     */
    boolean attach(ViewTask newTask) {
        task = newTask;
        submitter = null;
        if (!state.compareAndSet(ADMITTING, WAITING) && state.get() == REFUSED) {
            try {
                newTask.cancel(false);
            } finally {
                remove(); // there may be no memory to cancel it; nobody else would remove it
            }
            return false;
        }
        // Whoever looked for it in vain has left a mark.
        if (interruptWanted) {
            newTask.interruptRun();
        }
        if (view.refusesAll()) {
            view.queuedLate(this); // close waits for what it can lend to
        }
        return true;
    }

    boolean isQueued() {
        ViewTask target = task;
        return target != null && target.queuedWork() != null;
    }

    @Nullable
    ViewTask task() {
        return task;
    }

    @Override
    public @Nullable Void call() throws Exception {
        if (state.compareAndSet(ADMITTING, STARTED) || state.compareAndSet(WAITING, STARTED)) {
            try {
                // Its thread may not have been known to who looked for it.
                interruptIfWanted();
                runCommand();
            } finally {
                remove();
            }
        }
        return null;
    }

    private void interruptIfWanted() {
        ViewTask target = task;
        if (interruptWanted && target != null) {
            target.interruptRun();
        }
    }

    private void runCommand() throws Exception {
        if (command instanceof ViewFuture<?> future) {
            future.run();
            future.throwFailure();
            return;
        }
        try {
            command.run();
        } catch (Throwable failure) {
            tellUncaught(failure);
            throw failure;
        }
    }

    /** As the JDK's executors do, which let it end the thread; what the handler throws is ignored there too. */
    private static void tellUncaught(Throwable failure) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
        } catch (Throwable ignored) {
            // The command's own failure is what the task ends with.
        }
    }

    /** Takes it out again, to be refused; false if it has been run. */
    boolean refuse() {
        boolean refused = state.compareAndSet(ADMITTING, REFUSED) || state.get() != STARTED;
        remove();
        return refused;
    }

    /** It is refused, and its command is what it was before. By its submitter. */
    void leaveCommand() {
        if (command instanceof ViewFuture<?> future) {
            future.leave();
        }
    }

    boolean isDropped() {
        return state.get() == DROPPED;
    }

    /**
     * Ends the future that it is. By its submitter, once it is dropped.
     *
     * @return why it is refused, and left as it is; {@code null}: it isn't
     */
    @Nullable
    Throwable endDropped() {
        if (hindrance != null && !(command instanceof ViewFuture<?>)) {
            return hindrance;
        }
        endFuture(hindrance);
        return null;
    }

    /** Keeps it from starting if it waits for its permits, and adds it to what is returned; there is room for it. */
    void withdrawTo(List<Runnable> withdrawn) {
        if (state.compareAndSet(ADMITTING, REFUSED) || state.get() != WAITING) {
            return;
        }
        ViewTask target = task;
        if (target != null && target.claimQueued()) {
            state.set(WITHDRAWN); // nobody else moves it on, without the task
            withdrawn.add(command);
            endWithdrawn(target);
        }
    }

    /** Whatever becomes of it, what was withdrawn is returned. */
    private void endWithdrawn(ViewTask claimed) {
        try {
            if (command instanceof ViewFuture<?> future) {
                future.withdrawn();
            }
            claimed.endClaimed();
        } catch (Throwable failure) {
            Log.failed(failure);
        } finally {
            remove();
        }
    }

    void interrupt() {
        interruptWanted = true;
        ViewTask target = task;
        if (target != null) {
            target.interruptRun();
        }
    }

    /** The task is done; if that is without its code, it never runs. */
    void taskDone(@Nullable Throwable failure) {
        if (Thread.currentThread() == submitter || command instanceof ViewFuture<?>) {
            hindrance = failure;
        }
        if (state.compareAndSet(ADMITTING, DROPPED)) {
            remove();
        } else if (state.compareAndSet(WAITING, ENDED)) {
            try {
                endFuture(failure);
            } finally {
                remove();
            }
        }
    }

    private void endFuture(@Nullable Throwable failure) {
        if (failure != null && command instanceof ViewFuture<?> future) {
            future.setException(failure);
        } else if (command instanceof Future<?> future) {
            cancel(future);
        }
    }

    /** {@return whether a future of the user's own is cancelled if the code never runs} */
    boolean endsForeignFuture() {
        return command instanceof Future<?> && !(command instanceof ViewFuture<?>);
    }

    /** Cancels a future of the user's own, whose code must not keep the rest from being told. */
    private void cancel(Future<?> future) {
        try {
            future.cancel(false);
        } catch (Throwable failure) {
            view.engine.reports.dependentFailed(view.key, failure);
        }
    }

    private void remove() {
        view.forget(this);
    }
}
