package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.github.kobe.Costs;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.GroupTask;
import io.github.kobe.Rate;
import io.github.kobe.RateStats;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.WaitReason;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.audit.Waits;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Groups with several rates, work that says what it costs of them, and what it has really used. */
class CostsTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration A_NANOSECOND = Duration.ofNanos(1);

    /** 100 a minute can be kept up. */
    private static final Rate TOKENS = Rate.of(109, MINUTE).withBurst(10).named("tokens");

    private static final Duration UNIT = Duration.ofMillis(600);

    private static final int SECONDS = 10;

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();

    private GroupExecutor started;

    private GroupExecutor start(Rate... rates) {
        return start(GroupPolicy.builder().group("a", limits(rates)));
    }

    private GroupExecutor start(GroupPolicy.Builder policy) {
        started = engines.start(policy.build(), clock);
        return started;
    }

    @AfterEach
    void letAllStart() {
        Deadline.until("nothing waits", () -> {
            pass(started, MINUTE);
            return started.stats().queued() == 0;
        });
    }

    private static GroupLimits limits(Rate... rates) {
        return GroupLimits.unset().withMaxConcurrency(1_000).withRates(List.of(rates));
    }

    private static TaskHandle<String> submit(GroupExecutor executor, int tokens) {
        return executor.submit(new GroupTask<>("a", tokens + " tokens", () -> "done").withCost("tokens", tokens));
    }

    private static GroupStats stats(GroupExecutor executor) {
        return executor.groupStats("a").orElseThrow();
    }

    private static int queued(GroupExecutor executor) {
        return stats(executor).queued();
    }

    private static List<Integer> used(GroupExecutor executor) {
        return stats(executor).rateStats().stream().map(RateStats::used).toList();
    }

    private void pass(GroupExecutor executor, Duration time) {
        clock.advance(time, executor);
    }

    private static String done(TaskHandle<String> task) throws Exception {
        return task.await(SECONDS, TimeUnit.SECONDS).value();
    }

    private static RejectedTaskException refusalOf(TaskHandle<String> task) {
        return catchThrowableOfType(RejectedTaskException.class, () -> task.await(SECONDS, TimeUnit.SECONDS));
    }

    // ---- several rates

    @Test
    @Tag("RA6")
    void allRatesOfAGroupHaveToAllowAStart() {
        GroupExecutor executor = start(
                Rate.of(3, Duration.ofSeconds(1)).withBurst(3).named("a-second"),
                Rate.of(5, MINUTE).withBurst(5).named("a-minute"));
        for (int i = 0; i < 6; i++) {
            executor.submit("a", String.valueOf(i), () -> "done");
        }
        assertThat(queued(executor)).isEqualTo(3);
        assertThat(stats(executor).waitsFor()).contains(WaitReason.RATE);
        assertThat(used(executor)).containsExactly(3, 3);

        pass(executor, Duration.ofSeconds(1));
        assertThat(queued(executor)).isEqualTo(2);
        pass(executor, Duration.ofSeconds(1));
        assertThat(queued(executor)).isEqualTo(1);
        pass(executor, Duration.ofSeconds(57));
        assertThat(queued(executor)).isEqualTo(1);
        pass(executor, Duration.ofSeconds(1));
        assertThat(queued(executor)).isZero();
    }

    @Test
    @Tag("RA6")
    void whatOneRateRefusesUsesUpNothingOfTheOthers() {
        GroupExecutor executor = start(Rate.of(60, MINUTE).withBurst(6), TOKENS);
        submit(executor, 10);
        submit(executor, 1);

        assertThat(queued(executor)).isEqualTo(1);
        assertThat(used(executor)).containsExactly(1, 10);
    }

    @Test
    @Tag("RA6")
    @Tag("RA15")
    void eachRateIsShownWithItsName() {
        GroupExecutor executor = start(Rate.of(60, MINUTE).withBurst(6), TOKENS);
        submit(executor, 13);
        pass(executor, UNIT.multipliedBy(3));

        assertThat(stats(executor).rates().orElseThrow().value())
                .extracting(Rate::name)
                .containsExactly("requests", "tokens");
        assertThat(stats(executor).rateStats())
                .extracting(RateStats::rate, RateStats::used, RateStats::nextStartIn)
                .containsExactly(
                        tuple(Rate.of(60, MINUTE).withBurst(6), 1, Duration.ZERO),
                        tuple(TOKENS, 10, UNIT.multipliedBy(4)));
        assertThat(stats(executor).nextStartIn()).contains(UNIT.multipliedBy(4));
        assertThat(executor.ruleStats())
                .filteredOn(rule -> rule.rule().isPresent())
                .singleElement()
                .satisfies(rule -> assertThat(rule.rateUsed()).isEqualTo(1));
    }

    @Test
    @Tag("RA11")
    void ratesAreKnownByTheirNamesWhenTheyChange() {
        GroupExecutor executor = start(Rate.of(60, MINUTE).withBurst(6), TOKENS);
        submit(executor, 4);
        assertThat(used(executor)).containsExactly(1, 4);

        executor.setLimits("a", limits(TOKENS, Rate.of(60, MINUTE).withBurst(6)));
        assertThat(used(executor)).containsExactly(4, 1);

        executor.setLimits("a", limits(TOKENS, Rate.of(3, MINUTE).withBurst(3).named("new")));
        assertThat(used(executor)).containsExactly(4, 3);

        executor.setLimits("a", limits(TOKENS.withBurst(5)));
        assertThat(used(executor)).containsExactly(5);
    }

    @Test
    @Tag("RA11")
    void anotherCostByDefaultChangesNothingOfWhatWasStarted() {
        GroupExecutor executor = start(TOKENS);
        submit(executor, 4);

        executor.setLimits("a", limits(TOKENS.withDefaultCost(3)));
        assertThat(used(executor)).containsExactly(4);
        executor.submit("a", "1", () -> "done");
        assertThat(used(executor)).containsExactly(7);
    }

    // ---- costs

    @Test
    @Tag("RA6")
    void workWaitsForAllThatItCosts() throws Exception {
        GroupExecutor executor = start(TOKENS);
        submit(executor, 10);
        TaskHandle<String> second = submit(executor, 7);
        assertThat(queued(executor)).isEqualTo(1);

        pass(executor, UNIT.multipliedBy(7).minusNanos(1));
        assertThat(queued(executor)).isEqualTo(1);
        pass(executor, A_NANOSECOND);

        assertThat(queued(executor)).isZero();
        assertThat(done(second)).isEqualTo("done");
    }

    @Test
    @Tag("RA6")
    void workThatCostsMoreThanTheBurstStartsOnceTheRateHasRestedLongerAndIsPaidOffAfterwards() {
        GroupExecutor executor = start(TOKENS);
        submit(executor, 50);
        submit(executor, 1);
        assertThat(queued(executor)).isEqualTo(2);

        pass(executor, UNIT.multipliedBy(40).minusNanos(1));
        assertThat(queued(executor)).isEqualTo(2);
        pass(executor, A_NANOSECOND);
        assertThat(queued(executor)).isEqualTo(1);
        pass(executor, UNIT.multipliedBy(41).minusNanos(1));
        assertThat(queued(executor)).isEqualTo(1);
        pass(executor, A_NANOSECOND);
        assertThat(queued(executor)).isZero();
    }

    @Test
    @Tag("RA4")
    @Tag("RA6")
    void cheapWorkDoesNotOvertakeCostlyWork() {
        GroupExecutor executor = start(TOKENS);
        submit(executor, 8);
        submit(executor, 5);
        submit(executor, 1);
        submit(executor, 0);

        assertThat(queued(executor)).isEqualTo(3);
        pass(executor, UNIT.multipliedBy(3));
        assertThat(queued(executor)).isEqualTo(2);
        pass(executor, UNIT);
        assertThat(queued(executor)).isZero();
    }

    @Test
    @Tag("RA6")
    void workThatCostsNothingOfARateDoesNotWaitForIt() {
        GroupExecutor executor = start(TOKENS);
        submit(executor, 10);
        submit(executor, 0);

        assertThat(queued(executor)).isZero();
        assertThat(used(executor)).containsExactly(10);
    }

    @Test
    @Tag("RA6")
    void whatWorkDoesNotSayCostsWhatTheRateSays() throws Exception {
        GroupExecutor executor = start(Rate.of(60, MINUTE).withBurst(6), TOKENS.withDefaultCost(3));
        executor.submit("a", "1", () -> "done");
        executor.call("a", () -> "done");
        executor.call("a", Costs.of("requests", 2), () -> "done");

        assertThat(queued(executor)).isZero();
        assertThat(used(executor)).containsExactly(4, 9);
    }

    @Test
    @Tag("RA6")
    void aCallAndAPermitSayWhatTheyCost() throws Exception {
        GroupExecutor executor = start(TOKENS);
        assertThat(executor.call("a", Costs.of("tokens", 4), () -> "done")).isEqualTo("done");
        assertThat(executor.call("a", "id", Duration.ZERO, Costs.of("tokens", 3), () -> "done"))
                .isEqualTo("done");
        executor.acquireAsync("a", "id", MINUTE, Costs.of("tokens", 2))
                .toCompletableFuture()
                .get(SECONDS, TimeUnit.SECONDS)
                .close();

        assertThat(used(executor)).containsExactly(9);
        Caller<String> waits = Caller.start(() -> executor.call("a", Costs.of("tokens", 5), () -> "done"));
        Waits.awaitQueued(executor, "a", 1);
        CompletableFuture<GroupPermit> permit =
                executor.acquireAsync("a", "id", MINUTE, Costs.of("tokens", 2)).toCompletableFuture();
        pass(executor, UNIT.multipliedBy(4));
        assertThat(waits.result()).isEqualTo("done");
        assertThat(permit).isNotDone();
        pass(executor, UNIT.multipliedBy(2));
        permit.get(SECONDS, TimeUnit.SECONDS).close();
    }

    @Test
    @Tag("RA6")
    void aPermitUnderAnotherSaysWhatItCosts() throws Exception {
        GroupExecutor executor = start(TOKENS);
        try (GroupPermit outer = executor.acquire("outer")) {
            GroupPermit inner = outer.acquireAsync("a", "", MINUTE, Costs.of("tokens", 7))
                    .toCompletableFuture()
                    .get(SECONDS, TimeUnit.SECONDS);
            assertThat(used(executor)).containsExactly(7);
            inner.settle("tokens", 5);
            inner.acquireAsync("a", "", MINUTE, Costs.of("tokens", 3))
                    .toCompletableFuture()
                    .get(SECONDS, TimeUnit.SECONDS)
                    .close();
            inner.close();
        }

        assertThat(used(executor)).containsExactly(5);
    }

    @Test
    @Tag("RA6")
    void reEntryCostsNothing() throws Exception {
        GroupExecutor executor = start(TOKENS);
        executor.call("a", Costs.of("tokens", 4), () -> executor.call("a", Costs.of("tokens", 5), () -> "done"));

        assertThat(used(executor)).containsExactly(4);
    }

    @Test
    @Tag("RA6")
    void nestedWorkThatSharesAGlobalPermitMayOvertakeAHeadThatCostsMore() throws Exception {
        GroupExecutor executor =
                start(GroupPolicy.builder().globalMaxInFlight(1).group("a", limits(TOKENS)));
        Gate gate = new Gate();
        Caller<String> outer = Caller.start(() -> executor.call("outer", () -> {
            gate.pass();
            return executor.call("a", Costs.of("tokens", 10), () -> "nested");
        }));
        gate.awaitArrived(1);
        TaskHandle<String> head = submit(executor, 9);
        gate.open();

        assertThat(outer.result()).isEqualTo("nested");
        assertThat(queued(executor)).isEqualTo(1);
        pass(executor, UNIT.multipliedBy(9));
        assertThat(done(head)).isEqualTo("done");
    }

    @Test
    @Tag("RA6")
    void workThatCostsMoreThanALimitIsRejectedAndToldWhy() {
        GroupExecutor executor = start(Rate.of(60, MINUTE).withBurst(6), TOKENS);
        RejectedTaskException task = refusalOf(submit(executor, 110));
        RejectedTaskException call = catchThrowableOfType(
                RejectedTaskException.class, () -> executor.call("a", Costs.of("tokens", 110), () -> "never"));
        Throwable permit = catchThrowable(() -> executor.acquireAsync("a", "", MINUTE, Costs.of("tokens", 110))
                .toCompletableFuture()
                .join());

        assertThat(permit).isInstanceOf(CompletionException.class);
        for (RejectedTaskException refused : List.of(task, call, (RejectedTaskException) permit.getCause())) {
            assertThat(refused.reason()).isEqualTo(RejectionReason.RATE_LIMITED);
            assertThat(refused.retryAfter()).isEmpty();
            assertThat(refused.canNeverStart()).isTrue();
            assertThat(refused)
                    .hasMessageContaining("costs 110 'tokens'")
                    .hasMessageContaining("more than 109 in PT1M");
        }
        assertThat(used(executor)).containsExactly(0, 0);
        assertThat(stats(executor).totals().rejectedByReason()).containsEntry(RejectionReason.RATE_LIMITED, 3L);
    }

    @Test
    @Tag("RA6")
    void workIsRejectedAtTheHeadIfALimitFallsUnderWhatItCosts() throws Exception {
        GroupExecutor executor = start(TOKENS);
        submit(executor, 10);
        TaskHandle<String> possible = submit(executor, 9);
        TaskHandle<String> first = submit(executor, 60);
        TaskHandle<String> second = submit(executor, 61);
        Caller<String> third = Caller.start(() -> executor.call("a", Costs.of("tokens", 62), () -> "never"));
        Waits.awaitQueued(executor, "a", 4);
        TaskHandle<String> last = submit(executor, 1);

        executor.setLimits("a", limits(Rate.of(59, MINUTE).withBurst(10).named("tokens")));
        assertThat(queued(executor)).isEqualTo(5);
        pass(executor, MINUTE);

        assertThat(done(possible)).isEqualTo("done");
        assertThat(refusalOf(first)).hasMessageContaining("costs 60 'tokens'").hasMessageContaining("more than 59");
        assertThat(refusalOf(first).canNeverStart()).isTrue();
        assertThat(refusalOf(second).reason()).isEqualTo(RejectionReason.RATE_LIMITED);
        assertThat(catchThrowableOfType(RejectedTaskException.class, third::result))
                .hasMessageContaining("costs 62");
        pass(executor, MINUTE);
        assertThat(done(last)).isEqualTo("done");
    }

    @Test
    @Tag("RA6")
    @Tag("RA8")
    @Tag("RA9")
    void whatWaitsAheadCountsByWhatItCosts() {
        GroupExecutor executor = start(TOKENS);
        submit(executor, 10);
        submit(executor, 6);
        submit(executor, 8);

        TaskHandle<String> late = executor.submit(new GroupTask<>("a", "late", () -> "never")
                .withCost("tokens", 5)
                .withQueueTimeout(UNIT.multipliedBy(19)));
        TaskHandle<String> inTime = executor.submit(new GroupTask<>("a", "in time", () -> "done")
                .withCost("tokens", 5)
                .withQueueTimeout(UNIT.multipliedBy(19).plus(A_NANOSECOND)));

        assertThat(refusalOf(late).retryAfter()).contains(UNIT.multipliedBy(19));
        assertThat(queued(executor)).isEqualTo(3);
        pass(executor, UNIT.multipliedBy(6));
        pass(executor, UNIT.multipliedBy(8));
        assertThat(queued(executor)).isEqualTo(1);
        assertThat(inTime.cancel(false)).isTrue();
        assertThat(refusalOf(executor.submit(new GroupTask<>("a", "next", () -> "never")
                                .withCost("tokens", 1)
                                .withQueueTimeout(A_NANOSECOND)))
                        .retryAfter())
                .contains(UNIT);
    }

    @Test
    @Tag("RA6")
    void aNameWithoutARateCountsNothingAndTheLogIsToldOnceForEachRule() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder()
                .pattern("llm:*", limits(TOKENS))
                .pattern("plain:*", GroupLimits.unset().withMaxConcurrency(4)));
        try (CapturedLog log = CapturedLog.open()) {
            for (String tenant : List.of("a", "b")) {
                executor.call("llm:" + tenant, Costs.of("tokens", 1).and("tokns", 4), () -> "done");
                executor.submit(new GroupTask<>("plain:" + tenant, "1", () -> "done").withCost("tokens", 4))
                        .await();
            }
            assertThat(log.warnings())
                    .filteredOn(text -> text.contains("says what it costs"))
                    .satisfiesExactlyInAnyOrder(
                            text -> assertThat(text).contains("'llm:a'").contains("'tokns'"),
                            text -> assertThat(text).contains("'plain:a'").contains("'tokens'"));
        }
    }

    @Test
    @Tag("RA6")
    void aCallInsideAnotherIsToldOfTheLikeToo() throws Exception {
        started = engines.startPlain(GroupPolicy.builder().build(), clock.environment());
        GroupExecutor executor = started;
        executor.call("plain", () -> "known");
        try (CapturedLog log = CapturedLog.open()) {
            executor.call("outer", () -> executor.call("plain", Costs.of("tokens", 4), () -> "done"));

            assertThat(log.warnings())
                    .singleElement()
                    .asString()
                    .contains("'plain'")
                    .contains("'tokens'");
        }
    }

    // ---- what was really used

    @Test
    @Tag("RA7")
    void whatIsSettledOfANameWithoutARateCountsNothingAndTheLogIsToldOnceForEachRule() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder().pattern("llm:*", limits(TOKENS)));
        try (CapturedLog log = CapturedLog.open()) {
            for (String key : List.of("llm:a", "llm:b", "unruled")) {
                executor.call(key, Costs.of("tokens", 1), () -> {
                    executor.settle("tokns", 4);
                    executor.settle("tokens", 1);
                    return "done";
                });
            }
            assertThat(log.warnings())
                    .filteredOn(text -> text.contains("has no rate of that name"))
                    .satisfiesExactlyInAnyOrder(
                            text -> assertThat(text).contains("'llm:a'").contains("'tokns'"),
                            text -> assertThat(text).contains("'unruled'").contains("'tokens'"));
        }
    }

    @Test
    @Tag("RA7")
    void whatWasNotUsedIsFreeAgainAtOnce() throws Exception {
        GroupExecutor executor = start(TOKENS);
        Gate gate = new Gate();
        TaskHandle<String> first = executor.submit(new GroupTask<>("a", "first", () -> {
                    gate.pass();
                    executor.settle("tokens", 2);
                    gate.pass();
                    return "done";
                })
                .withCost("tokens", 10));
        gate.awaitArrived(1);
        TaskHandle<String> next = submit(executor, 8);
        assertThat(queued(executor)).isEqualTo(1);

        gate.open();

        assertThat(done(first)).isEqualTo("done");
        assertThat(done(next)).isEqualTo("done");
        assertThat(used(executor)).containsExactly(10);
    }

    @Test
    @Tag("RA7")
    void whatComesNextMayUseWhatWasGivenBack() throws Exception {
        GroupExecutor executor = start(TOKENS);
        executor.call("a", Costs.of("tokens", 10), () -> {
            executor.settle("tokens", 2);
            return "done";
        });
        executor.submit("a", "1", () -> "done");

        assertThat(queued(executor)).isZero();
        assertThat(used(executor)).containsExactly(3);
    }

    @Test
    @Tag("RA7")
    void whatWasUsedBesidesDelaysTheNext() throws Exception {
        GroupExecutor executor = start(TOKENS);
        executor.call("a", Costs.of("tokens", 2), () -> {
            executor.settle("tokens", 30);
            return "done";
        });
        submit(executor, 1);

        pass(executor, UNIT.multipliedBy(21).minusNanos(1));
        assertThat(queued(executor)).isEqualTo(1);
        pass(executor, A_NANOSECOND);
        assertThat(queued(executor)).isZero();
    }

    @Test
    @Tag("RA7")
    void whatIsNotSettledStaysAsItWasChargedAlsoIfTheWorkFails() {
        GroupExecutor executor = start(TOKENS);
        assertThat(catchThrowable(() -> executor.call("a", Costs.of("tokens", 3), () -> {
                    throw new IllegalStateException("fails");
                })))
                .hasMessage("fails");
        assertThat(used(executor)).containsExactly(3);

        assertThat(catchThrowable(() -> executor.call("a", Costs.of("tokens", 3), () -> {
                    executor.settle("tokens", 0);
                    throw new IllegalStateException("fails");
                })))
                .hasMessage("fails");
        assertThat(used(executor)).containsExactly(3);
    }

    @Test
    @Tag("RA7")
    void aRateWithoutRefundKeepsWhatItWasCharged() throws Exception {
        GroupExecutor executor = start(TOKENS.withoutRefund());
        executor.call("a", Costs.of("tokens", 6), () -> {
            executor.settle("tokens", 1);
            return "done";
        });
        assertThat(used(executor)).containsExactly(6);
        executor.call("a", Costs.of("tokens", 1), () -> {
            executor.settle("tokens", 3);
            return "done";
        });
        assertThat(used(executor)).containsExactly(9);
    }

    @Test
    @Tag("RA7")
    void whatCostsTheDefaultIsSettledByTheOneOfItsStart() throws Exception {
        GroupExecutor executor = start(TOKENS.withDefaultCost(6));
        executor.call("a", () -> {
            executor.setLimits("a", limits(TOKENS.withDefaultCost(9)));
            executor.settle("tokens", 4);
            return "done";
        });

        assertThat(used(executor)).containsExactly(4);
    }

    @Test
    @Tag("RA7")
    void eachRateIsSettledOnce() throws Exception {
        GroupExecutor executor = start(Rate.of(60, MINUTE).withBurst(6), TOKENS);
        executor.call("a", Costs.of("tokens", 6), () -> {
            executor.settle("tokens", 5);
            executor.settle("requests", 3);
            assertThatIllegalStateException()
                    .isThrownBy(() -> executor.settle("tokens", 4))
                    .withMessageContaining("'a'")
                    .withMessageContaining("'tokens'");
            return "done";
        });

        assertThat(used(executor)).containsExactly(3, 5);
    }

    @Test
    @Tag("RA7")
    void aRateThatWorkWasNotChargedIsLeftAlone() throws Exception {
        GroupExecutor executor = start(TOKENS);
        executor.call("a", Costs.of("tokens", 6), () -> {
            executor.settle("other", 5);
            executor.setLimits(
                    "a", limits(TOKENS, Rate.of(9, MINUTE).withBurst(2).named("other")));
            executor.settle("other", 0);
            executor.settle("other", 0);
            return "done";
        });
        assertThat(used(executor)).containsExactly(6, 2);
        executor.call("unrated", () -> {
            executor.settle("tokens", 5);
            return "done";
        });
        executor.call("a", Costs.of("tokens", 1).and("other", 0), () -> {
            executor.setLimits("a", limits());
            executor.settle("tokens", 0);
            return "done";
        });
        assertThat(used(executor)).isEmpty();
    }

    @Test
    @Tag("RA7")
    void theInnermostWorkIsSettledThatTheThreadIsInside() throws Exception {
        GroupExecutor executor =
                start(GroupPolicy.builder().group("a", limits(TOKENS)).group("b", limits(TOKENS)));
        executor.call("a", Costs.of("tokens", 6), () -> {
            executor.call("b", Costs.of("tokens", 7), () -> {
                executor.settle("tokens", 1);
                return "done";
            });
            executor.settle("tokens", 2);
            return "done";
        });

        assertThat(used(executor)).containsExactly(2);
        assertThat(executor.groupStats("b").orElseThrow().rateStats().getFirst().used())
                .isEqualTo(1);
    }

    @Test
    @Tag("RA7")
    void aPermitIsSettledByWhoHasItOrIsInside() throws Exception {
        GroupExecutor executor = start(Rate.of(60, MINUTE).withBurst(6), TOKENS);
        GroupPermit permit = executor.acquireAsync("a", "", MINUTE, Costs.of("tokens", 6))
                .toCompletableFuture()
                .get(SECONDS, TimeUnit.SECONDS);
        permit.call(() -> {
            executor.settle("tokens", 4);
            return "done";
        });
        permit.settle("requests", 0);
        assertThat(used(executor)).containsExactly(0, 4);
        permit.close();

        assertThatIllegalStateException().isThrownBy(() -> permit.settle("tokens", 1));
    }

    @Test
    @Tag("RA7")
    void aSharedPermitSettlesTheStartOfTheOneThatItShares() throws Exception {
        GroupExecutor executor = start(TOKENS);
        executor.call("a", Costs.of("tokens", 6), () -> {
            try (GroupPermit shared = executor.enclosingPermit("a").orElseThrow()) {
                shared.settle("tokens", 4);
            }
            assertThatIllegalStateException().isThrownBy(() -> executor.settle("tokens", 4));
            return "done";
        });

        assertThat(used(executor)).containsExactly(4);
    }

    @Test
    @Tag("RA7")
    void aPlatformThreadThatCallsAgainIsChargedAgain() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder().group("a", limits(TOKENS)));
        executor.call("a", Costs.of("tokens", 3), () -> "its hold isn't parked");
        executor.call("b", () -> {
            executor.settle("tokens", 1);
            executor.settle("tokens", 1);
            return "it was charged nothing";
        });
        for (int i = 0; i < 2; i++) {
            executor.call("b", () -> "parks its hold");
            executor.call("a", Costs.of("tokens", 3), () -> {
                executor.settle("tokens", 2);
                return "done";
            });
        }

        assertThat(used(executor)).containsExactly(7);
    }

    @Test
    @Tag("RA7")
    void outsideOfAnyWorkNothingCanBeSettled() {
        GroupExecutor executor = start(TOKENS);
        assertThatIllegalStateException()
                .isThrownBy(() -> executor.settle("tokens", 1))
                .withMessageContaining("inside no work")
                .withMessageContaining("'tokens'");
    }

    @Test
    @Tag("RA7")
    void lessThanNothingIsNotUsed() {
        GroupExecutor executor = start(TOKENS);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> executor.call("a", () -> {
                    executor.settle("tokens", -1);
                    return "done";
                }))
                .withMessageContaining("'tokens'")
                .withMessageContaining("-1");
    }
}
