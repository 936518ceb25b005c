package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;

/** Many groups with some tasks each that block for a millisecond. */
final class BlockingTasks extends Workload {

    private static final int TASKS_PER_GROUP = 20;

    /** Blocks as a call to something slow does. */
    static final Callable<Integer> A_MILLISECOND = () -> {
        Thread.sleep(1);
        return 1;
    };

    private final List<String> groups;

    BlockingTasks(int groups) {
        super("B4", "10,000 groups with limit 4, 20 tasks of 1 ms each", "ms", Goal.atMost(1.3, Entrant.RAW));
        this.groups = Keys.of("group-", groups);
    }

    @Override
    Limits limits() {
        return Limits.perGroup(4);
    }

    @Override
    <H> double run(Contestant<H> contestant) {
        int tasks = groups.size() * TASKS_PER_GROUP;
        List<H> handles = new ArrayList<>(tasks);
        long start = System.nanoTime();
        for (int i = 0; i < tasks; i++) {
            handles.add(contestant.submit(groups.get(i % groups.size()), "task", A_MILLISECOND));
        }
        long sum = 0;
        for (H handle : handles) {
            sum += Objects.requireNonNull(contestant.join(handle).value());
        }
        double nanos = nanosSince(start);
        check(tasks, sum);
        return nanos / 1e6;
    }
}
