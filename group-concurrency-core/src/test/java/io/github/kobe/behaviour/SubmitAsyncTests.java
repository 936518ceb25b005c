package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupTask;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.audit.Waits;
import io.github.kobe.audit.Witness;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** E4: work that ends when its stage completes. */
@Tag("E4")
class SubmitAsyncTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final CompletableFuture<String> stage = new CompletableFuture<>();

    @Test
    void theHandleSucceedsWithTheValueOfTheStage() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        TaskHandle<String> handle = engines.watch(executor, executor.submitAsync("a", "1", () -> stage));
        awaitOpenStage(executor);
        assertThat(handle.isDone()).isFalse();
        stage.complete("value");

        GroupResult<String> result = handle.await();
        assertThat(result.status()).isEqualTo(TaskStatus.SUCCESS);
        assertThat(result.value()).isEqualTo("value");
    }

    @Test
    void theConcurrencyPermitReturnsWhenTheCallableReturns() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxInFlightPerGroup(2).build());

        TaskHandle<String> open = executor.submitAsync("a", "open", () -> stage);
        TaskHandle<String> second = executor.submit("a", "second", () -> "second");

        assertThat(second.await().value()).isEqualTo("second");
        assertThat(open.isDone()).isFalse();
        stage.complete("late");
        assertThat(open.await().value()).isEqualTo("late");
    }

    @Test
    void thePermitsOfFlightReturnOnlyWhenTheStageCompletes() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(5)
                .defaultMaxInFlightPerGroup(1)
                .build());

        TaskHandle<String> open = executor.submitAsync("a", "open", () -> stage);
        awaitOpenStage(executor);

        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        TaskHandle<String> second = executor.submit("a", "second", () -> "second");
        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(1);
        stage.complete("late");
        assertThat(second.await().value()).isEqualTo("second");
        assertThat(open.await().value()).isEqualTo("late");
    }

    @Test
    void anOpenStageKeepsItsGlobalPermit() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(1).build());

        executor.submitAsync("a", "open", () -> stage);
        awaitOpenStage(executor);

        assertThat(executor.tryAcquire("b", Duration.ZERO)).isEmpty();
        stage.complete("late");
        executor.acquire("b").close();
    }

    @Test
    void noMoreStagesThanMaxInFlightAreOpenAtOnce() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(1)
                .defaultMaxInFlightPerGroup(3)
                .build());
        Witness witness = engines.witness(executor);
        List<CompletableFuture<String>> stages = new ArrayList<>();
        List<TaskHandle<String>> handles = new ArrayList<>();

        for (int i = 0; i < 10; i++) {
            CompletableFuture<String> each = new CompletableFuture<>();
            stages.add(each);
            handles.add(executor.submitAsync("a", "task-" + i, witness.async("a", () -> each)));
        }
        for (int i = 0; i < 10; i++) {
            int ended = i;
            Deadline.untilAsserted(() -> assertThat(witness.started("a")).hasSize(Math.min(ended + 3, 10)));
            stages.get(i).complete("done");
            assertThat(handles.get(i).await().status()).isEqualTo(TaskStatus.SUCCESS);
        }

        assertThat(witness.peakInFlight("a")).isEqualTo(3);
        assertThat(witness.peakRunning("a")).isEqualTo(1);
    }

    @Test
    void aCompletionExceptionIsUnwrapped() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        IllegalStateException cause = new IllegalStateException("boom");

        TaskHandle<String> handle = engines.watch(
                executor,
                executor.submitAsync(
                        "a",
                        "1",
                        () -> CompletableFuture.<String>failedFuture(cause).thenApply(value -> value)));

        GroupResult<String> result = handle.await();
        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error()).isSameAs(cause);
    }

    @Test
    void aCancelledStageMakesTheTaskCancelled() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        stage.cancel(false);

        GroupResult<String> result = executor.submitAsync("a", "1", () -> stage).await();

        assertThat(result.status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(result.error()).isInstanceOf(CancellationException.class);
    }

    @Test
    void aNullStageMakesTheTaskFailed() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxInFlightPerGroup(1).build());

        GroupResult<String> result =
                executor.<String>submitAsync("a", "1", () -> null).await();

        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error())
                .isInstanceOf(NullPointerException.class)
                .hasMessage("Task '1' of group 'a' returned null instead of a stage");
        assertThat(executor.submit("a", "2", () -> "next").await().value()).isEqualTo("next");
    }

    @Test
    void whatTheCallableThrowsMakesTheTaskFailed() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxInFlightPerGroup(1).build());
        Error error = new AssertionError("boom");

        GroupResult<String> result = executor.<String>submitAsync("a", "1", () -> {
                    throw error;
                })
                .await();

        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error()).isSameAs(error);
    }

    @Test
    void cancelBeforeTheCallableReturnedCancelsTheStageItStillReturns() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Gate gate = new Gate();
        TaskHandle<String> handle = engines.watch(executor, executor.submitAsync("a", "1", gate.stubbornlyThen(stage)));
        gate.awaitArrived(1);

        assertThat(handle.cancel(true)).isTrue();

        assertThat(handle.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(stage).isNotDone();
        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        gate.open();
        Deadline.until("the stage is cancelled", stage::isCancelled);
    }

    @Test
    void cancelOfAQueuedTaskKeepsItsCallableFromRunning() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Gate gate = new Gate();
        TaskHandle<String> first = executor.submit("a", "first", gate.then("first"));
        AtomicBoolean ran = new AtomicBoolean();
        TaskHandle<String> queued = executor.submitAsync("a", "queued", () -> {
            ran.set(true);
            return stage;
        });

        assertThat(queued.cancel(true)).isTrue();
        gate.open();

        assertThat(first.await().value()).isEqualTo("first");
        assertThat(queued.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(ran).isFalse();
    }

    @Test
    void cancelOfAnOpenStageCancelsTheStage() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        TaskHandle<String> handle = engines.watch(executor, executor.submitAsync("a", "1", () -> stage));
        awaitOpenStage(executor);

        assertThat(handle.cancel(false)).isTrue();

        assertThat(stage).isCancelled();
        assertThat(handle.await().status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void cancellingTheFutureCancelsTheOpenStage() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        TaskHandle<String> handle = executor.submitAsync("a", "1", () -> stage);
        awaitOpenStage(executor);

        handle.toCompletableFuture().cancel(true);

        assertThat(stage).isCancelled();
        assertThat(handle.isDone()).isTrue();
    }

    @Test
    void aStageThatCannotBeCancelledKeepsItsPermitsUntilItCompletes() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxInFlightPerGroup(1).build());
        TaskHandle<String> handle = executor.submitAsync("a", "1", stage::minimalCompletionStage);
        awaitOpenStage(executor);

        assertThat(handle.cancel(true)).isTrue();

        assertThat(handle.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(stage).isNotDone();
        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        stage.complete("late");
        executor.acquire("a").close();
    }

    @Test
    void aStageWithoutAFutureIsCancelledAsWellAsThatCanBeDone() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxInFlightPerGroup(1).build());
        CompletionStage<String> noFuture = withoutFuture(stage);
        TaskHandle<String> handle = executor.submitAsync("a", "1", () -> noFuture);
        awaitOpenStage(executor);

        assertThat(handle.cancel(true)).isTrue();

        assertThat(handle.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        stage.complete("late");
        executor.acquire("a").close();
    }

    @Test
    void shutdownCancelsOpenStages() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        TaskHandle<String> handle = engines.watch(executor, executor.submitAsync("a", "1", () -> stage));
        awaitOpenStage(executor);

        executor.shutdown();

        assertThat(handle.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
        assertThat(stage).isCancelled();
    }

    @Test
    void shutdownCancelsTheStageThatARunningCallableStillReturns() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Gate gate = new Gate();
        executor.submitAsync("a", "1", gate.stubbornlyThen(stage));
        gate.awaitArrived(1);

        executor.shutdown();
        assertThat(executor.isTerminated()).isFalse();
        gate.open();

        Deadline.until("the stage is cancelled", stage::isCancelled);
        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
    }

    @Test
    void aDrainWaitsForOpenStages() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        TaskHandle<String> handle = executor.submitAsync("a", "1", () -> stage);
        awaitOpenStage(executor);

        Caller<Boolean> drain =
                Caller.start(() -> executor.shutdown(Deadline.LONG)).awaitBlockedOnACondition();
        assertThat(executor.isTerminated()).isFalse();
        stage.complete("in time");

        assertThat(drain.result()).isTrue();
        assertThat(handle.await().value()).isEqualTo("in time");
    }

    @Test
    void theDurationReachesToTheEndOfTheStage() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(GroupPolicy.builder().build(), clock);
        TaskHandle<String> handle = executor.submitAsync("a", "1", () -> stage);
        awaitOpenStage(executor);

        clock.advance(Duration.ofSeconds(5));
        stage.complete("late");

        assertThat(handle.await().durationNanos())
                .isEqualTo(Duration.ofSeconds(5).toNanos());
    }

    @Test
    @Tag("P8")
    void cancelRacingTheStagesCompletionReleasesExactlyOnce() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxInFlightPerGroup(2)
                .globalMaxInFlight(2)
                .build());
        CyclicBarrier barrier = new CyclicBarrier(2);
        for (int i = 0; i < 300; i++) {
            CompletableFuture<String> each = new CompletableFuture<>();
            TaskHandle<String> handle = engines.watch(executor, executor.submitAsync("a", "task-" + i, () -> each));
            Caller<Boolean> canceller = Caller.start(() -> {
                barrier.await();
                return handle.cancel(true);
            });
            barrier.await();
            each.complete("value");
            TaskStatus expected = canceller.result() ? TaskStatus.CANCELLED : TaskStatus.SUCCESS;
            assertThat(handle.await().status()).isEqualTo(expected);
        }
    }

    @Test
    void nullsAreRefused() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        assertThatNullPointerException().isThrownBy(() -> executor.submitAsync(null, "1", () -> stage));
        assertThatNullPointerException().isThrownBy(() -> executor.submitAsync("a", null, () -> stage));
        assertThatNullPointerException().isThrownBy(() -> executor.<String>submitAsync("a", "1", null));
    }

    /** The thread that took it has ended, so the permit counts globally from the end of the stage on. */
    @Test
    @Tag("G48")
    void theEndOfAStageWhoseThreadLeftAPermitTellsOfRemovedGroupsUnderNoLock() throws Exception {
        AtomicReference<GroupExecutor> executor = new AtomicReference<>();
        List<Boolean> locked = new CopyOnWriteArrayList<>();
        executor.set(engines.start(GroupPolicy.builder()
                .maxIdleGroups(0)
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onGroupRemoved(String groupKey) {
                        locked.add(EngineAccess.sharedLock(executor.get()).isHeldByCurrentThread());
                    }
                })
                .build()));
        AtomicReference<GroupPermit> left = new AtomicReference<>();
        TaskHandle<String> handle = executor.get().submitAsync("a", "1", () -> {
            left.set(executor.get()
                    .call("b", () -> executor.get().enclosingPermit("b").orElseThrow()));
            return stage;
        });
        awaitOpenStage(executor.get());

        stage.complete("value");

        assertThat(handle.await().value()).isEqualTo("value");
        left.get().close();
        Deadline.until("both are heard of", () -> locked.size() == 2);
        assertThat(locked).containsOnly(false);
    }

    private static GroupPolicy.Builder callerRuns() {
        return GroupPolicy.builder().defaultQueueThresholdPerGroup(0).rejectionPolicy(RejectionPolicy.CALLER_RUNS);
    }

    /** Submits it while its group is full, so that this thread runs its code. */
    private static TaskHandle<String> runHere(GroupExecutor executor, Callable<CompletionStage<String>> code)
            throws Exception {
        try (GroupPermit full = executor.acquire("a")) {
            assertThat(full.groupKey()).isEqualTo("a");
            return executor.submitAsync("a", "here", code);
        }
    }

    @Test
    @Tag("G35")
    void cancelOfAStageThatItsSubmitterHasOpenedCancelsTheStage() throws Exception {
        GroupExecutor executor = engines.start(callerRuns().build());
        Gate gate = new Gate();
        TaskHandle<String> running = executor.submit("a", "running", gate.then("value"));
        TaskHandle<String> handle = executor.submitAsync("a", "here", () -> stage);

        assertThat(handle.cancel(true)).isTrue();

        assertThat(stage).isCancelled();
        assertThat(handle.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(handle.cancel(true)).isFalse();
        gate.open();
        assertThat(running.await().value()).isEqualTo("value");
    }

    @Test
    @Tag("G35")
    void cancelRacingTheCompletionOfAStageThatItsSubmitterHasOpenedAgreesWithTheHandle() throws Exception {
        GroupExecutor executor = engines.start(callerRuns().build());
        CyclicBarrier barrier = new CyclicBarrier(2);
        for (int i = 0; i < 100; i++) {
            CompletableFuture<String> each = new CompletableFuture<>();
            TaskHandle<String> handle = runHere(executor, () -> each);
            Caller<Boolean> canceller = Caller.start(() -> {
                barrier.await();
                return handle.cancel(true);
            });
            barrier.await();
            each.complete("value");
            TaskStatus expected = canceller.result() ? TaskStatus.CANCELLED : TaskStatus.SUCCESS;
            assertThat(handle.await().status()).isEqualTo(expected);
        }
        assertThat(executor.shutdown(Duration.ZERO)).isTrue();
    }

    @Test
    @Tag("G41")
    void shutdownCancelsAStageThatItsSubmitterHasOpened() throws Exception {
        GroupExecutor executor = engines.start(callerRuns().build());
        Gate gate = new Gate();
        executor.submit("a", "running", gate.then("never"));
        TaskHandle<String> handle = executor.submitAsync("a", "here", () -> stage);

        executor.shutdown();

        assertThat(endOf(handle)).isEqualTo(TaskStatus.CANCELLED);
        Deadline.until("the stage is cancelled", stage::isCancelled);
    }

    @Test
    @Tag("G41")
    void shutdownCancelsAStageThatItsSubmitterHasOpenedThoughItsGroupIsForgotten() throws Exception {
        GroupExecutor executor = engines.start(callerRuns().maxIdleGroups(0).build());
        TaskHandle<String> handle = runHere(executor, () -> stage);
        Deadline.until("the group is forgotten", () -> executor.groupKeys().isEmpty());

        assertThat(executor.shutdown(Duration.ZERO))
                .as("whether nothing was forced")
                .isFalse();

        assertThat(endOf(handle)).isEqualTo(TaskStatus.CANCELLED);
        Deadline.until("the stage is cancelled", stage::isCancelled);
    }

    @Test
    @Tag("G41")
    void shutdownCancelsTheStageThatCodeRunByItsSubmitterStillReturns() throws Exception {
        GroupExecutor executor = engines.start(callerRuns().build());

        TaskHandle<String> handle = runHere(executor, () -> {
            executor.shutdown();
            return stage;
        });

        assertThat(endOf(handle)).isEqualTo(TaskStatus.CANCELLED);
        Deadline.until("the stage is cancelled", stage::isCancelled);
    }

    @Test
    @Tag("G42")
    void aDrainNeitherWaitsForAStageThatItsSubmitterHasOpenedNorCancelsIt() throws Exception {
        GroupExecutor executor = engines.start(callerRuns().build());
        TaskHandle<String> handle = runHere(executor, () -> stage);

        assertThat(executor.shutdown(Deadline.LONG)).isTrue();

        assertThat(handle.isDone()).isFalse();
        assertThat(stage).isNotDone();
        executor.close();
        assertThat(endOf(handle)).isEqualTo(TaskStatus.CANCELLED);
        Deadline.until("the stage is cancelled", stage::isCancelled);
    }

    @Test
    @Tag("G43")
    void shutdownOfAGroupCancelsTheStagesThatSubmittersHaveOpenedInIt() throws Exception {
        GroupExecutor executor = engines.start(callerRuns().maxIdleGroups(0).build());
        TaskHandle<String> handle = runHere(executor, () -> stage);
        Deadline.until("the group is forgotten", () -> executor.groupKeys().isEmpty());

        executor.shutdownGroup("b");
        executor.shutdownGroup("a");

        assertThat(endOf(handle)).isEqualTo(TaskStatus.CANCELLED);
        Deadline.until("the stage is cancelled", stage::isCancelled);
        assertThat(executor.shutdown(Duration.ZERO)).isTrue();
    }

    @Test
    void nothingKeepsAStageThatItsSubmitterHasOpenedAndThatNobodyCanCompleteAnyMore() throws Exception {
        GroupExecutor executor = engines.start(callerRuns().build());

        Waits.awaitCollected(lostStage(executor));

        assertThat(executor.shutdown(Duration.ZERO)).isTrue();
    }

    private static WeakReference<?> lostStage(GroupExecutor executor) throws Exception {
        CompletableFuture<String> lost = new CompletableFuture<>();
        TaskHandle<String> handle = runHere(executor, () -> lost);
        assertThat(handle.isDone()).isFalse();
        return new WeakReference<>(lost);
    }

    @Test
    @Tag("G41")
    void shutdownEndsATaskThatItsSubmitterHasRunThoughOnlyItsHandleIsKept() throws Exception {
        GroupExecutor executor = engines.start(callerRuns().build());
        TaskHandle<String> handle = runHere(executor, CompletableFuture::new);
        WeakReference<Object> garbage = new WeakReference<>(new Object());
        Waits.awaitCollected(garbage);

        executor.shutdown();

        assertThat(endOf(handle)).isEqualTo(TaskStatus.CANCELLED);
    }

    private static TaskStatus endOf(TaskHandle<String> handle) {
        Deadline.until("it has ended", handle::isDone);
        return handle.join().status();
    }

    /** Waits until the group's only task is an open stage. */
    private static void awaitOpenStage(GroupExecutor executor) {
        Deadline.until(
                () -> "an open stage, but " + executor.groupStats("a"),
                () -> executor.groupStats("a")
                        .filter(stats -> stats.running() == 0 && stats.inFlight() == 1)
                        .isPresent());
    }

    @SuppressWarnings("unchecked")
    private static <T> CompletionStage<T> withoutFuture(CompletionStage<T> stage) {
        return (CompletionStage<T>) Proxy.newProxyInstance(
                SubmitAsyncTests.class.getClassLoader(),
                new Class<?>[] {CompletionStage.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("toCompletableFuture")) {
                        throw new UnsupportedOperationException();
                    }
                    try {
                        return method.invoke(stage, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void asynchronousWorkNeedsNoId() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        stage.complete("value");

        TaskHandle<String> handle = executor.submitAsync("a", () -> stage);

        assertThat(handle.taskId()).isEmpty();
        assertThat(handle.await().valueOrThrow()).isEqualTo("value");
    }

    @Test
    @Tag("E3")
    void aGroupTaskIsSubmittedWithItsPartsAndItsTimeOut() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        GroupTask<CompletableFuture<String>> task =
                new GroupTask<>("a", "1", () -> stage).withQueueTimeout(Duration.ZERO);
        executor.pause("a");

        TaskHandle<String> refused = executor.submitAsync(task);
        executor.resume("a");
        TaskHandle<String> handle = executor.submitAsync(task);

        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(refused::await)
                .returns(RejectionReason.QUEUE_TIMEOUT, RejectedTaskException::reason);
        awaitOpenStage(executor);
        stage.complete("value");
        assertThat(handle.groupKey()).isEqualTo("a");
        assertThat(handle.taskId()).isEqualTo("1");
        assertThat(handle.await().valueOrThrow()).isEqualTo("value");
        assertThatNullPointerException().isThrownBy(() -> executor.submitAsync(null));
    }
}
