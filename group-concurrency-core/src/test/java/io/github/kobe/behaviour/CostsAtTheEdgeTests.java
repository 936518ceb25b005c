package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.Costs;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupTask;
import io.github.kobe.Rate;
import io.github.kobe.RejectedTaskException;
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
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Work that says what it costs, where heads leave, limits fall, permits are lent or shared, and rates come and go. */
@Tag("RA6")
class CostsAtTheEdgeTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** 100 a minute can be kept up. */
    private static final Rate TOKENS = Rate.of(109, MINUTE).withBurst(10).named("tokens");

    private static final Rate LOWER = Rate.of(59, MINUTE).withBurst(10).named("tokens");
    private static final Duration UNIT = Duration.ofMillis(600);
    private static final int SECONDS = 10;

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();

    private GroupExecutor started;

    private GroupExecutor start(GroupPolicy.Builder policy) {
        started = engines.start(policy.build(), clock);
        return started;
    }

    @AfterEach
    void letAllStart() {
        passUntil("nothing waits", () -> started.stats().queued() == 0);
    }

    private static GroupLimits limits(int concurrency, Rate... rates) {
        return GroupLimits.unset().withMaxConcurrency(concurrency).withRates(List.of(rates));
    }

    private static GroupTask<String> task(int tokens) {
        return new GroupTask<>("a", tokens + " tokens", () -> "done").withCost("tokens", tokens);
    }

    private static TaskHandle<String> submit(GroupExecutor executor, int tokens) {
        return executor.submit(task(tokens));
    }

    private static int queued(GroupExecutor executor) {
        return executor.groupStats("a").orElseThrow().queued();
    }

    private void pass(Duration time) {
        clock.advance(time, started);
    }

    private void passUntil(String state, BooleanSupplier reached) {
        Deadline.until(state, () -> {
            pass(MINUTE);
            return reached.getAsBoolean();
        });
    }

    private static RejectionReason refusalOf(TaskHandle<String> task) {
        return catchThrowableOfType(RejectedTaskException.class, () -> task.await(SECONDS, TimeUnit.SECONDS))
                .reason();
    }

    @Test
    void whoComesAfterAnExpiredHeadHasToBeInPaceToo() {
        GroupExecutor executor = start(GroupPolicy.builder().group("a", limits(1_000, TOKENS)));
        submit(executor, 10);
        executor.submit(task(1).withQueueTimeout(UNIT.multipliedBy(5)));
        submit(executor, 100);
        assertThat(queued(executor)).isEqualTo(2);

        pass(UNIT.multipliedBy(6)); // the first is in pace and too late at once

        assertThat(queued(executor)).isEqualTo(1);
    }

    @Test
    void whoComesAfterACancelledHeadHasToBeInPaceToo() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder()
                .globalRate(Rate.of(1_000_000, MINUTE).withBurst(2))
                .group("a", limits(1_000, TOKENS)));
        submit(executor, 10);
        TaskHandle<String> cheap = submit(executor, 1);
        submit(executor, 100);
        ReentrantLock lock = EngineAccess.sharedLock(executor);
        Caller<Boolean> cancels;
        lock.lock();
        try {
            cancels = Caller.start(() -> cheap.cancel(true)); // it is cancelled, and its place waits for the lock
            Deadline.until("waits for the lock", () -> lock.hasQueuedThread(cancels.thread()));
            pass(UNIT);
        } finally {
            lock.unlock();
        }

        assertThat(cancels.result()).isTrue();
        assertThat(queued(executor)).isEqualTo(1);
    }

    @Test
    void whoComesAfterAnExpiredHeadIsRejectedIfItCostsMoreThanTheLimit() {
        GroupExecutor executor = start(GroupPolicy.builder().group("a", limits(1_000, TOKENS)));
        submit(executor, 10);
        executor.submit(task(1).withQueueTimeout(UNIT.multipliedBy(50)));
        TaskHandle<String> costly = submit(executor, 100);
        executor.setLimits("a", limits(1_000, LOWER));

        pass(MINUTE);

        assertThat(refusalOf(costly)).isEqualTo(RejectionReason.RATE_LIMITED);
    }

    @Test
    void whatALimitLetsStartNoMoreIsRejectedBehindWhatRunsAlsoWhereTheLedgerDecides() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder()
                .globalRate(Rate.of(1_000_000, MINUTE).withBurst(2))
                .group("a", limits(1_000, TOKENS)));
        Gate gate = new Gate();
        submit(executor, 10);
        executor.submit(new GroupTask<>("a", "possible", gate.then("done")).withCost("tokens", 9));
        TaskHandle<String> impossible = submit(executor, 60);
        TaskHandle<String> cheap = submit(executor, 1);
        executor.setLimits("a", limits(1_000, LOWER));

        passUntil("the cheap one ran", cheap::isDone);

        gate.awaitArrived(1);
        assertThat(refusalOf(impossible)).isEqualTo(RejectionReason.RATE_LIMITED);
        gate.open();
    }

    @Test
    void nestedWorkThatALimitLetsStartNoMoreIsRejectedBehindAHeadThatWaitsForWhatItsThreadHolds() throws Exception {
        GroupExecutor executor =
                start(GroupPolicy.builder().globalMaxInFlight(1).group("a", limits(1_000, TOKENS)));
        Gate gate = new Gate();
        Caller<String> outer = Caller.start(() -> executor.call("outer", () -> {
            gate.pass();
            return executor.call("a", Costs.of("tokens", 60), () -> "nested");
        }));
        gate.awaitArrived(1);
        TaskHandle<String> head = submit(executor, 1);
        gate.open();
        Waits.awaitQueued(executor, "a", 2);
        executor.setLimits("a", limits(1_000, LOWER));

        passUntil("the outer call has ended", outer::isDone);

        assertThat(catchThrowableOfType(RejectedTaskException.class, outer::result))
                .hasMessageContaining("costs 60 'tokens'");
        assertThat(head.await(SECONDS, TimeUnit.SECONDS).value()).isEqualTo("done");
    }

    @Test
    void workThatALimitLetsStartNoMoreIsRejectedThoughItsOwnerLendsItItsPermit() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder().group("a", limits(1, TOKENS)));
        Gate gate = new Gate();
        Caller<String> outer = Caller.start(() -> executor.call("a", () -> {
            gate.pass();
            return submit(executor, 60).await().value();
        }));
        gate.awaitArrived(1);
        TaskHandle<String> head = submit(executor, 1);
        gate.open();
        Waits.awaitQueued(executor, "a", 2);
        outer.awaitBlocked();
        executor.setLimits("a", limits(1, LOWER));

        passUntil("the owner has ended", outer::isDone);

        assertThat(catchThrowableOfType(RejectedTaskException.class, outer::result))
                .hasMessageContaining("costs 60 'tokens'");
        passUntil("the head ran", head::isDone);
    }

    @Test
    void whatMayShareAgainStartsWhenItsRateAllowsIt() throws Exception {
        GroupExecutor executor =
                start(GroupPolicy.builder().globalMaxInFlight(1).group("a", limits(1_000, TOKENS.withDefaultCost(10))));
        executor.call("a", Costs.of("tokens", 5), () -> "done");
        GroupPermit permit =
                executor.acquireAsync("outer").toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
        submit(executor, 1);
        Gate gate = new Gate();
        Caller<String> inside = Caller.start(() -> permit.call(
                () -> executor.submit("w", "w", gate.then("w")).await().value()));
        gate.awaitArrived(1);
        // What it would share is lent, so nobody looks when its rate allows it.
        CompletableFuture<GroupPermit> shares = permit.acquireAsync("a").toCompletableFuture();
        gate.open();
        assertThat(inside.result()).isEqualTo("w");
        assertThat(shares).isNotDone();

        passUntil("it has started", shares::isDone);

        shares.join().close();
        permit.close();
    }

    @Test
    void workAboveTheBurstIsNotRejectedForARateThatAllowsItNow() {
        GroupExecutor executor = start(GroupPolicy.builder().group("a", limits(1, TOKENS)));
        submit(executor, 0).join();
        pass(MINUTE.multipliedBy(5));
        Gate gate = new Gate();
        executor.submit(new GroupTask<>("a", "holder", gate.then("done")).withCost("tokens", 0));
        gate.awaitArrived(1);

        TaskHandle<String> costly = executor.submit(task(50).withQueueTimeout(UNIT.multipliedBy(20)));

        assertThat(queued(executor)).isEqualTo(1);
        gate.open();
        assertThat(costly.join().value()).isEqualTo("done");
    }

    @Test
    @Tag("RA15")
    void aHeadThatCostsMoreThanIsFreeWaitsForItsRate() {
        GroupExecutor executor = start(GroupPolicy.builder().group("a", limits(1_000, TOKENS)));
        submit(executor, 10);
        submit(executor, 7);
        pass(UNIT);

        assertThat(executor.groupStats("a").orElseThrow().waitsFor()).contains(WaitReason.RATE);
    }

    @Test
    @Tag("RA7")
    void whatIsGivenBackAtASlowerRateDoesNotBlockTheGroup() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder()
                .group(
                        "a",
                        limits(
                                1_000,
                                Rate.of(1_000_000, MINUTE).withBurst(100_000).named("tokens"))));
        List<GroupPermit> permits = new ArrayList<>();
        for (int i = 0; i < 31; i++) {
            permits.add(executor.acquireAsync("a", "", MINUTE, Costs.of("tokens", 2_000))
                    .toCompletableFuture()
                    .get(SECONDS, TimeUnit.SECONDS));
        }
        executor.setLimits(
                "a", limits(1_000, Rate.of(2, Duration.ofDays(31)).withBurst(1).named("tokens")));
        for (GroupPermit permit : permits) {
            permit.settle("tokens", 0);
            permit.close();
        }
        for (int i = 0; i < 10; i++) {
            pass(Duration.ofDays(31));
        }

        assertThat(submit(executor, 1).join().value()).isEqualTo("done");
    }

    @Test
    @Tag("RA7")
    void aCallThatWaitedWhenItsGroupGotARateIsSettled() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder().group("a", limits(1)));
        Gate gate = new Gate();
        executor.submit("a", "holder", gate.then("done"));
        gate.awaitArrived(1);
        Caller<String> waits = Caller.start(() -> executor.call("a", Costs.of("tokens", 6), () -> {
            executor.settle("tokens", 2);
            return "done";
        }));
        Waits.awaitQueued(executor, "a", 1);
        executor.setLimits("a", limits(1, TOKENS));
        pass(MINUTE);
        gate.open();

        assertThat(waits.result()).isEqualTo("done");
        assertThat(executor.groupStats("a").orElseThrow().rateStats().getFirst().used())
                .isEqualTo(2);
    }

    @Test
    @Tag("RA7")
    void aCallWithoutCostsThatWaitedWhenItsGroupGotARateIsSettledOnce() throws Exception {
        assertThatASecondCallIsSettledOnce(Caller::start);
    }

    @Test
    @Tag("RA7")
    void soIsOneOfAPlatformThreadWhichKeepsWhatItHasMadeForTheCallBefore() throws Exception {
        assertThatASecondCallIsSettledOnce(Caller::startPlatform);
    }

    /** The group of the call gets a rate while it waits. */
    private void assertThatASecondCallIsSettledOnce(Function<Callable<String>, Caller<String>> starter)
            throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder().group("a", limits(1)));
        Gate between = new Gate();
        Caller<String> waits = starter.apply(() -> {
            executor.call("a", () -> "first");
            between.pass();
            return executor.call("a", () -> {
                executor.settle("tokens", 2);
                assertThatIllegalStateException().isThrownBy(() -> executor.settle("tokens", 1));
                return "done";
            });
        });
        between.awaitArrived(1);
        Gate gate = new Gate();
        executor.submit("a", "holder", gate.then("done"));
        gate.awaitArrived(1);
        between.open();
        Waits.awaitQueued(executor, "a", 1);
        executor.setLimits("a", limits(1, TOKENS.withDefaultCost(6)));
        pass(MINUTE);
        gate.open();

        assertThat(waits.result()).isEqualTo("done");
        assertThat(executor.groupStats("a").orElseThrow().rateStats().getFirst().used())
                .isEqualTo(2);
    }

    @Test
    @Tag("RA13")
    void alarmsDoNotPileUp() {
        Rate perDay = Rate.of(1_000_000, Duration.ofDays(1)).withBurst(1_000).named("tokens");
        GroupExecutor executor = start(GroupPolicy.builder().group("a", limits(100_000, perDay)));
        submit(executor, 1_000);
        for (int i = 0; i < 1_000; i++) {
            TaskHandle<String> costly = submit(executor, 500_000);
            submit(executor, 1);
            assertThat(costly.cancel(true)).isTrue();
            pass(Duration.ofMillis(87));
            assertThat(queued(executor)).isZero();
        }

        assertThat(EngineAccess.alarms(executor)).isLessThan(100);
    }
}
