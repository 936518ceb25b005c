package io.github.kobe.benchmarks;

import java.util.Set;

/** 64 virtual threads call under one key with limit 4, over and over; whoever is inside lets the others run. */
final class ContendedCalls extends Workload {

    static final int THREADS = 64;
    static final int LIMIT = 4;

    private final int callsPerThread;

    ContendedCalls(int calls) {
        super(
                "B8c",
                "`call` by 64 virtual threads, limit 4, first come first served where that can be had",
                "ns/call",
                Goal.atMost(0.90, Entrant.SEMAPHORE));
        this.callsPerThread = Math.max(1, calls / THREADS);
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.LIMITS, Trait.CALLS);
    }

    @Override
    Limits limits() {
        return Limits.perGroup(LIMIT).inTurn();
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        long start = System.nanoTime();
        long sum = Crowd.sum(THREADS, () -> calls(contestant));
        double nanos = nanosSince(start);
        check((long) THREADS * callsPerThread, sum);
        return nanos / sum;
    }

    @SuppressWarnings("ThreadPriorityCheck") // so that the permits are taken while others come
    private int calls(Contestant<?> contestant) throws Exception {
        int sum = 0;
        for (int i = 0; i < callsPerThread; i++) {
            sum += contestant.call("group", () -> {
                Thread.yield();
                return 1;
            });
        }
        return sum;
    }
}
