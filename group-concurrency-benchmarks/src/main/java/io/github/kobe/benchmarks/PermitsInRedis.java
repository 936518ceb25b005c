package io.github.kobe.benchmarks;

import io.github.kobe.GroupResult;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** A permit in Redis for each call. One that isn't given back expires. */
abstract class PermitsInRedis extends FreshThreads {

    /** Longer than any call takes. */
    static final Duration EXPIRY = Duration.ofSeconds(30);

    private static final AtomicInteger MADE = new AtomicInteger();

    /** Each has keys of its own, since limits differ. */
    private final String prefix = "permits-" + MADE.incrementAndGet() + ":";

    /** {@return a permit, as soon as there is one} */
    abstract String acquire(String key) throws InterruptedException;

    abstract void release(String key, String permit);

    @Override
    public final Future<GroupResult<Integer>> submit(String group, String id, Callable<Integer> task) {
        return start(() -> call(group, new Timed(group, id, task)));
    }

    @Override
    public final <T> T call(String group, Callable<T> task) throws Exception {
        String key = prefix + group;
        String permit = acquire(key);
        try {
            return task.call();
        } finally {
            release(key, permit);
        }
    }
}
