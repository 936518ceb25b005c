package io.github.kobe.load;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/**
 * Prints how many bytes a waiting task keeps ({@code task}), or how many groups are left of keys that were used once
 * ({@code keys}).
 *
 * <p>What is counted of a task is the difference of the used heap after full collections: everything that a task costs, its handle
 * included, but not what the caller made for it (the callable, its id, the array that holds the handles).
 */
final class MemoryFootprint {

    private static final int TASKS = 200_000;
    private static final int KEYS = 50_000;

    private MemoryFootprint() {}

    @SuppressWarnings("SystemOut") // it is a command
    public static void main(String[] args) throws Exception {
        if (args[0].equals("keys")) {
            System.out.println(groupsKept(KEYS));
        } else {
            bytesPerQueuedTask(1_000); // loads and initialises what the measured round uses
            System.out.println(Math.round(bytesPerQueuedTask(TASKS)));
        }
    }

    /** Queues {@code tasks} tasks behind one permit. */
    static double bytesPerQueuedTask(int tasks) throws InterruptedException {
        try (GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            CountDownLatch gate = new CountDownLatch(1);
            executor.submit("group", "first", () -> {
                gate.await();
                return null;
            });
            Callable<Integer> task = () -> 1;
            TaskHandle<?>[] handles = new TaskHandle<?>[tasks];
            long before = usedHeap();
            for (int i = 0; i < tasks; i++) {
                handles[i] = executor.submit("group", "id", task);
            }
            long after = usedHeap();
            gate.countDown();
            handles[tasks - 1].await();
            return (double) (after - before) / tasks;
        }
    }

    /** Uses {@code keys} keys once each. */
    static int groupsKept(int keys) throws Exception {
        try (GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            for (int i = 0; i < keys; i++) {
                executor.call("tenant-" + i, () -> null);
            }
            if (!executor.awaitQuiet(Duration.ofSeconds(30))) {
                throw new AssertionError("not quiet after 30 s");
            }
            return executor.stats().groups();
        }
    }

    static long usedHeap() {
        for (int i = 0; i < 4; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
