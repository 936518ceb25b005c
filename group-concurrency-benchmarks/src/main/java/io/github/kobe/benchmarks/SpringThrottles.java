package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;
import org.springframework.core.task.SyncTaskExecutor;
import org.springframework.core.task.TaskCallback;

/** Spring's concurrency throttle, which is also behind {@code @ConcurrencyLimit}, in its form without a proxy. */
final class SpringThrottles extends LimiterPerKey<SyncTaskExecutor> {

    SpringThrottles(Limits limits) {
        super(limits, SpringThrottles::throttle);
    }

    private static SyncTaskExecutor throttle(int limit) {
        SyncTaskExecutor throttle = new SyncTaskExecutor();
        throttle.setConcurrencyLimit(limit);
        return throttle;
    }

    @Override
    public <T> T call(String group, Callable<T> task) throws Exception {
        SyncTaskExecutor last = global;
        return through(limiter(group), last == null ? task : () -> through(last, task));
    }

    private static <T> T through(SyncTaskExecutor limiter, Callable<T> task) throws Exception {
        TaskCallback<T, Exception> callback = task::call;
        return limiter.execute(callback);
    }
}
