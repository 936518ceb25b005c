package io.github.kobe.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.github.kobe.GroupResult;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Handles and results are whole and the same for all, also for who comes by them through a race. */
public final class Results {

    private Results() {}

    /** A handle that is passed on by a race, and what it leads to. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "a whole result")
    @Outcome(id = "-1", expect = ACCEPTABLE, desc = "no handle yet")
    @Outcome(expect = FORBIDDEN, desc = "a part of the handle or of the result is missing")
    @State
    public static class RacyHandle extends Sample {
        private @Nullable TaskHandle<Integer> handle;

        public RacyHandle() {
            super(FAST);
            makeFast();
        }

        @Actor
        public void submitter() {
            handle = executor.submit(GROUP, "task", () -> 7);
        }

        @Actor
        public void looker(I_Result r) {
            TaskHandle<Integer> found = handle;
            r.r1 = found == null
                    ? -1
                    : isWhole(found.join()) && found.groupKey().equals(GROUP) ? 1 : 0;
        }
    }

    /** A result that is passed on by a race: its fields are final. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "a whole result")
    @Outcome(id = "-1", expect = ACCEPTABLE, desc = "no result yet")
    @Outcome(expect = FORBIDDEN, desc = "a part of the result is missing")
    @State
    public static class RacyResult extends Sample {
        private @Nullable GroupResult<Integer> result;

        public RacyResult() {
            super(FAST);
            makeFast();
        }

        @Actor
        public void submitter() {
            result = executor.submit(GROUP, "task", () -> 7).join();
        }

        @Actor
        public void looker(I_Result r) {
            GroupResult<Integer> found = result;
            for (int looks = 0; found == null && looks < 1_000; looks++) {
                Thread.onSpinWait();
                found = result;
            }
            r.r1 = found == null ? -1 : isWhole(found) ? 1 : 0;
        }
    }

    private static boolean isWhole(GroupResult<Integer> result) {
        return result.status() == TaskStatus.SUCCESS
                && Objects.equals(result.value(), 7)
                && result.groupKey().equals(Sample.GROUP)
                && result.taskId().equals("task")
                && result.startTimeNanos() != 0
                && result.durationNanos() >= 0;
    }

    /** The result of a cancelled task is made when somebody asks, and there is one for all. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "one result")
    @Outcome(expect = FORBIDDEN, desc = "two results of one task")
    @State
    public static class CancelledResult extends Publication.Writing {
        private @Nullable GroupResult<?> one;
        private @Nullable GroupResult<?> two;

        public CancelledResult() {
            super(FAST);
            handle.cancel(true);
        }

        @Actor
        public void one() {
            one = handle.join();
        }

        @Actor
        public void other() {
            two = handle.join();
        }

        @Arbiter
        @SuppressWarnings("ReferenceEquality") // identity is asked about
        public void compare(I_Result r) {
            r.r1 = one != null && one == two ? 1 : 0;
        }
    }
}
