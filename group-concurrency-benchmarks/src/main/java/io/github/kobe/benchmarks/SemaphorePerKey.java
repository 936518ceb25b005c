package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;

/** What people write by hand. */
final class SemaphorePerKey extends LimiterPerKey<Semaphore> {

    SemaphorePerKey(Limits limits) {
        super(limits, limit -> new Semaphore(limit, limits.fifo()));
    }

    @Override
    public <T> T call(String group, Callable<T> task) throws Exception {
        Semaphore last = global;
        return through(limiter(group), last == null ? task : () -> through(last, task));
    }

    private static <T> T through(Semaphore limiter, Callable<T> task) throws Exception {
        limiter.acquire();
        try {
            return task.call();
        } finally {
            limiter.release();
        }
    }
}
