package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Each of some producers submits no-op tasks to the same groups in turn, and then joins all of its own. */
final class Pipelined extends Workload {

    private final List<String> groups;
    private final int limit;
    private final int producers;
    private final int tasks;
    private final Set<Trait> needs;

    Pipelined(String id, String title, Goal goal, int groups, int limit, int producers, int tasks, Trait... needs) {
        super(id, title, "tasks/ms", goal);
        this.groups = Keys.of("group-", groups);
        this.limit = limit;
        this.producers = producers;
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
    <H> double run(Contestant<H> contestant) throws Exception {
        long start = System.nanoTime();
        if (producers == 1) {
            produce(contestant, tasks);
        } else {
            inParallel(Thread.ofPlatform(), producers, i -> () -> produce(contestant, tasks / producers));
        }
        return tasks / (nanosSince(start) / 1e6);
    }

    private <H> boolean produce(Contestant<H> contestant, int tasks) {
        List<H> handles = new ArrayList<>(tasks);
        for (int i = 0; i < tasks; i++) {
            handles.add(contestant.submit(groups.get(i % groups.size()), "task", NOTHING));
        }
        long sum = 0;
        for (H handle : handles) {
            sum += Objects.requireNonNull(contestant.join(handle).value());
        }
        check(tasks, sum);
        return true;
    }
}
