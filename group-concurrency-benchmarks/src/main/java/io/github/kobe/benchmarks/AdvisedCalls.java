package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Set;

/** What a call of an annotated method costs over {@code call} with the same method. */
final class AdvisedCalls extends Workload {

    private static final int TURNS = 10;
    private static final List<String> TENANTS = Keys.of("tenant-", 64);

    /** How the annotation tells the group. */
    enum Group {
        LITERAL("A1", "literal", 150) {
            @Override
            int direct(Contestant<?> contestant, AdvisedBean bean, String tenant) throws Exception {
                return contestant.call("group", bean::byLiteral);
            }

            @Override
            int advised(AdvisedBean advised, String tenant) {
                return advised.byLiteral();
            }
        },
        EXPRESSION("A2", "SpEL", 600) {
            @Override
            int direct(Contestant<?> contestant, AdvisedBean bean, String tenant) throws Exception {
                return contestant.call("tenant:" + tenant, () -> bean.byExpression(tenant));
            }

            @Override
            int advised(AdvisedBean advised, String tenant) {
                return advised.byExpression(tenant);
            }
        };

        private final String id;
        private final String title;
        private final int bound;

        Group(String id, String title, int bound) {
            this.id = id;
            this.title = title;
            this.bound = bound;
        }

        abstract int direct(Contestant<?> contestant, AdvisedBean bean, String tenant) throws Exception;

        abstract int advised(AdvisedBean advised, String tenant);
    }

    private final Group group;
    private final int calls;

    AdvisedCalls(Group group, int calls) {
        super(
                group.id,
                "what `@GroupConcurrent` adds to a `call`, group by " + group.title,
                "ns/call",
                Goal.atMost(group.bound));
        this.group = group;
        this.calls = calls;
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.LIMITS, Trait.CALLS, Trait.ADVICE);
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.STARTER);
    }

    @Override
    Limits limits() {
        return Limits.perGroup(4);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        AdvisedBean bean = new AdvisedBean();
        AdvisedBean advised = contestant.advised();
        double added = 0;
        long sum = 0;
        for (int turn = 0; turn < TURNS; turn++) {
            long start = System.nanoTime();
            for (int i = 0; i < calls; i++) {
                sum += group.direct(contestant, bean, TENANTS.get(i % TENANTS.size()));
            }
            long middle = System.nanoTime();
            for (int i = 0; i < calls; i++) {
                sum -= group.advised(advised, TENANTS.get(i % TENANTS.size()));
            }
            added += nanosSince(middle) - (middle - start);
        }
        check(0, sum);
        return added / TURNS / calls;
    }
}
