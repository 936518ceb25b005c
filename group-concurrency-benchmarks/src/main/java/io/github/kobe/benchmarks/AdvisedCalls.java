package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What a call of an annotated method costs over the same method without the annotation. */
final class AdvisedCalls extends Workload {

    private static final int TURNS = 10;
    private static final int FEW = 64;

    /** How the annotation tells the group. */
    enum Group {
        LITERAL("literal") {
            @Override
            int call(Contestant<?> contestant, AdvisedBean bean, String tenant) throws Exception {
                return contestant.call("group", bean::byLiteral);
            }

            @Override
            int of(AdvisedBean bean, String tenant) {
                return bean.byLiteral();
            }
        },
        EXPRESSION("SpEL") {
            @Override
            int call(Contestant<?> contestant, AdvisedBean bean, String tenant) throws Exception {
                return contestant.call("tenant:" + tenant, () -> bean.byExpression(tenant));
            }

            @Override
            int of(AdvisedBean bean, String tenant) {
                return bean.byExpression(tenant);
            }
        };

        private final String title;

        Group(String title) {
            this.title = title;
        }

        abstract int call(Contestant<?> contestant, AdvisedBean bean, String tenant) throws Exception;

        abstract int of(AdvisedBean bean, String tenant);
    }

    private final Group group;
    private final Entrant entrant;
    private final boolean plain;
    private final List<String> tenants;
    private final int calls;

    private AdvisedCalls(
            String id, String title, Group group, Entrant entrant, boolean plain, Goal goal, int tenants, int calls) {
        super(id, title, "ns/call", goal);
        this.group = group;
        this.entrant = entrant;
        this.plain = plain;
        this.tenants = Keys.of("tenant-", tenants);
        this.calls = calls;
    }

    /** Over the executor called directly with the same method, with all else off. */
    static AdvisedCalls overCalls(String id, Group group, int bound, int calls) {
        String title = "what `@GroupConcurrent` adds to a `call`, group by " + group.title;
        return new AdvisedCalls(id, title, group, Entrant.STARTER, false, Goal.atMost(bound), FEW, calls);
    }

    /** Over the method alone, with all that an application has from the starter. */
    static AdvisedCalls overPlain(String id, Group group, Entrant entrant, int bound, int calls) {
        String more = entrant == Entrant.QUICK_START ? "" : " " + entrant.title();
        String title = "what `@GroupConcurrent` adds to a method, " + Entrant.QUICK_START.title() + more + ", group by "
                + group.title;
        return new AdvisedCalls(id, title, group, entrant, true, Goal.atMost(bound), FEW, calls);
    }

    /** The same for many tenants, each of which is called in its turn. */
    static AdvisedCalls ofManyTenants(String id, int bound, int tenants, int calls) {
        String title = String.format(
                Locale.ROOT,
                "what `@GroupConcurrent` adds to a method, %s, %,d tenants in turn, group by SpEL",
                Entrant.QUICK_START.title(),
                tenants);
        return new AdvisedCalls(
                id, title, Group.EXPRESSION, Entrant.QUICK_START, true, Goal.atMost(bound), tenants, calls);
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.LIMITS, Trait.CALLS, Trait.ADVICE);
    }

    @Override
    List<Entrant> entrants() {
        return List.of(entrant);
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
            sum += plain ? plain(bean) : called(contestant, bean);
            long middle = System.nanoTime();
            for (int i = 0; i < calls; i++) {
                sum -= group.of(advised, tenants.get(i % tenants.size()));
            }
            added += nanosSince(middle) - (middle - start);
        }
        check(0, sum);
        return added / TURNS / calls;
    }

    private long called(Contestant<?> contestant, AdvisedBean bean) throws Exception {
        long sum = 0;
        for (int i = 0; i < calls; i++) {
            sum += group.call(contestant, bean, tenants.get(i % tenants.size()));
        }
        return sum;
    }

    private long plain(AdvisedBean bean) {
        long sum = 0;
        for (int i = 0; i < calls; i++) {
            sum += group.of(bean, tenants.get(i % tenants.size()));
        }
        return sum;
    }
}
