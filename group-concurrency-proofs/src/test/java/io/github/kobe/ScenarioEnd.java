package io.github.kobe;

import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What must hold after each of Lincheck's scenarios, once all that was started has run. */
final class ScenarioEnd {

    private ScenarioEnd() {}

    /** Runs everything; then every task is done, every permit is back, and exactly as many as the limit can be had. */
    static void check(GroupExecutor executor, FakeThreads threads, Submitted submitted) {
        threads.runAll();
        for (TaskHandle<?> handle : submitted.all()) {
            expect(handle.isDone(), handle + " is not done");
        }
        GroupExecutorStats stats = executor.stats();
        expect(stats.running() == 0 && stats.inFlight() == 0 && stats.queued() == 0, "something is left: " + stats);
        TaskTotals totals = stats.totals();
        expect(
                totals.submitted() == totals.succeeded() + totals.failed() + totals.cancelled() + totals.rejected(),
                "the totals don't add up: " + totals);
        if (executor.isShutdown()) {
            expect(executor.isTerminated(), "shut down, but not terminated: " + stats);
            return;
        }
        for (String key : executor.groupKeys()) {
            threads.act(0, () -> fill(executor, key));
        }
    }

    /** Closes what is held, as the threads that hold it, and what that grants. */
    static void closeAll(FakeThreads threads, List<Deque<GroupPermit>> held) {
        for (int thread = 0; thread < FakeThreads.ACTORS; thread++) {
            threads.act(thread, () -> {
                for (Deque<GroupPermit> permits : held) {
                    while (!permits.isEmpty()) {
                        permits.poll().close();
                    }
                }
            });
        }
    }

    private static void fill(GroupExecutor executor, String key) {
        GroupStats limits = executor.groupStats(key).orElseThrow();
        int most = Math.min(
                Math.min(limits.maxConcurrency().value(), limits.maxInFlight().value()),
                executor.policy().globalMaxInFlight());
        List<CompletableFuture<GroupPermit>> permits = new ArrayList<>();
        for (int i = 0; i <= most; i++) {
            permits.add(executor.acquireAsync(key).toCompletableFuture());
        }
        int granted = 0;
        for (CompletableFuture<GroupPermit> permit : permits) {
            granted += permit.isDone() && !permit.isCompletedExceptionally() ? 1 : 0;
        }
        expect(granted == most, "of " + most + " permits of '" + key + "' there are " + granted);
        for (CompletableFuture<GroupPermit> permit : permits.reversed()) {
            giveUp(permit);
        }
    }

    /** Cancels a request for a permit, or closes what it was granted. */
    static void giveUp(CompletableFuture<GroupPermit> request) {
        if (!request.cancel(false) && !request.isCompletedExceptionally()) {
            request.join().close();
        }
    }

    private static void expect(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
