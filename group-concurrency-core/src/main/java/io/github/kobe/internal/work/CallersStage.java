package io.github.kobe.internal.work;

import io.github.kobe.internal.base.Report;
import io.github.kobe.internal.base.StackReserve;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous task that its submitter runs itself: from before its code begins until its stage completes. It has no
 * permits, so no group keeps it, and its group may be forgotten before.
 *
 * <p>As a report it cancels the stage.
 */
final class CallersStage extends Report implements Tail {

    final Task<?> task;
    /** By which it is known, as long as it can be reached otherwise. */
    final WeakReference<CallersStage> known;

    private final Rejections rejections;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private @Nullable CompletionStage<?> stage;
    private long start;

    CallersStage(Task<?> task, Rejections rejections, ReferenceQueue<CallersStage> collected) {
        this.task = task;
        this.known = new WeakReference<>(this, collected);
        this.rejections = rejections;
    }

    /**
     * A shutdown has come: cancels the stage, or the one that the code still returns.
     *
     * @return whether it is the first that has come
     */
    boolean stop() {
        boolean first = stopped.compareAndSet(false, true);
        if (first) {
            task.group.engine.report(this);
        }
        return first;
    }

    @Override
    public void run() {
        task.cancel(true);
    }

    /** The code has returned {@code newStage}. */
    void follow(CompletionStage<?> newStage, long newStart) {
        stage = newStage;
        start = newStart;
        task.follow(this);
        if (stopped.get()) {
            task.cancel(true);
        }
        OpenStage.whenComplete(newStage, this);
    }

    @Override
    public void cancelStage() {
        rejections.forget(known);
        OpenStage.cancel(stage, task.group);
    }

    /**
     * Ends the task, unless it was cancelled. A stage that completes on a thread without the stack for that leaves it
     * open.
     */
    @Override
    public void accept(@Nullable Object value, @Nullable Throwable failure) {
        StackReserve.requireToGiveBack();
        boolean ends = task.claim(this);
        rejections.forget(known);
        if (ends) {
            task.complete(Outcome.of(task, value, failure, start, task.group.engine.nanoTime()));
        }
    }
}
