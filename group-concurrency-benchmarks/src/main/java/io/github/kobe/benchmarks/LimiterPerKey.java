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

    /** The one over all groups, if there is a limit. */
    final @Nullable L global;

    LimiterPerKey(Limits limits, IntFunction<L> factory) {
        this.factory = factory;
        limit = limits.perGroup();
        global = limits.hasGlobal() ? factory.apply(limits.global()) : null;
    }

    @Override
    public final Future<GroupResult<Integer>> submit(String group, String id, Callable<Integer> task) {
        return start(() -> call(group, new Timed(group, id, task)));
    }

    /**
     * Each has a {@code call} of its own: one for all of them would call five kinds of limiters at the same place, and the
     * compiler could put none of them in line.
     */
    @Override
    public abstract <T> T call(String group, Callable<T> task) throws Exception;

    /** {@return the group's limiter} */
    final L limiter(String group) {
        L limiter = limiters.get(group);
        return limiter != null ? limiter : limiters.computeIfAbsent(group, key -> factory.apply(limit));
    }
}
