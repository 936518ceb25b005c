package io.github.kobe.benchmarks;

import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import java.time.Duration;
import java.util.concurrent.Callable;

/** Resilience4j's bulkhead on a semaphore; its registry is a map too, so ours stands for it. */
final class Resilience4jBulkheads extends LimiterPerKey<Bulkhead> {

    private static final Duration LONG = Duration.ofHours(1);

    Resilience4jBulkheads(Limits limits) {
        super(limits, limit -> Bulkhead.of("bulkhead", config(limit, limits.fifo())));
    }

    private static BulkheadConfig config(int limit, boolean fifo) {
        return BulkheadConfig.custom()
                .maxConcurrentCalls(limit)
                .maxWaitDuration(LONG)
                .fairCallHandlingStrategyEnabled(fifo)
                .build();
    }

    @Override
    public <T> T call(String group, Callable<T> task) throws Exception {
        Bulkhead last = global;
        return through(limiter(group), last == null ? task : () -> through(last, task));
    }

    private static <T> T through(Bulkhead limiter, Callable<T> task) throws Exception {
        return limiter.executeCallable(task);
    }
}
