package io.github.kobe.view;

import io.github.kobe.GroupPolicy;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Function;

/**
 * An executor service that keeps the JDK's contract. The JDK's own are the oracle: what a test expects of the view it
 * expects of them, or says why not.
 */
enum Contestant {
    /** A fresh virtual thread per task, as the view's; without a limit, so nothing ever waits in it. */
    JDK_THREAD_PER_TASK {
        @Override
        ExecutorService open(Function<GroupPolicy, ExecutorService> views) {
            return Executors.newVirtualThreadPerTaskExecutor();
        }
    },
    JDK_POOL_OF_ONE {
        @Override
        ExecutorService open(Function<GroupPolicy, ExecutorService> views) {
            // Not newSingleThreadExecutor, which is a ThreadPoolExecutor behind a wrapper. Not a platform thread, of
            // which the JVM prints it when a handler throws.
            return Executors.newFixedThreadPool(1, Thread.ofVirtual().factory());
        }
    },
    /** Its tasks are no FutureTasks, and it hands none back. */
    JDK_FORK_JOIN {
        @Override
        ExecutorService open(Function<GroupPolicy, ExecutorService> views) {
            return new ForkJoinPool(4);
        }
    },
    /** A group with room for all, whose permits are taken without a lock. */
    VIEW_WITH_ROOM {
        @Override
        ExecutorService open(Function<GroupPolicy, ExecutorService> views) {
            return views.apply(
                    GroupPolicy.builder().defaultMaxConcurrencyPerGroup(100).build());
        }
    },
    VIEW_OF_ONE {
        @Override
        ExecutorService open(Function<GroupPolicy, ExecutorService> views) {
            return views.apply(GroupPolicy.builder().build());
        }
    },
    VIEW_WITH_QUEUE {
        @Override
        ExecutorService open(Function<GroupPolicy, ExecutorService> views) {
            return views.apply(GroupPolicy.builder()
                    .defaultQueueThresholdPerGroup(100_000)
                    .queueTimeout(Duration.ofHours(1))
                    .build());
        }
    },
    /** A limit over all groups, under the ledger's lock. */
    VIEW_UNDER_GLOBAL_LIMIT {
        @Override
        ExecutorService open(Function<GroupPolicy, ExecutorService> views) {
            return views.apply(GroupPolicy.builder()
                    .defaultMaxConcurrencyPerGroup(8)
                    .globalMaxInFlight(4)
                    .build());
        }
    };

    /** Opens one; {@code views} opens one on a group of its own under that policy. */
    abstract ExecutorService open(Function<GroupPolicy, ExecutorService> views);

    boolean isView() {
        return name().startsWith("VIEW");
    }
}
