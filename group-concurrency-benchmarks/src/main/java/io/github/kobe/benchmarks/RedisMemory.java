package io.github.kobe.benchmarks;

import io.github.kobe.GroupStats;
import io.github.kobe.SharedLimit;
import java.time.Duration;
import java.util.List;

/** What Redis keeps for each key that four instances have used. */
final class RedisMemory extends Workload {

    /** When it is looked at. */
    enum Moment {
        HELD("that four instances hold capacity of, without the key itself", 250),
        IDLE("that four instances have used, and don't use any more", 1);

        private final String title;
        private final int bound;

        Moment(String title, int bound) {
            this.title = title;
            this.bound = bound;
        }
    }

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int PAUSE_MILLIS = 10;

    private final Moment moment;
    private final List<String> keys;

    RedisMemory(String id, Moment moment, int keys) {
        super(id, "memory of Redis for a key " + moment.title, "B", Goal.atMost(moment.bound));
        this.moment = moment;
        this.keys = Keys.of("group-", keys);
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.LEASED);
    }

    @Override
    boolean isSteady() {
        return true;
    }

    /** Each instance gets one more than it needs. */
    @Override
    Limits limits() {
        return Limits.perGroup(16);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        try (Ours second = new OursOverInstances(limits());
                Ours third = new OursOverInstances(limits());
                Ours fourth = new OursOverInstances(limits())) {
            awaitNothingKept();
            long before = Redis.only().memory();
            for (Ours instance : List.of((Ours) contestant, second, third, fourth)) {
                use(instance);
            }
            if (moment == Moment.IDLE) {
                awaitNothingKept();
            }
            double each = (double) (Redis.only().memory() - before) / keys.size();
            return moment == Moment.IDLE ? each : each - keyLength();
        }
    }

    private double keyLength() {
        return keys.stream().mapToInt(String::length).average().orElseThrow();
    }

    private void use(Ours instance) {
        keys.stream().map(key -> instance.submit(key, "task", NOTHING)).toList().forEach(instance::join);
        check(
                keys.size(),
                keys.stream().filter(key -> leased(instance, key) > 0).count());
    }

    private static int leased(Ours instance, String key) {
        return instance.executor()
                .groupStats(key)
                .flatMap(GroupStats::cluster)
                .map(SharedLimit::leased)
                .orElse(0);
    }

    /** What instances have given back, and what dead ones had, is removed little by little. */
    private static void awaitNothingKept() throws InterruptedException {
        long start = System.nanoTime();
        while (Redis.only().groups() > 0) {
            check(1, nanosSince(start) < PATIENCE.toNanos() ? 1 : 0);
            Thread.sleep(PAUSE_MILLIS);
        }
    }
}
