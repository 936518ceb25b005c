package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
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

    /** Whoever has taken so long is out, with what it has: some alternatives are quadratic. */
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

    /** For what comes out the same each time. */
    private static final int FEW = 3;

    /**
     * Does something once, and measures it.
     *
     * @param <K> who does it
     */
    @FunctionalInterface
    interface Measurement<K> {
        double by(K who) throws Exception;
    }

    /** {@return what was measured, by round; NaN for rounds that somebody didn't take part in} */
    Map<Entrant, double[]> of(Workload workload) throws Exception {
        List<Entrant> field = workload.entrants().stream()
                .filter(entrant -> entrant.lack(workload.needs()).isEmpty())
                .toList();
        Rounds rounds = workload.isSteady() ? new Rounds(Math.min(1, warmups), Math.min(FEW, counted)) : this;
        return rounds.of(field, entrant -> once(workload, entrant));
    }

    /** {@return as above} */
    <K> Map<K, double[]> of(List<K> field, Measurement<K> measurement) throws Exception {
        Map<K, double[]> measured = new LinkedHashMap<>();
        Map<K, Long> spent = new HashMap<>();
        for (K who : field) {
            double[] values = new double[counted];
            Arrays.fill(values, Double.NaN);
            measured.put(who, values);
        }
        List<K> order = new ArrayList<>(field);
        for (int round = -warmups; round < counted; round++) {
            Collections.shuffle(order, new Random(round));
            for (K who : order) {
                double[] values = Objects.requireNonNull(measured.get(who));
                if (spent.getOrDefault(who, 0L) > PATIENCE_NANOS && !Double.isNaN(values[0])) {
                    continue;
                }
                System.gc(); // nobody collects what somebody else has left
                long start = System.nanoTime();
                double value = measurement.by(who);
                long total = spent.merge(who, System.nanoTime() - start, Long::sum);
                if (round >= 0 || total > PATIENCE_NANOS) {
                    values[Math.max(round, 0)] = value; // if so slow, it needs no warm-up
                }
            }
        }
        return measured;
    }

    private static double once(Workload workload, Entrant entrant) throws Exception {
        try (Contestant<?> contestant = entrant.enter(workload.limits())) {
            return workload.run(contestant);
        } catch (Exception failure) {
            throw new IllegalStateException(workload.id() + " by " + entrant.title(), failure);
        }
    }
}
