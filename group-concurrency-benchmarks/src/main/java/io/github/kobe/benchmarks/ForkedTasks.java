package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** One block forks many no-op tasks to the same groups in turn, joins them and reads their values. */
final class ForkedTasks extends Workload {

    private static final int NEVER_HIT = 1 << 20;

    private final List<String> groups;
    private final int limit;
    private final int tasks;

    private ForkedTasks(String id, String title, Goal goal, int groups, int limit, int tasks) {
        super(id, title, "tasks/ms", goal);
        this.groups = Keys.of("group-", groups);
        this.limit = limit;
        this.tasks = tasks;
    }

    static ForkedTasks besideTheJdk(int tasks) {
        return new ForkedTasks(
                "C2",
                "100,000 no-op forks of one block whose limit is never hit",
                Goal.atLeast(0.75, Entrant.JDK_SCOPE),
                1,
                NEVER_HIT,
                tasks);
    }

    static ForkedTasks inManyGroups(int tasks) {
        return new ForkedTasks(
                "C3",
                "200,000 no-op forks of one block in 64 groups with limit 4",
                Goal.atLeast(0.85, Entrant.SUBMITTED),
                64,
                4,
                tasks);
    }

    @Override
    Set<Trait> needs() {
        return limit == NEVER_HIT ? Set.of(Trait.SCOPES) : Set.of(Trait.SCOPES, Trait.LIMITS);
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.SCOPE, Entrant.JDK_SCOPE, Entrant.RAW, Entrant.SUBMITTED);
    }

    @Override
    Limits limits() {
        return Limits.perGroup(limit);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        long start = System.nanoTime();
        try (Block block = contestant.open(Block.Joining.ALL)) {
            forkAndJoin(block, groups, tasks);
        }
        return tasks / (nanosSince(start) / 1e6);
    }

    static void forkAndJoin(Block block, List<String> groups, int tasks) throws Exception {
        List<Supplier<Integer>> forks = new ArrayList<>(tasks);
        for (int i = 0; i < tasks; i++) {
            forks.add(block.fork(groups.get(i % groups.size()), NOTHING));
        }
        block.join();
        long sum = 0;
        for (Supplier<Integer> fork : forks) {
            sum += fork.get();
        }
        check(tasks, sum);
    }
}
