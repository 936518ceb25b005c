package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.Turmoil.Ending;
import io.github.kobe.Turmoil.Mix;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A {@link Turmoil} on a new executor, again and again.
 *
 * <p>{@code -Dstress.seconds=600} runs longer, for each mix; {@code -Dstress.seed=…} begins with the round of that seed,
 * which a failure names. The seed settles what is asked for, not how threads interleave.
 */
@Tag("stress")
class StressTests {

    private static final double SECONDS = Double.parseDouble(System.getProperty("stress.seconds", "1.2"));

    @RegisterExtension
    final Engines engines = new Engines();

    @ParameterizedTest
    @EnumSource(Mix.class)
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void whateverIsAskedForTheAuditHolds(Mix mix) {
        long seed = Long.getLong("stress.seed", System.nanoTime());
        long end = System.nanoTime() + (long) (SECONDS * 1e9);
        int rounds = 0;
        do {
            try {
                round(mix, seed);
            } catch (Exception | AssertionError e) {
                throw new AssertionError(
                        "again with -Dstress.seed=" + seed + ", mix " + mix + ", after " + rounds + " rounds: "
                                + e.getMessage(),
                        e);
            }
            seed++;
            rounds++;
        } while (System.nanoTime() - end < 0);
        assertThat(rounds).isPositive();
    }

    private void round(Mix mix, long seed) throws Exception {
        Random random = new Random(seed);
        int dice = random.nextInt(10);
        Ending ending = dice < 6 ? Ending.QUIET : dice < 8 ? Ending.DRAIN : Ending.SHUTDOWN;
        Turmoil.Plan plan = new Turmoil.Plan(mix, random);
        GroupExecutor executor = engines.start(plan.policy());
        new Turmoil(engines, executor, plan, ending, seed).run();
        engines.withoutAudit(executor);
        executor.shutdown();
        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
    }
}
