package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** How long the call of {@code shutdown()} takes while tasks wait; they are ended after it has returned. */
final class ShutdownCalls extends Workload {

    private final int tasks;

    ShutdownCalls(int tasks) {
        super("B11", "the call of shutdown() while 100,000 tasks wait in 100 groups", "ms", Goal.atMost(50));
        this.tasks = tasks;
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.OURS);
    }

    @Override
    Limits limits() {
        return Limits.perGroup(1);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        // One of its own, since the contestant is drained at the end.
        try (Ours ours = new Ours(limits())) {
            GroupExecutor executor = ours.executor();
            CountDownLatch begun = new CountDownLatch(100);
            for (int i = 0; i < 100; i++) {
                executor.submit("group-" + i, () -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                    return 1;
                });
            }
            begun.await();
            for (int i = 0; i < tasks; i++) {
                executor.submit("group-" + i % 100, "task", NOTHING);
            }
            long start = System.nanoTime();
            executor.shutdown();
            double nanos = nanosSince(start);
            check(1, executor.awaitTermination(Ours.DEADLINE) ? 1 : 0);
            return nanos / 1e6;
        }
    }
}
