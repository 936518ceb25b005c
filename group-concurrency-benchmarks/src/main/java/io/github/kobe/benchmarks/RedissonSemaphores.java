package io.github.kobe.benchmarks;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/** Redisson's semaphore with permits that expire, one for each key. */
final class RedissonSemaphores extends PermitsInRedis {

    private final RedissonClient client = connected();
    private final ConcurrentMap<String, RPermitExpirableSemaphore> semaphores = new ConcurrentHashMap<>();
    private final int limit;

    RedissonSemaphores(Limits limits) {
        limit = limits.perGroup();
    }

    private static RedissonClient connected() {
        Config config = new Config();
        config.setCodec(StringCodec.INSTANCE);
        config.useSingleServer().setAddress(Redis.only().address());
        return Redisson.create(config);
    }

    private RPermitExpirableSemaphore semaphore(String key) {
        RPermitExpirableSemaphore known = semaphores.get(key);
        return known != null ? known : semaphores.computeIfAbsent(key, this::made);
    }

    private RPermitExpirableSemaphore made(String key) {
        RPermitExpirableSemaphore semaphore = client.getPermitExpirableSemaphore(key);
        semaphore.trySetPermits(limit);
        return semaphore;
    }

    @Override
    String acquire(String key) throws InterruptedException {
        return semaphore(key).acquire(EXPIRY.toSeconds(), TimeUnit.SECONDS);
    }

    @Override
    void release(String key, String permit) {
        semaphore(key).release(permit);
    }

    @Override
    public void close() {
        super.close();
        client.shutdown();
    }
}
