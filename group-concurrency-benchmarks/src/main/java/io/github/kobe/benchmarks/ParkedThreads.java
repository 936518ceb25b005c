package io.github.kobe.benchmarks;

import io.github.kobe.GroupResult;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/**
 * A thread for each task that parks on a fair semaphore for each layer, the widest first: all groups, in flight, running.
 * So whoever waits for a group keeps a permit of all groups meanwhile.
 */
final class ParkedThreads extends FreshThreads {

    private record Layers(Semaphore inFlight, Semaphore running) {}

    private final ConcurrentMap<String, Layers> groups = new ConcurrentHashMap<>();
    private final Semaphore global;
    private final int limit;

    ParkedThreads(Limits limits) {
        global = new Semaphore(limits.global(), true);
        limit = limits.perGroup();
    }

    @Override
    public Future<GroupResult<Integer>> submit(String group, String id, Callable<Integer> task) {
        return start(() -> run(layers(group), new Timed(group, id, task)));
    }

    private GroupResult<Integer> run(Layers layers, Timed task) throws InterruptedException {
        global.acquire();
        try {
            layers.inFlight.acquire();
            try {
                layers.running.acquire();
                try {
                    return task.call();
                } finally {
                    layers.running.release();
                }
            } finally {
                layers.inFlight.release();
            }
        } finally {
            global.release();
        }
    }

    private Layers layers(String group) {
        Layers known = groups.get(group);
        return known != null
                ? known
                : groups.computeIfAbsent(
                        group, key -> new Layers(new Semaphore(Integer.MAX_VALUE, true), new Semaphore(limit, true)));
    }
}
