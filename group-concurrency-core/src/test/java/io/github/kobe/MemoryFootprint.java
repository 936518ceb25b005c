package io.github.kobe;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/**
 * Measures the heap that waiting tasks and used keys keep: {@code java -Xmx2g -cp target/classes:target/test-classes
 * io.github.kobe.MemoryFootprint} in the core module, on a JDK 21 or newer, after {@code ./mvnw test-compile}.
 *
 * <p>What is counted is the difference of the used heap after full collections: everything that a task costs, its handle
 * included, but not what the caller made for it (the callable, its id, the array that holds the handles).
 */
final class MemoryFootprint {

    private static final int TASKS = 1_000_000;
    private static final int KEYS = 1_000_000;

    private MemoryFootprint() {}

    @SuppressWarnings("SystemOut") // it is a command
    public static void main(String[] args) throws Exception {
        bytesPerQueuedTask(1_000); // loads and initialises what the measured round uses
        System.out.printf("bytes per queued task, handle included: %.2f%n", bytesPerQueuedTask(TASKS));
        Keys keys = usedKeys(KEYS);
        System.out.printf(
                "after %,d keys used once: %d groups kept, %.3f bytes per key%n",
                KEYS, keys.groupsKept(), keys.bytesPerKey());
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

    /** What is left of keys that were used once. */
    record Keys(int groupsKept, double bytesPerKey) {}

    /** Uses {@code keys} keys once each. */
    static Keys usedKeys(int keys) throws Exception {
        try (GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            for (int i = 0; i < 2_000; i++) {
                executor.call("warm-up-" + i, () -> null);
            }
            long before = usedHeap();
            for (int i = 0; i < keys; i++) {
                executor.call("tenant-" + i, () -> null);
            }
            if (!executor.awaitQuiet(Duration.ofSeconds(30))) {
                throw new AssertionError("not quiet after 30 s");
            }
            long after = usedHeap();
            return new Keys(executor.stats().groups(), (double) (after - before) / keys);
        }
    }

    private static long usedHeap() {
        for (int i = 0; i < 4; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
