package io.github.kobe.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Caller;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An interrupt at every place where a thread may wait: before it comes, while it waits, and as its wait ends. After
 * each, the audit, and the executor works.
 */
@Tag("P5")
class InterruptedWaitsTests {

    private static final int ROUNDS = 20;

    @RegisterExtension
    final Engines engines = new Engines();

    private GroupExecutor executor;
    private Workload site;

    /** How a wait came back. */
    private enum Return {
        NORMALLY,
        WITH_THE_FLAG_SET,
        BY_AN_EXCEPTION,
        BY_AN_EXCEPTION_WITH_THE_FLAG_SET
    }

    static Stream<Ways> waits() {
        return Ways.waits();
    }

    @BeforeEach
    void start() {
        executor = engines.start(Workload.policy().build());
        site = new Workload(engines, executor);
    }

    /** Somebody else has the one permit of the group, and another waits for it. */
    private Caller<Return> waitAt(Ways way, boolean interrupted) throws Exception {
        site.hold("a");
        site.submit("a");
        return Caller.start(() -> {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            try {
                way.use.at(site);
            } catch (InterruptedException e) {
                return Thread.currentThread().isInterrupted()
                        ? Return.BY_AN_EXCEPTION_WITH_THE_FLAG_SET
                        : Return.BY_AN_EXCEPTION;
            }
            return Thread.currentThread().isInterrupted() ? Return.WITH_THE_FLAG_SET : Return.NORMALLY;
        });
    }

    private static Return expected(Ways way) {
        return way.is(Ways.Trait.KEEPS_THE_FLAG) ? Return.WITH_THE_FLAG_SET : Return.BY_AN_EXCEPTION;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("waits")
    void anInterruptBeforeTheWaitEndsIt(Ways way) throws Exception {
        assertThat(waitAt(way, true).result()).isEqualTo(expected(way));

        requireSound(way);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("waits")
    void anInterruptWhileItWaitsEndsTheWait(Ways way) throws Exception {
        Caller<Return> caller = waitAt(way, false).awaitBlocked();

        caller.interrupt();

        assertThat(caller.result()).isEqualTo(expected(way));
        requireSound(way);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("waits")
    void anInterruptAsTheWaitEndsLosesNoPermit(Ways way) throws Exception {
        for (int i = 0; i < (way.is(Ways.Trait.LAST) ? 1 : ROUNDS); i++) {
            Caller<Return> caller = waitAt(way, false).awaitBlocked();
            Caller<?> interrupter = Caller.start(() -> {
                caller.interrupt();
                return null;
            });

            site.release();

            interrupter.result();
            assertThat(caller.result()).isIn(expected(way), Return.WITH_THE_FLAG_SET, Return.NORMALLY);
            requireSound(way);
        }
    }

    private void requireSound(Ways way) throws Exception {
        site.end();
        if (!executor.isShutdown()) {
            Set<TaskStatus> allowed = way.is(Ways.Trait.CANCELS)
                    ? EnumSet.of(TaskStatus.SUCCESS, TaskStatus.CANCELLED)
                    : EnumSet.of(TaskStatus.SUCCESS);
            for (TaskHandle<?> handle : site.handles()) {
                assertThat(handle.await().status()).isIn(allowed);
            }
            Workload.requireWorking(executor);
        }
    }
}
