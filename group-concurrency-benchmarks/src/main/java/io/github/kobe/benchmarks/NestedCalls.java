package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Set;

/** A call of one group inside a call of another, such as a partner's inside a tenant's; nobody ever waits. */
final class NestedCalls extends Workload {

    private final List<String> tenants = Keys.of("tenant-", 64);
    private final List<String> partners = Keys.of("partner-", 16);
    private final int calls;

    NestedCalls(int calls) {
        super(
                "B8n",
                "`call` inside `call` of another group by one platform thread, uncontended; goal 2.2 × B8",
                "ns for both",
                Goal.none(Entrant.SEMAPHORE));
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
            String partner = partners.get(i % partners.size());
            sum += contestant.call(tenants.get(i % tenants.size()), () -> contestant.call(partner, NOTHING));
        }
        double nanos = nanosSince(start);
        check(calls, sum);
        return nanos / calls;
    }
}
