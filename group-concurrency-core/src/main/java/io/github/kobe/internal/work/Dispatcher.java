package io.github.kobe.internal.work;

import io.github.kobe.internal.base.Core;
import io.github.kobe.internal.base.Report;
import io.github.kobe.internal.base.SafeRecorder;
import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.work.Outcome.Dependent;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Starts a thread for each run. */
@SuppressWarnings("ReferenceEquality") // identity is meant
public final class Dispatcher {

    /**
     * How often a successor starts from the housekeeper's thread, by an <i>outside hop</i>. A virtual thread that is
     * started by a virtual thread goes to the queue that its own carrier looks at first; chains of successors would keep
     * all others waiting while the CPU is saturated.
     */
    private static final long HOP_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Core core;
    private final AtomicLong lastHop;

    Dispatcher(Core core) {
        this.core = core;
        this.lastHop = new AtomicLong(core.nanoTime());
    }

    /**
     * Starts {@code run} on a thread of its own, here or by way of the housekeeper. If that fails, so does the task, and
     * its permits are back.
     *
     * @param now as in {@link Batch#now}
     * @param batch where to put what a failure lets start; {@code null}: that is carried out here
     */
    void start(Run run, long now, @Nullable Batch batch) {
        if (!(hopIsDue(now) && core.housekeeper.hop(run))) {
            startHere(run, batch);
        }
    }

    private boolean hopIsDue(long now) {
        if (now == 0 || !Thread.currentThread().isVirtual()) {
            return false;
        }
        long last = lastHop.get();
        return now - last > HOP_NANOS && lastHop.compareAndSet(last, now);
    }

    /** As {@link #start}, without a hop. */
    void startHere(Run run, @Nullable Batch batch) {
        Throwable failure = tryStart(run);
        if (failure != null) {
            notStarted(run, failure, batch);
        }
    }

    /**
     * Starts the run of a task that is just being submitted. If that fails, the current thread, which submits it, tells
     * of it.
     *
     * @param batch what is to be carried out before that; {@code null}: nothing
     */
    public void startSubmitted(Run run, @Nullable Batch batch) {
        Throwable failure = tryStart(run);
        if (failure != null) {
            Batch freed = batch == null ? Batch.orNull(core, 0) : batch;
            Object end = endUnstarted(run, failure, freed);
            if (freed != null) {
                freed.carryOut();
            }
            recordUnstarted(run.task, end);
            run.task.reportAndComplete(end);
        }
    }

    /** {@return why {@code run} could not be started; {@code null}: it was} */
    private static @Nullable Throwable tryStart(Run run) {
        try {
            Thread thread = run.group.threads.newThread(run);
            if (thread.getContextClassLoader() != run.loader) {
                thread.setContextClassLoader(run.loader);
            }
            run.thread = thread;
            thread.start();
            return null;
        } catch (Throwable failure) {
            run.thread = null;
            return failure;
        }
    }

    /** Ends a run of which the current thread may know nothing, and so calls no user code for it. */
    private void notStarted(Run run, Throwable failure, @Nullable Batch givenBatch) {
        FailedStart told;
        try {
            told = new FailedStart(run.task);
        } catch (OutOfMemoryError oom) {
            if (core.housekeeper.tryRetry(run)) {
                return;
            }
            startSubmitted(run, givenBatch);
            return;
        }
        Batch batch = givenBatch == null ? Batch.orNull(core, 0) : givenBatch;
        told.end = endUnstarted(run, failure, batch);
        if (givenBatch == null && batch != null) {
            batch.carryOut();
        }
        if (!told.settles()) {
            core.report(told);
        }
    }

    private static @Nullable Object endUnstarted(Run run, Throwable failure, @Nullable Batch batch) {
        // Else its whole queue would fail in one go.
        run.group.stall(batch);
        return run.endWithoutThread(failure, batch);
    }

    private static void recordUnstarted(Task<?> task, @Nullable Object end) {
        task.group.record.ended(Outcome.statusOf(end), SafeRecorder.UNTIMED);
    }

    /** The end of a task whose thread could not be started. */
    private static final class FailedStart extends Report {
        private final Task<?> task;
        /** As in {@link Task#reportAndComplete}. */
        private @Nullable Object end;
        /** What is left to be told of a task that is complete. */
        private @Nullable Dependent dependents;

        private boolean settled;

        FailedStart(Task<?> task) {
            this.task = task;
        }

        /**
         * Completes the task, unless user code has to hear of it before.
         *
         * @return whether nothing is left to be told
         */
        private boolean settles() {
            if (task.isFollowed()) {
                return false;
            }
            dependents = end == null ? null : task.settle(end);
            settled = true;
            return dependents == null && !task.group.record.isRecorded();
        }

        @Override
        public void run() {
            recordUnstarted(task, end);
            if (settled) {
                task.tell(dependents);
            } else {
                task.reportAndComplete(end);
            }
        }
    }
}
