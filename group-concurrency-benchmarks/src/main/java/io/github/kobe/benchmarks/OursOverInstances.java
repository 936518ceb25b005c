package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import io.github.kobe.cluster.Cluster;
import io.github.kobe.cluster.ClusterSettings;
import io.github.kobe.cluster.ClusterState;
import io.github.kobe.cluster.redis.RedisClusterStore;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** The engine as one of the instances that share their limits, which are as large as its own. */
final class OursOverInstances extends Ours {

    /** Longer than a store learns that has just begun. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration PAUSE = Duration.ofMillis(1);

    private final RedisClusterStore store;

    OursOverInstances(Limits limits) {
        this(limits, Redis.only().address());
    }

    OursOverInstances(Limits limits, String redis) {
        this(
                limits,
                RedisClusterStore.builder(RedisURI.create(redis))
                        .namespace(Redis.NAMESPACE)
                        .build());
    }

    private OursOverInstances(Limits limits, RedisClusterStore store) {
        super(GroupExecutor.newVirtualThreadExecutor(
                policy(limits)
                        .defaultClusterMaxInFlightPerGroup(limits.perGroup())
                        .build(),
                ClusterSettings.of(store)));
        this.store = store;
        await(ClusterState.Kind.CONNECTED);
    }

    Cluster cluster() {
        return executor().cluster().orElseThrow();
    }

    private void await(ClusterState.Kind kind) {
        long start = System.nanoTime();
        while (cluster().state().kind() != kind) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new IllegalStateException(
                        "not " + kind + " but " + cluster().state());
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    /** Returns when Redis knows that nothing is in use any more. */
    @Override
    public void close() {
        super.close();
        await(ClusterState.Kind.CLOSED);
        store.close();
    }
}
