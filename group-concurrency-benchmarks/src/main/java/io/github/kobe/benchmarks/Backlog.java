package io.github.kobe.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/** A million tasks queue behind one permit. */
final class Backlog extends Workload {

    /** What is measured of it. */
    enum Aspect {
        HEAP("B5", "heap per task of 1,000,000 queued behind one permit, handle included", "B", 40, true),
        TIME("B5s", "submitting each of them", "ns", 60, false);

        private final String id;
        private final String title;
        private final String unit;
        private final double bound;
        private final boolean steady;

        Aspect(String id, String title, String unit, double bound, boolean steady) {
            this.id = id;
            this.title = title;
            this.unit = unit;
            this.bound = bound;
            this.steady = steady;
        }
    }

    private final Aspect aspect;
    private final int tasks;

    Backlog(Aspect aspect, int tasks) {
        super(aspect.id, aspect.title, aspect.unit, Goal.atMost(aspect.bound));
        this.aspect = aspect;
        this.tasks = tasks;
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.LIMITS, Trait.BACKLOGS);
    }

    @Override
    boolean isSteady() {
        return aspect.steady;
    }

    @Override
    Limits limits() {
        return Limits.perGroup(1);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        List<H> handles = new ArrayList<>(tasks); // all its room at once, so that it isn't counted
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        H first = contestant.submit("group", "task", () -> {
            begun.countDown();
            gate.await();
            return 1;
        });
        begun.await();
        try {
            return aspect == Aspect.HEAP ? heap(contestant, handles) : time(contestant, handles);
        } finally {
            gate.countDown();
            contestant.join(first);
            check(
                    tasks,
                    handles.stream()
                            .filter(handle -> contestant.join(handle).error() == null)
                            .count());
        }
    }

    private <H> double heap(Contestant<H> contestant, List<H> handles) {
        long before = usedHeap();
        time(contestant, handles);
        // In whole bytes: what doesn't grow with the tasks is no cost of theirs.
        return Math.round((double) (usedHeap() - before) / tasks);
    }

    private <H> double time(Contestant<H> contestant, List<H> handles) {
        long start = System.nanoTime();
        for (int i = 0; i < tasks; i++) {
            handles.add(contestant.submit("group", "task", NOTHING));
        }
        return nanosSince(start) / tasks;
    }

    /** After full collections; the threads that have been started wait by then. */
    static long usedHeap() {
        for (int i = 0; i < 4; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
