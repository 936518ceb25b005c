package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/**
 * Many queued tasks are cancelled. The clock stops when a task that was queued behind them has run: then they are out of
 * the way, and not only marked.
 */
final class Cancels extends Workload {

    private final int tasks;

    Cancels(int tasks) {
        super("B9", "cancelling 100,000 queued tasks, until one behind them has run", "ms", Goal.atMost(8));
        this.tasks = tasks;
    }

    @Override
    Set<Trait> needs() {
        return Set.of(Trait.LIMITS, Trait.BACKLOGS, Trait.CANCELS);
    }

    @Override
    Limits limits() {
        return Limits.perGroup(1);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        H first = contestant.submit("group", "first", () -> {
            begun.countDown();
            gate.await();
            return 1;
        });
        begun.await();
        List<H> handles = new ArrayList<>(tasks);
        for (int i = 0; i < tasks; i++) {
            handles.add(contestant.submit("group", "task", NOTHING));
        }
        H last = contestant.submit("group", "last", NOTHING);
        long start = System.nanoTime();
        for (H handle : handles) {
            contestant.cancel(handle);
        }
        gate.countDown();
        int value = Objects.requireNonNull(contestant.join(last).value());
        double nanos = nanosSince(start);
        contestant.join(first);
        check(1, value);
        check(tasks, handles.stream().filter(contestant::isCancelled).count());
        return nanos / 1e6;
    }
}
