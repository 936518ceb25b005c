package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Set;

/** How much longer an uncontended call takes with leased capacity than with the same limits of one instance alone. */
final class LeasedCalls extends Workload {

    private static final int TURNS = 10;

    private final UncontendedCalls calls;

    LeasedCalls(int calls) {
        super("L1", "what limits over instances add to a `call`, capacity held", "ns/call", Goal.atMost(30));
        this.calls = UncontendedCalls.ofPlatformThread(calls);
    }

    @Override
    Set<Trait> needs() {
        return calls.needs();
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.LEASED);
    }

    @Override
    Limits limits() {
        return calls.limits();
    }

    @Override
    <H> double run(Contestant<H> leased) throws Exception {
        try (Ours local = new Ours(limits())) {
            calls.run(leased); // which leases
            calls.run(local);
            double added = 0;
            for (int turn = 0; turn < TURNS; turn++) {
                added += calls.run(leased) - calls.run(local);
            }
            return added / TURNS;
        }
    }
}
