package io.github.kobe.load;

import io.github.kobe.GroupExecutor;
import io.github.kobe.audit.Engines;
import io.github.kobe.schedules.RandomProgram.Ending;
import io.github.kobe.schedules.RandomProgram.Mix;
import io.github.kobe.schedules.RandomProgram.Plan;
import io.github.kobe.schedules.RandomProgram.Size;
import io.github.kobe.testing.Deadline;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;

/**
 * A {@link Turmoil} after the other on one executor, audited each time; then the heap is no fuller than it was after
 * the warm-up, but for 5 %. {@code LoadTests} runs it in a JVM of its own.
 */
final class Soak {

    private static final double TOLERANCE = 0.05;

    /** The JVM's own comes and goes by about as much, in a heap of a few megabytes. */
    private static final long LEAST_TOLERANCE = 512 * 1024;

    private static final int LEAST_ROUNDS = 4;

    private final Engines engines = new Engines();
    private final Plan plan;
    private final GroupExecutor executor;
    private final long firstSeed;
    private long seed;

    private Soak(Mix mix, long seed) {
        plan = new Plan(mix, Size.LARGE, new SplittableRandom(seed));
        executor = engines.start(plan.policy());
        firstSeed = seed;
        this.seed = seed;
    }

    /** Arguments: seconds for all mixes together, seed. */
    @SuppressWarnings("SystemOut") // it is a command
    public static void main(String[] args) throws Exception {
        double seconds = Double.parseDouble(args[0]) / Mix.values().length;
        long seed = Long.parseLong(args[1]);
        for (Mix mix : Mix.values()) {
            System.out.println(new Soak(mix, seed).run(seconds));
        }
        System.exit(0);
    }

    private String run(double seconds) throws Exception {
        turmoils(seconds / 4);
        long before = usedHeap();
        turmoils(seconds * 3 / 4);
        long after = usedHeap();
        String summary = "%s: %,d rounds, %,d tasks, heap %,d kB after the warm-up, %,d kB at the end (%+.1f %%)"
                .formatted(
                        plan.mix(),
                        seed - firstSeed,
                        executor.stats().totals().submitted(),
                        before / 1024,
                        after / 1024,
                        100.0 * (after - before) / before);
        if (after - before > Math.max(TOLERANCE * before, LEAST_TOLERANCE)) {
            throw new AssertionError(summary);
        }
        executor.shutdown();
        if (!executor.awaitTermination(Deadline.LONG)) {
            throw new AssertionError("never terminated: " + summary);
        }
        return summary;
    }

    private void turmoils(double seconds) throws Exception {
        long end = System.nanoTime() + (long) (seconds * 1e9);
        for (int rounds = 0; rounds < LEAST_ROUNDS || System.nanoTime() - end < 0; rounds++) {
            engines.renewWitness(executor, plan.policy());
            plan.keys().forEach(executor::resetLimits);
            try {
                new Turmoil(engines, executor, plan, Ending.QUIET, seed).run();
            } catch (Exception | AssertionError e) {
                throw new AssertionError(
                        "seed " + firstSeed + ", round " + (seed - firstSeed) + ": " + e.getMessage(), e);
            }
            seed++;
        }
        engines.renewWitness(executor, plan.policy()); // lets go of what the last one has seen
        for (int i = 0; i < 2 * executor.policy().maxIdleGroups(); i++) {
            executor.call("once-" + i, () -> null); // as many idle groups are kept as ever will be
        }
    }

    /** The least of several looks: what else the JVM does comes and goes, what leaks stays. */
    private static long usedHeap() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 8; i++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }
}
