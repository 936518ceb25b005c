package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.Rate;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.function.UnaryOperator;

/** The engine as it comes: totals and re-entry are always on. */
class Ours implements Contestant<TaskHandle<Integer>> {

    static final Duration DEADLINE = Duration.ofMinutes(5);

    /** Sixteen million in a second. */
    private static final Rate DISTANT =
            Rate.of(1_000_000_000, Duration.ofMinutes(1)).withBurst(250_000_000);

    private final GroupExecutor executor;

    Ours(Limits limits) {
        this(limits, UnaryOperator.identity());
    }

    private Ours(Limits limits, UnaryOperator<GroupPolicy.Builder> more) {
        this(GroupExecutor.newVirtualThreadExecutor(more.apply(policy(limits)).build()));
    }

    Ours(GroupExecutor executor) {
        this.executor = executor;
    }

    static GroupPolicy.Builder policy(Limits limits) {
        return GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(limits.perGroup())
                .globalMaxInFlight(limits.global());
    }

    final GroupExecutor executor() {
        return executor;
    }

    /** With a limit over all groups that nobody reaches. */
    static Ours withDistantCap(Limits limits) {
        return new Ours(limits.withGlobal(1 << 20));
    }

    /** With a rate of each group that nobody reaches. */
    static Ours withDistantRate(Limits limits) {
        return new Ours(
                limits,
                policy -> policy.defaults(GroupLimits.unset()
                        .withMaxConcurrency(limits.perGroup())
                        .withRate(DISTANT)));
    }

    /** With a limit and a rate over all groups that nobody reaches. */
    static Ours withDistantCapAndRate(Limits limits) {
        return new Ours(limits.withGlobal(1 << 20), policy -> policy.globalRate(DISTANT));
    }

    /** With a limit over all groups that decides over each start, as it does while it is short. */
    static Ours withBoundCap(Limits limits) {
        Ours ours = new Ours(limits);
        Thread.startVirtualThread(new FutureTask<>(() -> ours.executor.awaitTermination(DEADLINE)));
        return ours;
    }

    /** With a listener that hears everything and does nothing. */
    static Ours withListener(Limits limits) {
        return new Ours(limits, policy -> policy.taskLifecycleListener(new TaskLifecycleListener() {}));
    }

    /** With a decorator that wraps each task, as one that carries a context does. */
    static Ours withDecorator(Limits limits) {
        return new Ours(limits, policy -> policy.taskDecorator(Ours::wrapped));
    }

    private static <T> Callable<T> wrapped(String group, Callable<T> task) {
        return () -> task.call();
    }

    @Override
    public final TaskHandle<Integer> submit(String group, String id, Callable<Integer> task) {
        return executor.submit(group, id, task);
    }

    @Override
    public final GroupResult<Integer> join(TaskHandle<Integer> handle) {
        return handle.join();
    }

    @Override
    public final void cancel(TaskHandle<Integer> handle) {
        handle.cancel(true);
    }

    @Override
    public final boolean isCancelled(TaskHandle<Integer> handle) {
        return handle.join().status() == TaskStatus.CANCELLED;
    }

    @Override
    public final <T> T call(String group, Callable<T> task) throws Exception {
        return executor.call(group, task);
    }

    @Override
    public final void acquireAndClose(String group) throws InterruptedException {
        executor.acquire(group).close();
    }

    @Override
    public void close() {
        if (!executor.isShutdown() && !executor.shutdown(DEADLINE)) {
            throw new IllegalStateException("tasks left after " + DEADLINE);
        }
    }
}
