package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Set;

/** What calls of an annotated method leave on the heap, in whole bytes for each. */
final class AdvisedHeap extends Workload {

    private static final List<String> TENANTS = Keys.of("tenant-", 64);

    private final int calls;

    AdvisedHeap(int calls) {
        super("A3", "heap retained by a call of a method with `@GroupConcurrent`, group by SpEL", "B", Goal.atMost(0));
        this.calls = calls;
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.LIMITS, Trait.ADVICE);
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.STARTER);
    }

    @Override
    boolean isSteady() {
        return true;
    }

    @Override
    Limits limits() {
        return Limits.perGroup(4);
    }

    @Override
    <H> double run(Contestant<H> contestant) {
        AdvisedBean advised = contestant.advised();
        call(advised, TENANTS.size()); // makes the groups
        long before = Backlog.usedHeap();
        call(advised, calls);
        return Math.round((double) (Backlog.usedHeap() - before) / calls);
    }

    private static void call(AdvisedBean advised, int times) {
        long sum = 0;
        for (int i = 0; i < times; i++) {
            sum += advised.byExpression(TENANTS.get(i % TENANTS.size()));
        }
        check(1, Long.signum(sum));
    }
}
