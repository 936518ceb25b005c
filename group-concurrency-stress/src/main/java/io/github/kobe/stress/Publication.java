package io.github.kobe.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** What is before a submit is before the task, and the task before all that tells of its end. */
public final class Publication {

    private static final String SEEN = "the write before it is seen";
    private static final String EARLY = "looked before the task had ended";
    private static final String UNSEEN = "the event, but not the write before it";

    private Publication() {}

    /** The task starts at once, or is queued behind the other thread's permit and started by that. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = SEEN)
    @Outcome(expect = FORBIDDEN, desc = UNSEEN)
    @State
    public static class SubmitterToTask extends Sample {
        public SubmitterToTask() {
            super(FAST);
            makeFast();
        }

        @Actor
        public void submitter(I_Result r) {
            plain = 1;
            r.r1 = valueOf(executor.submit(GROUP, "task", () -> plain));
        }

        @Actor
        public void other() {
            tryTake(GROUP).ifPresent(GroupPermit::close);
        }
    }

    /** The task is queued for sure, or comes just as the permit is given back. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = SEEN)
    @Outcome(expect = FORBIDDEN, desc = UNSEEN)
    @State
    public static class SubmitterToQueuedTask extends Sample {
        private final GroupPermit permit;

        public SubmitterToQueuedTask() {
            super(FAST);
            permit = take(GROUP);
        }

        @Actor
        public void submitter(I_Result r) {
            plain = 1;
            r.r1 = valueOf(executor.submit(GROUP, "task", () -> plain));
        }

        @Actor
        public void giver() {
            permit.close();
        }
    }

    /** The same with a global limit, and for asynchronous work. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = SEEN)
    @Outcome(expect = FORBIDDEN, desc = UNSEEN)
    @State
    public static class SubmitterToQueuedAsyncTask extends Sample {
        private final GroupPermit permit;

        public SubmitterToQueuedAsyncTask() {
            super(RING);
            permit = take(GROUP);
        }

        @Actor
        public void submitter(I_Result r) {
            plain = 1;
            r.r1 = valueOf(executor.submitAsync(GROUP, "task", () -> CompletableFuture.completedFuture(plain)));
        }

        @Actor
        public void giver() {
            permit.close();
        }
    }

    private static int valueOf(TaskHandle<Integer> handle) {
        return Objects.requireNonNull(handle.join().value());
    }

    /** A sample with a task that writes, queued until the permit is given back. */
    abstract static class Writing extends Sample {
        private final GroupPermit permit;
        final TaskHandle<Writing> handle;
        int heard;

        Writing(GroupPolicy policy) {
            super(policy);
            permit = take(GROUP);
            handle = executor.submit(GROUP, "task", () -> {
                plain = 1;
                return this;
            });
        }

        final void start() {
            permit.close();
        }
    }

    /** By a wait without a time-out. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = SEEN)
    @Outcome(expect = FORBIDDEN, desc = UNSEEN)
    @State
    public static class TaskToAwait extends Writing {
        public TaskToAwait() {
            super(FAST);
        }

        @Actor
        public void starter() {
            start();
        }

        @Actor
        public void waiter(I_Result r) {
            uninterrupted(handle::await);
            r.r1 = plain;
        }
    }

    /** By a wait with a time-out. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = SEEN)
    @Outcome(expect = FORBIDDEN, desc = UNSEEN)
    @State
    public static class TaskToTimedJoin extends Writing {
        public TaskToTimedJoin() {
            super(FAST);
        }

        @Actor
        public void starter() {
            start();
        }

        @Actor
        public void waiter(I_Result r) {
            r.r1 = handle.join(1, TimeUnit.MINUTES).status() == TaskStatus.SUCCESS ? plain : -1;
        }
    }

    /** By a look, without any wait. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = SEEN)
    @Outcome(id = "-1", expect = ACCEPTABLE, desc = EARLY)
    @Outcome(expect = FORBIDDEN, desc = UNSEEN)
    @State
    public static class TaskToIsDone extends Writing {
        public TaskToIsDone() {
            super(FAST);
        }

        @Actor
        public void starter() {
            start();
        }

        @Actor
        public void looker(I_Result r) {
            int looks = 0;
            while (!handle.isDone() && ++looks < 1_000) {
                Thread.onSpinWait();
            }
            r.r1 = handle.isDone() ? plain : -1;
        }
    }

    /** A loop that looks again and again is not compiled into one that looks once. */
    @JCStressTest(Mode.Termination)
    @Outcome(id = "TERMINATED", expect = ACCEPTABLE, desc = "the end is seen")
    @Outcome(expect = FORBIDDEN, desc = "the end is never seen")
    @State
    public static class TaskToLoop extends Writing {
        public TaskToLoop() {
            super(FAST);
        }

        @Actor
        public void looker() {
            while (!handle.isDone()) {
                // looks again
            }
        }

        @Signal
        public void starter() {
            start();
        }
    }

    /** What is chained on the future runs on the task's thread, or at once on that of who chains it. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = SEEN)
    @Outcome(expect = FORBIDDEN, desc = UNSEEN)
    @State
    public static class TaskToDependent extends Writing {
        public TaskToDependent() {
            super(FAST);
        }

        @Actor
        public void starter() {
            start();
        }

        @Actor
        public void waiter(I_Result r) {
            r.r1 = handle.toCompletableFuture().thenApply(result -> plain).join();
        }
    }

    /** The listener hears before the handle completes. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = SEEN)
    @Outcome(expect = FORBIDDEN, desc = UNSEEN)
    @State
    public static class TaskToListener extends Writing {
        private static final GroupPolicy HEARD = FAST.toBuilder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                        if (result.value() instanceof Writing sample) {
                            sample.heard = sample.plain;
                        }
                    }
                })
                .build();

        public TaskToListener() {
            super(HEARD);
        }

        @Actor
        public void starter() {
            start();
        }

        @Actor
        public void waiter(I_Result r) {
            handle.join();
            r.r1 = heard;
        }
    }

    /** Through the future of a view. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = SEEN)
    @Outcome(expect = FORBIDDEN, desc = UNSEEN)
    @State
    public static class ViewTaskToGet extends Sample {
        private final GroupPermit permit;
        private final Future<?> future;

        public ViewTaskToGet() {
            super(FAST);
            permit = take(GROUP);
            future = executor.asExecutorService(GROUP).submit(() -> plain = 1);
        }

        @Actor
        public void starter() {
            permit.close();
        }

        @Actor
        public void waiter(I_Result r) {
            uninterrupted(future::get);
            r.r1 = plain;
        }
    }
}
