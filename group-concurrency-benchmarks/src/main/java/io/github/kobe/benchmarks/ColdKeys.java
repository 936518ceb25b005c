package io.github.kobe.benchmarks;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.Set;

/**
 * The first use of a key whose limit is shared, over a round trip: that of a script with one key, which takes turns with it. Both
 * are printed.
 */
final class ColdKeys extends Workload {

    private static final String SCRIPT = "return redis.call('HGET', KEYS[1], 'field')";

    /** An instance may speak again at once after so long. */
    private static final int PAUSE_MILLIS = 10;

    private final Quantile quantile;
    private final int keys;

    ColdKeys(String id, Quantile quantile, int keys) {
        super(id, "first `call` of a key, " + quantile.title() + ", over a round trip to Redis", "ms", Goal.atMost(1));
        this.quantile = quantile;
        this.keys = keys;
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
    @SuppressWarnings("SystemOut") // the table has room for one figure only
    <H> double run(Contestant<H> contestant) throws Exception {
        RedisCommands<String, String> redis = Redis.only().commands();
        String script = redis.scriptLoad(SCRIPT);
        long[] bare = new long[keys];
        long[] cold = new long[keys];
        for (int i = 0; i < keys; i++) {
            String key = "cold-" + i;
            Thread.sleep(PAUSE_MILLIS);
            long start = System.nanoTime();
            redis.evalsha(script, ScriptOutputType.VALUE, key);
            bare[i] = System.nanoTime() - start;
            Thread.sleep(PAUSE_MILLIS);
            start = System.nanoTime();
            contestant.call(key, NOTHING);
            cold[i] = System.nanoTime() - start;
        }
        System.out.println(id() + ": first call " + Quantile.text(cold) + "; round trip " + Quantile.text(bare));
        return quantile.of(cold) - quantile.of(bare);
    }
}
