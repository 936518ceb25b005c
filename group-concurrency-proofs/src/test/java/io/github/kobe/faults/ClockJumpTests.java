package io.github.kobe.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupTask;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.audit.Waits;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A clock that jumps while work waits. Time-outs may come early or late by it, but nothing is lost: all ends, and the
 * executor works. The clock of these tests overflows a second after its origin anyway.
 */
@Tag("E3")
@Tag("I4")
class ClockJumpTests {

    private static final Duration CENTURY = Duration.ofDays(36_525);

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();

    static Stream<Duration> jumps() {
        return Stream.of(
                Duration.ZERO,
                Duration.ofNanos(1),
                Duration.ofSeconds(59),
                Duration.ofMinutes(1),
                Duration.ofHours(1),
                CENTURY,
                CENTURY.multipliedBy(2),
                Duration.ofNanos(-1),
                Duration.ofMillis(-1),
                Duration.ofHours(-1),
                CENTURY.negated(),
                CENTURY.multipliedBy(-2));
    }

    @ParameterizedTest(name = "by {0}")
    @MethodSource("jumps")
    void aJumpWhileWorkWaitsLosesNothing(Duration jump) throws Exception {
        GroupExecutor executor = startWithTimeOuts();
        boolean timeIsUp = jump.compareTo(Duration.ofMinutes(1)) >= 0;
        assertThat(jumpWhileWorkWaits(executor, jump)).isEqualTo(timeIsUp ? TaskStatus.REJECTED : TaskStatus.SUCCESS);
    }

    @ParameterizedTest(name = "by {0}")
    @MethodSource("jumps")
    void aJumpAndOneBackLoseNothing(Duration jump) throws Exception {
        GroupExecutor executor = startWithTimeOuts();
        jumpWhileWorkWaits(executor, jump);
        jumpWhileWorkWaits(executor, jump.negated());
    }

    private GroupExecutor startWithTimeOuts() {
        return engines.start(
                Workload.policy()
                        .queueTimeout(Duration.ofMinutes(1))
                        .idleTimeout(Duration.ofMinutes(1))
                        .build(),
                clock);
    }

    /** {@return what became of a task that waited} */
    private TaskStatus jumpWhileWorkWaits(GroupExecutor executor, Duration jump) throws Exception {
        executor.call("idle", () -> "done");
        GroupPermit permit = executor.acquire("a");
        TaskHandle<String> before = engines.watch(executor, executor.submit("a", "before", () -> "done"));
        TaskHandle<String> own = engines.watch(
                executor,
                executor.submit(new GroupTask<>("a", "own", () -> "done").withQueueTimeout(Duration.ofSeconds(30))));
        Caller<Optional<GroupPermit>> caller = Caller.start(() -> executor.tryAcquire("a", Duration.ofMinutes(5)));
        Waits.awaitQueued(executor, "a", 3);

        clock.advance(jump, executor);

        TaskHandle<String> after = engines.watch(executor, executor.submit("a", "after", () -> "done"));
        TaskHandle<String> elsewhere = engines.watch(executor, executor.submit("b", "after", () -> "done"));
        permit.close();
        caller.result().ifPresent(GroupPermit::close);
        for (TaskHandle<String> handle : List.of(before, own, after, elsewhere)) {
            Deadline.until(() -> handle + " is done", handle::isDone);
            assertThat(handle.queuedNanos()).isNotNegative();
        }
        assertThat(after.await().value()).isEqualTo("done");
        assertThat(elsewhere.await().value()).isEqualTo("done");
        Workload.requireWorking(executor);
        return before.await().status();
    }
}
