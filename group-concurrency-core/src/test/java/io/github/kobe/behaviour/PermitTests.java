package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupHolder;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.Waits;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** E15: permits belong to no thread, and what is done under a permit. */
@Tag("E15")
class PermitTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    private GroupExecutor executor;

    /** The ways to a permit. */
    enum Way {
        ACQUIRE {
            @Override
            GroupPermit take(GroupExecutor executor) throws Exception {
                return executor.acquire("a");
            }
        },
        TRY {
            @Override
            GroupPermit take(GroupExecutor executor) throws Exception {
                return executor.tryAcquire("a", Duration.ZERO).orElseThrow();
            }
        },
        ASYNC {
            @Override
            GroupPermit take(GroupExecutor executor) {
                return executor.acquireAsync("a").toCompletableFuture().join();
            }
        };

        abstract GroupPermit take(GroupExecutor executor) throws Exception;
    }

    private void start(int globalLimit) {
        executor = engines.startPlain(
                GroupPolicy.builder().globalMaxInFlight(globalLimit).build());
    }

    private GroupStats stats(String key) {
        return executor.groupStats(key).orElseThrow();
    }

    private static <T> T elsewhere(Callable<T> work) throws Exception {
        return Deadline.within(work);
    }

    private boolean isFree(String key) throws Exception {
        Optional<GroupPermit> permit = elsewhere(() -> executor.tryAcquire(key, Duration.ZERO));
        permit.ifPresent(GroupPermit::close);
        return permit.isPresent();
    }

    private static GroupPermit now(CompletionStage<GroupPermit> stage) {
        assertThat(stage.toCompletableFuture()).isDone();
        return stage.toCompletableFuture().join();
    }

    // ---------------------------------------------------------------- to take one is never re-entry

    @Test
    void aThreadMayTakeManyAndHandThemToOthers() throws Exception {
        executor = engines.startPlain(
                GroupPolicy.builder().perGroupMaxConcurrency(Map.of("a", 2)).build());
        GroupPermit first = executor.acquire("a");
        GroupPermit second = executor.acquire("a");

        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        assertThat(stats("a").running()).isEqualTo(2);
        elsewhere(() -> {
            first.close();
            return null;
        });
        executor.acquire("a").close();
        second.close();
    }

    @Test
    void fromInsideItWaitsForItselfAndCanBeInterrupted() throws Exception {
        start(10);
        Caller<Object> caller = Caller.start(() -> executor.call("a", () -> executor.acquire("a")));
        Waits.awaitQueued(executor, "a", 1);

        caller.interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(caller::result);
        assertThat(isFree("a")).isTrue();
    }

    @Test
    void fromInsideItNeedsAGlobalPermitOfItsOwn() throws Exception {
        start(1);
        assertThat(executor.call("a", () -> executor.tryAcquire("b", Duration.ZERO)))
                .isEmpty();
    }

    @Test
    void oneThatIsNotLetInSaysWhy() throws Exception {
        executor = engines.startPlain(
                GroupPolicy.builder().defaultQueueThresholdPerGroup(0).build());
        try (GroupPermit permit = executor.acquire("a")) {
            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> executor.acquire("a"))
                    .satisfies(rejected -> assertThat(rejected.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL));
            assertThat(permit.groupKey()).isEqualTo("a");
        }
        executor.shutdown();
        assertThatIllegalStateException().isThrownBy(() -> executor.acquire("a"));
        assertThatIllegalStateException().isThrownBy(() -> executor.tryAcquire("a", Duration.ZERO));
    }

    @Test
    void nullsAreRefused() throws Exception {
        start(1);
        try (GroupPermit permit = executor.acquire("a")) {
            assertThatNullPointerException().isThrownBy(() -> executor.acquire(null));
            assertThatNullPointerException().isThrownBy(() -> executor.tryAcquire(null, Duration.ZERO));
            assertThatNullPointerException().isThrownBy(() -> executor.tryAcquire("a", null));
            assertThatNullPointerException().isThrownBy(() -> permit.call(null));
            assertThatNullPointerException().isThrownBy(() -> permit.acquireAsync(null));
        }
    }

    // ---------------------------------------------------------------- call: inside, from any thread

    @ParameterizedTest
    @EnumSource
    @Tag("E6")
    void aCallIsInsideThePermitFromAnyThread(Way way) throws Exception {
        start(1);
        GroupPermit permit = way.take(executor);

        assertThat(elsewhere(() -> permit.call(() -> executor.call("a", () -> executor.call("b", () -> "inside")))))
                .isEqualTo("inside");

        assertThat(stats("a").totals().submitted()).isEqualTo(1);
        assertThat(stats("b").totals().succeeded()).isEqualTo(1);
        assertThat(executor.stats().inFlight()).isEqualTo(1);
        permit.close();
        assertThat(executor.stats().inFlight()).isZero();
        assertThat(isFree("a")).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void severalThreadsMayBeInsideAtOnce(Way way) throws Exception {
        start(1);
        GroupPermit permit = way.take(executor);
        CyclicBarrier both = new CyclicBarrier(2);
        Callable<Integer> work = () -> permit.call(() -> executor.call("b" + both.await(), () -> both.await()));

        Caller<Integer> first = Caller.start(work);
        Caller<Integer> second = Caller.start(work);

        assertThat(first.result() + second.result()).isEqualTo(1);
        permit.close();
        assertThat(executor.stats().inFlight()).isZero();
    }

    @Test
    void whatACallThrowsComesOut() throws Exception {
        start(1);
        try (GroupPermit permit = executor.acquire("a")) {
            assertThatExceptionOfType(java.io.IOException.class)
                    .isThrownBy(() -> permit.call(() -> {
                        throw new java.io.IOException("thrown");
                    }));
            assertThat(permit.call(() -> "again")).isEqualTo("again");
        }
    }

    @Test
    void aShutdownDoesNotInterruptACall() throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");
        Caller<Boolean> caller = Caller.start(() -> permit.call(() -> {
            gate.pass();
            return Thread.currentThread().isInterrupted();
        }));
        gate.awaitArrived(1);

        executor.shutdown();
        gate.open();

        assertThat(caller.result()).isFalse();
        permit.close();
        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("I3")
    void thePermitStaysOutUntilNobodyIsInside(Way way) throws Exception {
        start(1);
        GroupPermit permit = way.take(executor);
        Caller<String> caller = Caller.start(() -> permit.call(gate.then("done")));
        gate.awaitArrived(1);

        permit.close();

        assertThat(isFree("a")).isFalse();
        assertThat(stats("a").running()).isEqualTo(1);
        assertThatIllegalStateException()
                .isThrownBy(() -> permit.call(() -> "refused"))
                .withMessageContaining("'a'")
                .withMessageContaining("closed");
        gate.open();
        assertThat(caller.result()).isEqualTo("done");
        assertThat(isFree("a")).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void aClosedPermitIsRefused(Way way) throws Exception {
        start(1);
        GroupPermit permit = way.take(executor);
        permit.close();

        assertThatIllegalStateException().isThrownBy(() -> permit.call(() -> ""));
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> permit.acquireAsync("b").toCompletableFuture().get())
                .withCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void aSharedPermitCanBeHandedOverToo() throws Exception {
        start(1);
        GroupPermit shared =
                executor.call("a", () -> executor.enclosingPermit("a").orElseThrow());
        assertThat(isFree("a")).isFalse();

        assertThat(elsewhere(() -> shared.call(() -> executor.call("b", () -> "inside"))))
                .isEqualTo("inside");
        shared.close();

        assertThatIllegalStateException().isThrownBy(() -> shared.call(() -> ""));
        assertThat(isFree("a")).isTrue();
    }

    @Test
    @Tag("I3")
    void whatACallLeavesOpenKeepsTheGlobalPermit() throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");
        GroupPermit left = permit.call(
                () -> executor.call("b", () -> executor.enclosingPermit("b").orElseThrow()));
        permit.close();
        assertThat(stats("a").running()).isZero();
        assertThat(isFree("c")).isFalse();
        assertThat(executor.stats().inFlight()).isEqualTo(1);

        left.close();

        assertThat(isFree("c")).isTrue();
        assertThat(executor.stats().inFlight()).isZero();
    }

    // ---------------------------------------------------------------- acquireAsync under a permit

    @ParameterizedTest
    @EnumSource
    @Tag("I3")
    void aPermitOfAnotherGroupSharesTheGlobalOne(Way way) throws Exception {
        start(1);
        GroupPermit outer = way.take(executor);

        GroupPermit inner = now(outer.acquireAsync("b"));
        assertThat(executor.stats().inFlight()).isEqualTo(1);
        outer.close();
        assertThat(stats("a").running()).isZero();
        assertThat(isFree("c")).isFalse();
        inner.close();

        assertThat(isFree("c")).isTrue();
    }

    @Test
    @Tag("I3")
    void aPermitThatSharesTheGlobalOneCountsNoMoreOnceAPausedGroupHasItBack() throws Exception {
        start(1);
        GroupPermit outer = executor.acquire("a");
        GroupPermit inner = now(outer.acquireAsync("b"));
        executor.pause("b");

        inner.close();

        assertThat(executor.stats().inFlight()).isEqualTo(1);
        executor.resume("b");
        outer.close();
        assertThat(executor.stats().inFlight()).isZero();
    }

    @Test
    void forItsOwnGroupItSharesThePermit() throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");
        GroupPermit shared = now(permit.acquireAsync("a"));
        permit.close();
        assertThat(isFree("a")).isFalse();
        assertThat(elsewhere(() -> shared.call(() -> "inside"))).isEqualTo("inside");

        shared.close();

        assertThat(isFree("a")).isTrue();
        assertThat(stats("a").totals().submitted()).isEqualTo(3); // with two that were asked for above
    }

    @Test
    @Tag("I1")
    void aRequestUnderAPermitThatIsClosedKeepsItsPlaceAndThenNeedsAGlobalPermitOfItsOwn() throws Exception {
        start(2);
        GroupPermit outer = executor.acquire("a");
        GroupPermit ofB = executor.acquire("b");
        CompletableFuture<GroupPermit> request = outer.acquireAsync("b").toCompletableFuture();
        assertThat(stats("b").queued()).isEqualTo(1);
        outer.close();
        GroupPermit ofC = executor.acquire("c"); // the global permit that is back

        ofB.close(); // another one
        GroupPermit inner = Deadline.within(request::get);
        assertThat(executor.stats().inFlight()).isEqualTo(2);
        inner.close();
        ofC.close();
    }

    @Test
    void aRequestWaitsWhenThePermitAboveItIsClosedAndNoGlobalOneIsFree() throws Exception {
        start(2);
        GroupPermit outer = executor.acquire("a");
        GroupPermit ofB = executor.acquire("b");
        executor.pause("b");
        CompletableFuture<GroupPermit> request = outer.acquireAsync("b").toCompletableFuture();
        outer.close();
        ofB.close();
        GroupPermit ofC = executor.acquire("c");
        GroupPermit ofD = executor.acquire("d");
        executor.resume("b");

        assertThat(request).isNotDone();
        assertThat(executor.stats().inFlight()).isEqualTo(2);
        ofC.close();

        Deadline.within(request::get).close();
        ofD.close();
    }

    @Test
    void aRequestUnderAPermitOvertakesThoseWhoLackAGlobalPermit() throws Exception {
        start(1);
        GroupPermit outer = executor.acquire("a");
        CompletableFuture<GroupPermit> waits = executor.acquireAsync("b").toCompletableFuture();
        assertThat(waits).isNotDone();

        CompletableFuture<GroupPermit> request = outer.acquireAsync("b").toCompletableFuture();

        Deadline.within(request::get).close();
        assertThat(waits).isNotDone();
        outer.close();
        Deadline.within(waits::get).close();
    }

    @Test
    void aRequestThatIsCancelledLeavesTheQueue() throws Exception {
        start(1);
        GroupPermit outer = executor.acquire("a");
        GroupPermit inner = now(outer.acquireAsync("b"));
        CompletableFuture<GroupPermit> request = outer.acquireAsync("b").toCompletableFuture();

        assertThat(request.cancel(false)).isTrue();

        assertThat(stats("b").queued()).isZero();
        inner.close();
        outer.close();
        assertThat(executor.stats().inFlight()).isZero();
    }

    // ---------------------------------------------------------------- tasks under a permit

    @Test
    @Tag("E13")
    void tasksThatAreWaitedForBorrowTheGlobalPermitOneAfterTheOther() throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");

        String ran = elsewhere(() -> permit.call(() -> {
            TaskHandle<String> first = executor.submit("b", "first", () -> "first");
            TaskHandle<String> second = executor.submitAsync("c", () -> CompletableFuture.completedStage("second"));
            assertThat(executor.stats().queued()).isEqualTo(2);
            return first.await().value() + ", " + second.await().value();
        }));

        assertThat(ran).isEqualTo("first, second");
        permit.close();
        assertThat(executor.stats().inFlight()).isZero();
    }

    @Test
    void aTaskTakesAGlobalPermitOfItsOwnIfOneIsFree() throws Exception {
        start(2);
        GroupPermit permit = executor.acquire("a");
        TaskHandle<String> task = permit.call(() -> executor.submit("b", "task", gate.then("done")));
        gate.awaitArrived(1);

        assertThat(executor.stats().inFlight()).isEqualTo(2);
        permit.close();
        assertThat(executor.stats().inFlight()).isEqualTo(1);
        gate.open();
        assertThat(Deadline.within(task::await).value()).isEqualTo("done");
    }

    @Test
    @Tag("E13")
    void anAsynchronousTaskBorrowsTheGlobalPermitUntilItsStageCompletes() throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");
        CompletableFuture<String> stage = new CompletableFuture<>();
        Caller<String> lender = Caller.start(() -> permit.call(
                () -> executor.submitAsync("b", "task", () -> stage).await().value()));
        Deadline.until(
                "the callable has returned",
                () -> executor.groupStats("b")
                        .filter(b -> b.running() == 0 && b.inFlight() == 1)
                        .isPresent());
        assertThat(isFree("c")).isFalse();

        stage.complete("done");

        assertThat(lender.result()).isEqualTo("done");
        permit.close();
        assertThat(executor.stats().inFlight()).isZero();
    }

    @Test
    @Tag("E13")
    void tasksThatWaitForTasksFromInsideAPermitEndWhateverTheLimit() throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");

        String ran = elsewhere(() -> permit.call(() -> executor.submit(
                        "b",
                        () -> executor.submit("c", () -> executor.call("d", () -> "innermost"))
                                .await()
                                .value())
                .await()
                .value()));

        assertThat(ran).isEqualTo("innermost");
        permit.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "b"})
    void whatIsSubmittedFromInsideAndNotWaitedForRunsOnceThePermitIsBack(String group) throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");
        TaskHandle<String> task = permit.call(() -> executor.submit(group, "task", () -> "ran"));
        assertThat(stats(group).queued()).isEqualTo(1);

        permit.close();

        assertThat(Deadline.within(task::await).value()).isEqualTo("ran");
    }

    @Test
    void whatNobodyWaitsForSharesTheGlobalPermitByAPermitOfItsOwn() throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");
        CompletableFuture<String> ran = permit.acquireAsync("b")
                .thenApplyAsync(
                        inner -> {
                            try (inner) {
                                return inner.call(() -> executor.call("c", () -> "nested"));
                            } catch (Exception failure) {
                                throw new CompletionException(failure);
                            }
                        },
                        Thread::startVirtualThread)
                .toCompletableFuture();

        assertThat(ran).succeedsWithin(Deadline.LONG).isEqualTo("nested");
        permit.close();
        assertThat(executor.stats().inFlight()).isZero();
    }

    // ---------------------------------------------------------------- drain and shutdown

    @Test
    @Tag("G42")
    void aDrainLetsInWhatIsAskedOfAPermit() throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");
        Caller<Boolean> drain = Caller.start(() -> executor.shutdown(Deadline.LONG));
        Deadline.until("it drains", executor::isShutdown);
        assertThatIllegalStateException().isThrownBy(() -> executor.call("b", () -> "refused"));

        assertThat(permit.call(() -> executor.submit("a", "inside", () -> "ran")))
                .isNotNull();
        assertThat(permit.call(() -> executor.call("b", () -> "called"))).isEqualTo("called");
        now(permit.acquireAsync("b")).close();
        assertThat(elsewhere(() -> permit.call(
                        () -> executor.submit("b", "task", () -> "ran").await().value())))
                .isEqualTo("ran");
        permit.close();

        assertThat(drain.result()).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> executor.acquire("a"));
    }

    @Test
    @Tag("G42")
    void aDrainFromInsideCountsAPermitOnce() throws Exception {
        start(2);
        GroupPermit permit = executor.acquire("a");
        Callable<Boolean> drain = () -> permit.call(() -> permit.call(() -> executor.shutdown(Deadline.LONG)));
        GroupPermit other = executor.acquire("b");
        Caller<Boolean> first = Caller.start(drain);
        Caller<Boolean> second = Caller.start(drain);
        first.awaitBlockedOnACondition();
        second.awaitBlockedOnACondition();
        assertThat(executor.isTerminated()).isFalse();

        other.close(); // if the permit counted twice, they would not have waited for this

        assertThat(first.result()).isTrue();
        assertThat(second.result()).isTrue();
        permit.close();
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    void aShutdownEndsARequestUnderAPermit() throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");
        GroupPermit inner = now(permit.acquireAsync("b"));
        CompletionStage<GroupPermit> request = permit.acquireAsync("b");

        executor.shutdown();

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> Deadline.within(request.toCompletableFuture()::get))
                .withCauseInstanceOf(RejectedTaskException.class);
        assertThatIllegalStateException().isThrownBy(() -> permit.acquireAsync("b"));
        assertThat(permit.call(() -> "still inside")).isEqualTo("still inside");
        inner.close();
        permit.close();
        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
    }

    // ---------------------------------------------------------------- lending

    @ParameterizedTest
    @EnumSource
    @Tag("E13")
    void oneWhoIsAloneInsideLendsThePermit(Way way) throws Exception {
        start(1);
        GroupPermit permit = way.take(executor);

        assertThat(elsewhere(() -> permit.call(
                        () -> executor.submit("a", "task", () -> "ran").await().value())))
                .isEqualTo("ran");
        permit.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "b"})
    @Tag("E13")
    @Tag("I1")
    void oneWhoIsNotAloneLendsThePermitOnceHeIs(String group) throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");
        Caller<String> other = Caller.start(() -> permit.call(gate.then("other")));
        gate.awaitArrived(1);
        CompletableFuture<TaskHandle<String>> submitted = new CompletableFuture<>();
        Caller<String> lender = Caller.start(() -> permit.call(() -> {
            TaskHandle<String> task = executor.submit(group, "task", () -> "ran");
            submitted.complete(task);
            return task.await().value();
        }));
        lender.awaitBlockedOn(Deadline.within(submitted::get));
        assertThat(stats(group).queued()).isEqualTo(1);

        gate.open();

        assertThat(other.result()).isEqualTo("other");
        assertThat(lender.result()).isEqualTo("ran");
        permit.close();
        assertThat(executor.stats().inFlight()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 5})
    @Tag("E13")
    @Tag("W4")
    void threadsThatWaitInsideOnePermitLendItOneAfterTheOther(int threads) throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");
        AtomicInteger running = new AtomicInteger();
        CyclicBarrier allInside = new CyclicBarrier(threads);
        List<Caller<Integer>> waiting = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            String group = "group" + i;
            waiting.add(Caller.start(() -> permit.call(() -> {
                allInside.await(Deadline.SECONDS, TimeUnit.SECONDS);
                return executor.submit(group, "task", running::incrementAndGet)
                        .await()
                        .value();
            })));
        }

        List<Integer> order = new ArrayList<>();
        for (Caller<Integer> caller : waiting) {
            order.add(caller.result());
        }

        assertThat(order)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.rangeClosed(1, threads).boxed().toList());
        permit.close();
        assertThat(executor.stats().inFlight()).isZero();
    }

    /** While one who waits inside lends the permit, the task of another one has run on a permit that has gone to others since. */
    @Test
    @Tag("E13")
    @Tag("I1")
    void whoHasWaitedInsideAPermitGoesOnWithTheFirstPermitThatComesFree() throws Exception {
        start(2);
        GroupPermit permit = executor.acquire("a");
        Gate inTheWay = new Gate();
        Gate last = new Gate();
        executor.submit("b", "in the way", inTheWay.then("b"));
        inTheWay.awaitArrived(1);
        TaskHandle<String> lentTo = executor.submit("c", "lent to", gate.then("c"));
        TaskHandle<String> awaited = executor.submit("d", "awaited", () -> "d");
        executor.submit("e", "last", last.then("e"));
        Gate atWork = new Gate();
        Caller<String> second = Caller.start(() -> permit.call(() -> {
            atWork.pass();
            return awaited.await().value();
        }));
        atWork.awaitArrived(1);
        Caller<String> first =
                Caller.start(() -> permit.call(() -> lentTo.await().value()));
        first.awaitBlockedOn(lentTo);
        atWork.open();
        gate.awaitArrived(1);

        inTheWay.open();
        last.awaitArrived(1);
        second.awaitBlockedOnACondition();
        assertThat(List.of(stats("c").running(), stats("e").running()))
                .as("both permits are at work")
                .containsExactly(1, 1);
        last.open();

        assertThat(second.result()).isEqualTo("d");
        assertThat(stats("c").running()).isEqualTo(1);
        gate.open();
        assertThat(first.result()).isEqualTo("c");
        permit.close();
        assertThat(executor.stats().inFlight()).isZero();
    }

    /** It is inside another permit too, which it can't lend since somebody is at work there. */
    @Test
    @Tag("E13")
    @Tag("I3")
    void whatALenderCannotLendYetIsNotTakenForLentWhenAnotherGoesOn() throws Exception {
        start(3);
        GroupPermit permit = executor.acquire("a");
        GroupPermit outer = executor.acquire("f");
        Gate inTheWay = new Gate();
        Gate last = new Gate();
        executor.submit("b", "in the way", inTheWay.then("b"));
        inTheWay.awaitArrived(1);
        TaskHandle<String> lentTo = executor.submit("c", "lent to", gate.then("c"));
        TaskHandle<String> awaited = executor.submit("d", "awaited", () -> "d");
        executor.submit("e", "last", last.then("e"));
        Gate busy = new Gate();
        Caller<String> third = Caller.start(() -> outer.call(busy.then("busy")));
        busy.awaitArrived(1);
        Gate atWork = new Gate();
        Caller<String> second = Caller.start(() -> permit.call(() -> {
            atWork.pass();
            return awaited.await().value();
        }));
        atWork.awaitArrived(1);
        Caller<String> first = Caller.start(
                () -> permit.call(() -> outer.call(() -> lentTo.await().value())));
        first.awaitBlockedOn(lentTo);
        atWork.open();
        gate.awaitArrived(1);

        inTheWay.open();
        last.awaitArrived(1);
        second.awaitBlockedOnACondition();
        last.open();
        assertThat(second.result()).isEqualTo("d");

        busy.open();
        gate.open();
        assertThat(List.of(first.result(), third.result())).containsExactly("c", "busy");
        permit.close();
        outer.close();
        for (String group : List.of("a", "b", "c", "d", "e", "f")) {
            executor.evictGroup(group);
        }
        assertThat(executor.groupKeys()).as("groups that are never idle again").isEmpty();
    }

    /** By a task and by a call, which have ended: they are inside no more. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("E13")
    void oneWhoIsInsideWhatAnEndedThreadHasSharedIsAlone(boolean byTask) throws Exception {
        start(1);
        Callable<GroupPermit> share = () -> executor.enclosingPermit("a").orElseThrow();
        GroupPermit shared = byTask
                ? executor.submit("a", share).await().valueOrThrow()
                : elsewhere(() -> executor.call("a", share));

        assertThat(elsewhere(() -> shared.call(
                        () -> executor.submit("a", "task", () -> "ran").await().value())))
                .isEqualTo("ran");

        shared.close();
        assertThat(executor.stats().inFlight()).isZero();
    }

    @Test
    @Tag("E13")
    void whoIsInsideWhatATaskHasSharedLendsOnceTheTaskHasEnded() throws Exception {
        start(1);
        CompletableFuture<GroupPermit> handed = new CompletableFuture<>();
        TaskHandle<String> task = executor.submit("a", "task", () -> {
            handed.complete(executor.enclosingPermit("a").orElseThrow());
            return gate.then("ended").call();
        });
        GroupPermit shared = Deadline.within(handed::get);
        gate.awaitArrived(1);
        CompletableFuture<TaskHandle<String>> submitted = new CompletableFuture<>();
        Caller<String> lender = Caller.start(() -> shared.call(() -> {
            submitted.complete(executor.submit("a", "borrower", () -> "ran"));
            return submitted.get().await().value();
        }));
        lender.awaitBlockedOn(Deadline.within(submitted::get));

        gate.open();

        assertThat(lender.result()).isEqualTo("ran");
        assertThat(task.await().value()).isEqualTo("ended");
        shared.close();
        assertThat(executor.stats().inFlight()).isZero();
    }

    /** For tasks of the permit's own group, so that the permit of the group is lent too. */
    @Test
    @Tag("E13")
    void twoWhoWaitInsideOnePermitLendItOneAfterTheOther() throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");
        Gate tasks = new Gate();
        TaskHandle<String> firstTask = executor.submit("a", "first", tasks.then("first"));
        TaskHandle<String> secondTask = executor.submit("a", "second", tasks.then("second"));
        Caller<String> second = Caller.start(() -> permit.call(() -> {
            gate.pass();
            return secondTask.await().value();
        }));
        gate.awaitArrived(1);
        Caller<String> first =
                Caller.start(() -> permit.call(() -> firstTask.await().value()));
        first.awaitBlockedOn(firstTask);
        assertThat(stats("a").queued()).as("while the other one is at work").isEqualTo(2);

        gate.open();

        tasks.awaitArrived(1);
        assertThat(stats("a").running()).isEqualTo(1);
        assertThat(executor.holders("a")).filteredOn(GroupHolder::lent).hasSize(1);
        tasks.open();
        assertThat(List.of(first.result(), second.result())).containsExactly("first", "second");
        permit.close();
        assertThat(executor.stats().inFlight()).isZero();
    }

    @Test
    @Tag("E13")
    @Tag("W4")
    void whoWaitsAlreadyWhenAnotherEntersWhatItHasSharedKeepsThatOneFromNothing() throws Exception {
        start(1);
        executor.pause("b");
        TaskHandle<String> first = executor.submit("b", "first", () -> "first");
        CompletableFuture<GroupPermit> handed = new CompletableFuture<>();
        Caller<String> owner = Caller.start(() -> executor.call("a", () -> {
            handed.complete(executor.enclosingPermit("a").orElseThrow());
            return first.await().value();
        }));
        GroupPermit shared = Deadline.within(handed::get);
        owner.awaitBlockedOn(first);

        Caller<String> second = Caller.start(() -> shared.call(
                () -> executor.submit("c", "second", () -> "second").await().value()));

        assertThat(second.result()).isEqualTo("second");
        executor.resume("b");
        assertThat(owner.result()).isEqualTo("first");
        shared.close();
        assertThat(executor.stats().inFlight()).isZero();
    }

    @Test
    @Tag("E13")
    void aLenderWhoNeverIsAloneGivesUpWhenInterrupted() throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");
        Caller<String> other = Caller.start(() -> permit.call(gate.then("other")));
        gate.awaitArrived(1);
        CompletableFuture<TaskHandle<String>> submitted = new CompletableFuture<>();
        Caller<String> lender = Caller.start(() -> permit.call(() -> {
            submitted.complete(executor.submit("a", "task", () -> "ran"));
            return submitted.get().await().value();
        }));
        lender.awaitBlockedOn(Deadline.within(submitted::get));

        lender.interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(lender::result);
        gate.open();
        assertThat(other.result()).isEqualTo("other");
        assertThat(stats("a").queued()).isEqualTo(1);
        permit.close();
        assertThat(Deadline.within(submitted.get()::await).value()).isEqualTo("ran");
    }

    @Test
    @Tag("E13")
    @Tag("I1")
    void whoEntersWhileThePermitIsLentWaitsUntilItIsBack() throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");
        Caller<String> lender = Caller.start(() -> permit.call(
                () -> executor.submit("a", "task", gate.then("ran")).await().value()));
        gate.awaitArrived(1);
        Caller<String> entering = Caller.start(() -> permit.call(() -> "entered"));
        Caller<String> interrupted = Caller.start(() -> permit.call(() -> "never"));
        entering.awaitBlockedOnACondition();
        interrupted.awaitBlockedOnACondition();

        interrupted.interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(interrupted::result);
        assertThat(entering.isDone()).isFalse();
        gate.open();

        assertThat(lender.result()).isEqualTo("ran");
        assertThat(entering.result()).isEqualTo("entered");
        permit.close();
    }

    @Test
    @Tag("E13")
    void aRequestUnderALentPermitWaitsUntilItIsBack() throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");
        Caller<String> lender = Caller.start(() -> permit.call(
                () -> executor.submit("a", "task", gate.then("ran")).await().value()));
        gate.awaitArrived(1);
        CompletableFuture<GroupPermit> request = permit.acquireAsync("b").toCompletableFuture();
        assertThat(request).isNotDone();

        gate.open();

        assertThat(lender.result()).isEqualTo("ran");
        Deadline.within(request::get).close();
        permit.close();
    }

    @Test
    @Tag("E13")
    void oneInsideAnotherPermitThatSharesTheGlobalOneKeepsItFromBeingLent() throws Exception {
        start(1);
        GroupPermit permit = executor.acquire("a");
        GroupPermit inner = now(permit.acquireAsync("b"));
        Caller<String> sharing = Caller.start(() -> inner.call(gate.then("shared")));
        gate.awaitArrived(1);
        CompletableFuture<TaskHandle<String>> submitted = new CompletableFuture<>();
        Caller<String> lender = Caller.start(() -> permit.call(() -> {
            submitted.complete(executor.submit("c", "task", () -> "ran"));
            return submitted.get().await().value();
        }));
        lender.awaitBlockedOn(Deadline.within(submitted::get));
        assertThat(executor.stats().inFlight()).isEqualTo(1);
        assertThat(stats("c").queued()).isEqualTo(1);

        gate.open();

        assertThat(sharing.result()).isEqualTo("shared");
        assertThat(lender.result()).isEqualTo("ran");
        inner.close();
        permit.close();
    }

    @Test
    void aFailedRequestSaysWhatTheExecutorsWouldSay() throws Exception {
        executor = engines.startPlain(
                GroupPolicy.builder().defaultQueueThresholdPerGroup(0).build());
        try (GroupPermit permit = executor.acquire("a");
                GroupPermit inner = now(permit.acquireAsync("b"))) {
            assertThat(inner.groupKey()).isEqualTo("b");
            assertThatExceptionOfType(CompletionException.class)
                    .isThrownBy(
                            () -> permit.acquireAsync("b").toCompletableFuture().join())
                    .withCauseInstanceOf(RejectedTaskException.class);
        }
    }
}
