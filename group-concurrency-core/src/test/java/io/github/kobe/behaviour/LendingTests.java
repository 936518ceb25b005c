package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupTask;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.Waits;
import io.github.kobe.audit.Witness;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** E13: who waits for work of its own lends it its permits. */
@Tag("E13")
class LendingTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    // ---------------------------------------------------------------- no deadlock

    @Test
    @Tag("W4")
    void aTaskThatAwaitsATaskOfItsOwnGroupEndsAtLimitOne() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxInFlightPerGroup(1)
                .globalMaxInFlight(1)
                .build());

        TaskHandle<String> outer = executor.submit("a", "outer", () -> awaitValue(executor, inner(executor, "a")));

        assertThat(Deadline.within(outer::await).value()).isEqualTo("inner");
    }

    @Test
    void joinLendsToo() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        TaskHandle<String> outer = executor.submit("a", "outer", () -> {
            TaskHandle<String> inner = inner(executor, "a");
            return engines.witness(executor).waiting("a", inner::join).value();
        });

        assertThat(outer.await().value()).isEqualTo("inner");
    }

    @Test
    void aCallLendsToo() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Callable<String> body = engines.witness(executor).inside("a", () -> awaitValue(executor, inner(executor, "a")));

        assertThat(executor.call("a", body)).isEqualTo("inner");
    }

    @Test
    void aThreadInsideAPermitLendsToo() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        GroupPermit permit = executor.acquire("a");

        assertThat(permit.call(() -> inner(executor, "a").await().value())).isEqualTo("inner");

        assertThat(Deadline.within(() -> executor.tryAcquire("a", Duration.ZERO)))
                .isEmpty();
        permit.close();
    }

    @Test
    void aDeepChainOfTasksEndsAtLimitOne() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(1).build());

        assertThat(chain(executor, 100).await().value()).isEqualTo(100);
    }

    private TaskHandle<Integer> chain(GroupExecutor executor, int depth) {
        return executor.submit(
                "a", "depth-" + depth, () -> depth == 0 ? 0 : 1 + awaitValue(executor, chain(executor, depth - 1)));
    }

    @Test
    void aTreeOfTasksEndsAtAnyLimit() throws Exception {
        for (int limit = 1; limit <= 3; limit++) {
            GroupExecutor executor = engines.start(GroupPolicy.builder()
                    .defaultMaxConcurrencyPerGroup(limit)
                    .globalMaxInFlight(limit)
                    .build());

            assertThat(tree(executor, 5).await().value()).isEqualTo(63);
            assertThat(engines.witness(executor).peakRunning("a")).isLessThanOrEqualTo(limit);
        }
    }

    private TaskHandle<Integer> tree(GroupExecutor executor, int depth) {
        return executor.submit("a", "depth-" + depth, () -> {
            if (depth == 0) {
                return 1;
            }
            TaskHandle<Integer> left = tree(executor, depth - 1);
            TaskHandle<Integer> right = tree(executor, depth - 1);
            return 1 + awaitValue(executor, left) + awaitValue(executor, right);
        });
    }

    @Test
    @Tag("G39")
    void executeAllInsideATaskEndsAtLimitOne() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        TaskHandle<List<Integer>> outer = executor.submit("a", "outer", () -> {
            List<GroupTask<Integer>> tasks = IntStream.range(0, 10)
                    .mapToObj(i -> new GroupTask<>("a", "inner-" + i, () -> i))
                    .toList();
            return engines.witness(executor).waiting("a", () -> executor.executeAll(tasks)).stream()
                    .map(GroupResult::value)
                    .toList();
        });

        assertThat(outer.await().value()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    @Test
    @Tag("E7")
    void aViewsGetInvokeAllAndInvokeAnyInsideATaskEndAtLimitOne() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Witness witness = engines.witness(executor);
        ExecutorService view = executor.asExecutorService("a");

        TaskHandle<List<String>> outer = executor.submit("a", "outer", () -> {
            List<String> values = new ArrayList<>();
            Future<String> future = view.submit(() -> "get");
            values.add(witness.waiting("a", future::get));
            List<Callable<String>> both = List.of(() -> "all-1", () -> "all-2");
            for (Future<String> each : witness.waiting("a", () -> view.invokeAll(both))) {
                values.add(each.resultNow());
            }
            values.add(witness.waiting("a", () -> view.invokeAny(List.of(() -> "any"))));
            return values;
        });

        assertThat(outer.await().value()).containsExactly("get", "all-1", "all-2", "any");
    }

    @Test
    @Tag("E7")
    void invokeAnyInsideATaskGoesPastTheOnesThatFail() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        ExecutorService view = executor.asExecutorService("a");
        List<Callable<String>> tasks = List.of(
                () -> {
                    throw new IllegalStateException("one");
                },
                () -> {
                    throw new IllegalStateException("two");
                },
                () -> "three");

        TaskHandle<String> outer = executor.submit(
                "a", "outer", () -> engines.witness(executor).waiting("a", () -> view.invokeAny(tasks)));

        assertThat(outer.await().value()).isEqualTo("three");
    }

    @Test
    void awaitingATaskOfAnotherGroupEndsAtGlobalLimitOne() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(1).build());

        TaskHandle<String> outer = executor.submit("a", "outer", () -> awaitValue(executor, inner(executor, "b")));

        assertThat(outer.await().value()).isEqualTo("inner");
    }

    @Test
    void aChainOverManyGroupsEndsAtGlobalLimitOne() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(1).build());

        assertThat(chainOverGroups(executor, 30).await().value()).isEqualTo(30);
    }

    private TaskHandle<Integer> chainOverGroups(GroupExecutor executor, int depth) {
        return executor.submit(
                "group-" + depth,
                "1",
                () -> depth == 0 ? 0 : 1 + awaitValue(executor, chainOverGroups(executor, depth - 1)));
    }

    @Test
    void aThreadNestedInTwoGroupsLendsToATaskOfEither() throws Exception {
        for (String awaited : List.of("a", "b")) {
            GroupExecutor executor =
                    engines.start(GroupPolicy.builder().globalMaxInFlight(1).build());
            Witness witness = engines.witness(executor);

            TaskHandle<String> outer = executor.submit(
                    "a",
                    "outer",
                    () -> executor.call(
                            "b", witness.inside("b", () -> awaitValue(executor, inner(executor, awaited)))));

            assertThat(outer.await().value()).isEqualTo("inner");
        }
    }

    @Test
    @Tag("E4")
    void anAsynchronousTaskBorrowsUntilItsStageCompletes() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxInFlightPerGroup(1)
                .globalMaxInFlight(1)
                .build());
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> began = new CompletableFuture<>();

        TaskHandle<String> outer = executor.submit("a", "outer", () -> {
            TaskHandle<String> inner = executor.submitAsync("a", "inner", () -> {
                began.complete("began");
                return stage;
            });
            return awaitValue(executor, inner);
        });
        assertThat(began.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo("began");
        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        assertThat(executor.tryAcquire("b", Duration.ZERO)).isEmpty();
        assertThat(outer.isDone()).isFalse();
        stage.complete("late");

        assertThat(outer.await().value()).isEqualTo("late");
    }

    // ---------------------------------------------------------------- to whom, and for how long

    @Test
    void theBorrowerGoesAheadOfTheQueueOnAThreadOfItsOwn() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        AtomicReference<Thread> lender = new AtomicReference<>();
        AtomicReference<Thread> borrower = new AtomicReference<>();
        TaskHandle<String> outer = executor.submit("a", "outer", () -> {
            lender.set(Thread.currentThread());
            gate.pass();
            TaskHandle<String> inner = executor.submit("a", "inner", () -> {
                borrower.set(Thread.currentThread());
                return "inner";
            });
            return awaitValue(executor, inner);
        });
        gate.awaitArrived(1);
        TaskHandle<String> queued = executor.submit("a", "queued", () -> "queued");

        gate.open();

        assertThat(outer.await().value()).isEqualTo("inner");
        assertThat(queued.await().value()).isEqualTo("queued");
        assertThat(engines.witness(executor).started("a")).containsExactly("outer", "inner", "queued");
        assertThat(borrower.get()).isNotSameAs(lender.get());
        assertThat(borrower.get().isVirtual()).isTrue();
    }

    @Test
    void aBorrowerFromTheMiddleOfTheQueueLeavesThoseBehindItInTheirPlaces() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        List<TaskHandle<String>> handles = new ArrayList<>();
        TaskHandle<String> outer = executor.submit("a", "outer", () -> {
            handles.add(executor.submit("a", "before", () -> "before"));
            TaskHandle<String> inner = inner(executor, "a");
            handles.add(executor.submit("a", "behind-1", () -> "behind"));
            handles.add(executor.submit("a", "behind-2", () -> "behind"));
            return awaitValue(executor, inner);
        });

        assertThat(outer.await().value()).isEqualTo("inner");

        for (TaskHandle<String> handle : handles) {
            assertThat(handle.await(Deadline.SECONDS, TimeUnit.SECONDS).status())
                    .isEqualTo(TaskStatus.SUCCESS);
        }
        assertThat(engines.witness(executor).started("a"))
                .containsExactly("outer", "inner", "before", "behind-1", "behind-2");
    }

    @Test
    void aNestedCallerFromTheMiddleOfTheQueueLeavesThoseBehindItInTheirPlaces() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(1)
                .globalMaxInFlight(2)
                .build());
        Gate holders = new Gate();
        TaskHandle<String> holder = executor.submit("b", "holder", holders.then("holder"));
        holders.awaitArrived(1);
        TaskHandle<String> outer = executor.submit("a", "outer", () -> {
            gate.pass();
            return executor.call("b", engines.witness(executor).inside("b", () -> "nested"));
        });
        gate.awaitArrived(1);
        TaskHandle<String> before = executor.submit("b", "before", () -> "before");
        gate.open();
        Waits.awaitQueued(executor, "b", 2);
        TaskHandle<String> behind = executor.submit("b", "behind", () -> "behind");

        holders.open();

        for (TaskHandle<String> handle : List.of(holder, outer, before, behind)) {
            assertThat(handle.await(Deadline.SECONDS, TimeUnit.SECONDS).status())
                    .isEqualTo(TaskStatus.SUCCESS);
        }
    }

    @Test
    void aTaskThatRunsAlreadyIsLentNothing() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build());
        TaskHandle<String> inner = executor.submit("a", "inner", gate.then("inner"));
        gate.awaitArrived(1);
        AtomicReference<Thread> waiter = new AtomicReference<>();
        TaskHandle<String> outer = executor.submit("a", "outer", () -> {
            waiter.set(Thread.currentThread());
            return inner.await().value();
        });
        awaitBlocked(waiter);

        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(2);

        gate.open();
        assertThat(outer.await().value()).isEqualTo("inner");
    }

    @Test
    void theLentPermitIsNobodyElses() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxInFlightPerGroup(1)
                .globalMaxInFlight(1)
                .build());
        TaskHandle<String> outer = executor.submit(
                "a", "outer", () -> awaitValue(executor, executor.submit("a", "inner", gate.then("inner"))));
        gate.awaitArrived(1);

        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        assertThat(executor.tryAcquire("b", Duration.ZERO)).isEmpty();
        assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(1);

        gate.open();
        assertThat(outer.await().value()).isEqualTo("inner");
    }

    @Test
    void aTaskOfAFullGroupGetsTheLentGlobalPermitOnlyWhenItsGroupHasRoom() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(2).build());
        TaskHandle<String> full = executor.submit("b", "full", gate.then("full"));
        gate.awaitArrived(1);
        AtomicReference<Thread> lender = new AtomicReference<>();
        AtomicReference<TaskHandle<String>> inner = new AtomicReference<>();
        TaskHandle<String> outer = executor.submit("a", "outer", () -> {
            inner.set(executor.submit("b", "inner", () -> "inner"));
            lender.set(Thread.currentThread());
            return awaitValue(executor, inner.get());
        });
        awaitBlocked(lender);

        assertThat(executor.tryAcquire("c", Duration.ZERO)).isEmpty();
        assertThat(inner.get().isDone()).isFalse();
        assertThat(executor.groupStats("b").orElseThrow().queued()).isEqualTo(1);

        gate.open();
        assertThat(outer.await().value()).isEqualTo("inner");
        assertThat(full.await().value()).isEqualTo("full");
    }

    @Test
    void awaitingATaskOfAnotherGroupLendsTheGlobalPermitOnly() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(1).build());
        TaskHandle<String> outer = executor.submit(
                "a", "outer", () -> awaitValue(executor, executor.submit("b", "inner", gate.then("inner"))));
        gate.awaitArrived(1);

        assertThat(executor.stats().inFlight()).isEqualTo(1);
        assertThat(executor.groupStats("b").orElseThrow().running()).isEqualTo(1);
        TaskHandle<String> sameGroup = executor.submit("a", "same group", () -> "same group");
        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(1);

        gate.open();
        assertThat(outer.await().value()).isEqualTo("inner");
        assertThat(sameGroup.await().value()).isEqualTo("same group");
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 9})
    @Tag("I1")
    void manyLendersOfOneGroupKeepItsLimit(int inFlight) throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(3)
                .defaultMaxInFlightPerGroup(inFlight)
                .globalMaxInFlight(inFlight)
                .build());
        List<TaskHandle<String>> outers = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            String id = "outer-" + i;
            outers.add(executor.submit(
                    "a",
                    id,
                    () -> awaitValue(executor, inner(executor, "a")) + awaitValue(executor, inner(executor, "a"))));
        }

        for (TaskHandle<String> outer : outers) {
            assertThat(outer.await().value()).isEqualTo("innerinner");
        }
        assertThat(engines.witness(executor).peakRunning("a")).isLessThanOrEqualTo(3);
    }

    @Test
    void twoMayAwaitTheSameQueuedTask() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build());
        CompletableFuture<TaskHandle<String>> shared = new CompletableFuture<>();
        List<TaskHandle<String>> outers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            outers.add(executor.submit("a", "outer-" + i, () -> {
                gate.pass();
                return awaitValue(executor, shared.get(Deadline.SECONDS, TimeUnit.SECONDS));
            }));
        }
        gate.awaitArrived(2);
        shared.complete(inner(executor, "a"));

        gate.open();

        for (TaskHandle<String> outer : outers) {
            assertThat(outer.await().value()).isEqualTo("inner");
        }
    }

    @Test
    void aTimedWaitDoesNotLend() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        AtomicReference<TaskHandle<String>> inner = new AtomicReference<>();

        TaskHandle<GroupResult<String>> outer = executor.submit("a", "outer", () -> {
            inner.set(inner(executor, "a"));
            return inner.get().await(50, TimeUnit.MILLISECONDS);
        });

        GroupResult<String> ofTheWait = outer.await().value();
        assertThat(ofTheWait.status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(ofTheWait.error()).isInstanceOf(TimeoutException.class);
        assertThat(inner.get().await().value()).isEqualTo("inner");
        assertThat(engines.witness(executor).started("a")).containsExactly("outer", "inner");
    }

    @Test
    void aThreadOutsideEveryGroupLendsNothing() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        TaskHandle<String> running = executor.submit("a", "running", gate.then("running"));
        TaskHandle<String> queued = executor.submit("a", "queued", () -> "queued");
        Caller<GroupResult<String>> waiter = Caller.start(queued::await).awaitBlockedOn(queued);

        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(1);

        gate.open();
        assertThat(waiter.result().value()).isEqualTo("queued");
        assertThat(running.await().value()).isEqualTo("running");
    }

    // ---------------------------------------------------------------- interrupt, cancel, pause, limits

    @Test
    void anInterruptedLenderReturnsOnlyWithPermits() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Gate resumed = new Gate();
        AtomicReference<Thread> lender = new AtomicReference<>();
        resumed.open();
        TaskHandle<String> outer = executor.submit("a", "outer", () -> {
            lender.set(Thread.currentThread());
            try {
                return awaitValue(executor, executor.submit("a", "inner", gate.then("inner")));
            } catch (InterruptedException e) {
                resumed.pass();
                assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(1);
                return "interrupted";
            }
        });
        gate.awaitArrived(1);

        lender.get().interrupt();
        Deadline.until(
                "the lender waits for its permits",
                () -> !lender.get().isInterrupted() && Caller.isBlocked(lender.get()));
        assertThat(resumed.arrived()).isZero();
        assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(1);
        gate.open();

        assertThat(outer.await().value()).isEqualTo("interrupted");
        assertThat(engines.witness(executor).peakRunning("a")).isEqualTo(1);
    }

    @Test
    void anInterruptedLenderTakesThePermitThatComesFreeFirstAheadOfTheQueue() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build());
        Gate other = new Gate();
        Gate outerResumed = new Gate();
        AtomicReference<Thread> lender = new AtomicReference<>();
        TaskHandle<String> second = executor.submit("a", "second", other.then("second"));
        TaskHandle<String> outer = executor.submit("a", "outer", () -> {
            lender.set(Thread.currentThread());
            TaskHandle<String> inner = executor.submit("a", "inner", gate.then("inner"));
            try {
                return awaitValue(executor, inner);
            } catch (InterruptedException e) {
                outerResumed.pass();
                return "interrupted";
            }
        });
        gate.awaitArrived(1);
        TaskHandle<String> queued = executor.submit("a", "queued", () -> "queued");

        lender.get().interrupt();
        Deadline.until(
                "the lender waits for a permit", () -> !lender.get().isInterrupted() && Caller.isBlocked(lender.get()));
        other.open();
        outerResumed.awaitArrived(1);

        assertThat(second.await().value()).isEqualTo("second");
        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(1);
        assertThat(queued.isDone()).isFalse();
        outerResumed.open();
        assertThat(outer.await().value()).isEqualTo("interrupted");
        assertThat(queued.await().value()).isEqualTo("queued");
        gate.open();
    }

    @Test
    void cancellingTheLenderDoesNotCancelTheBorrower() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        AtomicReference<TaskHandle<String>> inner = new AtomicReference<>();
        TaskHandle<String> outer = executor.submit("a", "outer", () -> {
            inner.set(executor.submit("a", "inner", gate.then("inner")));
            return awaitValue(executor, inner.get());
        });
        gate.awaitArrived(1);

        assertThat(outer.cancel(true)).isTrue();

        assertThat(outer.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(inner.get().isDone()).isFalse();
        gate.open();
        assertThat(inner.get().await().value()).isEqualTo("inner");
    }

    @Test
    void cancellingTheBorrowerBringsTheLenderBack() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        AtomicReference<TaskHandle<String>> inner = new AtomicReference<>();
        TaskHandle<TaskStatus> outer = executor.submit("a", "outer", () -> {
            inner.set(executor.submit("a", "inner", gate.stubbornlyThen("inner")));
            return engines.witness(executor).waiting("a", inner.get()::await).status();
        });
        gate.awaitArrived(1);

        assertThat(inner.get().cancel(true)).isTrue();
        gate.open();

        assertThat(outer.await().value()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    @Tag("I1")
    void aLenderWaitsForAnInFlightPermitThoughOneToRunIsFree() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .group("a", GroupLimits.unset().withMaxConcurrency(2).withMaxInFlight(2))
                .build());
        CompletableFuture<String> stage = new CompletableFuture<>();
        TaskHandle<String> open = executor.submitAsync("a", "open", () -> stage);
        Deadline.until(
                "its callable has returned",
                () -> executor.groupStats("a").orElseThrow().running() == 0);
        CompletableFuture<TaskHandle<String>> borrower = new CompletableFuture<>();
        Caller<TaskStatus> lender = Caller.start(() -> executor.call("a", () -> {
            borrower.complete(executor.submit("a", "borrower", gate.stubbornlyThen("ran")));
            return borrower.get().await().status();
        }));
        gate.awaitArrived(1);

        assertThat(borrower.get().cancel(false)).isTrue();

        lender.awaitBlocked();
        assertThat(executor.groupStats("a").orElseThrow().inFlight()).isEqualTo(2);
        stage.complete("done");
        assertThat(lender.result()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(open.await().value()).isEqualTo("done");
        gate.open();
    }

    @Test
    @Tag("E9")
    void aPauseDoesNotStopALoan() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        TaskHandle<String> outer = executor.submit("a", "outer", () -> {
            gate.pass();
            return awaitValue(executor, inner(executor, "a"));
        });
        gate.awaitArrived(1);

        executor.pause("a");
        gate.open();

        assertThat(outer.await().value()).isEqualTo("inner");
        executor.resume("a");
    }

    @Test
    @Tag("E9")
    void aBorrowerHandsBackWhateverTheLimitsAreByThen() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(3)
                .globalMaxInFlight(3)
                .build());
        Gate borrowers = new Gate();
        List<TaskHandle<String>> outers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            outers.add(executor.submit("a", "outer-" + i, () -> {
                gate.pass();
                return awaitValue(executor, executor.submit("a", "inner", borrowers.then("inner")));
            }));
        }
        gate.awaitArrived(3);
        Witness witness = engines.witness(executor);
        gate.open();
        borrowers.awaitArrived(3);

        GroupLimits one = GroupLimits.unset().withMaxConcurrency(1);
        witness.changing("a", 1, Integer.MAX_VALUE, () -> executor.setLimits("a", one));
        TaskHandle<String> queued = executor.submit("a", "queued", () -> "queued");
        borrowers.open();

        for (TaskHandle<String> outer : outers) {
            assertThat(outer.await().value()).isEqualTo("inner");
        }
        assertThat(queued.await().value()).isEqualTo("queued");
        witness.settle();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
    }

    @Test
    @Tag("E9")
    void aLoanIsMadeAlsoInAnOverdrawnGroup() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build());
        Gate second = new Gate();
        TaskHandle<String> outer = executor.submit("a", "outer", () -> {
            gate.pass();
            return awaitValue(executor, inner(executor, "a"));
        });
        TaskHandle<String> running = executor.submit("a", "running", second.then("running"));
        gate.awaitArrived(1);
        second.awaitArrived(1);

        GroupLimits one = GroupLimits.unset().withMaxConcurrency(1);
        engines.witness(executor).changing("a", 1, Integer.MAX_VALUE, () -> executor.setLimits("a", one));
        gate.open();

        assertThat(outer.await().value()).isEqualTo("inner");
        second.open();
        assertThat(running.await().value()).isEqualTo("running");
    }

    @Test
    @Tag("E9")
    void aGlobalLimitThatIsSetDuringAWaitForAnotherGroupDoesNotStopIt() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        TaskHandle<String> holder = executor.submit("b", "holder", gate.then("held"));
        gate.awaitArrived(1);
        AtomicReference<Thread> waiter = new AtomicReference<>();
        TaskHandle<String> outer = executor.submit("a", "outer", () -> {
            TaskHandle<String> inner = inner(executor, "b");
            waiter.set(Thread.currentThread());
            return awaitValue(executor, inner);
        });
        awaitBlocked(waiter);

        GroupPolicy one = engines.witnessed(
                executor, GroupPolicy.builder().globalMaxInFlight(1).build());
        engines.witness(executor).changingGlobal(1, () -> executor.updatePolicy(one));
        gate.open();

        assertThat(outer.await(Deadline.SECONDS, TimeUnit.SECONDS).value()).isEqualTo("inner");
        assertThat(holder.await().value()).isEqualTo("held");
    }

    @Test
    @Tag("E9")
    void aGlobalLimitThatIsSetDuringANestedCallDoesNotStopIt() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        TaskHandle<String> holder = executor.submit("b", "holder", gate.then("held"));
        gate.awaitArrived(1);
        TaskHandle<String> before = executor.submit("b", "before", () -> "before");
        TaskHandle<String> outer = executor.submit(
                "a", "outer", () -> executor.call("b", engines.witness(executor).inside("b", () -> "nested")));
        Waits.awaitQueued(executor, "b", 2);

        GroupPolicy one = engines.witnessed(
                executor, GroupPolicy.builder().globalMaxInFlight(1).build());
        engines.witness(executor).changingGlobal(1, () -> executor.updatePolicy(one));
        gate.open();

        assertThat(outer.await(Deadline.SECONDS, TimeUnit.SECONDS).value()).isEqualTo("nested");
        assertThat(before.await().value()).isEqualTo("before");
        assertThat(holder.await().value()).isEqualTo("held");
    }

    @Test
    @Tag("G43")
    void shutdownOfTheGroupEndsLenderAndBorrower() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Gate afterTheWait = new Gate();
        AtomicReference<TaskHandle<String>> inner = new AtomicReference<>();
        TaskHandle<String> outer = executor.submit("a", "outer", () -> {
            inner.set(executor.submit("a", "inner", gate.then("never")));
            awaitValue(executor, inner.get());
            afterTheWait.pass();
            return "never";
        });
        gate.awaitArrived(1);

        executor.shutdownGroup("a");

        assertThat(outer.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(inner.get().await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(executor.submit("a", "next", () -> "next").await().value()).isEqualTo("next");
    }

    @Test
    @Tag("G42")
    void aDrainLetsATaskWaitForItsOwnWork() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        TaskHandle<String> outer = executor.submit("a", "outer", () -> {
            gate.pass();
            return awaitValue(executor, inner(executor, "a"));
        });
        gate.awaitArrived(1);
        Caller<Boolean> drain = Caller.start(() -> executor.shutdown(Deadline.LONG));
        Deadline.until("the drain began", executor::isShutdown);

        gate.open();

        assertThat(drain.result()).isTrue();
        assertThat(outer.await().value()).isEqualTo("inner");
    }

    @Test
    void aLoanSurvivesEviction() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        TaskHandle<String> outer = executor.submit(
                "a", "outer", () -> awaitValue(executor, executor.submit("a", "inner", gate.then("inner"))));
        gate.awaitArrived(1);

        executor.evictGroup("a");
        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        gate.open();

        assertThat(outer.await().value()).isEqualTo("inner");
    }

    private static TaskHandle<String> inner(GroupExecutor executor, String groupKey) {
        return executor.submit(groupKey, "inner", () -> "inner");
    }

    /** Awaits a handle inside a task, so that the witness knows of the loan. */
    private <T> T awaitValue(GroupExecutor executor, TaskHandle<T> handle) throws Exception {
        return engines.witness(executor)
                .waiting(handle.groupKey(), handle::await)
                .value();
    }

    private static void awaitBlocked(AtomicReference<Thread> thread) {
        Deadline.until("blocked", () -> thread.get() != null && Caller.isBlocked(thread.get()));
    }
}
