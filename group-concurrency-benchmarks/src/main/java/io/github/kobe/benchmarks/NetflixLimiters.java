package io.github.kobe.benchmarks;

import com.netflix.concurrency.limits.Limiter;
import com.netflix.concurrency.limits.limit.FixedLimit;
import com.netflix.concurrency.limits.limiter.BlockingLimiter;
import com.netflix.concurrency.limits.limiter.SimpleLimiter;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;

/** Netflix's limiter with a fixed limit, blocking. (The other blocking one, last in first out, can miss a release.) */
final class NetflixLimiters extends LimiterPerKey<Limiter<String>> {

    NetflixLimiters(Limits limits) {
        super(
                limits,
                limit -> BlockingLimiter.wrap(
                        SimpleLimiter.newBuilder().limit(FixedLimit.of(limit)).build()));
    }

    @Override
    public <T> T call(String group, Callable<T> task) throws Exception {
        Limiter<String> last = global;
        return through(limiter(group), last == null ? task : () -> through(last, task));
    }

    private static <T> T through(Limiter<String> limiter, Callable<T> task) throws Exception {
        Limiter.Listener permit = limiter.acquire("").orElseThrow(RejectedExecutionException::new);
        try {
            return task.call();
        } finally {
            permit.onSuccess();
        }
    }
}
