package io.github.kobe.benchmarks;

import io.github.kobe.cluster.ClusterTotals;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** How often an instance speaks to the store, by its own count. */
final class Exchanges extends Workload {

    /** What it does meanwhile. */
    enum Moment {
        IDLE("that does nothing"),
        WARM("that calls in each of 64 groups, one each millisecond, capacity held");

        private final String title;

        Moment(String title) {
            this.title = title;
        }
    }

    private static final int GROUPS = 64;

    private final List<String> groups = Keys.of("group-", GROUPS);
    private final Moment moment;
    private final int millis;

    Exchanges(String id, Moment moment, int millis) {
        super(id, "exchanges with Redis of an instance " + moment.title, "exchanges/s", Goal.atMost(0.75));
        this.moment = moment;
        this.millis = millis;
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.LIMITS, Trait.CALLS);
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.LEASED);
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
    <H> double run(Contestant<H> contestant) throws Exception {
        pass(millis / 10, contestant); // which leases
        long before = spoken(contestant);
        long start = System.nanoTime();
        pass(millis, contestant);
        double seconds = nanosSince(start) / 1e9;
        return (spoken(contestant) - before) / seconds;
    }

    private void pass(int time, Contestant<?> contestant) throws Exception {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(time);
        for (int i = 0; System.nanoTime() - end < 0; i++) {
            if (moment == Moment.WARM) {
                contestant.call(groups.get(i % GROUPS), NOTHING);
            }
            Thread.sleep(1);
        }
    }

    private static long spoken(Contestant<?> contestant) {
        ClusterTotals totals = ((OursOverInstances) contestant).cluster().totals();
        return totals.answered() + totals.failed();
    }
}
