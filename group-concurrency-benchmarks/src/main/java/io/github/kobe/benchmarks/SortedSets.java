package io.github.kobe.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** What people write by hand: a sorted set of permits by the time at which they expire, and a script that adds one. */
final class SortedSets extends PermitsInRedis {

    private static final String TAKE = """
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
        if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then
          return 0
        end
        redis.call('ZADD', KEYS[1], ARGV[3], ARGV[4])
        return 1
        """;

    private final RedisClient client = RedisClient.create(Redis.only().address());
    private final RedisCommands<String, String> commands = client.connect().sync();
    private final String take = commands.scriptLoad(TAKE);
    private final AtomicLong permits = new AtomicLong();
    private final String limit;

    SortedSets(Limits limits) {
        limit = Integer.toString(limits.perGroup());
    }

    @Override
    String acquire(String key) throws InterruptedException {
        String permit = Long.toString(permits.incrementAndGet());
        while (!takes(key, permit)) {
            Thread.sleep(1); // nobody tells when one is free
        }
        return permit;
    }

    private boolean takes(String key, String permit) {
        long now = System.currentTimeMillis();
        String expires = Long.toString(now + EXPIRY.toMillis());
        return Boolean.TRUE.equals(commands.evalsha(
                take, ScriptOutputType.BOOLEAN, new String[] {key}, Long.toString(now), limit, expires, permit));
    }

    @Override
    void release(String key, String permit) {
        commands.zrem(key, permit);
    }

    @Override
    public void close() {
        super.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
}
