package io.github.kobe.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.management.ThreadMXBean;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskTracer;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Work on the caller's thread that a tracer is asked about and doesn't follow: it goes the short way all the same. */
class UnfollowedCallTests {

    private static final Callable<String> WORK = () -> "done";

    @RegisterExtension
    final Engines engines = new Engines();

    private final AtomicInteger asked = new AtomicInteger();

    /** Follows nothing, and counts how often it is asked. */
    private final TaskTracer indifferent = (groupKey, taskId) -> {
        asked.incrementAndGet();
        return null;
    };

    @Test
    void aCallThatItsTracerDoesNotFollowMakesNoObject() throws Exception {
        GroupExecutor executor =
                engines.startPlain(GroupPolicy.builder().taskTracer(indifferent).build());
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int calls = 1_000;
        long bytes = Caller.startPlatform(() -> {
                    executor.call("a", WORK);
                    long before = threads.getCurrentThreadAllocatedBytes();
                    for (int i = 0; i < calls; i++) {
                        executor.call("a", WORK);
                    }
                    return threads.getCurrentThreadAllocatedBytes() - before;
                })
                .result();

        assertThat(bytes / calls).isZero();
    }

    @Test
    void aCallInsideACallMakesNoObjectEither() throws Exception {
        GroupExecutor executor =
                engines.startPlain(GroupPolicy.builder().taskTracer(indifferent).build());
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Callable<String> inner = () -> executor.call("b", WORK);
        int calls = 1_000;
        long bytes = Caller.startPlatform(() -> {
                    executor.call("b", WORK); // a group is made ready by its first use
                    executor.call("a", inner);
                    executor.call("a", inner);
                    long before = threads.getCurrentThreadAllocatedBytes();
                    for (int i = 0; i < calls; i++) {
                        executor.call("a", inner);
                    }
                    return threads.getCurrentThreadAllocatedBytes() - before;
                })
                .result();

        assertThat(bytes / calls).isZero();
    }

    @Test
    void aTracerIsAskedOnceForEachPieceOfWork() throws Exception {
        GroupExecutor executor =
                engines.startPlain(GroupPolicy.builder().taskTracer(indifferent).build());
        Gate gate = new Gate();

        Caller<String> inside = Caller.start(() -> executor.call("a", gate.then("inside")));
        awaitRunning(executor);
        Caller<String> behindNobody = Caller.start(() -> executor.call("a", WORK));
        awaitQueued(executor, 1);
        Caller<String> behindOne = Caller.start(() -> executor.call("a", WORK));
        awaitQueued(executor, 2);
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> executor.call("a", Duration.ZERO, WORK));
        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        assertThat(asked).hasValue(5);

        gate.open();
        assertThat(inside.result()).isEqualTo("inside");
        assertThat(behindNobody.result()).isEqualTo("done");
        assertThat(behindOne.result()).isEqualTo("done");
        executor.acquire("a").close();
        assertThat(asked).hasValue(6);
    }

    @Test
    void aTracerMayTakeAPermitThatOutlivesIt() throws Exception {
        List<GroupPermit> taken = new CopyOnWriteArrayList<>();
        GroupExecutor[] executor = new GroupExecutor[1];
        executor[0] = engines.startPlain(GroupPolicy.builder()
                .globalMaxInFlight(2)
                .taskTracer((groupKey, taskId) -> {
                    if (groupKey.equals("a") && taken.isEmpty()) {
                        taken.add(permit(executor[0], "b"));
                    }
                    return null;
                })
                .build());

        assertThat(Caller.startPlatform(() -> executor[0].call("a", WORK)).result())
                .isEqualTo("done");
        assertThat(executor[0].stats().inFlight()).isEqualTo(1);
        taken.getFirst().close();

        assertThat(executor[0].stats().inFlight()).isZero();
    }

    private static GroupPermit permit(GroupExecutor executor, String key) {
        try {
            return executor.acquire(key);
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    private static void awaitRunning(GroupExecutor executor) {
        Deadline.until(
                () -> "running",
                () -> executor.groupStats("a")
                        .map(stats -> stats.running() == 1)
                        .orElse(false));
    }

    private static void awaitQueued(GroupExecutor executor, int number) {
        Deadline.until(
                () -> number + " queued",
                () -> executor.groupStats("a").orElseThrow().queued() == number);
    }
}
