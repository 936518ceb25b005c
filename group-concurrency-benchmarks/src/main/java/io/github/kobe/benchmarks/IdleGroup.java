package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** One task for an idle group, while others have work for a while for every core. */
final class IdleGroup extends Workload {

    private static final long BUSY_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    private static final Callable<Integer> BUSY = () -> {
        long start = System.nanoTime();
        int spins = 0;
        while (System.nanoTime() - start < BUSY_NANOS) {
            spins++;
        }
        return Math.min(1, spins);
    };

    private final List<String> hot = Keys.of("hot-", 64);
    private final int tasks;

    IdleGroup(int tasks) {
        super(
                "B10",
                "until a task of an idle group starts, while 64 groups have 20,000 tasks of 20 µs of computing",
                "ms",
                Goal.atMost(5));
        this.tasks = tasks;
    }

    @Override
    Limits limits() {
        return Limits.perGroup(4);
    }

    @Override
    <H> double run(Contestant<H> contestant) {
        List<H> handles = new ArrayList<>(tasks);
        for (int i = 0; i < tasks; i++) {
            handles.add(contestant.submit(hot.get(i % hot.size()), "task", BUSY));
        }
        long submitted = System.nanoTime();
        long started =
                contestant.join(contestant.submit("idle", "task", NOTHING)).startTimeNanos();
        check(
                tasks,
                handles.stream()
                        .filter(handle -> contestant.join(handle).error() == null)
                        .count());
        return (started - submitted) / 1e6;
    }
}
