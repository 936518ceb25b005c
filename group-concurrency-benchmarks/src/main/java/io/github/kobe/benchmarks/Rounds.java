package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Runs a workload in rounds, in one JVM: in each round everybody does it once, and in each round in another order. So
 * whatever the machine does meanwhile, and whatever one leaves to the next, comes to all.
 *
 * @param warmups rounds that don't count
 * @param counted rounds that do
 */
record Rounds(int warmups, int counted) {

    /** Whoever has run for so long has run often enough, after {@link #FEW} rounds. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final int FEW = 3;

    /** {@return what was measured, by round; NaN for rounds that somebody didn't take part in} */
    Map<Entrant, double[]> of(Workload workload) throws Exception {
        List<Entrant> field = new ArrayList<>(workload.entrants());
        field.removeIf(entrant -> entrant.lack(workload.needs()).isPresent());
        int rounds = workload.isSteady() ? Math.min(FEW, counted) : counted;
        Map<Entrant, double[]> measured = new EnumMap<>(Entrant.class);
        Map<Entrant, Long> spent = new EnumMap<>(Entrant.class);
        for (Entrant entrant : field) {
            double[] values = new double[rounds];
            Arrays.fill(values, Double.NaN);
            measured.put(entrant, values);
        }
        for (int round = workload.isSteady() ? -Math.min(1, warmups) : -warmups; round < rounds; round++) {
            Collections.shuffle(field, new Random(round));
            for (Entrant entrant : field) {
                if (spent.getOrDefault(entrant, 0L) > PATIENCE_NANOS && (round < 0 || round >= FEW)) {
                    continue;
                }
                long start = System.nanoTime();
                double value = once(workload, entrant);
                spent.merge(entrant, System.nanoTime() - start, Long::sum);
                if (round >= 0) {
                    Objects.requireNonNull(measured.get(entrant))[round] = value;
                }
            }
        }
        return measured;
    }

    private static double once(Workload workload, Entrant entrant) throws Exception {
        System.gc(); // nobody collects what somebody else has left
        try (Contestant<?> contestant = entrant.enter(workload.limits())) {
            return workload.run(contestant);
        } catch (Exception failure) {
            throw new IllegalStateException(workload.id() + " by " + entrant.title(), failure);
        }
    }
}
