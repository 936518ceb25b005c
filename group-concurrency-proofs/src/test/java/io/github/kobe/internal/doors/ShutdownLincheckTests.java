package io.github.kobe.internal.doors;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.base.Environment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A shutdown in the midst of everything. It isn't one step: what a permit lets start between its first and its last is
 * started, and interrupted. So there is no model, but what must hold in the end whatever was first.
 */
@Tag("lincheck")
@Tag("deep")
@Param(name = "thread", gen = ThreadIdGen.class)
public class ShutdownLincheckTests {

    private static final String KEY = "group";
    private static final GroupPolicy POLICY =
            GroupPolicy.builder().defaultMaxInFlightPerGroup(Integer.MAX_VALUE).build();

    private final FakeThreads threads = new FakeThreads();
    private final GroupExecutor executor =
            EngineAccess.newExecutor(POLICY, new Environment(new ManualClock(), threads, false));
    private final Submitted submitted = new Submitted();
    private final List<Deque<GroupPermit>> held = new ArrayList<>();
    private final List<Deque<CompletableFuture<GroupPermit>>> requests = new ArrayList<>();

    public ShutdownLincheckTests() {
        for (int i = 0; i < FakeThreads.ACTORS; i++) {
            held.add(new ArrayDeque<>());
            requests.add(new ArrayDeque<>());
        }
    }

    @Operation
    public void submit(@Param(name = "thread") int thread) {
        String id = submitted.nextId(thread);
        ifOpen(thread, () -> submitted.add(thread, executor.submit(KEY, id, () -> id)));
    }

    @Operation
    public void submitAsync(@Param(name = "thread") int thread) {
        String id = submitted.nextId(thread);
        ifOpen(
                thread,
                () -> submitted.add(thread, executor.submitAsync(KEY, id, () -> CompletableFuture.completedStage(id))));
    }

    @Operation
    public void run(@Param(name = "thread") int thread) {
        threads.run(thread);
    }

    @Operation
    public void tryAcquire(@Param(name = "thread") int thread) {
        ifOpen(thread, () -> {
            try {
                executor.tryAcquire(KEY, Duration.ZERO).ifPresent(held.get(thread)::add);
            } catch (RejectedTaskException rejected) {
                // It was shut down after it was asked whether it is.
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    @Operation
    public void acquireAsync(@Param(name = "thread") int thread) {
        ifOpen(thread, () -> requests.get(thread).add(executor.acquireAsync(KEY).toCompletableFuture()));
    }

    @Operation
    public void close(@Param(name = "thread") int thread) {
        GroupPermit permit = held.get(thread).poll();
        if (permit != null) {
            threads.act(thread, permit::close);
        }
    }

    @Operation
    public void pause(@Param(name = "thread") int thread) {
        threads.act(thread, () -> executor.pause(KEY));
    }

    @Operation
    public void evict(@Param(name = "thread") int thread) {
        threads.act(thread, () -> executor.evictGroup(KEY));
    }

    @Operation(runOnce = true)
    public void shutdown(@Param(name = "thread") int thread) {
        threads.act(thread, executor::shutdown);
    }

    private void ifOpen(int thread, Runnable operation) {
        threads.act(thread, () -> {
            try {
                operation.run();
            } catch (ExecutorShutdownException shutDown) {
                if (!executor.isShutdown()) {
                    throw shutDown;
                }
            }
        });
    }

    @Validate
    public void allEndsAndEveryPermitIsBack() {
        threads.act(0, executor::shutdown);
        ScenarioEnd.closeAll(threads, held);
        threads.runAll();
        for (Deque<CompletableFuture<GroupPermit>> own : requests) {
            for (CompletableFuture<GroupPermit> request : own) {
                if (!request.isDone()) {
                    throw new AssertionError("shut down, but a request for a permit waits");
                }
                if (!request.isCompletedExceptionally()) {
                    threads.act(0, request.join()::close);
                }
            }
        }
        ScenarioEnd.check(executor, threads, submitted);
    }

    @Test
    void inEveryScheduleAllEnds() {
        Scenarios.modelCheck(ShutdownLincheckTests.class, null, 2, 2, 3, 0);
    }

    @Test
    void whenThreadsRunFreelyAllEnds() {
        Scenarios.stress(ShutdownLincheckTests.class, null, 2, 3, 3, 0);
    }
}
