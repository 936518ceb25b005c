package io.github.kobe.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.audit.Engines;
import io.github.kobe.schedules.RandomProgram.Ending;
import io.github.kobe.schedules.RandomProgram.Mix;
import io.github.kobe.schedules.RandomProgram.Plan;
import io.github.kobe.schedules.RandomProgram.Size;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A {@link Turmoil} on a new executor, again and again.
 *
 * <p>{@code -Dseed=…} begins with the round of that seed, which a failure names. The seed settles what is asked for, not how threads interleave.
 */
@Tag("stress")
class StressTests {

    private static final double SECONDS = Depth.pick(0.3, 1.2, 60.0);

    @RegisterExtension
    final Engines engines = new Engines();

    @ParameterizedTest
    @EnumSource(Mix.class)
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void whateverIsAskedForTheAuditHolds(Mix mix) {
        long seed = Depth.seed();
        long end = System.nanoTime() + (long) (SECONDS * 1e9);
        int rounds = 0;
        do {
            try {
                round(mix, seed);
            } catch (Exception | AssertionError e) {
                throw new AssertionError(
                        "again with -Dseed=" + seed + ", mix " + mix + ", after " + rounds + " rounds: "
                                + e.getMessage(),
                        e);
            }
            seed++;
            rounds++;
        } while (System.nanoTime() - end < 0);
        assertThat(rounds).isPositive();
    }

    private void round(Mix mix, long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        Ending ending = Ending.any(random);
        Plan plan = new Plan(mix, Size.LARGE, random);
        GroupExecutor executor = engines.start(plan.policy());
        new Turmoil(engines, executor, plan, ending, seed).run();
        engines.withoutAudit(executor);
        executor.shutdown();
        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
    }
}
