package io.github.kobe.cluster.redis;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.TaskStatus;
import io.github.kobe.cluster.Cluster;
import io.github.kobe.cluster.ClusterSettings;
import io.github.kobe.cluster.ClusterState;
import io.lettuce.core.RedisURI;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Scanner;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * An instance in a process of its own, which makes load: work for some keys, of which each has another limit over all
 * instances. What it does, it notes in its {@link Witness}. It prints each change of how it stands with the store.
 *
 * <p>It is told what to do on its input: {@code load LIMIT WORKERS LEAST MOST} makes that many workers, each of which offers
 * one task after another to the key with that limit, of that many milliseconds; 0 workers end them. When its input ends, so
 * does the process. {@code SIGTERM} has it finish what it was offered.
 */
final class LoadNode {

    /** Comes before a state that it prints. */
    static final String STATE = " state=";

    /** One in so many tasks is {@link #LONGER} times as long. */
    private static final int LONG_ONE_IN = 30;

    private static final int LONGER = 4;

    private static final Duration DRAIN = Duration.ofSeconds(15);
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(10);

    private final Witness witness;
    private final GroupExecutor executor;
    private final Map<Integer, Load> loads = new ConcurrentHashMap<>();
    private final AtomicInteger refused = new AtomicInteger();

    private record Load(int limit, int least, int most) {

        String key() {
            return "key-" + limit;
        }

        long nanos() {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            long millis = random.nextLong(least, most + 1L);
            return TimeUnit.MILLISECONDS.toNanos(random.nextInt(LONG_ONE_IN) == 0 ? millis * LONGER : millis);
        }
    }

    private LoadNode(Witness witness, GroupExecutor executor) {
        this.witness = witness;
        this.executor = executor;
    }

    public static void main(String[] arguments) throws IOException {
        String name = arguments[0];
        RedisClusterStore store = RedisClusterStore.builder(RedisURI.create(arguments[1]))
                .namespace("tests")
                .build();
        GroupPolicy.Builder policy = GroupPolicy.builder();
        for (int limit = 1; limit <= RealCluster.LARGEST; limit++) {
            policy.group("key-" + limit, GroupLimits.unset().withClusterMaxInFlight(limit));
        }
        GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                policy.build(),
                ClusterSettings.of(store)
                        .withNodeName(name)
                        .withLease(RealCluster.LEASE)
                        .withIdleReturn(RealCluster.IDLE_RETURN));
        LoadNode node = new LoadNode(Witness.at(Path.of(arguments[2])), executor);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> node.drain(store)));
        Thread.ofPlatform().daemon().start(node::tellStates);
        node.obey();
        Runtime.getRuntime().halt(0); // whoever gave orders is gone
    }

    private void drain(RedisClusterStore store) {
        loads.clear();
        boolean drained = executor.shutdown(DRAIN);
        Cluster cluster = executor.cluster().orElseThrow();
        awaitState(cluster, ClusterState.Kind.CLOSED);
        System.out.println(drained ? "drained" : "forced");
        System.out.flush();
        store.close();
    }

    private static void awaitState(Cluster cluster, ClusterState.Kind kind) {
        long end = System.nanoTime() + DRAIN.toNanos();
        while (cluster.state().kind() != kind && System.nanoTime() < end) {
            LockSupport.parkNanos(LOOK);
        }
    }

    private void tellStates() {
        ClusterState.Kind told = null;
        while (told != ClusterState.Kind.CLOSED) {
            ClusterState state = executor.cluster().orElseThrow().state();
            if (state.kind() != told) {
                told = state.kind();
                System.out.println(
                        System.nanoTime() + STATE + told + " " + state.reason().orElse(""));
            }
            LockSupport.parkNanos(LOOK);
        }
    }

    private void obey() throws IOException {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            try (Scanner words = new Scanner(order)) {
                words.next("load");
                int limit = words.nextInt();
                int workers = words.nextInt();
                Load load = new Load(limit, words.nextInt(), words.nextInt());
                loads.remove(limit);
                if (workers > 0) {
                    loads.put(limit, load);
                    for (int i = 0; i < workers; i++) {
                        Thread.startVirtualThread(() -> work(load));
                    }
                }
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // identity is meant
    private void work(Load load) {
        while (loads.get(load.limit()) == load) {
            int task = witness.offered(load.limit());
            try {
                offer(load, task);
            } catch (Exception refusal) {
                System.out.println(System.nanoTime() + " refused " + load.key() + " " + refusal);
            }
            if (!witness.hasStarted(task)) {
                witness.ended(task);
                if (refused.incrementAndGet() % 10 == 0) {
                    LockSupport.parkNanos(LOOK);
                }
            }
        }
    }

    /** Has the task carried out, in one of the ways in which that can be, and waits for its end. */
    private void offer(Load load, int task) throws Exception {
        Callable<Integer> work = () -> run(task, load.nanos());
        switch (ThreadLocalRandom.current().nextInt(3)) {
            case 0 -> executor.call(load.key(), work);
            case 1 -> require(executor.submit(load.key(), work).await());
            default ->
                require(executor.submitAsync(load.key(), () -> runAsync(task, load.nanos()))
                        .await());
        }
    }

    private static void require(GroupResult<Integer> result) {
        if (result.status() != TaskStatus.SUCCESS) {
            throw new RejectedExecutionException(result.toString());
        }
    }

    private int run(int task, long nanos) {
        witness.started(task);
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        witness.ended(task);
        return task;
    }

    private CompletionStage<Integer> runAsync(int task, long nanos) {
        witness.started(task);
        return CompletableFuture.supplyAsync(
                () -> {
                    witness.ended(task);
                    return task;
                },
                CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS));
    }
}
