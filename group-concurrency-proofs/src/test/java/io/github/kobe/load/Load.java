package io.github.kobe.load;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskTotals;
import io.github.kobe.audit.Audit;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;

/** Much work, or many keys, in a heap of a few megabytes. {@code LoadTests} runs it in a JVM of its own. */
final class Load {

    private static final int MAX_CONCURRENCY = 2;
    private static final int GLOBAL_MAX_IN_FLIGHT = 200;
    private static final int HOT_GROUPS = 10;
    private static final int MOST_GROUPS = 1_250;
    private static final long HEAP_NOISE = 1 << 20;

    private Load() {}

    /** Arguments: {@code tasks}, how many, of how many groups, by how many threads; or {@code keys}, how many. */
    @SuppressWarnings("SystemOut") // it is a command
    public static void main(String[] args) throws Exception {
        System.out.println(
                args[0].equals("keys")
                        ? keys(Integer.parseInt(args[1]))
                        : new Tasks(Integer.parseInt(args[2]))
                                .run(Integer.parseInt(args[1]), Integer.parseInt(args[3])));
        System.exit(0);
    }

    // ---------------------------------------------------------------- many keys

    private static String keys(int keys) throws Exception {
        GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
        List<Long> heaps = new ArrayList<>();
        for (int part = 0; part < 10; part++) {
            for (int i = 0; i < keys / 10; i++) {
                executor.call("tenant-" + part + "-" + i, () -> null);
            }
            require(executor.stats().groups() <= MOST_GROUPS, executor.stats() + " after part " + part);
            heaps.add(usedHeap());
        }
        long most = heaps.stream().mapToLong(Long::longValue).max().orElseThrow();
        require(most - heaps.getFirst() < HEAP_NOISE, "the heap grows: " + heaps);
        return "%,d keys, %d groups left, heap after each tenth in kB: %s"
                .formatted(
                        keys,
                        executor.stats().groups(),
                        heaps.stream().map(heap -> heap / 1024).toList());
    }

    private static long usedHeap() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    // ---------------------------------------------------------------- many tasks

    /** Counts its tasks by itself, and who is inside. */
    private static final class Tasks {

        private final GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(MAX_CONCURRENCY)
                .defaultQueueThresholdPerGroup(100)
                .globalMaxInFlight(GLOBAL_MAX_IN_FLIGHT)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .build());
        private final AtomicIntegerArray inside;
        private final AtomicInteger insideAll = new AtomicInteger();
        private final LongAdder codeRan = new LongAdder();
        private final LongAdder succeeded = new LongAdder();
        private final LongAdder cancelled = new LongAdder();
        private final LongAdder rejected = new LongAdder();
        private volatile String finding;

        private Tasks(int groups) {
            inside = new AtomicIntegerArray(groups);
        }

        private String run(int tasks, int threads) throws Exception {
            List<Thread> submitters = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int seed = i;
                submitters.add(Thread.ofPlatform().start(() -> submit(tasks / threads, new Random(seed))));
            }
            for (Thread submitter : submitters) {
                submitter.join(Duration.ofMinutes(10));
                require(!submitter.isAlive(), "a submitter hangs: " + List.of(submitter.getStackTrace()));
            }
            require(executor.awaitQuiet(Duration.ofMinutes(1)), "never quiet: " + executor.stats());
            TaskTotals totals = executor.stats().totals();
            String summary = "%,d tasks by %,d threads: %,d ran, %,d cancelled, %,d rejected; %d groups left"
                    .formatted(
                            totals.submitted(),
                            threads,
                            succeeded.sum(),
                            cancelled.sum(),
                            rejected.sum(),
                            executor.stats().groups());
            require(finding == null, finding);
            require(succeeded.sum() + cancelled.sum() + rejected.sum() == tasks, "some are missing: " + summary);
            require(
                    totals.submitted() == tasks
                            && totals.succeeded() == succeeded.sum()
                            && totals.cancelled() == cancelled.sum()
                            && totals.rejected() == rejected.sum(),
                    "the totals differ: " + summary + "; " + totals);
            require(
                    codeRan.sum() >= succeeded.sum() && codeRan.sum() <= succeeded.sum() + cancelled.sum(),
                    codeRan + " ran: " + summary);
            require(executor.stats().groups() <= MOST_GROUPS, "groups are kept: " + summary);
            Audit.check(executor, null, true);
            return summary;
        }

        private void submit(int tasks, Random random) {
            List<TaskHandle<Integer>> handles = new ArrayList<>(tasks);
            for (int i = 0; i < tasks; i++) {
                int group = random.nextInt(random.nextInt(4) == 0 ? HOT_GROUPS : inside.length());
                TaskHandle<Integer> handle = executor.submit("group-" + group, "id", () -> work(group));
                if (random.nextInt(16) == 0) {
                    handle.cancel(random.nextBoolean());
                }
                handles.add(handle);
            }
            for (TaskHandle<Integer> handle : handles) {
                switch (handle.join(10, TimeUnit.MINUTES).status()) {
                    case SUCCESS -> succeeded.increment();
                    case CANCELLED -> cancelled.increment();
                    case REJECTED -> rejected.increment();
                    case FAILED -> finding = "failed: " + handle.join();
                }
            }
        }

        @SuppressWarnings("ThreadPriorityCheck") // lets others in meanwhile, nothing relies on it
        private int work(int group) {
            codeRan.increment();
            if (inside.incrementAndGet(group) > MAX_CONCURRENCY) {
                finding = "I1: too many inside group " + group;
            }
            if (insideAll.incrementAndGet() > GLOBAL_MAX_IN_FLIGHT) {
                finding = "I1: too many inside all groups";
            }
            Thread.yield();
            insideAll.decrementAndGet();
            inside.decrementAndGet(group);
            return group;
        }
    }
}
