package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * No-op tasks, from producers that each submit their part and then join it.
 *
 * @param tasks how many in all
 * @param groups how many groups they go to, in turn
 * @param producers how many threads submit them
 * @param limit the limit of each group
 */
record Load(int tasks, int groups, int producers, int limit) {

    /** {@return nanoseconds per task} */
    <H> double run(Contestant<H> contestant) throws Exception {
        List<String> keys = Keys.of("group-", groups);
        try (ThreadPoolExecutor threads = (ThreadPoolExecutor) Executors.newFixedThreadPool(producers)) {
            threads.prestartAllCoreThreads();
            List<Future<Long>> sums = new ArrayList<>();
            long start = System.nanoTime();
            for (int i = 0; i < producers; i++) {
                int first = i;
                sums.add(threads.submit(() -> produce(contestant, keys, first)));
            }
            long sum = 0;
            for (Future<Long> part : sums) {
                sum += part.get();
            }
            double nanos = Workload.nanosSince(start);
            Workload.check(tasks, sum);
            return nanos / tasks;
        }
    }

    private <H> long produce(Contestant<H> contestant, List<String> keys, int first) {
        List<H> handles = new ArrayList<>(tasks / producers + 1);
        for (int i = first; i < tasks; i += producers) {
            handles.add(contestant.submit(keys.get(i % groups), "task", Workload.NOTHING));
        }
        long sum = 0;
        for (H handle : handles) {
            sum += Objects.requireNonNull(contestant.join(handle).value());
        }
        return sum;
    }
}
