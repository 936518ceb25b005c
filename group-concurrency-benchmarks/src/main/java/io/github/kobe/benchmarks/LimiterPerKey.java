package io.github.kobe.benchmarks;

import io.github.kobe.GroupResult;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A limiter for each key in a map, as applications write it around a limiter that knows no keys. The group's comes
 * before the one over all groups, so that nobody who waits for a group keeps another group waiting.
 *
 * @param <L> the limiter
 */
abstract class LimiterPerKey<L> extends FreshThreads {

    private final ConcurrentMap<String, L> limiters = new ConcurrentHashMap<>();
    private final IntFunction<L> factory;
    private final int limit;
    private final @Nullable L global;

    LimiterPerKey(Limits limits, IntFunction<L> factory) {
        this.factory = factory;
        limit = limits.perGroup();
        global = limits.hasGlobal() ? factory.apply(limits.global()) : null;
    }

    /** Runs the task when the limiter lets it. */
    abstract <T> T through(L limiter, Callable<T> task) throws Exception;

    @Override
    public final Future<GroupResult<Integer>> submit(String group, String id, Callable<Integer> task) {
        return start(() -> call(group, new Timed(group, id, task)));
    }

    @Override
    public final <T> T call(String group, Callable<T> task) throws Exception {
        L limiter = limiters.get(group);
        if (limiter == null) {
            limiter = limiters.computeIfAbsent(group, key -> factory.apply(limit));
        }
        L last = global;
        return through(limiter, last == null ? task : () -> through(last, task));
    }
}
