package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.GroupTask;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.FaultyThreads;
import io.github.kobe.audit.FaultyThreads.Fault;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.lending.Offer;
import io.github.kobe.internal.work.Task;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a busy group does without a critical section of the long kind: hand a permit over, and queue behind others. */
class HandOverTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();
    private final Gate second = new Gate();

    private static GroupStats stats(GroupExecutor executor) {
        return executor.groupStats("a").orElseThrow();
    }

    private static RejectionReason reason(TaskHandle<?> handle) {
        Deadline.until("done", handle::isDone);
        return catchThrowableOfType(RejectedTaskException.class, handle::join).reason();
    }

    /** One runs, and so many wait for it. */
    private List<TaskHandle<String>> queueBehindHolder(GroupExecutor executor, int count) {
        List<TaskHandle<String>> handles = new ArrayList<>();
        handles.add(executor.submit("a", "holder", gate.then("held")));
        for (int i = 1; i <= count; i++) {
            handles.add(executor.submit("a", "" + i, () -> "done"));
        }
        return handles;
    }

    // ---- handing over

    @Test
    void aPausedGroupHandsNothingOver() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        TaskHandle<String> holder = queueBehindHolder(executor, 2).getFirst();
        executor.pause("a");

        gate.open();
        assertThat(holder.await().value()).isEqualTo("held");

        assertThat(stats(executor).queued()).isEqualTo(2);
        executor.resume("a");
    }

    @Test
    void aGroupThatStallsHandsNothingOver() throws Exception {
        ManualClock clock = new ManualClock();
        FaultyThreads threads = new FaultyThreads(Fault.STARTING_IT_THROWS, number -> number == 2);
        GroupExecutor executor = engines.startPlain(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build(),
                new Surroundings(clock, threads, false));
        TaskHandle<String> holder = executor.submit("a", "holder", gate.then("held"));
        assertThat(executor.submit("a", "fails", () -> "never").join().status()).isEqualTo(TaskStatus.FAILED);
        List<TaskHandle<String>> waiting =
                List.of(executor.submit("a", "1", () -> "done"), executor.submit("a", "2", () -> "done"));

        gate.open();
        assertThat(holder.await().value()).isEqualTo("held");

        assertThat(stats(executor).queued()).isEqualTo(2);
        clock.advance(SECOND, executor);
        for (TaskHandle<String> handle : waiting) {
            assertThat(handle.await().value()).isEqualTo("done");
        }
    }

    @Test
    @Tag("I1")
    void whatIsRunningBeyondALowerLimitIsNotHandedOver() throws Exception {
        nothingIsHandedOverAfter(GroupLimits.unset().withMaxConcurrency(1));
    }

    @Test
    @Tag("I1")
    void whatIsInFlightBeyondALowerLimitIsNotHandedOver() throws Exception {
        nothingIsHandedOverAfter(GroupLimits.unset().withMaxInFlight(1));
    }

    private void nothingIsHandedOverAfter(GroupLimits lower) throws Exception {
        GroupExecutor executor = engines.startPlain(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build());
        TaskHandle<String> one = executor.submit("a", "one", gate.then("one"));
        executor.submit("a", "two", second.then("two"));
        executor.submit("a", "1", () -> "done");
        executor.submit("a", "2", () -> "done");
        executor.setLimits("a", lower);

        gate.open();
        assertThat(one.await().value()).isEqualTo("one");

        assertThat(stats(executor).queued()).isEqualTo(2);
        second.open();
    }

    @Test
    void aCallerThatIsInsideAnotherGroupStaysOneInFlight() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        TaskHandle<String> holder = executor.submit("a", "holder", gate.then("held"));
        Caller<String> nested = Caller.start(() -> executor.call("b", () -> executor.call("a", second.then("nested"))));
        Deadline.until("it waits", () -> stats(executor).queued() == 1);
        executor.submit("a", "behind", () -> "done");

        gate.open();
        assertThat(holder.await().value()).isEqualTo("held");
        second.awaitArrived(1);

        assertThat(executor.stats().inFlight()).isEqualTo(1);
        second.open();
        assertThat(nested.result()).isEqualTo("nested");
    }

    @Test
    @Tag("E3")
    void aTaskWhoseTimeIsUpIsHandedNothing() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor executor =
                engines.startPlain(GroupPolicy.builder().queueTimeout(SECOND).build(), clock.environment());
        executor.submit("a", "holder", gate.then("held"));
        TaskHandle<String> late = executor.submit("a", "1", () -> "late");
        clock.advance(SECOND.dividedBy(2));
        TaskHandle<String> inTime = executor.submit("a", "2", () -> "in time");
        clock.advance(SECOND.dividedBy(2));

        gate.open();

        assertThat(inTime.await().value()).isEqualTo("in time");
        assertThat(reason(late)).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
    }

    /** As it is between the two steps of a cancel. */
    @Test
    @Tag("I3")
    void aTaskThatIsJustBeingCancelledIsHandedNothing() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        List<TaskHandle<String>> handles = queueBehindHolder(executor, 3);
        Task<?> cancelled = (Task<?>) handles.get(1);
        assertThat(cancelled.claim(Objects.requireNonNull(cancelled.queuedWork())))
                .isTrue();

        gate.open();

        assertThat(handles.get(2).await(Deadline.SECONDS, TimeUnit.SECONDS).value())
                .isEqualTo("done");
        assertThat(handles.get(3).await().value()).isEqualTo("done");
        cancelled.group.withdraw(cancelled);
        cancelled.reportCancelled();
    }

    @Test
    void theLastToBeStartedLeavesNothingInTheQueue() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        TaskHandle<String> holder = executor.submit("a", "holder", gate.then("held"));
        executor.submit("a", "last", second.then("last"));
        Group group = EngineAccess.engine(executor).group("a");
        assertThat(group.queueLoader()).isNotNull();

        gate.open();
        assertThat(holder.await().value()).isEqualTo("held");

        assertThat(group.queueLoader()).isNull();
        second.open();
    }

    @Test
    @Tag("E13")
    void aLenderWhoWantsHisPermitBackComesBeforeTheFirstThatWaits() throws Exception {
        GroupExecutor executor = engines.startPlain(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build());
        Gate third = new Gate();
        TaskHandle<String> one = executor.submit("a", "one", gate.then("one"));
        Caller<String> lender = Caller.start(() -> executor.call(
                "a",
                () -> executor.submit("a", "borrower", second.then("borrowed"))
                        .await()
                        .value()));
        second.awaitArrived(1);
        executor.submit("a", "1", third.then("done"));
        executor.submit("a", "2", third.then("done"));
        Group group = EngineAccess.engine(executor).group("a");
        lender.awaitBlocked().interrupt();
        Deadline.until("he reclaims", () -> LockSupport.getBlocker(lender.thread()) instanceof Offer);

        gate.open();

        assertThat(one.await().value()).isEqualTo("one");
        assertThat(group.lent()).isZero();
        assertThat(catchThrowableOfType(InterruptedException.class, lender::result))
                .isNotNull();
        second.open();
        third.open();
    }

    // ---- queueing behind others

    @Test
    void whoDoesNotWaitIsRejectedBehindOthersToo() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        queueBehindHolder(executor, 1);

        TaskHandle<String> task =
                executor.submit(new GroupTask<>("a", "2", () -> "never").withQueueTimeout(Duration.ZERO));

        assertThat(task.isDone()).isTrue();
        assertThat(reason(task)).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        assertThat(catchThrowableOfType(
                                RejectedTaskException.class, () -> executor.call("a", Duration.ZERO, () -> "never"))
                        .reason())
                .isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        assertThat(stats(executor).queued()).isEqualTo(1);
        gate.open();
    }

    @Test
    @Tag("G16")
    void theQueuesOfTheGroupAndOfAllGroupsAreFullBehindOthersToo() {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .globalQueueThreshold(2)
                .perGroupQueueThreshold(Map.of("b", 1))
                .build());
        queueBehindHolder(executor, 1);
        executor.submit("b", "holder", gate.then("held"));
        executor.submit("b", "1", () -> "done");

        assertThat(reason(executor.submit("a", "2", () -> "never"))).isEqualTo(RejectionReason.GLOBAL_QUEUE_FULL);
        assertThat(reason(executor.submit("b", "2", () -> "never"))).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
        gate.open();
    }

    @Test
    @Tag("G13")
    void aTaskBehindOthersHasTheLoaderOfItsSubmitter() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        queueBehindHolder(executor, 1);
        ClassLoader own = new ClassLoader(getClass().getClassLoader()) {};

        TaskHandle<ClassLoader> task = Caller.startPlatform(() -> {
                    Thread.currentThread().setContextClassLoader(own);
                    return executor.submit(
                            "a", "2", () -> Thread.currentThread().getContextClassLoader());
                })
                .result();
        gate.open();

        assertThat(task.await().value()).isSameAs(own);
    }

    // ---- calls that nobody hears of

    private Caller<String> call(GroupExecutor executor) {
        int before = stats(executor).queued();
        Caller<String> caller = Caller.startPlatform(() -> {
            executor.call("other", () -> "parks its hold");
            return executor.call("a", () -> "called");
        });
        Deadline.until("it waits", () -> stats(executor).queued() == before + 1);
        return caller;
    }

    @Test
    @Tag("G17")
    void aCallBehindOthersTakesItsTurnAndUsesItsParkedHold() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        queueBehindHolder(executor, 1);
        Holds holds = EngineAccess.engine(executor).holds;
        Caller<Boolean> caller = Caller.startPlatform(() -> {
            executor.call("other", () -> "parks its hold");
            Hold parked = holds.parked(Thread.currentThread());
            return executor.call("a", () -> parked != null && parked.equals(holds.topOpen(Thread.currentThread())))
                    && Objects.equals(parked, holds.parked(Thread.currentThread()));
        });
        Deadline.until("it waits", () -> stats(executor).queued() == 2);
        TaskHandle<String> behind = executor.submit("a", "2", () -> "behind");

        gate.open();

        assertThat(caller.result()).isTrue();
        assertThat(behind.await().value()).isEqualTo("behind");
        assertThat(stats(executor).totals().succeeded()).isEqualTo(4);
    }

    @Test
    @Tag("P5")
    void aCallBehindOthersThatIsInterruptedLeavesTheQueue() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        queueBehindHolder(executor, 1);
        Caller<String> caller = call(executor);

        caller.interrupt();

        assertThat(catchThrowableOfType(InterruptedException.class, caller::result))
                .isNotNull();
        assertThat(stats(executor).queued()).isEqualTo(1);
        assertThat(stats(executor).totals().cancelled()).isEqualTo(1);
        gate.open();
    }

    @Test
    void aCallBehindOthersWaitsNoLongerThanItSays() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        queueBehindHolder(executor, 1);

        RejectedTaskException late = catchThrowableOfType(
                RejectedTaskException.class, () -> executor.call("a", Duration.ofMillis(1), () -> "never"));

        assertThat(late.reason()).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        assertThat(late.groupKey()).isEqualTo("a");
        assertThat(stats(executor).queued()).isEqualTo(1);
        gate.open();
    }

    @Test
    @Tag("S1")
    void aCallBehindOthersIsRejectedByAShutdown() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        queueBehindHolder(executor, 1);
        Caller<String> caller = call(executor);

        executor.shutdown();

        assertThat(catchThrowableOfType(RejectedTaskException.class, caller::result)
                        .reason())
                .isEqualTo(RejectionReason.SHUTDOWN);
    }

    // ---- what waits in all groups

    @Test
    void whatWaitedBeforeThereWasAGlobalThresholdCounts() {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        queueBehindHolder(executor, 2);
        executor.submit("b", "holder", gate.then("held"));

        executor.updatePolicy(GroupPolicy.builder().globalQueueThreshold(2).build());

        assertThat(reason(executor.submit("b", "1", () -> "never"))).isEqualTo(RejectionReason.GLOBAL_QUEUE_FULL);
        gate.open();
    }

    @Test
    void itIsNotQuietWhileAPausedGroupHasWorkAndTheCountIsEvenAfterwards() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        executor.pause("a");
        List<TaskHandle<String>> waiting =
                List.of(executor.submit("a", "1", () -> "done"), executor.submit("a", "2", () -> "done"));

        assertThat(executor.awaitQuiet(Duration.ZERO)).isFalse();
        executor.updatePolicy(GroupPolicy.builder().globalQueueThreshold(10).build());
        assertThat(executor.awaitQuiet(Duration.ZERO)).isFalse();
        executor.updatePolicy(GroupPolicy.builder().globalMaxInFlight(1).build());
        executor.updatePolicy(GroupPolicy.builder().globalMaxInFlight(2).build());
        assertThat(executor.awaitQuiet(Duration.ZERO)).isFalse();
        assertThat(EngineAccess.engine(executor).waiting).hasValue(2);
        executor.updatePolicy(GroupPolicy.builder().build());
        executor.setLimits("a", GroupLimits.unset().withMaxConcurrency(1));
        assertThat(EngineAccess.engine(executor).waiting).hasValue(0);
        assertThat(executor.awaitQuiet(Duration.ZERO)).isFalse();
        assertThat(EngineAccess.engine(executor).waiting).hasValue(2);

        executor.resume("a");
        for (TaskHandle<String> handle : waiting) {
            assertThat(handle.await().value()).isEqualTo("done");
        }
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(EngineAccess.engine(executor).waiting).hasValue(0);
    }

    // ---- holds that are closed by their thread

    @Test
    @Tag("I3")
    void aPermitOfTheSameGroupOutlivesTheCallOfAVirtualThread() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());

        GroupPermit permit = Caller.start(() ->
                        executor.call("a", () -> executor.enclosingPermit("a").orElseThrow()))
                .result();

        assertThat(stats(executor).running()).isEqualTo(1);
        permit.close();
        assertThat(stats(executor).running()).isZero();
    }

    @Test
    @Tag("I3")
    void aPermitOfTheSameGroupOutlivesItsTask() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());

        GroupPermit permit = executor.submit(
                        "a", "1", () -> executor.enclosingPermit("a").orElseThrow())
                .await()
                .value();

        assertThat(stats(executor).running()).isEqualTo(1);
        permit.close();
        assertThat(stats(executor).running()).isZero();
    }

    @Test
    @Tag("I1")
    void aCallPassesTheGlobalPermitThatItInheritedOnToWhatIsBelow() throws Exception {
        GroupExecutor executor =
                engines.startPlain(GroupPolicy.builder().globalMaxInFlight(1).build());

        Object done = Caller.start(() -> {
                    GroupPermit first = executor.acquire("x");
                    GroupPermit below =
                            first.acquireAsync("y").toCompletableFuture().join();
                    below.call(() -> executor.call("z", () -> {
                        first.close();
                        return null;
                    }));
                    assertThat(executor.stats().inFlight()).isEqualTo(1);
                    assertThat(Deadline.within(() -> executor.tryAcquire("w", Duration.ZERO)))
                            .isEmpty();
                    assertThat(executor.groupStats("y").orElseThrow().running()).isEqualTo(1);
                    below.close();
                    assertThat(executor.stats().inFlight()).isZero();
                    return "done";
                })
                .result();

        assertThat(done).isEqualTo("done");
    }
}
