package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** A group's few tasks come after another's 100,000, which could use all global permits; against coming alone. */
final class LargeNeighbour extends Workload {

    private static final int GLOBAL = 64;
    private static final int FEW = 10;

    private final int many;

    LargeNeighbour(int many) {
        super(
                "B7",
                "median latency of 10 tasks of 1 ms behind another group's 100,000, global limit 64",
                "× alone",
                Goal.atMost(1.3));
        this.many = many;
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.LIMITS, Trait.CAPS, Trait.BACKLOGS);
    }

    @Override
    Limits limits() {
        return Limits.perGroup(GLOBAL).withGlobal(GLOBAL);
    }

    @Override
    <H> double run(Contestant<H> contestant) {
        double alone = medianLatency(contestant);
        List<H> neighbours = new ArrayList<>(many);
        for (int i = 0; i < many; i++) {
            neighbours.add(contestant.submit("large", "task", BlockingTasks.A_MILLISECOND));
        }
        double behind = medianLatency(contestant);
        check(
                many,
                neighbours.stream()
                        .filter(neighbour -> contestant.join(neighbour).error() == null)
                        .count());
        return behind / alone;
    }

    private static <H> double medianLatency(Contestant<H> contestant) {
        long[] submitted = new long[FEW];
        List<H> handles = new ArrayList<>(FEW);
        for (int i = 0; i < FEW; i++) {
            submitted[i] = System.nanoTime();
            handles.add(contestant.submit("small", "task", BlockingTasks.A_MILLISECOND));
        }
        double[] latencies = new double[FEW];
        Arrays.setAll(latencies, i -> contestant.join(handles.get(i)).endTimeNanos() - submitted[i]);
        return Spread.of(latencies).median();
    }
}
