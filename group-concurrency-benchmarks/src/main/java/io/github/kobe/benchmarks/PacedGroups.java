package io.github.kobe.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.Rate;
import io.github.kobe.TaskHandle;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/** Many groups each start one of their waiting tasks when their rates allow it: what it takes to wake up for each. */
final class PacedGroups extends Workload {

    private static final Duration INTERVAL = Duration.ofMillis(500);

    /** Of each group. */
    private static final int TASKS = 10;

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final List<String> groups;

    PacedGroups(String id, int groups) {
        super(
                id,
                String.format(
                        Locale.ROOT,
                        "processor time of %,d groups with a rate, each of which starts a waiting task every half"
                                + " second",
                        groups),
                "× a DelayQueue with the same starts",
                Goal.atMost(1.5));
        this.groups = Keys.of("group-", groups);
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.OURS);
    }

    @Override
    Limits limits() {
        return Limits.perGroup(4);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        double queue = inADelayQueue();
        return inGroups(((Ours) contestant).executor()) / queue;
    }

    private double inGroups(GroupExecutor executor) {
        executor.updatePolicy(GroupPolicy.builder()
                .defaults(GroupLimits.unset()
                        .withMaxConcurrency(limits().perGroup())
                        .withRate(Rate.of(1, INTERVAL)))
                .build());
        List<TaskHandle<Integer>> handles = new ArrayList<>(TASKS * groups.size());
        for (String group : groups) {
            for (int i = 0; i < TASKS; i++) {
                handles.add(executor.submit(group, "task", NOTHING));
            }
        }
        long before = SYSTEM.getProcessCpuTime();
        check(
                handles.size(),
                handles.stream().filter(handle -> handle.join().error() == null).count());
        return SYSTEM.getProcessCpuTime() - before;
    }

    /** The next start of a group that has started some of its tasks. */
    private record Next(long time, int started) implements Delayed {

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(time - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(time - ((Next) other).time, 0);
        }
    }

    private double inADelayQueue() throws InterruptedException {
        DelayQueue<Next> queue = new DelayQueue<>();
        CountDownLatch ended = new CountDownLatch(TASKS * groups.size());
        for (int i = 0; i < groups.size(); i++) {
            Thread.startVirtualThread(ended::countDown);
            queue.add(new Next(System.nanoTime() + INTERVAL.toNanos(), 1));
        }
        long before = SYSTEM.getProcessCpuTime();
        while (!queue.isEmpty()) {
            Next next = queue.take();
            Thread.startVirtualThread(ended::countDown);
            if (next.started + 1 < TASKS) {
                queue.add(new Next(next.time + INTERVAL.toNanos(), next.started + 1));
            }
        }
        ended.await();
        return SYSTEM.getProcessCpuTime() - before;
    }
}
