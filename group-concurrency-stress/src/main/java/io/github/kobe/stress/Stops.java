package io.github.kobe.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Whoever stops and whoever starts never miss each other. */
public final class Stops {

    private static final String STOPPED = "the code was interrupted";
    private static final String NEVER_RAN = "it never ran";
    private static final String MISSED = "neither: the one who stops and the one who starts have missed each other";

    private Stops() {}

    /** Waits for the interrupt that must come; 1 if it has. */
    static int awaitInterrupt() {
        long start = System.nanoTime();
        long left = PATIENCE_NANOS;
        while (left > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(left);
            left = PATIENCE_NANOS - (System.nanoTime() - start);
        }
        return left > 0 ? 1 : 0;
    }

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    /** A sample with a queued task that ends by an interrupt alone. */
    abstract static class Endless extends Sample {
        private final GroupPermit permit;
        final TaskHandle<Integer> handle;
        private volatile int stopped = 2;

        Endless() {
            super(FAST);
            permit = take(GROUP);
            handle = executor.submit(GROUP, "task", () -> stopped = awaitInterrupt());
        }

        final void start() {
            permit.close();
        }

        /** 2: never ran, 1: interrupted, 0: not. */
        final int end() {
            // Behind the task in the queue, or it was cancelled: so it has ended.
            uninterrupted(() -> executor.awaitQuiet(Duration.ofMinutes(1)));
            return stopped;
        }
    }

    /** The task is granted and not yet known as running while its group is shut down. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = STOPPED)
    @Outcome(id = "2", expect = ACCEPTABLE, desc = NEVER_RAN)
    @Outcome(expect = FORBIDDEN, desc = MISSED)
    @State
    public static class GroupShutdownAndStart extends Endless {
        public GroupShutdownAndStart() {}

        @Actor
        public void starter() {
            start();
        }

        @Actor
        public void stopper() {
            executor.shutdownGroup(GROUP);
        }

        @Arbiter
        public void end(I_Result r) {
            r.r1 = end();
        }
    }

    /** The same while the executor is shut down. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = STOPPED)
    @Outcome(id = "2", expect = ACCEPTABLE, desc = NEVER_RAN)
    @Outcome(expect = FORBIDDEN, desc = MISSED)
    @State
    public static class ShutdownAndStart extends Endless {
        public ShutdownAndStart() {}

        @Actor
        public void starter() {
            start();
        }

        @Actor
        public void stopper() {
            executor.shutdown();
        }

        @Arbiter
        public void end(I_Result r) {
            r.r1 = end();
        }
    }

    /** The same while it is cancelled. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = STOPPED)
    @Outcome(id = "2", expect = ACCEPTABLE, desc = NEVER_RAN)
    @Outcome(expect = FORBIDDEN, desc = MISSED)
    @State
    public static class CancelAndStart extends Endless {
        public CancelAndStart() {}

        @Actor
        public void starter() {
            start();
        }

        @Actor
        public void stopper() {
            handle.cancel(true);
        }

        @Arbiter
        public void end(I_Result r) {
            r.r1 = end();
        }
    }

    /** A view is shut down while it is given a task: one leaves a mark before it looks, the other looks after it came. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = STOPPED)
    @Outcome(id = "2", expect = ACCEPTABLE, desc = NEVER_RAN)
    @Outcome(expect = FORBIDDEN, desc = MISSED)
    @State
    public static class ViewShutdownAndSubmit extends Sample {
        private final ExecutorService view = executor.asExecutorService(GROUP);
        private volatile int stopped = 2;

        public ViewShutdownAndSubmit() {
            super(FAST);
            makeFast();
        }

        @Actor
        public void submitter() {
            try {
                view.execute(() -> stopped = awaitInterrupt());
            } catch (RejectedExecutionException tooLate) {
                // never runs
            }
        }

        @Actor
        public void stopper() {
            view.shutdownNow();
        }

        @Arbiter
        public void end(I_Result r) {
            uninterrupted(() -> view.awaitTermination(1, TimeUnit.MINUTES));
            r.r1 = view.isTerminated() ? stopped : 0;
        }
    }

    /** Submitted while the executor is shut down: never let in, or ended; never left open. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = STOPPED)
    @Outcome(id = "2", expect = ACCEPTABLE, desc = NEVER_RAN)
    @Outcome(expect = FORBIDDEN, desc = MISSED)
    @State
    public static class ShutdownAndSubmit extends Sample {
        private @Nullable TaskHandle<Integer> handle;
        private volatile int stopped = 2;

        public ShutdownAndSubmit() {
            super(FAST);
            makeFast();
        }

        @Actor
        public void submitter() {
            try {
                handle = executor.submit(GROUP, "task", () -> stopped = awaitInterrupt());
            } catch (IllegalStateException tooLate) {
                // never runs
            }
        }

        @Actor
        public void stopper() {
            executor.shutdown();
        }

        @Arbiter
        public void end(I_Result r) {
            boolean over = uninterrupted(() -> executor.awaitTermination(Duration.ofMinutes(1)));
            // Permits come back first, and the handle completes then.
            boolean open = handle != null && handle.join(1, TimeUnit.MINUTES).error() instanceof TimeoutException;
            r.r1 = over && !open ? stopped : 0;
        }
    }

    /** An interrupt that comes late reaches the listener no more: the thread waits for it and clears its flag. */
    @JCStressTest
    @Outcome(id = "0", expect = ACCEPTABLE, desc = "no flag after the code")
    @Outcome(expect = FORBIDDEN, desc = "an interrupt after the code")
    @State
    public static class LateInterrupt extends Sample {
        private static final GroupPolicy HEARD = FAST.toBuilder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                        if (result.error() instanceof Ended ended) {
                            ended.sample.flags = Thread.currentThread().isInterrupted() ? 1 : 0;
                        }
                    }
                })
                .build();

        private final TaskHandle<Integer> handle;
        private final CountDownLatch opened = new CountDownLatch(1);
        private volatile int flags;

        public LateInterrupt() {
            super(HEARD);
            handle = executor.submit(GROUP, "task", () -> {
                try {
                    opened.await();
                } catch (InterruptedException inTime) {
                    // the flag is clear
                }
                throw new Ended(this);
            });
        }

        @Actor
        public void ender() {
            opened.countDown();
        }

        @Actor
        public void stopper() {
            executor.shutdownGroup(GROUP);
        }

        @Arbiter
        public void end(I_Result r) {
            handle.join();
            r.r1 = flags;
        }

        private static final class Ended extends RuntimeException {
            private static final long serialVersionUID = 1;

            private final transient LateInterrupt sample;

            Ended(LateInterrupt sample) {
                super(null, null, false, false);
                this.sample = sample;
            }
        }
    }

    /** Who says that it has a permit is not quiet for anyone who asks afterwards. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "said so, and not quiet")
    @Outcome(
            id = {"0, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "not said yet")
    @Outcome(expect = FORBIDDEN, desc = "said so, and quiet all the same")
    @State
    public static class QuietAndTake extends Sample {
        private volatile int taken;

        public QuietAndTake() {
            super(FAST);
            makeFast();
        }

        @Actor
        public void taker() {
            take(GROUP);
            taken = 1;
        }

        @Actor
        public void asker(II_Result r) {
            r.r1 = taken;
            r.r2 = uninterrupted(() -> executor.awaitQuiet(Duration.ZERO)) ? 1 : 0;
        }
    }
}
