package io.github.kobe;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Starts threads: one for each run, and one for what has to be told by nobody's thread. */
@SuppressWarnings("ReferenceEquality") // identity is meant
final class Dispatcher {

    /**
     * How often a successor starts from the housekeeper's thread, by an <i>outside hop</i>. A virtual thread that is started by a virtual thread
     * goes to the queue that its own carrier looks at first; chains of successors would keep all others waiting while
     * the CPU is saturated.
     */
    private static final long HOP_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Engine engine;
    private final AtomicLong lastHop;

    Dispatcher(Engine engine) {
        this.engine = engine;
        this.lastHop = new AtomicLong(engine.nanoTime());
    }

    /**
     * Starts {@code run} on a thread of its own, here or by way of the housekeeper. If that fails, so does the task, and
     * its permits are back.
     *
     * @param now as in {@link Batch#now}
     * @param batch where to put what a failure lets start; {@code null}: that is carried out here
     */
    void start(Run run, long now, @Nullable Batch batch) {
        if (!(hopIsDue(now) && engine.housekeeper.hop(run))) {
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
        try {
            Thread thread = run.group.threads.newThread(run);
            if (thread.getContextClassLoader() != run.loader) {
                thread.setContextClassLoader(run.loader);
            }
            run.thread = thread;
            thread.start();
        } catch (Throwable failure) {
            run.thread = null;
            notStarted(run, failure, batch);
        }
    }

    private void notStarted(Run run, Throwable failure, @Nullable Batch givenBatch) {
        Batch batch = givenBatch == null ? Batch.orNull(engine, 0) : givenBatch;
        // Else its whole queue would fail in one go.
        run.group.stall(batch);
        if (!(engine.housekeeper.isCurrent() && endElsewhere(run, failure))) {
            run.endWithoutThread(failure, batch);
        }
        if (givenBatch == null && batch != null) {
            batch.carryOut();
        }
    }

    /** Ends {@code run} on a thread that is nobody's; false if there is no memory for that. */
    private boolean endElsewhere(Run run, Throwable failure) {
        Runnable ending;
        try {
            ending = () -> run.endWithoutThread(failure, null);
        } catch (OutOfMemoryError lack) {
            return false;
        }
        report(ending);
        return true;
    }

    /** Runs {@code report}, which calls user code, on a fresh virtual thread, or here if there can be none. */
    void report(Runnable report) {
        try {
            engine.environment
                    .taskThreads()
                    .unstarted("group-concurrency-report", report)
                    .start();
        } catch (Throwable noThread) {
            report.run();
        }
    }
}
