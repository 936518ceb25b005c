package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.InvalidPolicyException;
import io.github.kobe.Rate;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
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
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How much of all groups starts in any window of time, and whose turn it is then. */
@Tag("RA5")
class GlobalRateTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration A_NANOSECOND = Duration.ofNanos(1);

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();

    /** One a second, none at once. */
    private static GroupPolicy.Builder policy() {
        return policy(1);
    }

    private static GroupPolicy.Builder policy(int burst) {
        return GroupPolicy.builder()
                .globalRate(Rate.of(60, MINUTE).withBurst(burst))
                .defaults(GroupLimits.unset().withMaxConcurrency(1_000));
    }

    private GroupExecutor start(GroupPolicy.Builder policy) {
        return engines.start(policy.build(), clock);
    }

    private static List<TaskHandle<String>> submit(GroupExecutor executor, String key, int tasks) {
        return IntStream.range(0, tasks)
                .mapToObj(i -> executor.submit(key, String.valueOf(i), () -> "done"))
                .toList();
    }

    private static GroupStats stats(GroupExecutor executor, String key) {
        return executor.groupStats(key).orElseThrow();
    }

    private static int queued(GroupExecutor executor, String key) {
        return stats(executor, key).queued();
    }

    private void pass(GroupExecutor executor, Duration time) {
        clock.advance(time, executor);
    }

    private void letAllStart(GroupExecutor executor) {
        Deadline.until("nothing waits", () -> {
            pass(executor, MINUTE);
            return executor.stats().queued() == 0;
        });
    }

    @Test
    @Tag("RA1")
    void noMinuteHasMoreStartsOfAllGroupsThanTheLimitWhereverItBegins() {
        GroupExecutor executor = start(policy(7));
        int tasks = 100;
        for (String key : List.of("a", "b", "c")) {
            submit(executor, key, tasks);
        }
        List<Long> startedBy = new ArrayList<>();
        while (executor.stats().queued() > 0) {
            startedBy.add(3 * tasks - executor.stats().queued());
            pass(executor, Duration.ofMillis(100));
        }

        assertThat(startedBy.getFirst()).isEqualTo(7);
        for (int i = 600; i < startedBy.size(); i++) {
            assertThat(startedBy.get(i) - startedBy.get(i - 600)).isBetween(53L, 60L);
        }
    }

    @Test
    void eachOfFourGroupsHasAFourthThoughOneFloods() {
        GroupExecutor executor = start(policy());
        submit(executor, "flood", 1_000);
        for (String key : List.of("a", "b", "c")) {
            submit(executor, key, 100);
        }
        pass(executor, MINUTE);
        Map<String, Integer> before = queued(executor);

        for (int second = 0; second < 60; second++) {
            pass(executor, SECOND);
        }

        Map<String, Integer> after = queued(executor);
        assertThat(before.keySet())
                .hasSize(4)
                .allSatisfy(key ->
                        assertThat(before.get(key) - after.get(key)).as(key).isEqualTo(15));
        executor.shutdown();
    }

    private static Map<String, Integer> queued(GroupExecutor executor) {
        Map<String, Integer> queued = new TreeMap<>();
        executor.groupKeys().forEach(key -> queued.put(key, queued(executor, key)));
        return queued;
    }

    @Test
    void whileTheRateIsShortTurnsAreByWeightAndNotByWhatIsHeld() {
        GroupExecutor executor = start(policy().globalMaxInFlight(1_000)
                .group("heavy", GroupLimits.unset().withMaxConcurrency(1_000).withWeight(3))
                .group("long", GroupLimits.unset().withMaxConcurrency(1_000)));
        Gate gate = new Gate();
        for (int i = 0; i < 50; i++) {
            executor.submit("long", "waits", () -> {
                gate.pass();
                return "done";
            });
        }
        submit(executor, "heavy", 100);
        submit(executor, "light", 100);
        passASecondInWhichTheShortOnesEnd(executor, 5);
        Map<String, Integer> before = queued(executor);

        passASecondInWhichTheShortOnesEnd(executor, 40);

        Map<String, Integer> after = queued(executor);
        assertThat(before.get("heavy") - after.get("heavy")).isEqualTo(24);
        assertThat(before.get("light") - after.get("light")).isEqualTo(8);
        assertThat(before.get("long") - after.get("long"))
                .as("though it holds the most")
                .isEqualTo(8);
        gate.open();
        letAllStart(executor);
    }

    @Test
    void aWeightThatIsLoweredCountsInTheTurnThatIsUnderWay() {
        GroupExecutor executor = start(policy().group(
                        "heavy", GroupLimits.unset().withMaxConcurrency(1_000).withWeight(100)));
        submit(executor, "heavy", 200);
        pass(executor, SECOND);
        submit(executor, "light", 20);
        executor.setLimits("heavy", GroupLimits.unset().withWeight(1));
        Map<String, Integer> before = queued(executor);

        for (int second = 0; second < 10; second++) {
            pass(executor, SECOND);
        }

        Map<String, Integer> after = queued(executor);
        assertThat(before.keySet())
                .allSatisfy(key ->
                        assertThat(before.get(key) - after.get(key)).as(key).isEqualTo(5));
        executor.shutdown();
    }

    private void passASecondInWhichTheShortOnesEnd(GroupExecutor executor, int times) {
        for (int i = 0; i < times; i++) {
            pass(executor, SECOND);
            Deadline.until(
                    "nothing short is in flight",
                    () -> stats(executor, "heavy").inFlight() == 0
                            && stats(executor, "light").inFlight() == 0);
        }
    }

    @Test
    void whilePermitsAreShortTurnsAreByWhatIsHeldThoughTheRateWasShortBefore() throws Exception {
        GroupExecutor executor = start(policy(4).globalMaxInFlight(2));
        for (int i = 0; i < 4; i++) {
            executor.acquire("earlier").close();
        }
        submit(executor, "earlier", 1);
        assertThat(stats(executor, "earlier").waitsFor()).contains(WaitReason.RATE);
        pass(executor, MINUTE);
        Deadline.until("it has ended", () -> executor.stats().inFlight() == 0);
        GroupPermit one = executor.acquire("long");
        GroupPermit two = executor.acquire("long");
        pass(executor, MINUTE);
        submit(executor, "long", 3);
        Gate gate = new Gate();
        TaskHandle<String> other = executor.submit("other", "waits", () -> {
            gate.pass();
            return "done";
        });

        one.close();

        gate.awaitArrived(1);
        assertThat(queued(executor, "long")).isEqualTo(3);
        gate.open();
        two.close();
        letAllStart(executor);
        assertThat(other.await().value()).isEqualTo("done");
    }

    @Test
    @Tag("RA13")
    void theNextStartsAtItsTimeAndNotBefore() {
        GroupExecutor executor = start(policy());
        submit(executor, "a", 1);
        submit(executor, "b", 1);
        assertThat(queued(executor, "b")).isEqualTo(1);
        assertThat(stats(executor, "b").waitsFor()).contains(WaitReason.RATE);

        pass(executor, SECOND.minus(A_NANOSECOND));
        assertThat(queued(executor, "b")).isEqualTo(1);
        pass(executor, A_NANOSECOND);

        assertThat(queued(executor, "b")).isZero();
    }

    @Test
    @Tag("RA13")
    void theEnginesOwnThreadStartsWhatIsDue() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .globalRate(Rate.of(100, SECOND).withBurst(1))
                .defaults(GroupLimits.unset().withMaxConcurrency(100))
                .build());

        for (TaskHandle<String> task : submit(executor, "a", 30)) {
            assertThat(task.await().value()).isEqualTo("done");
        }
    }

    @Test
    @Tag("RA3")
    void whatWaitsForTheRateHoldsNoPermit() throws Exception {
        GroupExecutor executor = start(policy().globalMaxInFlight(1));
        submit(executor, "a", 2);
        Deadline.until(
                "the first has ended", () -> stats(executor, "a").totals().succeeded() == 1);

        assertThat(stats(executor, "a").inFlight()).isZero();
        assertThat(executor.stats().inFlight()).isZero();
        letAllStart(executor);
    }

    @Test
    void whatComesLaterDoesNotOvertakeWhatWaitsForTheRate() throws Exception {
        GroupExecutor executor = start(policy());
        submit(executor, "a", 2);

        clock.advance(SECOND);

        assertThat(executor.tryAcquire("b", Duration.ZERO)).isEmpty();
        pass(executor, Duration.ZERO);
        assertThat(queued(executor, "a")).isZero();
    }

    @Test
    @Tag("RA1")
    void permitsThatAreHandedOnInAGroupDoNotPassTheRateBy() {
        GroupExecutor executor = start(policy(16).group("a", GroupLimits.unset().withMaxConcurrency(1)));

        Gate gate = new Gate();
        executor.submit("a", "first", () -> {
            gate.pass();
            return "done";
        });
        submit(executor, "a", 39);
        gate.open();

        Deadline.until(
                "as many as the burst have ended",
                () -> stats(executor, "a").totals().succeeded() == 16
                        && executor.stats().inFlight() == 0);
        assertThat(queued(executor, "a")).isEqualTo(24);
        letAllStart(executor);
    }

    @Test
    void whatSharesAGlobalPermitIsNoStart() throws Exception {
        GroupExecutor executor = start(policy());

        String result = executor.call("outer", () -> {
            for (int i = 0; i < 10; i++) {
                executor.call("inner", () -> "nested");
            }
            return "done";
        });

        assertThat(result).isEqualTo("done");
        assertThat(stats(executor, "inner").totals().succeeded()).isEqualTo(10);
    }

    /** A task that waits for another one of its group, whose only permit it has. */
    private TaskHandle<String> parent(GroupExecutor executor, AtomicReference<Thread> thread) {
        return executor.submit("one", "parent", () -> {
            thread.set(Thread.currentThread());
            return engines.witness(executor)
                    .waiting("one", executor.submit("one", "child", () -> "child")::await)
                    .valueOrThrow();
        });
    }

    /** Such a one, which waits. */
    private TaskHandle<String> waitingParent(GroupExecutor executor) throws InterruptedException {
        AtomicReference<Thread> thread = new AtomicReference<>();
        TaskHandle<String> parent = parent(executor, thread);
        Waits.awaitQueued(executor, "one", 1);
        Caller.awaitBlocked(thread.get());
        return parent;
    }

    private static GroupPolicy.Builder policyOfOne(int burst) {
        return policy(burst).group("one", GroupLimits.unset().withMaxConcurrency(1));
    }

    @Test
    @Tag("RA14")
    void whatIsBorrowedCountsAsAStart() throws Exception {
        GroupExecutor executor = start(policyOfOne(2));

        assertThat(parent(executor, new AtomicReference<>()).await().value()).isEqualTo("child");

        assertThat(executor.tryAcquire("other", Duration.ZERO)).isEmpty();
    }

    @Test
    @Tag("RA14")
    void whatIsLentCountsWhereStartsLieInStripes() throws Exception {
        GroupExecutor executor = start(policyOfOne(60));

        assertThat(parent(executor, new AtomicReference<>()).await().value()).isEqualTo("child");

        assertThat(executor.stats().globalRateUsed()).isEqualTo(2);
    }

    @Test
    @Tag("RA4")
    @Tag("RA14")
    void aBorrowerWaitsForTheRateAheadOfAllTurns() throws Exception {
        GroupExecutor executor = start(policyOfOne(1));
        TaskHandle<String> parent = waitingParent(executor);
        submit(executor, "flood", 100);
        pass(executor, SECOND.minus(A_NANOSECOND));
        assertThat(queued(executor, "one")).isEqualTo(1);
        assertThat(queued(executor, "flood")).isEqualTo(100);

        pass(executor, A_NANOSECOND);

        assertThat(parent.await().value()).isEqualTo("child");
        assertThat(queued(executor, "flood")).isEqualTo(100);
        executor.shutdown();
    }

    @Test
    @Tag("RA4")
    @Tag("RA14")
    void whoComesLaterDoesNotOvertakeABorrower() throws Exception {
        GroupExecutor executor = start(policyOfOne(1));
        TaskHandle<String> parent = waitingParent(executor);

        clock.advance(SECOND);

        assertThat(executor.tryAcquire("other", Duration.ZERO)).isEmpty();
        pass(executor, Duration.ZERO);
        assertThat(parent.await().value()).isEqualTo("child");
    }

    @Test
    @Tag("RA14")
    void aBorrowerUnderAFullLimitWaitsForTheRate() throws Exception {
        GroupExecutor executor = start(policyOfOne(1).globalMaxInFlight(1));
        TaskHandle<String> parent = waitingParent(executor);
        pass(executor, SECOND.minus(A_NANOSECOND));
        assertThat(queued(executor, "one")).isEqualTo(1);

        Deadline.until("it is over", () -> {
            pass(executor, A_NANOSECOND);
            return parent.isDone();
        });

        assertThat(parent.await().value()).isEqualTo("child");
    }

    @Test
    @Tag("RA8")
    @Tag("RA9")
    void whatCouldStartOnlyAfterItsTimeIsUpIsRejectedAtOnce() {
        GroupExecutor executor = start(policy().defaults(
                        GroupLimits.unset().withMaxConcurrency(1_000).withQueueTimeout(SECOND.multipliedBy(3))));
        submit(executor, "a", 4);

        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> submit(executor, "a", 1).getFirst().await())
                .satisfies(rejected -> {
                    assertThat(rejected.reason()).isEqualTo(RejectionReason.RATE_LIMITED);
                    assertThat(rejected.waitsFor()).contains(WaitReason.RATE);
                    assertThat(rejected.retryAfter()).contains(SECOND.multipliedBy(3));
                });
        letAllStart(executor);
    }

    @Test
    @Tag("RA8")
    @Tag("RA10")
    void aPauseWithAnEndDelaysWhatComesInAGroupWithoutARateOfItsOwn() {
        GroupExecutor executor = start(
                policy(6).defaults(GroupLimits.unset().withMaxConcurrency(4).withQueueTimeout(Duration.ofSeconds(30))));
        executor.pause("a", MINUTE);

        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> submit(executor, "a", 1).getFirst().await())
                .satisfies(rejected -> {
                    assertThat(rejected.reason()).isEqualTo(RejectionReason.RATE_LIMITED);
                    assertThat(rejected.retryAfter()).contains(MINUTE);
                });
        executor.resume("a");
    }

    @Test
    @Tag("RA9")
    @Tag("RA10")
    void aFullQueueOfAGroupThatIsPausedTellsWhenItCouldStart() {
        GroupExecutor executor = start(
                policy(6).defaults(GroupLimits.unset().withMaxConcurrency(6).withQueueThreshold(1)));
        submit(executor, "b", 6);
        executor.pause("a", MINUTE);
        TaskHandle<String> queued = submit(executor, "a", 1).getFirst();

        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> submit(executor, "a", 1).getFirst().await())
                .satisfies(rejected -> {
                    assertThat(rejected.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
                    assertThat(rejected.retryAfter()).contains(MINUTE);
                });
        pass(executor, MINUTE);
        assertThat(queued.join().value()).isEqualTo("done");
    }

    @Test
    @Tag("RA8")
    @Tag("RA10")
    void whatWaitsAheadStartsOnlyAfterThePause() {
        GroupExecutor executor = start(policy(1)
                .defaults(GroupLimits.unset()
                        .withMaxConcurrency(1_000)
                        .withQueueTimeout(MINUTE.plus(SECOND.multipliedBy(3)))));
        executor.pause("a", MINUTE);
        submit(executor, "a", 3);

        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> submit(executor, "a", 1).getFirst().await())
                .satisfies(rejected -> {
                    assertThat(rejected.reason()).isEqualTo(RejectionReason.RATE_LIMITED);
                    assertThat(rejected.retryAfter()).contains(MINUTE.plus(SECOND.multipliedBy(3)));
                });
        pass(executor, MINUTE);
        Waits.awaitQueued(executor, "a", 2);
        pass(executor, SECOND);
        Waits.awaitQueued(executor, "a", 1);
        pass(executor, SECOND);
        Waits.awaitQueued(executor, "a", 0);
    }

    @Test
    @Tag("RA10")
    void aPauseDoesNotRejectWhatSharesAGlobalPermitWhereNoRateCountsIt() throws Exception {
        GroupExecutor executor = start(policy(2)
                .group("inner", GroupLimits.unset().withMaxConcurrency(1).withQueueTimeout(SECOND)));
        executor.pause("inner", MINUTE);
        Caller<String> caller =
                Caller.start(() -> executor.call("outer", () -> executor.call("inner", () -> "nested")));

        Waits.awaitQueued(executor, "inner", 1);

        executor.resume("inner");
        assertThat(caller.result()).isEqualTo("nested");
    }

    /** With a burst of 8 some starts are in the stripes, and a call queues behind others without the lock of all. */
    @Test
    @Tag("RA8")
    @Tag("RA9")
    void whoMayNotWaitSoLongIsRejectedAtOnceBehindOthersToo() throws Exception {
        GroupExecutor executor = start(policy(8).defaults(GroupLimits.unset().withMaxConcurrency(1)));
        GroupPermit held = executor.acquire("a");
        submit(executor, "a", 20);

        Caller<String> late = Caller.start(() -> executor.call("a", SECOND.multipliedBy(5), () -> "never"));

        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(late::result)
                .satisfies(rejected -> {
                    assertThat(rejected.reason()).isEqualTo(RejectionReason.RATE_LIMITED);
                    assertThat(rejected.retryAfter()).isPresent();
                });
        held.close();
        letAllStart(executor);
    }

    @Test
    @Tag("RA8")
    void whatSharesAGlobalPermitIsNotRejectedForTheRate() throws Exception {
        GroupExecutor executor = start(policy(2)
                .group("inner", GroupLimits.unset().withMaxConcurrency(1).withQueueTimeout(SECOND.dividedBy(2))));
        GroupPermit held = executor.acquire("inner");
        Caller<String> caller =
                Caller.start(() -> executor.call("outer", () -> executor.call("inner", () -> "nested")));

        Waits.awaitQueued(executor, "inner", 1);

        held.close();
        assertThat(caller.result()).isEqualTo("nested");
    }

    @Test
    @Tag("RA8")
    void whatSharesAheadTakesNoStart() throws Exception {
        GroupExecutor executor =
                start(policy(5).group("inner", GroupLimits.unset().withMaxConcurrency(1)));
        GroupPermit held = executor.acquire("inner");
        List<Caller<String>> callers = IntStream.range(0, 4)
                .mapToObj(i -> Caller.start(() -> executor.call("outer", () -> executor.call("inner", () -> "nested"))))
                .toList();
        Waits.awaitQueued(executor, "inner", 4);

        Caller<Boolean> late = Caller.start(() -> {
            try (GroupPermit permit =
                    executor.tryAcquire("inner", SECOND.multipliedBy(3)).orElseThrow()) {
                return permit != null;
            }
        });

        Waits.awaitQueued(executor, "inner", 5);
        held.close();
        for (Caller<String> caller : callers) {
            assertThat(caller.result()).isEqualTo("nested");
        }
        pass(executor, SECOND.multipliedBy(2)); // less than it may wait
        assertThat(late.result()).isTrue();
    }

    @Test
    @Tag("RA1")
    void nobodyRunsWhatIsRejected() {
        GroupExecutor executor = start(
                policy().defaults(GroupLimits.unset().withMaxConcurrency(1).withQueueThreshold(0))
                        .rejectionPolicy(RejectionPolicy.CALLER_RUNS));
        submit(executor, "a", 1);

        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> submit(executor, "b", 1).getFirst().await())
                .matches(rejected -> rejected.reason() == RejectionReason.GROUP_QUEUE_FULL);
    }

    @Test
    @Tag("RA14")
    void aDrainKeepsTheRate() throws Exception {
        GroupExecutor executor = start(policy());
        submit(executor, "a", 1);
        submit(executor, "b", 2);
        Caller<Boolean> drain = Caller.start(() -> executor.shutdown(Duration.ofHours(1)));
        drain.awaitBlockedOnACondition();

        pass(executor, SECOND);
        assertThat(queued(executor, "b")).isEqualTo(1);
        pass(executor, SECOND);

        assertThat(drain.result()).isTrue();
    }

    @Test
    @Tag("RA11")
    void aRateThatComesLaterBeginsEmptyAndOneThatGoesLetsAllStart() {
        GroupPolicy.Builder without =
                GroupPolicy.builder().defaults(GroupLimits.unset().withMaxConcurrency(1_000));
        GroupExecutor executor = start(without);
        submit(executor, "a", 5);

        executor.updatePolicy(engines.witnessed(executor, policy(6).build()));
        submit(executor, "a", 2);
        assertThat(queued(executor, "a")).isEqualTo(2);
        pass(executor, Duration.ofMillis(1_090));
        assertThat(queued(executor, "a")).isEqualTo(2);
        pass(executor, Duration.ofMillis(2));
        assertThat(queued(executor, "a")).isEqualTo(1);

        executor.updatePolicy(engines.witnessed(executor, without.build()));
        assertThat(queued(executor, "a")).isZero();
    }

    @Test
    @Tag("RA11")
    void aChangeAfterALongRestBeginsWithTheBurstButForWhatCameFromAStripe() throws Exception {
        GroupExecutor executor = start(policy(30));
        executor.acquire("a").close();
        pass(executor, Duration.ofHours(1));

        executor.updatePolicy(engines.witnessed(
                executor,
                policy(30).globalRate(Rate.of(120, MINUTE).withBurst(30)).build()));

        assertThat(executor.stats().globalRateUsed()).isEqualTo(1);
        submit(executor, "a", 30);
        assertThat(queued(executor, "a")).isEqualTo(1);
        letAllStart(executor);
    }

    @Test
    void alarmsOfRatesThatWereReplacedDoNotPileUp() {
        GroupExecutor executor = start(policy());
        submit(executor, "a", 2);
        for (int limit = 60; limit < 100; limit++) {
            executor.updatePolicy(engines.witnessed(
                    executor,
                    policy().globalRate(Rate.of(limit, MINUTE).withBurst(1)).build()));
        }

        pass(executor, SECOND);

        assertThat(EngineAccess.alarms(executor)).isLessThan(20);
        letAllStart(executor);
    }

    @Test
    void aBorrowerThatHasLeftKeepsNobodyOut() throws Exception {
        GroupExecutor executor = start(policyOfOne(1));
        AtomicReference<TaskHandle<String>> child = new AtomicReference<>();
        AtomicReference<Thread> thread = new AtomicReference<>();
        TaskHandle<String> parent = executor.submit("one", "parent", () -> {
            thread.set(Thread.currentThread());
            child.set(executor.submit("one", "child", () -> "child"));
            return engines.witness(executor)
                    .waiting("one", child.get()::await)
                    .status()
                    .toString();
        });
        Waits.awaitQueued(executor, "one", 1);
        Caller.awaitBlocked(thread.get());

        child.get().cancel(true);

        assertThat(parent.await().value()).isEqualTo("CANCELLED");
        Deadline.until(
                "all is over",
                () -> executor.stats().inFlight() == 0 && executor.stats().queued() == 0);
        clock.advance(SECOND);
        assertThat(executor.tryAcquire("other", Duration.ZERO)).isPresent().hasValueSatisfying(GroupPermit::close);
    }

    @Test
    @Tag("RA15")
    void itIsShownHowMuchOfTheBurstIsUsedUpAndWhenTheNextMayStart() {
        GroupExecutor executor = start(policy(4));
        assertThat(executor.stats().globalRate()).hasToString("60 in PT1M, 4 at once");
        assertThat(executor.stats().globalRateUsed()).isZero();

        submit(executor, "a", 2);
        submit(executor, "b", 2);

        assertThat(executor.stats().globalRateUsed()).isEqualTo(4);
        assertThat(executor.stats().nextStartIn()).contains(MINUTE.dividedBy(57).plus(A_NANOSECOND));
        pass(executor, MINUTE.dividedBy(57).plus(A_NANOSECOND));
        assertThat(executor.stats().globalRateUsed()).isEqualTo(3);
        assertThat(executor.stats().nextStartIn()).contains(Duration.ZERO);
    }

    @Test
    void withoutARateThereIsNothingToShow() {
        GroupExecutor executor = start(GroupPolicy.builder());

        assertThat(executor.stats().globalRate().isUnlimited()).isTrue();
        assertThat(executor.stats().globalRateUsed()).isZero();
        assertThat(executor.stats().nextStartIn()).isEmpty();
    }

    @Test
    void numbersOutOfTheirRangesAreRefused() {
        assertThatExceptionOfType(InvalidPolicyException.class)
                .isThrownBy(() ->
                        GroupPolicy.builder().globalRate(Rate.of(0, MINUTE)).build())
                .withMessageContaining("globalRate.limit")
                .withMessageContaining("0")
                .withMessageContaining("1 to 1000000000");
    }
}
