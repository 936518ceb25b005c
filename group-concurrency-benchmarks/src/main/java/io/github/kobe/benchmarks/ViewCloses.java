package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** How long {@code close()} of an {@code ExecutorService} view takes, over {@code shutdown()} and a wait for its end. */
final class ViewCloses extends Workload {

    private static final long BUSY_NANOS = 20_000;

    private final int commands;

    ViewCloses(String id, int commands) {
        super(
                id,
                String.format(
                        Locale.ROOT,
                        "close() of a view with %,d queued commands of 20 µs, over shutdown() and awaitTermination()",
                        commands),
                "× the wait",
                Goal.atMost(1.3));
        this.commands = commands;
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.OURS);
    }

    @Override
    Limits limits() {
        return Limits.perGroup(1);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        GroupExecutor executor = ((Ours) contestant).executor();
        ExecutorService waitedFor = filled(executor, "first");
        long start = System.nanoTime();
        waitedFor.shutdown();
        check(1, waitedFor.awaitTermination(Ours.DEADLINE.toNanos(), TimeUnit.NANOSECONDS) ? 1 : 0);
        double wait = nanosSince(start);

        ExecutorService closed = filled(executor, "second");
        start = System.nanoTime();
        closed.close();
        return nanosSince(start) / wait;
    }

    private ExecutorService filled(GroupExecutor executor, String group) {
        ExecutorService view = executor.asExecutorService(group);
        for (int i = 0; i < commands; i++) {
            view.execute(ViewCloses::compute);
        }
        return view;
    }

    private static void compute() {
        long start = System.nanoTime();
        while (System.nanoTime() - start < BUSY_NANOS) {
            Thread.onSpinWait();
        }
    }
}
