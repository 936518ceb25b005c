package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;

/** One thread calls a no-op under one key after the other; nobody ever waits. */
final class UncontendedCalls extends Workload {

    private final List<String> groups = Keys.of("group-", 64);
    private final int calls;
    private final boolean virtual;

    private UncontendedCalls(String id, String thread, Goal goal, int calls, boolean virtual) {
        super(id, "`call` by one " + thread + " thread, uncontended, 64 groups", "ns/call", goal);
        this.calls = calls;
        this.virtual = virtual;
    }

    static UncontendedCalls ofPlatformThread(int calls) {
        return new UncontendedCalls("B8", "platform", Goal.atMost(1.8, Entrant.SEMAPHORE), calls, false);
    }

    static UncontendedCalls ofVirtualThread(int calls) {
        return new UncontendedCalls("B8v", "virtual", Goal.none(Entrant.SEMAPHORE), calls, true);
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
        if (!virtual) {
            return call(contestant);
        }
        FutureTask<Double> calling = new FutureTask<>(() -> call(contestant));
        Thread.startVirtualThread(calling);
        return calling.get();
    }

    private double call(Contestant<?> contestant) throws Exception {
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
