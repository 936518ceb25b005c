package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import io.github.kobe.TaskHandle;
import io.github.kobe.scope.ScopeSettings;
import io.github.kobe.scope.Scopes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Requests that hold all global permits and wait for forks in many groups, which therefore run on the permits of those who
 * wait: what a fork takes, over what it takes if all of them are of one group.
 */
final class FannedOut extends Workload {

    private static final int REQUESTS = 20;

    private final int groups;

    FannedOut(int groups) {
        super(
                "N3",
                String.format(
                        Locale.ROOT,
                        "forks of %d requests that hold all global permits, each request over %,d groups",
                        REQUESTS,
                        groups),
                "× in one group",
                Goal.atMost(3));
        this.groups = groups;
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.LIMITS, Trait.CAPS);
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.OURS);
    }

    @Override
    Limits limits() {
        return Limits.perGroup(REQUESTS).withGlobal(REQUESTS);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        GroupExecutor executor = ((Ours) contestant).executor();
        double one = forksIn(executor, 1);
        return forksIn(executor, groups) / one;
    }

    private double forksIn(GroupExecutor executor, int number) throws Exception {
        List<TaskHandle<Integer>> requests = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = 0; i < REQUESTS; i++) {
            requests.add(executor.submit("request", () -> forked(executor, number)));
        }
        long sum = 0;
        for (TaskHandle<Integer> request : requests) {
            sum += request.await().valueOrThrow();
        }
        double nanos = nanosSince(start);
        check((long) REQUESTS * groups, sum);
        return nanos;
    }

    private int forked(GroupExecutor executor, int number) throws Exception {
        try (var scope = Scopes.of(executor).open(ScopeSettings::withoutTimeout)) {
            for (int i = 0; i < groups; i++) {
                scope.fork("tenant-" + i % number, () -> 1);
            }
            scope.join();
        }
        return groups;
    }
}
