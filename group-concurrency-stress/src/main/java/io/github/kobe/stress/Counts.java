package io.github.kobe.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.github.kobe.GroupStats;
import io.github.kobe.TaskHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** What the statistics count is exact once all is quiet, and up to date for whoever sees a result. */
public final class Counts {

    private Counts() {}

    /** Two ends at once are both counted. */
    @JCStressTest
    @Outcome(id = "2, 0", expect = ACCEPTABLE, desc = "both counted, nothing runs")
    @Outcome(expect = FORBIDDEN, desc = "a count is lost, or a permit out")
    @State
    public static class TwoEnds extends Sample {
        public TwoEnds() {
            super(PAIR);
            makeFast();
        }

        @Actor
        public void one() {
            call();
        }

        @Actor
        public void other() {
            call();
        }

        @Arbiter
        public void count(II_Result r) {
            GroupStats stats = executor.groupStats(GROUP).orElseThrow();
            // One is of the first use, before the race.
            r.r1 = (int) stats.totals().succeeded() - 1;
            r.r2 = stats.running() + stats.inFlight() + stats.queued();
        }
    }

    /** The executor's totals keep what a group has counted, also at the moment it is evicted. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "counted once")
    @Outcome(expect = FORBIDDEN, desc = "lost with the group, or counted twice")
    @State
    public static class EndAndEvict extends Sample {
        public EndAndEvict() {
            super(FAST);
        }

        @Actor
        public void one() {
            call();
        }

        @Actor
        public void operator() {
            executor.evictGroup(GROUP);
        }

        @Arbiter
        public void count(I_Result r) {
            r.r1 = (int) executor.stats().totals().succeeded();
        }
    }

    /** Whoever sees the result finds the permit back and the count made. */
    @JCStressTest
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "done: permit back and counted")
    @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "looked before it was done")
    @Outcome(expect = FORBIDDEN, desc = "done, but the permit is out or nothing counted")
    @State
    public static class DoneAndCounted extends Sample {
        private final TaskHandle<Integer> handle;

        public DoneAndCounted() {
            super(FAST);
            handle = executor.submit(GROUP, "task", () -> plain = open);
        }

        private volatile int open;

        @Actor
        public void other() {
            open = 1;
        }

        @Actor
        public void looker(II_Result r) {
            for (int looks = 0; !handle.isDone() && looks < 1_000; looks++) {
                Thread.onSpinWait();
            }
            if (handle.isDone()) {
                GroupStats stats = executor.groupStats(GROUP).orElseThrow();
                r.r1 = stats.running() + stats.inFlight();
                r.r2 = (int) stats.totals().succeeded();
            } else {
                r.r1 = -1;
                r.r2 = -1;
            }
        }
    }
}
