package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Set;

/**
 * About as many virtual threads as the global limit allows call over and over, each under a key of its own. Beside the
 * engine as it is runs one whose global limit decides over each start, as it does while it is short: a limit that comes
 * and goes must not cost more than one that stays.
 */
final class AtTheCap extends Workload {

    static final int LIMIT = 8;

    private final int threads;
    private final int callsPerThread;

    AtTheCap(int threads, int calls) {
        super(
                "G" + threads,
                "`call` by " + threads + " virtual threads, each under its own key, global limit " + LIMIT,
                "ns/call",
                Goal.atMost(1.05, Entrant.BOUND));
        this.threads = threads;
        this.callsPerThread = Math.max(1, calls / threads);
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.LIMITS, Trait.CAPS, Trait.CALLS);
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.BOUND, Entrant.OURS);
    }

    @Override
    Limits limits() {
        return Limits.perGroup(4).withGlobal(LIMIT);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        List<String> keys = Keys.of("group-", threads);
        long start = System.nanoTime();
        long sum = Crowd.sum(keys, key -> calls(contestant, key));
        double nanos = nanosSince(start);
        check((long) threads * callsPerThread, sum);
        return nanos / sum;
    }

    @SuppressWarnings("ThreadPriorityCheck") // so that all are inside at once
    private int calls(Contestant<?> contestant, String key) throws Exception {
        int sum = 0;
        for (int i = 0; i < callsPerThread; i++) {
            sum += contestant.call(key, () -> {
                Thread.yield();
                return 1;
            });
        }
        return sum;
    }
}
