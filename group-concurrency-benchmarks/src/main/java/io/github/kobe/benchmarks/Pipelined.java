package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** One producer submits no-op tasks to some groups in turn, and then joins them all. */
final class Pipelined extends Workload {

    private final List<String> groups;
    private final int limit;
    private final int tasks;
    private final Set<Trait> needs;

    Pipelined(String id, String title, Goal goal, int groups, int limit, int tasks, Trait... needs) {
        super(id, title, "tasks/ms", goal);
        this.groups = Keys.of("group-", groups);
        this.limit = limit;
        this.tasks = tasks;
        this.needs = Set.of(needs);
    }

    @Override
    Set<Trait> needs() {
        return needs;
    }

    @Override
    Limits limits() {
        return Limits.perGroup(limit);
    }

    @Override
    <H> double run(Contestant<H> contestant) {
        List<H> handles = new ArrayList<>(tasks);
        long start = System.nanoTime();
        for (int i = 0; i < tasks; i++) {
            handles.add(contestant.submit(groups.get(i % groups.size()), "task", NOTHING));
        }
        long sum = 0;
        for (H handle : handles) {
            sum += Objects.requireNonNull(contestant.join(handle).value());
        }
        double nanos = nanosSince(start);
        check(tasks, sum);
        return tasks / (nanos / 1e6);
    }
}
