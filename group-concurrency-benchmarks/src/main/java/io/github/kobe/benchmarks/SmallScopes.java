package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Set;

/** One block after the other is opened, forks a few no-op tasks, is joined and closed. */
final class SmallScopes extends Workload {

    private static final int NEVER_HIT = 1 << 20;

    private final int forks;
    private final int blocks;
    private final List<Entrant> entrants;

    private SmallScopes(String id, String title, String unit, Goal goal, int forks, int blocks, Entrant... entrants) {
        super(id, title, unit, goal);
        this.forks = forks;
        this.blocks = blocks;
        this.entrants = List.of(entrants);
    }

    static SmallScopes ofTenForks(int blocks) {
        return new SmallScopes(
                "C1",
                "open, 10 no-op forks, join and close, again and again; limit never hit",
                "scopes/ms",
                Goal.atLeast(0.75, Entrant.JDK_SCOPE),
                10,
                blocks,
                Entrant.SCOPE,
                Entrant.JDK_SCOPE,
                Entrant.RAW,
                Entrant.SUBMITTED);
    }

    static SmallScopes empty(int blocks) {
        return new SmallScopes(
                "C4",
                "open and close, nothing forked",
                "ns",
                Goal.atMost(2, Entrant.JDK_SCOPE),
                0,
                blocks,
                Entrant.SCOPE,
                Entrant.JDK_SCOPE);
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.SCOPES);
    }

    @Override
    List<Entrant> entrants() {
        return entrants;
    }

    @Override
    Limits limits() {
        return Limits.perGroup(NEVER_HIT);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        long start = System.nanoTime();
        for (int i = 0; i < blocks; i++) {
            try (Block block = contestant.open(Block.Joining.ALL_SUCCESSFUL)) {
                if (forks > 0) {
                    ForkedTasks.forkAndJoin(block, List.of("group"), forks);
                }
            }
        }
        double nanos = nanosSince(start);
        return forks > 0 ? blocks / (nanos / 1e6) : nanos / blocks;
    }
}
