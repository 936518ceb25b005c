package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskTotals;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.Waits;
import io.github.kobe.internal.EngineAccess;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** E6, E13: a permit that another thread closes while its own thread waits, for another group or for a task. */
class ClosedWhileWaitingTests {

    private static final int NO_LIMIT = Integer.MAX_VALUE;

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    private GroupExecutor executor;

    private void start(int globalLimit) {
        executor = engines.startPlain(
                GroupPolicy.builder().globalMaxInFlight(globalLimit).build());
    }

    private GroupStats stats(String key) {
        return executor.groupStats(key).orElseThrow();
    }

    private Optional<GroupPermit> tryElsewhere(String key) throws Exception {
        return Deadline.within(() -> executor.tryAcquire(key, Duration.ZERO));
    }

    /** A thread that has a permit of one group, perhaps of several, and waits for one of another. */
    private final class Nested {
        private final GroupPermit[] permits;
        private final Caller<String> caller;

        Nested(String wanted, String... held) throws Exception {
            CompletableFuture<GroupPermit[]> taken = new CompletableFuture<>();
            caller = Caller.start(() -> {
                GroupPermit[] mine = new GroupPermit[held.length];
                for (int i = 0; i < held.length; i++) {
                    mine[i] = executor.acquire(held[i]);
                }
                taken.complete(mine);
                return executor.call(wanted, () -> {
                    assertThat(executor.tryAcquire(wanted, Duration.ZERO)
                                    .map(again -> {
                                        again.close();
                                        return "inside";
                                    })
                                    .orElse("outside"))
                            .isEqualTo("inside");
                    return gate.then("called").call();
                });
            });
            permits = Deadline.within(taken::get);
        }

        void close(int index) throws Exception {
            closeElsewhere(permits[index]);
        }
    }

    private static void closeElsewhere(GroupPermit permit) throws Exception {
        Object unused = Deadline.within(() -> {
            permit.close();
            return "closed";
        });
    }

    private GroupPermit unbound(String key) {
        return executor.acquireAsync(key).toCompletableFuture().join();
    }

    private static void assertCountedOnce(TaskTotals totals, int inFlightAndQueued) {
        assertThat(totals.submitted())
                .isEqualTo(totals.succeeded() + totals.failed() + totals.cancelled() + inFlightAndQueued);
    }

    // ---------------------------------------------------------------- E6: a wait for another group

    @ParameterizedTest
    @ValueSource(ints = {NO_LIMIT, 10, 2})
    @Tag("E6")
    void threadsThatWaitForEachOtherGoOnWhenAThirdClosesTheirPermits(int globalLimit) throws Exception {
        start(globalLimit);
        Gate bothHold = new Gate();
        CompletableFuture<GroupPermit> ofA = new CompletableFuture<>();
        CompletableFuture<GroupPermit> ofB = new CompletableFuture<>();
        Caller<String> first = Caller.start(() -> {
            ofA.complete(executor.acquire("a"));
            bothHold.pass();
            return executor.call("b", () -> "first");
        });
        Caller<String> second = Caller.start(() -> {
            ofB.complete(executor.acquire("b"));
            bothHold.pass();
            return executor.call("a", () -> "second");
        });
        bothHold.awaitArrived(2);
        bothHold.open();
        Waits.awaitQueued(executor, "a", 1);
        Waits.awaitQueued(executor, "b", 1);

        closeElsewhere(Deadline.within(ofA::get));
        assertThat(second.result()).isEqualTo("second");
        closeElsewhere(Deadline.within(ofB::get));
        assertThat(first.result()).isEqualTo("first");
    }

    @ParameterizedTest
    @ValueSource(ints = {NO_LIMIT, 2})
    @Tag("E6")
    void whatIsClosedDuringANestedWaitIsBackAtOnceAndCountsOnce(int globalLimit) throws Exception {
        start(globalLimit);
        GroupPermit ofB = unbound("b");
        Nested nested = new Nested("b", "a");
        Waits.awaitQueued(executor, "b", 1);

        nested.close(0);

        assertThat(stats("a").running()).isZero();
        assertCountedOnce(executor.stats().totals(), 2);
        GroupPermit ofA = tryElsewhere("a").orElseThrow(); // which takes the global permit that has come back, too
        ofA.close();
        ofB.close();
        gate.open();
        assertThat(nested.caller.result()).isEqualTo("called");
    }

    @Test
    @Tag("E6")
    @Tag("I1")
    void theWaitKeepsItsPlaceAndThenNeedsAGlobalPermitOfItsOwn() throws Exception {
        start(2);
        GroupPermit ofU = executor.acquire("u");
        GroupPermit ofB = executor.acquire("b"); // on the global permit of "u"
        Nested nested = new Nested("b", "a");
        Waits.awaitQueued(executor, "b", 1);
        Caller<String> behind = Caller.start(() -> executor.call("b", () -> "behind"));
        Waits.awaitQueued(executor, "b", 2);
        nested.close(0);
        GroupPermit ofC = tryElsewhere("c").orElseThrow();

        ofB.close();
        assertThat(stats("b").queued()).isEqualTo(2);
        assertThat(stats("b").running()).isZero();
        ofC.close();

        gate.awaitArrived(1);
        assertThat(behind.isDone()).isFalse();
        assertThat(executor.stats().inFlight()).isEqualTo(2);
        gate.open();
        assertThat(nested.caller.result()).isEqualTo("called");
        assertThat(behind.result()).isEqualTo("behind");
        ofU.close();
    }

    @Test
    @Tag("E6")
    @Tag("I3")
    void theGlobalPermitStaysWithAnotherPermitOfTheThread() throws Exception {
        start(2);
        GroupPermit ofU = executor.acquire("u");
        GroupPermit ofB = executor.acquire("b");
        Nested nested = new Nested("b", "a", "d");
        Waits.awaitQueued(executor, "b", 1);

        nested.close(0);

        assertThat(stats("a").running()).isZero();
        assertThat(executor.stats().inFlight()).isEqualTo(2);
        assertThat(tryElsewhere("c")).isEmpty();
        ofB.close();
        gate.awaitArrived(1);
        assertThat(executor.stats().inFlight()).isEqualTo(2);
        nested.close(1);
        assertThat(executor.stats().inFlight()).isEqualTo(2);
        gate.open();
        assertThat(nested.caller.result()).isEqualTo("called");
        ofU.close();
    }

    @Test
    @Tag("E6")
    void anInterruptEndsTheWaitOfAThreadThatHoldsNothingAnyMore() throws Exception {
        start(1);
        Gate other = new Gate();
        CompletableFuture<GroupPermit> taken = new CompletableFuture<>();
        Caller<String> caller = Caller.start(() -> {
            taken.complete(executor.acquire("a"));
            other.pass();
            return executor.call("b", () -> "never");
        });
        other.awaitArrived(1);
        executor.pause("b");
        other.open();
        Waits.awaitQueued(executor, "b", 1);
        closeElsewhere(Deadline.within(taken::get));

        caller.interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(caller::result);
        executor.resume("b");
    }

    @Test
    @Tag("E6")
    void aThreadThatWasRejectedFromInsideHoldsWhatItHeld() throws Exception {
        start(1);
        GroupPermit ofA = executor.acquire("a");
        GroupPermit ofB = executor.acquire("b");
        executor.pause("c");
        assertThat(executor.tryAcquire("c", Duration.ZERO)).isEmpty();
        executor.resume("c");

        ofA.close();
        assertThat(executor.stats().inFlight()).isEqualTo(1);
        ofB.close();
        assertThat(executor.stats().inFlight()).isZero();
    }

    // ---------------------------------------------------------------- E13: a wait for a task

    /** A thread that has a permit of each of some groups and awaits a task of one more, which is submitted then. */
    private final class Lender {
        private final GroupPermit[] permits;
        private final TaskHandle<String> task;
        private final Caller<String> caller;

        Lender(String awaited, String... held) throws Exception {
            CompletableFuture<GroupPermit[]> taken = new CompletableFuture<>();
            CompletableFuture<TaskHandle<String>> submitted = new CompletableFuture<>();
            caller = Caller.start(() -> {
                GroupPermit[] mine = new GroupPermit[held.length];
                for (int i = 0; i < held.length; i++) {
                    mine[i] = executor.acquire(held[i]);
                }
                taken.complete(mine);
                TaskHandle<String> handle = executor.submit(awaited, "borrower", gate.then("borrowed"));
                submitted.complete(handle);
                return handle.await().value();
            });
            permits = Deadline.within(taken::get);
            task = Deadline.within(submitted::get);
            caller.awaitBlockedOn(task);
        }

        void close(int index) throws Exception {
            closeElsewhere(permits[index]);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {NO_LIMIT, 1})
    @Tag("E13")
    @Tag("I1")
    void aLentPermitThatIsClosedIsTheBorrowersAndCountsOnce(int globalLimit) throws Exception {
        start(globalLimit);
        Lender lender = new Lender("a", "a");
        gate.awaitArrived(1);

        lender.close(0);

        assertThat(stats("a").running()).isEqualTo(1);
        assertCountedOnce(executor.stats().totals(), 1);
        assertThat(tryElsewhere("a")).isEmpty();
        gate.open();
        assertThat(lender.caller.result()).isEqualTo("borrowed");
    }

    @ParameterizedTest
    @ValueSource(ints = {NO_LIMIT, 1})
    @Tag("E13")
    void anInterruptedLenderWhoseLentPermitIsClosedReturnsAtOnce(int globalLimit) throws Exception {
        start(globalLimit);
        Lender lender = new Lender("a", "a");
        gate.awaitArrived(1);
        lender.caller.interrupt();
        Deadline.until("it reclaims", () -> {
            Object blocker = LockSupport.getBlocker(lender.caller.thread());
            return blocker != null && !blocker.equals(lender.task);
        });

        lender.close(0);

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(lender.caller::result);
        assertThat(stats("a").running()).isEqualTo(1);
        assertCountedOnce(executor.stats().totals(), 1);
        gate.open();
        assertThat(lender.task.await().value()).isEqualTo("borrowed");
    }

    @Test
    @Tag("E13")
    void aGlobalPermitThatIsSetAsideIsBackWhenTheLendersPermitIsClosed() throws Exception {
        start(2);
        GroupPermit ofU = executor.acquire("u");
        GroupPermit ofB = executor.acquire("b");
        Lender lender = new Lender("b", "a");

        lender.close(0);

        assertThat(stats("a").running()).isZero();
        assertThat(executor.stats().inFlight()).isEqualTo(1);
        assertCountedOnce(executor.stats().totals(), 3);
        GroupPermit ofC = tryElsewhere("c").orElseThrow();
        ofB.close();
        assertThat(stats("b").queued()).isEqualTo(1);
        ofC.close();
        gate.open();
        assertThat(lender.caller.result()).isEqualTo("borrowed");
        ofU.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {NO_LIMIT, 2})
    @Tag("E13")
    void aLentGlobalPermitComesBackToAnotherPermitOfTheLender(int globalLimit) throws Exception {
        start(globalLimit);
        GroupPermit ofU = executor.acquire("u");
        GroupPermit ofB = executor.acquire("b");
        Lender lender = new Lender("b", "a", "d");

        lender.close(0);

        assertThat(stats("a").running()).isZero();
        assertThat(stats("d").running()).isEqualTo(1);
        assertThat(tryElsewhere("c").map(ofC -> {
                    ofC.close();
                    return "free";
                }))
                .isEqualTo(globalLimit == 2 ? Optional.empty() : Optional.of("free"));
        ofB.close();
        gate.awaitArrived(1);
        gate.open();
        assertThat(lender.caller.result()).isEqualTo("borrowed");
        assertThat(executor.stats().inFlight()).isEqualTo(2);
        lender.close(1);
        assertThat(executor.stats().inFlight()).isEqualTo(1);
        ofU.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    @Tag("E13")
    void oneOfTwoPermitsOfALenderMayBeClosed(int closed) throws Exception {
        start(1);
        Lender lender = new Lender("a", "b", "a"); // lends what it has of "a", and the global permit of "b"
        gate.awaitArrived(1);

        lender.close(closed);

        assertThat(stats("b").running()).isEqualTo(closed == 0 ? 0 : 1);
        assertThat(stats("a").running()).isEqualTo(1);
        gate.open();
        assertThat(lender.caller.result()).isEqualTo("borrowed");
        assertThat(stats("a").running()).isEqualTo(closed == 0 ? 1 : 0);
        assertThat(executor.stats().inFlight()).isEqualTo(1);
        lender.close(1 - closed);
        assertThat(executor.stats().inFlight()).isZero();
    }

    @Test
    @Tag("E13")
    @Tag("E4")
    void whatAnAsynchronousBorrowerHasHandedBackAlreadyIsFreeWhenTheLentPermitIsClosed() throws Exception {
        executor = engines.startPlain(GroupPolicy.builder().build());
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<GroupPermit> taken = new CompletableFuture<>();
        CompletableFuture<TaskHandle<String>> submitted = new CompletableFuture<>();
        Caller<String> lender = Caller.start(() -> {
            taken.complete(executor.acquire("a"));
            TaskHandle<String> handle = executor.submitAsync("a", "borrower", () -> (CompletionStage<String>) stage);
            submitted.complete(handle);
            return handle.await().value();
        });
        lender.awaitBlockedOn(Deadline.within(submitted::get));
        Deadline.until("the stage is open", () -> EngineAccess.open(executor).contains("an open stage"));

        closeElsewhere(Deadline.within(taken::get));

        assertThat(stats("a").running()).isZero();
        assertThat(stats("a").inFlight()).isEqualTo(1);
        assertCountedOnce(executor.stats().totals(), 1);
        stage.complete("borrowed");
        assertThat(lender.result()).isEqualTo("borrowed");
    }
}
