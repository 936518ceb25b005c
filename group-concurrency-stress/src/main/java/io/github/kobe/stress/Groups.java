package io.github.kobe.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.github.kobe.EffectiveLimit;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.LimitSource;
import java.util.Optional;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Groups and their limits come, change and go while others use them. */
public final class Groups {

    private Groups() {}

    /** A permit that there is only by the new limit shows what was written before that was set. */
    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "let in by the new limit, and the write before it is seen")
    @Outcome(id = "0", expect = ACCEPTABLE, desc = "came before the new limit")
    @Outcome(expect = FORBIDDEN, desc = "let in by the new limit, but the write before it isn't seen")
    @State
    public static class LimitToTaker extends Sample {
        public LimitToTaker() {
            super(FAST);
            take(GROUP);
        }

        @Actor
        public void operator() {
            plain = 1;
            executor.setLimits(GROUP, TWO);
        }

        @Actor
        public void taker(I_Result r) {
            r.r1 = tryAcquire();
        }
    }

    /** A limit and where it comes from are read together. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "the limit as configured")
    @Outcome(id = "2, 1", expect = ACCEPTABLE, desc = "the limit that was set")
    @Outcome(expect = FORBIDDEN, desc = "a limit with another one's source")
    @State
    public static class LimitToStats extends Sample {
        public LimitToStats() {
            super(FAST);
        }

        @Actor
        public void operator() {
            executor.setLimits(GROUP, TWO);
        }

        @Actor
        public void looker(II_Result r) {
            EffectiveLimit<Integer> limit =
                    executor.groupStats(GROUP).orElseThrow().maxConcurrency();
            r.r1 = limit.value();
            r.r2 = limit.source() == LimitSource.OVERRIDDEN ? 1 : 0;
        }
    }

    /** A new limit comes between taking and giving back: no permit is lost, and none made. */
    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "exactly the new limit")
    @Outcome(expect = FORBIDDEN, desc = "a permit too many or too few")
    @State
    public static class LimitInBetween extends Sample {
        public LimitInBetween() {
            super(FAST);
            makeFast();
        }

        @Actor
        public void operator() {
            executor.setLimits(GROUP, TWO);
        }

        @Actor
        public void other() {
            tryTake(GROUP).ifPresent(GroupPermit::close);
        }

        @Arbiter
        public void fill(I_Result r) {
            r.r1 = count(this, GROUP, GROUP, GROUP);
        }
    }

    /** A global limit comes into force while a group is made: its permit counts. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "one of the two global permits is left")
    @Outcome(expect = FORBIDDEN, desc = "a permit that the global limit doesn't know of")
    @State
    public static class GlobalLimitAndNewGroup extends Sample {
        private static final GroupPolicy NONE = GroupPolicy.builder().build();
        private static final GroupPolicy GLOBAL =
                GroupPolicy.builder().globalMaxInFlight(2).build();

        public GlobalLimitAndNewGroup() {
            super(NONE);
        }

        @Actor
        public void operator() {
            executor.updatePolicy(GLOBAL);
        }

        @Actor
        public void taker() {
            take("new");
        }

        @Arbiter
        public void fill(I_Result r) {
            r.r1 = count(this, "second", "third");
        }
    }

    /** A new group is whole for whoever finds it. */
    @JCStressTest
    @Outcome(id = "-1, 0", expect = ACCEPTABLE, desc = "not there yet")
    @Outcome(id = "0, 3", expect = ACCEPTABLE, desc = "there, nothing taken")
    @Outcome(id = "1, 3", expect = ACCEPTABLE, desc = "there, one taken")
    @Outcome(expect = FORBIDDEN, desc = "a group without its permits or limits")
    @State
    public static class NewGroupToStats extends Sample {
        private static final GroupPolicy THREE =
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(3).build();

        public NewGroupToStats() {
            super(THREE);
        }

        @Actor
        public void maker() {
            take("new");
        }

        @Actor
        public void looker(II_Result r) {
            Optional<GroupStats> stats = executor.groupStats("new");
            r.r1 = stats.map(GroupStats::running).orElse(-1);
            r.r2 = stats.map(s -> s.maxConcurrency().value()).orElse(0);
        }
    }

    /** Two threads make the group of one key: one limiter stands. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "one permit")
    @Outcome(expect = FORBIDDEN, desc = "two limiters for one key, or none that works")
    @State
    public static class OneGroupForTwo extends Sample {
        public OneGroupForTwo() {
            super(GroupPolicy.builder().build());
        }

        @Actor
        public void one(II_Result r) {
            r.r1 = count(this, "new");
        }

        @Actor
        public void other(II_Result r) {
            r.r2 = count(this, "new");
        }
    }

    /** An idle group goes while another thread comes for it. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "one permit, whichever group it is of")
    @Outcome(expect = FORBIDDEN, desc = "two limiters for one key, or a permit lost with its group")
    @State
    public static class RemovalAndReuse extends Sample {
        private static final GroupPolicy FORGETFUL =
                GroupPolicy.builder().maxIdleGroups(0).build();

        public RemovalAndReuse() {
            super(FORGETFUL);
        }

        @Actor
        public void passing() {
            tryEnter("key").ifPresent(GroupPermit::close);
        }

        @Actor
        public void staying(II_Result r) {
            r.r1 = tryEnter("key").isPresent() ? 1 : 0;
        }

        @Arbiter
        public void fill(II_Result r) {
            r.r2 = count(this, "key");
        }
    }

    private static final GroupLimits TWO = GroupLimits.unset().withMaxConcurrency(2);

    /** How many permits there are, one asked for in each group; they stay out. */
    private static int count(Sample sample, String... groups) {
        int taken = 0;
        for (String group : groups) {
            taken += sample.tryTake(group).isPresent() ? 1 : 0;
        }
        return taken;
    }
}
