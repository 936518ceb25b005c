package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Some virtual threads of one instance call a no-op over and over, each under a key of its own whose limit is shared. */
final class SharedCalls extends Workload {

    private static final int THREADS = 16;

    private final List<String> keys = Keys.of("group-", THREADS);
    private final boolean paced;
    private final long nanos;

    private SharedCalls(String id, String title, String unit, Goal goal, boolean paced, int millis) {
        super(id, "no-op `call`s by 16 virtual threads, each under its own key, " + title, unit, goal);
        this.paced = paced;
        nanos = TimeUnit.MILLISECONDS.toNanos(millis);
    }

    static SharedCalls asFastAsTheyCan(String id, int millis) {
        return new SharedCalls(
                id, "as fast as they can", "calls/s", Goal.atLeast(20, Entrant.SORTED_SET), false, millis);
    }

    /** How many commands of Redis they take, if there are a thousand in a second. */
    static SharedCalls aThousandInASecond(String id, int millis) {
        return new SharedCalls(
                id,
                "a thousand in a second: commands of Redis, those in scripts included",
                "commands/call",
                Goal.atMost(0.02, Entrant.SORTED_SET),
                true,
                millis);
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.LIMITS, Trait.CALLS);
    }

    @Override
    List<Entrant> entrants() {
        return Entrant.OVER_INSTANCES;
    }

    @Override
    Limits limits() {
        return Limits.perGroup(4);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        check(keys.size(), Crowd.sum(keys, key -> contestant.call(key, NOTHING))); // which leases
        long before = Redis.only().carriedOut();
        long start = System.nanoTime();
        long calls = Crowd.sum(keys, key -> callsUntil(start + nanos, contestant, key));
        double seconds = nanosSince(start) / 1e9;
        double commands = Redis.only().carriedOut() - before;
        return paced ? commands / calls : calls / seconds;
    }

    private int callsUntil(long end, Contestant<?> contestant, String key) throws Exception {
        int calls = 0;
        do {
            calls += contestant.call(key, NOTHING);
            if (paced) {
                Thread.sleep(THREADS);
            }
        } while (System.nanoTime() - end < 0);
        return calls;
    }
}
