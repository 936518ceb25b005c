package io.github.kobe.benchmarks;

import dev.failsafe.Bulkhead;
import java.util.concurrent.Callable;

/** Failsafe's bulkhead used by itself, which is faster than through an execution. */
final class FailsafeBulkheads extends LimiterPerKey<Bulkhead<Object>> {

    FailsafeBulkheads(Limits limits) {
        super(limits, Bulkhead::of);
    }

    @Override
    public <T> T call(String group, Callable<T> task) throws Exception {
        Bulkhead<Object> last = global;
        return through(limiter(group), last == null ? task : () -> through(last, task));
    }

    private static <T> T through(Bulkhead<Object> limiter, Callable<T> task) throws Exception {
        limiter.acquirePermit();
        try {
            return task.call();
        } finally {
            limiter.releasePermit();
        }
    }
}
