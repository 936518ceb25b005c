package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Set;

/** Each of some threads calls a no-op under one of its own keys after the other; nobody ever waits. */
final class UncontendedCalls extends Workload {

    private static final int KEYS = 64;
    private static final Goal UNCONTENDED = Goal.atMost(2.5, Entrant.SEMAPHORE);

    private final int threads;
    private final int calls;
    private final Thread.Builder builder;

    private UncontendedCalls(String id, String title, Goal goal, int threads, int calls, Thread.Builder builder) {
        super(id, "`call` by " + title + ", uncontended, 64 groups each", "ns/call", goal);
        this.threads = threads;
        this.calls = calls;
        this.builder = builder;
    }

    static UncontendedCalls ofPlatformThread(int calls) {
        return new UncontendedCalls("B8", "one platform thread", UNCONTENDED, 1, calls, Thread.ofPlatform());
    }

    static UncontendedCalls ofTwoPlatformThreads(int calls) {
        Goal goal = Goal.none(Entrant.SEMAPHORE);
        return new UncontendedCalls("B8t", "two platform threads", goal, 2, calls, Thread.ofPlatform());
    }

    static UncontendedCalls ofVirtualThread(int calls) {
        return new UncontendedCalls("B8v", "one virtual thread", UNCONTENDED, 1, calls, Thread.ofVirtual());
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
        return inParallel(builder, threads, i -> {
                    List<String> groups = Keys.of("group-" + i + "-", KEYS);
                    return () -> call(contestant, groups);
                })
                .stream()
                .mapToDouble(Double::doubleValue)
                .average()
                .orElseThrow();
    }

    private double call(Contestant<?> contestant, List<String> groups) throws Exception {
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
