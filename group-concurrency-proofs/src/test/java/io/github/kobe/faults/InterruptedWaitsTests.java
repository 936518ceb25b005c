package io.github.kobe.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupTask;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An interrupt at every place where a thread may wait: before it comes, while it waits, and as its wait ends. After
 * each, the audit, and the executor works.
 */
@Tag("P5")
@SuppressWarnings({"ImmutableEnumChecker", "FutureReturnValueIgnored"
}) // method references; what is handed back is of no interest
class InterruptedWaitsTests {

    private static final int ROUNDS = 20;

    @RegisterExtension
    final Engines engines = new Engines();

    /** A place to wait, while somebody else has the one permit of group "a". */
    private enum Place {
        AWAIT((executor, waits) -> waits.await()),
        TIMED_AWAIT((executor, waits) -> waits.await(Deadline.SECONDS, TimeUnit.SECONDS)),
        JOIN((executor, waits) -> waits.join()),
        TIMED_JOIN((executor, waits) -> waits.join(Deadline.SECONDS, TimeUnit.SECONDS)),
        CALL((executor, waits) -> executor.call("a", () -> "done")),
        TIMED_CALL((executor, waits) -> executor.call("a", Deadline.LONG, () -> "done")),
        ACQUIRE((executor, waits) -> executor.acquire("a").close()),
        TRY_ACQUIRE((executor, waits) ->
                executor.tryAcquire("a", Deadline.LONG).orElseThrow().close()),
        EXECUTE_ALL((executor, waits) -> executor.executeAll(
                List.of(new GroupTask<>("a", "1", () -> "done"), new GroupTask<>("a", "2", () -> "done")))),
        AWAIT_QUIET((executor, waits) -> executor.awaitQuiet(Deadline.LONG)),
        AWAIT_TERMINATION((executor, waits) -> executor.awaitTermination(Deadline.LONG)),
        DRAIN((executor, waits) -> executor.shutdown(Deadline.LONG)),
        VIEW_GET((executor, waits) ->
                executor.asExecutorService("a").submit(() -> "done").get()),
        VIEW_TIMED_GET((executor, waits) -> {
            Future<String> future = executor.asExecutorService("a").submit(() -> "done");
            future.get(Deadline.SECONDS, TimeUnit.SECONDS);
        }),
        VIEW_INVOKE_ALL(
                (executor, waits) -> executor.asExecutorService("a").invokeAll(List.of(() -> "done", () -> "done"))),
        VIEW_INVOKE_ANY(
                (executor, waits) -> executor.asExecutorService("a").invokeAny(List.of(() -> "done", () -> "done"))),
        VIEW_TERMINATION((executor, waits) -> {
            ExecutorService view = executor.asExecutorService("a");
            view.submit(() -> "done");
            view.shutdown();
            view.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS);
        }),
        VIEW_CLOSE((executor, waits) -> {
            ExecutorService view = executor.asExecutorService("a");
            view.submit(() -> "done");
            view.close();
        });

        private final Wait wait;

        Place(Wait wait) {
            this.wait = wait;
        }

        /** Whether it returns, with the flag set again, instead of throwing. */
        boolean keepsTheFlag() {
            return switch (this) {
                case JOIN, TIMED_JOIN, EXECUTE_ALL, DRAIN, VIEW_CLOSE -> true;
                default -> false;
            };
        }

        /** Whether the executor goes on, and the wait ends by what the test does. */
        boolean ends() {
            return this != DRAIN && this != AWAIT_TERMINATION;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    private interface Wait {
        void at(GroupExecutor executor, TaskHandle<String> waits) throws Exception;
    }

    /** How a wait came back. */
    private enum Return {
        NORMALLY,
        WITH_THE_FLAG_SET,
        BY_AN_EXCEPTION,
        BY_AN_EXCEPTION_WITH_THE_FLAG_SET
    }

    private static Caller<Return> waitAt(
            Place place, GroupExecutor executor, TaskHandle<String> waits, boolean interrupted) {
        return Caller.start(() -> {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            try {
                place.wait.at(executor, waits);
            } catch (InterruptedException e) {
                return Thread.currentThread().isInterrupted()
                        ? Return.BY_AN_EXCEPTION_WITH_THE_FLAG_SET
                        : Return.BY_AN_EXCEPTION;
            }
            return Thread.currentThread().isInterrupted() ? Return.WITH_THE_FLAG_SET : Return.NORMALLY;
        });
    }

    private static Return expected(Place place) {
        return place.keepsTheFlag() ? Return.WITH_THE_FLAG_SET : Return.BY_AN_EXCEPTION;
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(Place.class)
    void anInterruptBeforeTheWaitEndsIt(Place place) throws Exception {
        GroupExecutor executor = engines.start(Workload.policy().build());
        GroupPermit permit = executor.acquire("a");
        TaskHandle<String> waits = engines.watch(executor, executor.submit("a", "waits", () -> "done"));

        assertThat(waitAt(place, executor, waits, true).result()).isEqualTo(expected(place));

        endAll(executor, permit, waits);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(Place.class)
    void anInterruptWhileItWaitsEndsTheWait(Place place) throws Exception {
        GroupExecutor executor = engines.start(Workload.policy().build());
        GroupPermit permit = executor.acquire("a");
        TaskHandle<String> waits = engines.watch(executor, executor.submit("a", "waits", () -> "done"));
        Caller<Return> caller = waitAt(place, executor, waits, false).awaitBlocked();

        caller.interrupt();

        assertThat(caller.result()).isEqualTo(expected(place));
        endAll(executor, permit, waits);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(Place.class)
    void anInterruptAsTheWaitEndsLosesNoPermit(Place place) throws Exception {
        GroupExecutor executor = engines.start(Workload.policy().build());
        for (int i = 0; i < (place.ends() ? ROUNDS : 1); i++) {
            GroupPermit permit = executor.acquire("a");
            TaskHandle<String> waits = engines.watch(executor, executor.submit("a", "waits-" + i, () -> "done"));
            Caller<Return> caller = waitAt(place, executor, waits, false).awaitBlocked();
            Caller<?> interrupter = Caller.start(() -> {
                caller.interrupt();
                return null;
            });

            permit.close();

            interrupter.result();
            assertThat(caller.result()).isIn(expected(place), Return.WITH_THE_FLAG_SET, Return.NORMALLY);
            endAll(executor, permit, waits);
        }
    }

    private static void endAll(GroupExecutor executor, GroupPermit permit, TaskHandle<String> waits) throws Exception {
        permit.close();
        Deadline.until("what waited has ended", waits::isDone);
        if (executor.isShutdown()) {
            assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
        } else {
            assertThat(waits.await().value()).isEqualTo("done");
            Workload.requireWorking(executor);
        }
    }
}
