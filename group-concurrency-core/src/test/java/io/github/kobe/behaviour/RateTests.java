package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.GroupTask;
import io.github.kobe.LimitSource;
import io.github.kobe.Rate;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.WaitReason;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.audit.Waits;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How much of a group starts in any window of time. */
class RateTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration A_NANOSECOND = Duration.ofNanos(1);

    /** One of 60 a minute with a burst of 6. */
    private static final Duration INTERVAL = MINUTE.dividedBy(55).plusNanos(1);

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();

    private static GroupLimits sixty() {
        return GroupLimits.unset()
                .withMaxConcurrency(1_000)
                .withRate(Rate.of(60, MINUTE).withBurst(6));
    }

    private static GroupPolicy.Builder policy() {
        return GroupPolicy.builder().group("a", sixty());
    }

    private GroupExecutor start(GroupPolicy.Builder policy) {
        return engines.start(policy.build(), clock);
    }

    private static List<TaskHandle<String>> submit(GroupExecutor executor, int tasks) {
        return IntStream.range(0, tasks)
                .mapToObj(i -> executor.submit("a", String.valueOf(i), () -> "done"))
                .toList();
    }

    private static GroupStats stats(GroupExecutor executor) {
        return executor.groupStats("a").orElseThrow();
    }

    private static int queued(GroupExecutor executor) {
        return stats(executor).queued();
    }

    private void pass(GroupExecutor executor, Duration time) {
        clock.advance(time, executor);
    }

    private void letAllStart(GroupExecutor executor) {
        Deadline.until("nothing waits", () -> {
            pass(executor, MINUTE);
            return queued(executor) == 0;
        });
    }

    @Test
    @Tag("RA1")
    @Tag("RA2")
    void noMinuteHasMoreStartsThanTheLimitWhereverItBegins() throws Exception {
        GroupExecutor executor = start(policy());
        int tasks = 300;
        submit(executor, tasks);
        List<Integer> startedBy = new ArrayList<>();
        while (queued(executor) > 0) {
            startedBy.add(tasks - queued(executor));
            pass(executor, Duration.ofMillis(100));
        }
        startedBy.add(tasks);

        assertThat(startedBy.getFirst()).isEqualTo(6);
        for (int i = 600; i < startedBy.size(); i++) {
            assertThat(startedBy.get(i) - startedBy.get(i - 600)).isBetween(54, 60);
        }
    }

    @Test
    @Tag("RA13")
    void theNextStartsAtItsTimeAndNotBefore() throws Exception {
        GroupExecutor executor = start(policy());
        List<TaskHandle<String>> tasks = submit(executor, 8);
        assertThat(queued(executor)).isEqualTo(2);
        assertThat(stats(executor).waitsFor()).contains(WaitReason.RATE);

        pass(executor, INTERVAL.minusNanos(1));
        assertThat(queued(executor)).isEqualTo(2);
        pass(executor, A_NANOSECOND);
        assertThat(queued(executor)).isEqualTo(1);
        assertThat(tasks.get(6).await().value()).isEqualTo("done");

        pass(executor, MINUTE);
        assertThat(queued(executor)).isZero();
    }

    @Test
    @Tag("RA13")
    void whatIsDueAtOneAlarmStartsAtOnce() {
        GroupExecutor executor = start(policy());
        submit(executor, 20);
        int alarms = EngineAccess.alarms(executor);

        pass(executor, INTERVAL.multipliedBy(4));

        assertThat(queued(executor)).isEqualTo(10);
        assertThat(EngineAccess.alarms(executor)).isEqualTo(alarms);
        letAllStart(executor);
    }

    @Test
    @Tag("RA13")
    void whatStartsInTheCriticalSectionOfAnotherGroupLeavesAnAlarmForTheNext() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder()
                .globalMaxInFlight(2)
                .defaultMaxConcurrencyPerGroup(9)
                .group("a", GroupLimits.unset().withRate(Rate.of(2, MINUTE).withBurst(1))));
        GroupPermit first = executor.acquire("b");
        GroupPermit second = executor.acquire("b");
        Gate gate = new Gate();
        executor.submit("a", "1", gate.then("done"));
        executor.submit("a", "2", gate.then("done"));
        assertThat(queued(executor)).isEqualTo(2);

        first.close();
        second.close();
        assertThat(queued(executor)).isEqualTo(1);
        pass(executor, MINUTE.dividedBy(2));

        assertThat(queued(executor)).isZero();
        gate.open();
    }

    @Test
    @Tag("RA13")
    void theEnginesOwnThreadStartsWhatIsDue() throws Exception {
        Rate rate = Rate.of(10, Duration.ofMillis(50)).withBurst(2);
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .group("a", GroupLimits.unset().withMaxConcurrency(100).withRate(rate))
                .build());

        for (TaskHandle<String> task : submit(executor, 40)) {
            assertThat(task.await(Deadline.SECONDS, TimeUnit.SECONDS).value()).isEqualTo("done");
        }
    }

    @Test
    @Tag("RA3")
    void whatWaitsForItsRateHoldsNoPermit() throws Exception {
        GroupExecutor executor = start(policy().globalMaxInFlight(1));
        submit(executor, 8);
        Deadline.until("six ran", () -> stats(executor).totals().succeeded() == 6);

        assertThat(queued(executor)).isEqualTo(2);
        assertThat(executor.stats().inFlight()).isZero();
        assertThat(executor.submit("b", "1", () -> "done").await().value()).isEqualTo("done");
        letAllStart(executor);
    }

    @Test
    @Tag("RA3")
    void aStartThatLacksAPermitUsesUpNothing() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder().group("a", sixty().withMaxConcurrency(1)));
        Gate gate = new Gate();
        executor.submit("a", "first", gate.then("done"));
        submit(executor, 7);
        pass(executor, MINUTE);
        assertThat(queued(executor)).isEqualTo(7);
        assertThat(stats(executor).waitsFor()).contains(WaitReason.GROUP_LIMIT);

        gate.open();

        Deadline.until("as many as the burst", () -> queued(executor) == 1);
        letAllStart(executor);
    }

    @Test
    @Tag("RA1")
    void whatSharesAGlobalPermitCountsInItsGroup() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder()
                .globalMaxInFlight(1)
                .group("a", GroupLimits.unset().withMaxConcurrency(9).withRate(Rate.of(1, MINUTE))));
        executor.acquire("a").close();
        Gate gate = new Gate();
        Caller<String> outer = Caller.start(() -> executor.call("outer", () -> {
            gate.pass();
            return executor.call("a", () -> "nested");
        }));
        gate.awaitArrived(1);
        TaskHandle<String> needsAGlobalPermit = submit(executor, 1).getFirst();
        gate.open();
        Waits.awaitQueued(executor, "a", 2);

        pass(executor, MINUTE);

        assertThat(outer.result()).isEqualTo("nested");
        Deadline.until("the global permit is free", () -> executor.stats().inFlight() == 0);
        assertThat(queued(executor)).isEqualTo(1);
        assertThat(stats(executor).waitsFor()).contains(WaitReason.RATE);
        pass(executor, MINUTE);
        assertThat(needsAGlobalPermit.await().value()).isEqualTo("done");
    }

    @Test
    @Tag("RA4")
    void permitsThatComeBackDoNotPassTheRateBy() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder()
                .group("a", GroupLimits.unset().withRate(Rate.of(2, MINUTE).withBurst(2))));
        GroupPermit permit = executor.acquire("a");
        submit(executor, 5);
        permit.close();

        Deadline.until(
                "one ran, and the permit is back",
                () -> stats(executor).totals().succeeded() == 2
                        && stats(executor).inFlight() == 0);
        assertThat(queued(executor)).isEqualTo(4);
        letAllStart(executor);
    }

    @Test
    @Tag("RA4")
    void whatComesLaterDoesNotOvertakeWhatWaitsForTheRate() throws Exception {
        GroupExecutor executor = start(policy());
        submit(executor, 7);
        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        Queue<String> begun = new ConcurrentLinkedQueue<>();
        Caller<String> caller = Caller.start(() -> executor.call("a", () -> {
            begun.add("caller");
            return "done";
        }));
        Waits.awaitQueued(executor, "a", 2);

        clock.advance(INTERVAL);
        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        EngineAccess.runDue(executor);
        assertThat(queued(executor)).isEqualTo(1);
        assertThat(begun).isEmpty();
        pass(executor, INTERVAL);

        assertThat(caller.result()).isEqualTo("done");
    }

    @Test
    @Tag("RA8")
    @Tag("RA9")
    void whatCouldStartOnlyAfterItsTimeIsUpIsRejectedAtOnce() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder()
                .group("a", sixty().withQueueTimeout(INTERVAL.multipliedBy(3)).withQueueThreshold(5)));
        List<TaskHandle<String>> tasks = submit(executor, 9);

        RejectedTaskException rejected = tasks.get(8).toCompletableFuture().isCompletedExceptionally()
                ? catchThrowableOfType(
                        RejectedTaskException.class, () -> tasks.get(8).await())
                : null;

        assertThat(rejected).isNotNull();
        assertThat(rejected.reason()).isEqualTo(RejectionReason.RATE_LIMITED);
        assertThat(rejected.waitsFor()).contains(WaitReason.RATE);
        assertThat(rejected.retryAfter().orElseThrow())
                .isBetween(INTERVAL.multipliedBy(3).minusNanos(3), INTERVAL.multipliedBy(3));
        assertThat(rejected).hasMessageContaining("rate").hasMessageContaining("2 waiting");
        assertThat(queued(executor)).isEqualTo(2);
        pass(executor, INTERVAL.multipliedBy(2));
        assertThat(queued(executor)).isZero();
    }

    @Test
    @Tag("RA8")
    void aTimeOutOfOnesOwnCountsAsTheGroupsDoes() throws Exception {
        GroupExecutor executor = start(policy());
        submit(executor, 7);

        assertThat(executor.tryAcquire("a", INTERVAL)).isEmpty();
        RejectedTaskException refused =
                catchThrowableOfType(RejectedTaskException.class, () -> executor.call("a", INTERVAL, () -> "never"));
        TaskHandle<String> task =
                executor.submit(new GroupTask<>("a", "own", () -> "never").withQueueTimeout(INTERVAL));
        TaskHandle<String> none =
                executor.submit(new GroupTask<>("a", "none", () -> "never").withQueueTimeout(Duration.ZERO));

        assertThat(refused.reason()).isEqualTo(RejectionReason.RATE_LIMITED);
        for (TaskHandle<String> each : List.of(task, none)) {
            assertThat(catchThrowableOfType(RejectedTaskException.class, each::await)
                            .reason())
                    .isEqualTo(RejectionReason.RATE_LIMITED);
        }
        assertThat(stats(executor).totals().rejectedByReason()).containsEntry(RejectionReason.RATE_LIMITED, 4L);
        Caller<String> waits = Caller.start(() -> executor.call("a", MINUTE, () -> "done"));
        Waits.awaitQueued(executor, "a", 2);
        pass(executor, INTERVAL.multipliedBy(2));
        assertThat(waits.result()).isEqualTo("done");
    }

    @Test
    @Tag("RA9")
    void aFullQueueOfARatedGroupTellsWhenToComeAgain() {
        GroupExecutor executor = start(GroupPolicy.builder()
                .group("a", sixty().withQueueThreshold(0))
                .group("b", GroupLimits.unset().withQueueThreshold(0)));
        Gate gate = new Gate();
        executor.submit("b", "1", gate.then("done"));
        List<TaskHandle<String>> tasks = submit(executor, 7);

        RejectedTaskException rated = catchThrowableOfType(
                RejectedTaskException.class, () -> tasks.get(6).await());
        RejectedTaskException unrated = catchThrowableOfType(
                RejectedTaskException.class,
                () -> executor.submit("b", "2", () -> "never").await());

        assertThat(rated.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
        assertThat(rated.retryAfter()).contains(INTERVAL);
        assertThat(unrated.retryAfter()).isEmpty();
        gate.open();
    }

    @Test
    @Tag("RA1")
    void inARatedGroupNobodyRunsWhatIsRejected() {
        GroupExecutor executor = start(GroupPolicy.builder()
                .group("a", sixty().withQueueThreshold(0))
                .rejectionPolicy(RejectionPolicy.CALLER_RUNS));
        List<TaskHandle<String>> tasks = submit(executor, 7);

        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> tasks.get(6).await())
                .matches(rejected -> rejected.reason() == RejectionReason.GROUP_QUEUE_FULL);
    }

    @Test
    @Tag("RA1")
    void whoIsInsideStartsNothingByACallOfTheSameGroup() throws Exception {
        GroupExecutor executor = start(policy());

        executor.call("a", () -> {
            for (int i = 0; i < 50; i++) {
                executor.call("a", () -> "inside");
            }
            return "done";
        });

        submit(executor, 6);
        assertThat(queued(executor)).isEqualTo(1);
        letAllStart(executor);
    }

    @Test
    @Tag("RA3")
    void aNestedCallWaitsForTheRateOfItsOwnGroup() throws Exception {
        GroupExecutor executor = start(policy().globalMaxInFlight(2));
        for (TaskHandle<String> task : submit(executor, 6)) {
            task.await();
        }
        Caller<String> outer = Caller.start(() -> executor.call("outer", () -> executor.call("a", () -> "done")));
        Waits.awaitQueued(executor, "a", 1);
        outer.awaitBlocked();
        assertThat(executor.stats().inFlight()).isEqualTo(1);

        pass(executor, INTERVAL);

        assertThat(outer.result()).isEqualTo("done");
    }

    /** A task that waits for another one of its group. */
    private TaskHandle<String> parent(GroupExecutor executor, AtomicReference<Thread> thread) {
        return executor.submit("a", "parent", () -> {
            thread.set(Thread.currentThread());
            return engines.witness(executor)
                    .waiting("a", executor.submit("a", "child", () -> "child")::await)
                    .valueOrThrow();
        });
    }

    @Test
    @Tag("RA14")
    void aLenderWaitsUntilTheRateLetsTheBorrowerStart() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder()
                .group("a", GroupLimits.unset().withMaxConcurrency(1).withRate(Rate.of(1, MINUTE))));
        AtomicReference<Thread> lender = new AtomicReference<>();
        TaskHandle<String> parent = parent(executor, lender);
        Waits.awaitQueued(executor, "a", 1);
        Caller.awaitBlocked(lender.get());
        pass(executor, MINUTE.minusNanos(1));
        assertThat(queued(executor)).isEqualTo(1);

        Deadline.until("it has come", () -> {
            pass(executor, A_NANOSECOND);
            return parent.isDone();
        });

        assertThat(parent.await().value()).isEqualTo("child");
    }

    @Test
    @Tag("RA14")
    void whatIsBorrowedCountsAsAStart() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder()
                .group(
                        "a",
                        GroupLimits.unset()
                                .withMaxConcurrency(1)
                                .withRate(Rate.of(2, MINUTE).withBurst(2))));
        TaskHandle<String> parent = parent(executor, new AtomicReference<>());
        assertThat(parent.await().value()).isEqualTo("child");

        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        assertThat(stats(executor).totals().rejectedByReason()).containsEntry(RejectionReason.RATE_LIMITED, 1L);
    }

    @Test
    @Tag("RA14")
    void aDrainKeepsTheRate() throws Exception {
        GroupExecutor executor = start(policy());
        List<TaskHandle<String>> tasks = submit(executor, 8);
        Caller<Boolean> drain = Caller.start(() -> executor.shutdown(Duration.ofHours(1)));
        drain.awaitBlockedOnACondition();
        assertThat(queued(executor)).isEqualTo(2);

        pass(executor, INTERVAL);
        assertThat(queued(executor)).isEqualTo(1);
        pass(executor, INTERVAL);

        assertThat(drain.result()).isTrue();
        assertThat(tasks).allSatisfy(task -> assertThat(task.await().status()).isEqualTo(TaskStatus.SUCCESS));
    }

    @Test
    @Tag("RA10")
    void aDrainWaitsForTheEndOfAPauseThatHasOne() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());
        executor.pause("a", MINUTE);
        executor.pause("b");
        TaskHandle<String> first = executor.submit("a", "1", () -> "done");
        TaskHandle<String> never = executor.submit("b", "1", () -> "never");
        Caller<Boolean> drain = Caller.start(() -> executor.shutdown(Duration.ofHours(1)));
        drain.awaitBlockedOnACondition();
        assertThat(never.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(first.isDone()).isFalse();

        pass(executor, MINUTE);

        assertThat(first.await().value()).isEqualTo("done");
        assertThat(drain.result()).isFalse();
    }

    @Test
    @Tag("RA10")
    void aPauseWithAnEndDelaysWhatComesInARatedGroup() {
        GroupExecutor executor =
                start(GroupPolicy.builder().group("a", sixty().withQueueTimeout(Duration.ofSeconds(30))));
        executor.pause("a", MINUTE);

        RejectedTaskException rejected = catchThrowableOfType(
                RejectedTaskException.class,
                () -> submit(executor, 1).getFirst().await());

        assertThat(rejected.reason()).isEqualTo(RejectionReason.RATE_LIMITED);
        assertThat(rejected.retryAfter()).contains(MINUTE);
        executor.resume("a");
    }

    @Test
    @Tag("RA11")
    void anotherRateBeginsWithoutABurstAndHelpsAtOnce() {
        GroupExecutor executor = start(policy());
        submit(executor, 20);
        executor.setLimits("a", sixty().withRate(Rate.of(120, MINUTE).withBurst(21)));
        Duration interval = MINUTE.dividedBy(100);
        assertThat(queued(executor)).isEqualTo(14);

        pass(executor, interval.minusNanos(1));
        assertThat(queued(executor)).isEqualTo(14);
        pass(executor, A_NANOSECOND);
        assertThat(queued(executor)).isEqualTo(13);
        pass(executor, interval.multipliedBy(5));
        assertThat(queued(executor)).isEqualTo(8);
        letAllStart(executor);
        executor.resetLimits("a");
    }

    @Test
    @Tag("RA11")
    void aRateForAGroupThatHasRunWithoutOneBeginsEmptyAndOneThatIsLiftedLetsAllStart() {
        GroupExecutor executor = start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(100));
        submit(executor, 60);
        assertThat(queued(executor)).isZero();

        executor.setLimits("a", sixty());
        submit(executor, 3);
        assertThat(queued(executor)).isEqualTo(3);
        pass(executor, INTERVAL);
        assertThat(queued(executor)).isEqualTo(2);

        executor.setLimits("a", sixty().withRate(Rate.UNLIMITED));
        assertThat(queued(executor)).isZero();
        assertThat(stats(executor).rates()).isEmpty();
        executor.resetLimits("a");
    }

    @Test
    @Tag("RA2")
    @Tag("RA11")
    void theFirstRateOfAGroupThatHasNeverRunHasItsBurst() {
        GroupExecutor executor = start(GroupPolicy.builder());

        executor.setLimits("a", sixty());
        submit(executor, 7);

        assertThat(queued(executor)).isEqualTo(1);
        executor.resetLimits("a");
    }

    @Test
    @Tag("RA11")
    void anotherRateForAGroupThatHasNeverRunHasItsBurstToo() {
        GroupExecutor executor = start(GroupPolicy.builder().pattern("*", sixty()));

        executor.setLimits("a", sixty().withRate(Rate.of(120, MINUTE).withBurst(12)));
        submit(executor, 13);

        assertThat(queued(executor)).isEqualTo(1);
        letAllStart(executor);
    }

    @Test
    @Tag("RA11")
    void aRateThatComesBackBeforeAnythingHasRunHasItsBurst() {
        GroupExecutor executor = start(GroupPolicy.builder().pattern("*", sixty()));

        executor.setLimits("a", sixty().withRate(Rate.of(120, MINUTE).withBurst(12)));
        executor.resetLimits("a");
        submit(executor, 7);

        assertThat(queued(executor)).isEqualTo(1);
        letAllStart(executor);
    }

    @Test
    @Tag("RA11")
    void aGroupThatAPolicyHasPutUnderAnotherRuleHasRunAllTheSame() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());
        for (TaskHandle<String> task : submit(executor, 3)) {
            task.await();
        }
        executor.updatePolicy(engines.witnessed(
                executor,
                GroupPolicy.builder()
                        .group("a", GroupLimits.unset().withMaxConcurrency(100))
                        .build()));

        executor.setLimits("a", sixty());
        submit(executor, 3);

        assertThat(queued(executor)).isEqualTo(3);
        executor.resetLimits("a");
    }

    @Test
    @Tag("RA11")
    void onlyAnEvictionForgetsWhatWasStarted() {
        GroupExecutor executor = start(policy());
        submit(executor, 3);
        executor.pause("a");
        executor.resume("a");
        executor.updatePolicy(engines.witnessed(executor, policy().build()));
        submit(executor, 3);
        assertThat(queued(executor)).isZero();
        submit(executor, 2);
        assertThat(queued(executor)).isEqualTo(2);

        executor.evictGroup("a");

        assertThat(queued(executor)).isZero();
    }

    @Test
    @Tag("RA12")
    void ofAGroupThatIsForgottenItIsRememberedWhatItHasStarted() throws Exception {
        GroupExecutor executor = usedUpAndForgotten();

        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        pass(executor, INTERVAL);
        executor.tryAcquire("a", Duration.ZERO).orElseThrow().close();
        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
    }

    @Test
    @Tag("RA12")
    void thatIsForgottenOnceItsRateHasRested() throws Exception {
        GroupExecutor executor = usedUpAndForgotten();

        pass(executor, INTERVAL.multipliedBy(5));
        assertThat(executor.stats().rememberedRates()).isEqualTo(1);
        pass(executor, INTERVAL);

        assertThat(executor.stats().rememberedRates()).isZero();
        assertThat(EngineAccess.alarms(executor)).isZero();
        submit(executor, 6);
    }

    @Test
    @Tag("RA12")
    @Tag("RA11")
    void anotherRateThatCameMeanwhileBeginsWithoutABurst() throws Exception {
        GroupExecutor executor = usedUpAndForgotten();

        executor.updatePolicy(executor.policy().toBuilder()
                .pattern(
                        "*",
                        GroupLimits.unset()
                                .withMaxConcurrency(100)
                                .withRate(Rate.of(600, MINUTE).withBurst(120)))
                .build());

        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
    }

    @Test
    @Tag("RA11")
    @Tag("RA12")
    void aRateThatWasLiftedBeforeAnythingRanAgainBeginsWithoutABurst() throws Exception {
        GroupExecutor executor = usedUpAndForgotten();

        executor.setLimits("a", GroupLimits.unset().withRate(Rate.UNLIMITED));
        executor.resetLimits("a");

        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
    }

    @Test
    @Tag("RA11")
    @Tag("RA12")
    void anEvictionForgetsItToo() throws Exception {
        GroupExecutor executor = usedUpAndForgotten();

        executor.evictGroup("a");

        assertThat(executor.stats().rememberedRates()).isZero();
        submit(executor, 6);
    }

    @Test
    @Tag("RA12")
    void anEvictionForgetsWhatAGroupOfThatKeyHasLeftBeforeItsRateWasTakenAway() throws Exception {
        GroupExecutor executor = usedUpAndForgotten();
        GroupPolicy rated = executor.policy();
        executor.updatePolicy(
                rated.toBuilder().pattern("*", GroupLimits.unset()).build());
        executor.pause("a");

        executor.evictGroup("a");

        assertThat(executor.stats().rememberedRates()).isZero();
        executor.updatePolicy(rated);
        for (TaskHandle<String> task : submit(executor, 6)) {
            task.await();
        }
    }

    /** {@return an executor that keeps no idle groups, and has forgotten "a", which has just started its burst of 6} */
    private GroupExecutor usedUpAndForgotten() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder().maxIdleGroups(0).pattern("*", sixty()));
        for (TaskHandle<String> task : submit(executor, 6)) {
            task.await();
        }
        Deadline.until("all is back", () -> executor.groupKeys().isEmpty());
        assertThat(executor.stats().rememberedRates()).isEqualTo(1);
        return executor;
    }

    @Test
    @Tag("RA15")
    void itIsShownHowMuchOfTheBurstIsUsedUpAndWhenTheNextMayStart() {
        GroupExecutor executor = start(policy());
        executor.setLimits("free", GroupLimits.unset().withMaxConcurrency(2));
        assertThat(used(executor)).isZero();
        assertThat(stats(executor).nextStartIn()).contains(Duration.ZERO);

        submit(executor, 5);
        assertThat(used(executor)).isEqualTo(5);
        assertThat(stats(executor).nextStartIn()).contains(Duration.ZERO);

        submit(executor, 3);
        assertThat(used(executor)).isEqualTo(6);
        assertThat(stats(executor).nextStartIn()).contains(INTERVAL);
        assertThat(executor.ruleStats())
                .filteredOn(rule -> rule.rule().isPresent())
                .singleElement()
                .satisfies(rule -> {
                    assertThat(rule.rateUsed()).isEqualTo(1);
                    assertThat(rule.ratedGroups()).isEqualTo(1);
                    assertThat(rule.groupsWaitingForRate()).isEqualTo(1);
                });
        assertThat(executor.groupStats("free").orElseThrow().nextStartIn()).isEmpty();
        assertThat(executor.groupStats("free").orElseThrow().rateStats()).isEmpty();

        pass(executor, INTERVAL);
        pass(executor, INTERVAL);
        assertThat(queued(executor)).isZero();
        pass(executor, INTERVAL.multipliedBy(3));
        assertThat(used(executor)).isEqualTo(3);
        pass(executor, MINUTE);
        assertThat(used(executor)).isZero();
        assertThat(executor.ruleStats())
                .allSatisfy(rule -> assertThat(rule.groupsWaitingForRate()).isZero());
    }

    @Test
    @Tag("RA2")
    void theRateIsShownWithItsSource() {
        Rate rate = Rate.of(60, MINUTE);
        GroupPolicy policy = GroupPolicy.builder()
                .pattern("partner:*", GroupLimits.unset().withRate(rate))
                .group("partner:free", GroupLimits.unset().withRate(Rate.UNLIMITED))
                .build();
        GroupExecutor executor = engines.start(policy, clock);

        assertThat(policy.explain("partner:a").rates().orElseThrow().value()).containsExactly(rate);
        assertThat(policy.explain("partner:a").rates().orElseThrow().source()).isEqualTo(LimitSource.PATTERN);
        assertThat(rate.sustained()).isEqualTo(55);
        assertThat(policy.explain("partner:free").rates()).isEmpty();
        assertThat(policy.explain("other").rates()).isEmpty();
        executor.setLimits("partner:a", GroupLimits.unset().withRate(rate.withBurst(1)));
        assertThat(executor.groupStats("partner:a")
                        .orElseThrow()
                        .rates()
                        .orElseThrow()
                        .value())
                .containsExactly(rate.withBurst(1));
        assertThat(executor.groupStats("partner:a")
                        .orElseThrow()
                        .rates()
                        .orElseThrow()
                        .source())
                .isEqualTo(LimitSource.OVERRIDDEN);
        executor.resetLimits("partner:a");
        assertThat(executor.groupStats("partner:a")
                        .orElseThrow()
                        .rates()
                        .orElseThrow()
                        .value())
                .containsExactly(rate);
    }

    private static int used(GroupExecutor executor) {
        return stats(executor).rateStats().getFirst().used();
    }
}
