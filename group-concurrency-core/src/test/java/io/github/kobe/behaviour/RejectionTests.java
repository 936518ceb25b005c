package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupStats;
import io.github.kobe.GroupTask;
import io.github.kobe.GroupTaskDecorator;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionHandler;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RejectionTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    private static GroupPolicy.Builder noQueue() {
        return GroupPolicy.builder().defaultQueueThresholdPerGroup(0);
    }

    /** An executor with that policy whose group "a" runs one task until the gate opens. */
    private GroupExecutor busy(GroupPolicy policy) {
        GroupExecutor executor = engines.start(policy);
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        return executor;
    }

    @Test
    @Tag("G16")
    void aTaskWaitsWhileItsGroupsQueueHasRoom() throws Exception {
        GroupExecutor executor =
                busy(GroupPolicy.builder().defaultQueueThresholdPerGroup(2).build());

        TaskHandle<String> one = executor.submit("a", "1", () -> "one");
        TaskHandle<String> two = executor.submit("a", "2", () -> "two");
        TaskHandle<String> three = executor.submit("a", "3", () -> "three");

        RejectedTaskException rejection = catchThrowableOfType(RejectedTaskException.class, three::await);
        assertThat(rejection.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
        assertThat(rejection.groupKey()).isEqualTo("a");
        assertThat(rejection.taskId()).isEqualTo("3");
        assertThat(rejection.limit()).isEqualTo(2);
        assertThat(rejection.queued()).isEqualTo(2);
        assertThat(one.isDone()).isFalse();
        gate.open();
        assertThat(one.await().value()).isEqualTo("one");
        assertThat(two.await().value()).isEqualTo("two");
    }

    @Test
    @Tag("G16")
    void whatRunsDoesNotCountInTheQueue() throws Exception {
        GroupExecutor executor = engines.start(noQueue().build());

        for (int i = 0; i < 10; i++) {
            assertThat(executor.submit("a", "task-" + i, () -> "done").await().status())
                    .isEqualTo(TaskStatus.SUCCESS);
        }
        assertThat(executor.stats().totals().rejected()).isZero();
    }

    @Test
    @Tag("G16")
    void theGlobalQueueCountsTheWaitingTasksOfAllGroups() throws Exception {
        GroupExecutor executor =
                busy(GroupPolicy.builder().globalQueueThreshold(2).build());
        executor.submit("b", "holder", gate.then("held"));
        gate.awaitArrived(2);
        executor.submit("a", "1", () -> "done");
        executor.submit("b", "1", () -> "done");

        TaskHandle<String> third = executor.submit("b", "2", () -> "done");

        RejectedTaskException rejection = catchThrowableOfType(RejectedTaskException.class, third::await);
        assertThat(rejection.reason()).isEqualTo(RejectionReason.GLOBAL_QUEUE_FULL);
        assertThat(rejection.limit()).isEqualTo(2);
        assertThat(rejection.queued()).isEqualTo(2);
        assertThat(executor.submit("c", "1", () -> "starts at once").await().status())
                .isEqualTo(TaskStatus.SUCCESS);
        gate.open();
    }

    @Test
    @Tag("G16")
    void theGroupsQueueIsNamedWhenBothAreFull() {
        GroupExecutor executor = busy(noQueue().globalQueueThreshold(0).build());

        TaskHandle<String> rejected = executor.submit("a", "1", () -> "done");

        assertThat(catchThrowableOfType(RejectedTaskException.class, rejected::await)
                        .reason())
                .isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
        gate.open();
    }

    @Test
    @Tag("G16")
    void aRejectedTaskIsDoneBeforeSubmitReturnsAndNeverRuns() throws Exception {
        GroupExecutor executor = busy(noQueue().build());
        AtomicInteger ran = new AtomicInteger();

        TaskHandle<Integer> rejected = executor.submit("a", "1", ran::incrementAndGet);

        assertThat(rejected.isDone()).isTrue();
        gate.open();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(ran).hasValue(0);
    }

    @Test
    @Tag("G16")
    void aPlaceInTheQueueIsFreeAgainWhenItsTaskHasStarted() throws Exception {
        GroupExecutor executor =
                busy(GroupPolicy.builder().globalQueueThreshold(1).build());
        Gate second = new Gate();
        executor.submit("a", "1", second.then("done"));
        gate.open();
        second.awaitArrived(1);

        TaskHandle<String> waits = executor.submit("a", "2", () -> "done");

        assertThat(waits.isDone()).isFalse();
        second.open();
        assertThat(waits.await().value()).isEqualTo("done");
    }

    @Test
    @Tag("G19")
    void underAbortEveryWayToAskThrowsTheRejection() {
        GroupExecutor executor = busy(noQueue().build());

        TaskHandle<String> rejected = executor.submit("a", "1", () -> "done");

        assertThatThrownBy(rejected::await).isInstanceOf(RejectedTaskException.class);
        assertThatThrownBy(() -> rejected.await(1, TimeUnit.SECONDS)).isInstanceOf(RejectedTaskException.class);
        assertThatThrownBy(rejected::join).isInstanceOf(RejectedTaskException.class);
        assertThatThrownBy(() -> rejected.join(1, TimeUnit.SECONDS)).isInstanceOf(RejectedTaskException.class);
        assertThatThrownBy(() -> rejected.toCompletableFuture().join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(RejectedTaskException.class);
        assertThat(rejected.cancel(true)).isFalse();
        gate.open();
    }

    @Test
    @Tag("G20")
    void underDiscardTheResultIsRejected() throws Exception {
        GroupExecutor executor =
                busy(noQueue().rejectionPolicy(RejectionPolicy.DISCARD).build());

        GroupResult<String> result = executor.submit("a", "1", () -> "done").await();

        assertThat(result).isEqualTo(GroupResult.rejected("a", "1", RejectionReason.GROUP_QUEUE_FULL));
        assertThat(result.durationNanos()).isZero();
        gate.open();
    }

    @Test
    @Tag("G21")
    void underCallerRunsTheSubmittingThreadRunsTheTask() throws Exception {
        GroupExecutor executor =
                busy(noQueue().rejectionPolicy(RejectionPolicy.CALLER_RUNS).build());

        TaskHandle<Thread> handle = executor.submit("a", "1", Thread::currentThread);

        assertThat(handle.isDone()).isTrue();
        assertThat(handle.await().value()).isSameAs(Thread.currentThread());
        gate.open();
    }

    @Test
    @Tag("G18")
    @Tag("G21")
    void callerRunsHoldsNoPermit() throws Exception {
        GroupExecutor executor =
                busy(noQueue().rejectionPolicy(RejectionPolicy.CALLER_RUNS).build());
        AtomicReference<GroupStats> during = new AtomicReference<>();

        executor.submit("a", "1", () -> {
            during.set(executor.groupStats("a").orElseThrow());
            return "done";
        });

        assertThat(during.get().running()).isEqualTo(1);
        assertThat(during.get().inFlight()).isEqualTo(1);
        gate.open();
    }

    @Test
    @Tag("G21")
    void callerRunsAppliesTheDecorator() throws Exception {
        GroupExecutor executor = busy(noQueue()
                .rejectionPolicy(RejectionPolicy.CALLER_RUNS)
                .taskDecorator(new Recording())
                .build());

        GroupResult<String> result =
                executor.submit("a", "1", Recording::current).await();

        assertThat(result.value()).isEqualTo("decorated a");
        gate.open();
    }

    private static final class Recording implements GroupTaskDecorator {

        private static final ThreadLocal<String> CURRENT = new ThreadLocal<>();

        static String current() {
            return CURRENT.get();
        }

        @Override
        public Callable<?> decorate(String groupKey, Callable<?> task) {
            return () -> {
                CURRENT.set("decorated " + groupKey);
                try {
                    return task.call();
                } finally {
                    CURRENT.remove();
                }
            };
        }
    }

    @Test
    @Tag("G21")
    void theOutcomeOfCallerRunsIsTheTasks() throws Exception {
        GroupExecutor executor =
                busy(noQueue().rejectionPolicy(RejectionPolicy.CALLER_RUNS).build());
        Exception failure = new Exception("no");

        GroupResult<String> result = executor.<String>submit("a", "1", () -> {
                    throw failure;
                })
                .await();

        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error()).isSameAs(failure);
        gate.open();
    }

    @Test
    @Tag("G21")
    void neitherCancelNorShutdownInterruptsTheCallerThatRunsATask() throws Exception {
        AtomicReference<TaskHandle<?>> seen = new AtomicReference<>();
        GroupExecutor executor =
                busy(noQueue().rejectionPolicy(RejectionPolicy.CALLER_RUNS).build());

        Caller<Boolean> caller = Caller.start(() -> {
            seen.set(executor.submit("a", "1", () -> {
                executor.shutdownGroup("a");
                executor.shutdown();
                return Thread.currentThread().isInterrupted();
            }));
            return Thread.currentThread().isInterrupted();
        });

        assertThat(caller.result()).isFalse();
        assertThat(seen.get().await().value()).isEqualTo(false);
        gate.open();
    }

    /** Runs what is rejected, or gives an outcome. */
    private static RejectionHandler handler(Callable<GroupResult<?>> outcome) {
        return (groupKey, taskId, task) -> {
            try {
                return outcome.call();
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        };
    }

    @Test
    @Tag("G22")
    void theHandlerSuppliesTheResult() throws Exception {
        GroupResult<String> substitute = GroupResult.success("a", "1", "instead", 1, 2);
        GroupExecutor executor =
                busy(noQueue().rejectionHandler(handler(() -> substitute)).build());

        assertThat(executor.submit("a", "1", () -> "done").await()).isEqualTo(substitute);
        gate.open();
    }

    @Test
    @Tag("G22")
    @Tag("G28")
    void aRejectionThatTheHandlerSuppliesNamesTheReason() throws Exception {
        GroupExecutor executor = busy(noQueue()
                .rejectionHandler(handler(() -> GroupResult.rejected("a", "1")))
                .build());

        assertThat(executor.submit("a", "1", () -> "done").await())
                .isEqualTo(GroupResult.rejected("a", "1", RejectionReason.GROUP_QUEUE_FULL));
        gate.open();
    }

    @Test
    @Tag("G22")
    void aReasonThatTheHandlerNamesStays() throws Exception {
        GroupResult<String> substitute = GroupResult.rejected("a", "1", RejectionReason.SHUTDOWN);
        GroupExecutor executor =
                busy(noQueue().rejectionHandler(handler(() -> substitute)).build());

        assertThat(executor.submit("a", "1", () -> "done").await()).isEqualTo(substitute);
        gate.open();
    }

    @Test
    @Tag("G22")
    void theHandlerMayRunTheTask() throws Exception {
        List<String> asked = new ArrayList<>();
        GroupExecutor executor = busy(noQueue()
                .rejectionHandler((groupKey, taskId, task) -> {
                    asked.add(groupKey + "/" + taskId);
                    try {
                        return GroupResult.success(groupKey, taskId, task.call(), 0, 0);
                    } catch (Exception e) {
                        return GroupResult.failed(groupKey, taskId, e, 0, 0);
                    }
                })
                .build());

        assertThat(executor.submit("a", "1", () -> "ran here").await().value()).isEqualTo("ran here");
        assertThat(asked).containsExactly("a/1");
        gate.open();
    }

    @Test
    @Tag("G22")
    void aHandlerThatThrowsFailsTheTask() throws Exception {
        IllegalStateException failure = new IllegalStateException("no");
        GroupExecutor executor = busy(noQueue()
                .rejectionHandler(handler(() -> {
                    throw failure;
                }))
                .build());

        GroupResult<String> result = executor.submit("a", "1", () -> "done").await();

        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error()).isSameAs(failure);
        gate.open();
    }

    @Test
    @Tag("G22")
    @Tag("G37")
    void aHandlerThatThrowsAnErrorFailsTheTask() throws Exception {
        Error failure = new StackOverflowError();
        GroupExecutor executor = busy(noQueue()
                .rejectionHandler(handler(() -> {
                    throw failure;
                }))
                .build());

        GroupResult<String> result = executor.submit("a", "1", () -> "done").await();

        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error()).isSameAs(failure);
        gate.open();
    }

    @Test
    @Tag("G22")
    void aHandlerThatReturnsNullFailsTheTask() throws Exception {
        GroupExecutor executor =
                busy(noQueue().rejectionHandler(handler(() -> null)).build());

        GroupResult<String> result = executor.submit("a", "1", () -> "done").await();

        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error()).isNotNull();
        gate.open();
    }

    @Test
    @Tag("G11")
    void theHandlerWinsOverThePolicy() throws Exception {
        GroupResult<String> substitute = GroupResult.success("a", "1", "instead", 1, 2);
        for (RejectionPolicy policy : RejectionPolicy.values()) {
            Gate here = new Gate();
            GroupExecutor executor = engines.start(noQueue()
                    .rejectionPolicy(policy)
                    .rejectionHandler(handler(() -> substitute))
                    .build());
            executor.submit("a", "holder", here.then("held"));
            here.awaitArrived(1);

            assertThat(executor.submit("a", "1", () -> "done").await())
                    .as(policy.name())
                    .isEqualTo(substitute);
            here.open();
        }
    }

    @Test
    @Tag("G18")
    void noPermitIsHeldWhileAHandlerRuns() throws Exception {
        AtomicReference<GroupExecutor> executor = new AtomicReference<>();
        AtomicReference<GroupStats> during = new AtomicReference<>();
        executor.set(busy(noQueue()
                .rejectionHandler(handler(() -> {
                    during.set(executor.get().groupStats("a").orElseThrow());
                    return GroupResult.rejected("a", "1");
                }))
                .build()));

        executor.get().submit("a", "1", () -> "done").await();

        assertThat(during.get().inFlight()).isEqualTo(1);
        assertThat(during.get().queued()).isZero();
        gate.open();
    }

    @Test
    @Tag("G18")
    @Tag("G48")
    void aHandlerMayUseTheExecutor() throws Exception {
        AtomicReference<GroupExecutor> executor = new AtomicReference<>();
        executor.set(busy(noQueue()
                .rejectionHandler(handler(() -> executor.get()
                        .submit("other", "nested", () -> "from the handler")
                        .await()))
                .build()));

        assertThat(executor.get().submit("a", "1", () -> "done").await().value())
                .isEqualTo("from the handler");
        gate.open();
    }

    @Test
    @Tag("W7")
    void oneGroupsBacklogLeavesTheOthersTheirPlaceAndTheirTurn() throws Exception {
        GroupExecutor executor = busy(GroupPolicy.builder()
                .globalMaxInFlight(1)
                .defaultMaxConcurrencyPerGroup(5)
                .globalQueueThreshold(100)
                .defaultQueueThresholdPerGroup(50)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .build());
        for (int i = 0; i < 200; i++) {
            executor.submit("a", "flood-" + i, () -> "done");
        }

        TaskHandle<Integer> other = executor.submit(
                "b", "1", () -> engines.witness(executor).started("a").size());

        gate.open();
        GroupResult<Integer> result = Deadline.within(other::await);
        assertThat(result.status()).isEqualTo(TaskStatus.SUCCESS);
        assertThat(result.value()).isLessThanOrEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(RejectionPolicy.class)
    @Tag("G11")
    void aTaskThatAbortsOnRejectionIsToldOfUnderEveryPolicy(RejectionPolicy policy) {
        GroupExecutor executor = busy(noQueue().rejectionPolicy(policy).build());

        assertAborted(executor.submit(aborting("a")), RejectionReason.GROUP_QUEUE_FULL);
        assertAborted(
                executor.submitAsync(new GroupTask<>("a", "stage", () -> CompletableFuture.completedFuture("never"))
                        .withAbortOnRejection()),
                RejectionReason.GROUP_QUEUE_FULL);
        assertThat(executor.executeAll(List.of(aborting("a"))))
                .singleElement()
                .satisfies(result -> assertThat(result.status()).isEqualTo(TaskStatus.REJECTED));
        gate.open();
    }

    @Test
    @Tag("G11")
    void noHandlerSpeaksForATaskThatAbortsOnRejection() {
        AtomicInteger asked = new AtomicInteger();
        GroupExecutor executor = busy(GroupPolicy.builder()
                .rejectionHandler((group, id, task) -> {
                    asked.incrementAndGet();
                    return GroupResult.failed(group, id, new IllegalStateException("handled"), 0, 0);
                })
                .build());

        assertAborted(executor.submit(aborting("a").withQueueTimeout(Duration.ZERO)), RejectionReason.QUEUE_TIMEOUT);
        assertAborted(
                executor.submit(aborting("a").withQueueTimeout(Duration.ofNanos(1))), RejectionReason.QUEUE_TIMEOUT);
        assertThat(asked).hasValue(0);
        gate.open();
    }

    private static GroupTask<String> aborting(String group) {
        return new GroupTask<String>(group, "1", () -> {
                    throw new AssertionError("It ran");
                })
                .withAbortOnRejection();
    }

    private static void assertAborted(TaskHandle<?> handle, RejectionReason reason) {
        RejectedTaskException rejection = catchThrowableOfType(RejectedTaskException.class, handle::await);
        assertThat(rejection.reason()).isEqualTo(reason);
    }
}
