package io.github.kobe.pinning;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupTask;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.testing.Caller;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Waits in every way that the API has, on virtual threads; for a JVM with one carrier. What each waits for is done by
 * another virtual thread, so a wait that kept its carrier would never end.
 */
final class OneCarrier {

    private static final GroupPolicy POLICY =
            GroupPolicy.builder().globalMaxInFlight(2).build();
    private static final Duration LONG = Duration.ofMinutes(1);

    private final GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(POLICY);

    private OneCarrier() {}

    /** {@code pinned}: waits where a thread can't leave its carrier; else everywhere it can. */
    public static void main(String... args) throws Exception {
        OneCarrier scenario = new OneCarrier();
        boolean pinned = args.length > 0 && args[0].equals("pinned");
        Caller.start(() -> {
                    if (pinned) {
                        scenario.waitPinned();
                    } else {
                        scenario.waitEverywhere();
                    }
                    return null;
                })
                .result();
        System.out.println("waited");
    }

    private void waitEverywhere() throws Exception {
        handles();
        permits();
        lending();
        view();
        lifecycle();
    }

    private void handles() throws Exception {
        require(behindAnother(() -> executor.submit("a", "t", () -> 1).await().value() == 1));
        require(behindAnother(() -> executor.submit("a", "t", () -> 1).join().value() == 1));
        require(behindAnother(() ->
                executor.submit("a", "t", () -> 1).await(1, TimeUnit.MINUTES).value() == 1));
        require(behindAnother(() ->
                executor.submit("a", "t", () -> 1).toCompletableFuture().get().value() == 1));
        require(behindAnother(() ->
                executor.executeAll(List.of(new GroupTask<>("a", "1", () -> 1), new GroupTask<>("a", "2", () -> 2)))
                                .size()
                        == 2));
    }

    private void permits() throws Exception {
        require(behindAnother(() -> executor.call("a", () -> true)));
        require(behindAnother(() -> {
            executor.acquire("a").close();
            return true;
        }));
        require(behindAnother(() -> {
            executor.tryAcquire("a", LONG).orElseThrow().close();
            return true;
        }));
        require(behindAnother(() -> {
            executor.acquireAsync("a").toCompletableFuture().get().close();
            return true;
        }));
        try (GroupPermit taken =
                executor.acquireAsync("a").toCompletableFuture().get()) {
            require(executor.tryAcquire(taken.groupKey(), Duration.ofMillis(5)).isEmpty());
        }
    }

    private void lending() throws Exception {
        require(executor.submit(
                                "a",
                                "lender",
                                () -> executor.submit("a", "borrower", () -> 1)
                                        .await()
                                        .value())
                        .await()
                        .value()
                == 1);
    }

    private void view() throws Exception {
        ExecutorService view = executor.asExecutorService("a");
        require(behindAnother(() -> view.submit(() -> 1).get() == 1));
        require(behindAnother(() -> view.submit(() -> 1).get(1, TimeUnit.MINUTES) == 1));
        List<Callable<Integer>> two = List.of(() -> 1, () -> 1);
        require(behindAnother(() -> view.invokeAll(two).stream().allMatch(Future::isDone)));
        require(behindAnother(() -> view.invokeAny(two) == 1));
        require(behindAnother(() -> {
            view.execute(() -> {});
            view.close();
            return view.isTerminated();
        }));
    }

    private void lifecycle() throws Exception {
        require(behindAnother(() -> executor.awaitQuiet(LONG)));
        require(behindAnother(() -> executor.shutdown(LONG)));
        require(executor.awaitTermination(LONG));
    }

    /** Waits for something while another virtual thread is in the group, and leaves it only when this one waits. */
    private boolean behindAnother(Callable<Boolean> wait) throws Exception {
        GroupPermit taken = executor.acquireAsync("a").toCompletableFuture().get();
        Caller<?> other = Caller.start(() -> {
            taken.close();
            return null;
        });
        boolean done = wait.call();
        other.result();
        return done;
    }

    private static void require(boolean condition) {
        if (!condition) {
            throw new AssertionError("a wait ended in another way");
        }
    }

    private void waitPinned() throws Exception {
        GroupPermit taken = executor.acquireAsync("a").toCompletableFuture().get();
        Pinned.handle = executor.submit("a", "t", () -> 1);
        require(Pinning.STATUS == TaskStatus.CANCELLED);
        taken.close();
    }

    private static final class Pinned {
        private static TaskHandle<Integer> handle;
    }

    /** Waits while it is initialized: the JVM's own frame keeps the thread on its carrier. */
    private static final class Pinning {
        private static final TaskStatus STATUS =
                Pinned.handle.join(20, TimeUnit.MILLISECONDS).status();
    }
}
