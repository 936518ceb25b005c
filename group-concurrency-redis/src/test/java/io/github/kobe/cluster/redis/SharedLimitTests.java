package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.TaskHandle;
import io.github.kobe.cluster.ClusterSettings;
import io.github.kobe.cluster.NodeShare;
import io.github.kobe.cluster.SharingExecutors;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import io.github.kobe.testing.RedisServer;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Executors that share limits by Redis, as applications use them. Each has a store of its own, as in another process. */
@Tag("deep")
@Tag("lettuce")
@Timeout(120)
class SharedLimitTests extends SharingExecutors {

    private final RedisServer server = RedisServer.start();
    private final List<RedisClusterStore> stores = new ArrayList<>();

    @Override
    protected ClusterSettings settings() {
        RedisClusterStore store = RedisClusterStore.builder(RedisURI.create("localhost", server.port()))
                .namespace("tests")
                .build();
        stores.add(store);
        return ClusterSettings.of(store).withLease(Duration.ofSeconds(5));
    }

    @Override
    protected void closeStores() {
        stores.forEach(RedisClusterStore::close);
        server.close();
    }

    @Test
    @Tag("CL13")
    void aRestartOfRedisStopsNobodyAndBreaksNoLimit() throws Exception {
        GroupExecutor one = join();
        Gate gate = new Gate();
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < LIMIT; i++) {
            handles.add(one.submit(KEY, gate.then("done")));
        }
        gate.awaitArrived(LIMIT);
        server.restart();
        GroupExecutor two = join();
        TaskHandle<String> other = two.submit(KEY, this::work);

        Deadline.until("both in the new epoch", () -> shares().size() == 2);
        assertThat(shares()).extracting(NodeShare::has).contains(LIMIT);
        assertThat(other.isDone()).isFalse();
        gate.open();
        awaitAll(handles);
        awaitAll(List.of(other));
    }

    private List<NodeShare> shares() {
        try {
            return stores.getFirst()
                    .look("g:" + KEY)
                    .toCompletableFuture()
                    .orTimeout(Deadline.SECONDS, TimeUnit.SECONDS)
                    .join();
        } catch (RuntimeException notConnected) {
            return List.of();
        }
    }

    @Test
    @Tag("CL41")
    void whatOneGivesBackAnotherHas() throws Exception {
        GroupExecutor one = join();
        Gate gate = new Gate();
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < LIMIT; i++) {
            handles.add(one.submit(KEY, gate.then("done")));
        }
        gate.awaitArrived(LIMIT);
        TaskHandle<String> waiting = join().submit(KEY, this::work);
        Deadline.until("one that waits", () -> shares().stream().anyMatch(share -> share.has() == 0));
        assertThat(waiting.isDone()).isFalse();

        gate.open();
        awaitAll(handles);
        awaitAll(List.of(waiting));
    }
}
