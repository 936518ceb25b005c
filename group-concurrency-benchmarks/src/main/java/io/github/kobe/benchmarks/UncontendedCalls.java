package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Set;

/** One thread calls a no-op under one key after the other; nobody ever waits. */
final class UncontendedCalls extends Workload {

    private final List<String> groups = Keys.of("group-", 64);
    private final int calls;

    UncontendedCalls(int calls) {
        super(
                "B8",
                "`call` by one platform thread, uncontended, 64 groups",
                "ns/call",
                Goal.atMost(1.8, Entrant.SEMAPHORE));
        this.calls = calls;
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.LIMITS, Trait.CALLS);
    }

    @Override
    Limits limits() {
        return Limits.perGroup(4);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        long sum = 0;
        long start = System.nanoTime();
        for (int i = 0; i < calls; i++) {
            sum += contestant.call(groups.get(i % groups.size()), NOTHING);
        }
        double nanos = nanosSince(start);
        check(calls, sum);
        return nanos / calls;
    }
}
