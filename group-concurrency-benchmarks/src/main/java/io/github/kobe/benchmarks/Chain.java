package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Blocks inside each other's forks, all in one group: with limit 1 each owner has to lend its permit. */
final class Chain extends Workload {

    /** A limit that is never in the way. */
    static final int WIDE = 8;

    private static final int DEPTH = 5;

    private final int chains;

    Chain(int chains) {
        super(
                "C8",
                "a chain of 5 blocks inside each other's forks, all in one group with limit 1",
                "µs/chain",
                Goal.atMost(3, Entrant.WIDE));
        this.chains = chains;
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.SCOPES);
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.SCOPE, Entrant.WIDE, Entrant.SUBMITTED);
    }

    @Override
    Limits limits() {
        return Limits.perGroup(1);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        long sum = 0;
        long start = System.nanoTime();
        for (int i = 0; i < chains; i++) {
            sum += chain(contestant, DEPTH);
        }
        double nanos = nanosSince(start);
        check((long) chains * DEPTH, sum);
        return nanos / 1e3 / chains;
    }

    private static int chain(Contestant<?> contestant, int depth) throws Exception {
        try (Block block = contestant.open(Block.Joining.ALL_SUCCESSFUL)) {
            Supplier<Integer> fork = block.fork("group", () -> depth == 1 ? 1 : 1 + chain(contestant, depth - 1));
            block.join();
            return fork.get();
        }
    }
}
