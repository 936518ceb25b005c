package io.github.kobe.internal.doors;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Audit;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What must hold after each of Lincheck's scenarios, once all that was started has run. */
final class ScenarioEnd {

    private ScenarioEnd() {}

    /** Runs everything; then every task is done, and the {@link Audit} holds. */
    static void check(GroupExecutor executor, FakeThreads threads, Submitted submitted) {
        threads.act(0, () -> {
            threads.settle();
            for (TaskHandle<?> handle : submitted.all()) {
                if (!handle.isDone()) {
                    throw new AssertionError(handle + " is not done");
                }
            }
            Audit.checkExactly(executor, null, threads::settle);
        });
    }

    /** Closes what is held, as the threads that hold it, and what that grants. */
    static void closeAll(FakeThreads threads, List<? extends Deque<? extends AutoCloseable>> held) {
        for (int thread = 0; thread < FakeThreads.ACTORS; thread++) {
            threads.act(thread, () -> {
                // What the part after has opened first: it may be inside of what the part before has, on the same
                // thread.
                for (Deque<? extends AutoCloseable> open : held.reversed()) {
                    while (!open.isEmpty()) {
                        close(open.pollLast());
                    }
                }
            });
        }
    }

    private static void close(AutoCloseable open) {
        try {
            open.close();
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    /** Cancels a request for a permit, or closes what it was granted. */
    static void giveUp(CompletableFuture<GroupPermit> request) {
        if (!request.cancel(false) && !request.isCompletedExceptionally()) {
            request.join().close();
        }
    }
}
