package io.github.kobe.benchmarks;

import java.util.Set;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * As {@link ContendedCalls}, but each call takes a millisecond, and the longest wait counts. Ideal is that all wait the
 * same: with 64 callers and 4 permits, for the 15 calls that are ahead at one's own permit.
 */
final class LongestWait extends Workload {

    private final int callsPerThread;

    LongestWait(int callsPerThread) {
        super("B8w", "longest wait of 64 threads for calls of 1 ms, limit 4", "× ideal", Goal.atMost(1.2));
        this.callsPerThread = callsPerThread;
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.LIMITS, Trait.CALLS);
    }

    @Override
    Limits limits() {
        return Limits.perGroup(ContendedCalls.LIMIT).inTurn();
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        LongAccumulator longest = new LongAccumulator(Long::max, 0);
        LongAdder inside = new LongAdder();
        long calls = Crowd.sum(ContendedCalls.THREADS, () -> calls(contestant, longest, inside));
        check((long) ContendedCalls.THREADS * callsPerThread, calls);
        double call = inside.doubleValue() / calls;
        double ideal = call * (ContendedCalls.THREADS - ContendedCalls.LIMIT) / ContendedCalls.LIMIT;
        return longest.doubleValue() / ideal;
    }

    private int calls(Contestant<?> contestant, LongAccumulator longest, LongAdder inside) throws Exception {
        int sum = 0;
        for (int i = 0; i < callsPerThread; i++) {
            long before = System.nanoTime();
            sum += contestant.call("group", () -> {
                long start = System.nanoTime();
                longest.accumulate(start - before);
                Thread.sleep(1);
                inside.add(System.nanoTime() - start);
                return 1;
            });
        }
        return sum;
    }
}
