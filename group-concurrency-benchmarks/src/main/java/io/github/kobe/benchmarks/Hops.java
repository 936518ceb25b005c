package io.github.kobe.benchmarks;

import io.github.kobe.TaskHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/** Two instances in this JVM have the only permit in turn: from the end of a task on one to the start of one on the other. */
final class Hops extends Workload {

    private static final String KEY = "group";

    private final Quantile quantile;
    private final int millis;
    private final int hops;

    /** @param millis how long each task takes, in which the other instance asks */
    Hops(String id, Quantile quantile, int bound, int millis, int hops) {
        super(
                id,
                "from the end of a task of " + millis + " ms to the start of one on another instance, limit 1, "
                        + quantile.title(),
                "ms",
                Goal.atMost(bound));
        this.quantile = quantile;
        this.millis = millis;
        this.hops = hops;
    }

    /** A task that has the permit until it is told to end. */
    private static final class Turn implements Callable<Integer> {

        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch ended = new CountDownLatch(1);
        private volatile long start;

        @Override
        public Integer call() throws InterruptedException {
            start = System.nanoTime();
            begun.countDown();
            ended.await();
            return 1;
        }
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.LIMITS);
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.LEASED);
    }

    @Override
    boolean isSteady() {
        return true;
    }

    @Override
    Limits limits() {
        return Limits.perGroup(1);
    }

    @Override
    @SuppressWarnings("SystemOut") // the table has room for one figure only
    <H> double run(Contestant<H> contestant) throws Exception {
        try (Ours other = new OursOverInstances(limits())) {
            List<Ours> both = List.of((Ours) contestant, other);
            List<TaskHandle<Integer>> handles = new ArrayList<>();
            long[] times = new long[hops];
            Turn now = new Turn();
            handles.add(other.submit(KEY, "task", now));
            now.begun.await();
            for (int i = 0; i < hops; i++) {
                Turn next = new Turn();
                handles.add(both.get(i % 2).submit(KEY, "task", next));
                Thread.sleep(millis);
                long end = System.nanoTime();
                now.ended.countDown();
                next.begun.await();
                times[i] = next.start - end;
                now = next;
            }
            now.ended.countDown();
            check(
                    hops + 1,
                    handles.stream()
                            .filter(handle -> handle.join().error() == null)
                            .count());
            System.out.println(id() + ": " + Quantile.text(times));
            return quantile.of(times);
        }
    }
}
