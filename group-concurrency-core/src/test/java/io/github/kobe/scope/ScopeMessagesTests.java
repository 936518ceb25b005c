package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** What a scope throws names the scope, its threads and the failure behind it. */
class ScopeMessagesTests extends ScopeTestCase {

    private final ManualClock clock = new ManualClock();

    private GroupExecutor timed(int limit) {
        return engines.start(policy(limit), clock);
    }

    @Test
    void aTimeOutSaysAfterHowLongAndWhatHadNotEndedAndWhereThatWaited() throws Exception {
        GroupExecutor executor = timed(1);
        try (var scope = Scopes.of(executor).open(settings -> settings.withName("page"))) {
            scope.await(scope.fork("a", () -> "x"));
            scope.fork("a", this::interrupted);
            gate.awaitArrived(1);
            scope.fork("a", () -> "y");
            scope.fork("a", () -> "z");
            scope.fork(ForkOptions.in("b").withStartAfter(Duration.ofDays(1)), () -> "later");
            clock.advance(Duration.ofSeconds(30), executor);

            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(scope::join)
                    .withCauseInstanceOf(CancelledByTimeoutException.class)
                    .havingCause()
                    .withMessage(
                            "GroupScope[page] timed out after PT30S: 4 of 5 forks had not ended, 2 of them queued: "
                                    + "2 in group 'a'");
        }
    }

    @Test
    void aTimeOutCountsNoScheduledRunThatWaits() throws Exception {
        GroupExecutor executor = timed(1);
        try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll(), settings -> settings.withName("page"))) {
            scope.fork("a", this::interrupted);
            gate.awaitArrived(1);
            scope.schedule("a", Duration.ZERO, () -> {});
            clock.advance(Duration.ZERO, executor);
            Deadline.until("the run waits", () -> executor.stats().queued() == 1);
            clock.advance(Duration.ofSeconds(30), executor);

            assertThatExceptionOfType(CancelledByTimeoutException.class)
                    .isThrownBy(scope::join)
                    .withMessage("GroupScope[page] timed out after PT30S: 1 of 1 forks had not ended");
        }
    }

    @Test
    void aTimeOutNamesThreeGroupsAndCountsTheRest() throws Exception {
        GroupExecutor executor = timed(1);
        try (var scope = Scopes.of(executor).open(settings -> settings.withName("page"))) {
            for (String group : List.of("a", "b", "c", "d", "e")) {
                scope.fork(group, this::interrupted);
                scope.fork(group, () -> "x");
            }
            gate.awaitArrived(5);
            clock.advance(Duration.ofSeconds(30), executor);

            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(scope::join)
                    .havingCause()
                    .withMessageEndingWith(
                            "10 of 10 forks had not ended, 5 of them queued: 1 in group 'e', 1 in group 'd', "
                                    + "1 in group 'c', others in 2 more");
        }
    }

    @Test
    void theTimeOutOfAnOuterScopeIsNamedAsItsOwn() throws Exception {
        GroupExecutor executor = timed(2);
        Scopes scopes = Scopes.of(executor);
        Thread owner = Thread.currentThread();
        try (var outer = scopes.open(settings -> settings.withName("outer").withTimeout(Duration.ofSeconds(2)));
                var inner = scopes.open(Joiner.<Object>awaitAll(), settings -> settings.withName("inner"))) {
            inner.fork("a", this::interrupted);
            gate.awaitArrived(1);
            clock.advance(Duration.ofSeconds(2), executor);

            assertThatExceptionOfType(CancelledByTimeoutException.class)
                    .isThrownBy(inner::join)
                    .withMessage("GroupScope[inner] timed out with GroupScope[outer], opened by " + named(owner)
                            + ", after PT2S: 1 of 1 forks had not ended");
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(outer::join)
                    .havingCause()
                    .withMessage("GroupScope[outer] timed out after PT2S: nothing was forked");
        }
    }

    @Test
    void aCancellationNamesItsScopeAndWhoCancelledIt() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open(Joiner.<Object>collectAll(), settings -> settings.withName("page"))) {
            scope.fork("a", this::interrupted);
            gate.awaitArrived(1);
            Caller<Thread> other = Caller.startPlatform(() -> {
                scope.token().cancel();
                return Thread.currentThread();
            });
            Thread canceller = other.result();
            assertThatExceptionOfType(CancellationException.class)
                    .isThrownBy(scope::join)
                    .withMessage("GroupScope[page] was cancelled by " + named(canceller));
        }
    }

    @Test
    void aCancellationWithAnOuterScopeNamesThatOne() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var outer = scopes.open(Joiner.<Object>awaitAll(), settings -> settings.withName("outer"));
                var inner = scopes.open(Joiner.<Object>collectAll(), settings -> settings.withName("inner"))) {
            inner.fork("a", this::interrupted);
            gate.awaitArrived(1);
            outer.cancel();
            assertThatExceptionOfType(CancellationException.class)
                    .isThrownBy(inner::join)
                    .withMessage("GroupScope[inner] was cancelled with GroupScope[outer], which it is inside of");
            try (var late = scopes.open(Joiner.<Object>collectAll(), settings -> settings.withName("late"))) {
                late.fork("a", () -> "x");
                assertThatExceptionOfType(CancellationException.class)
                        .isThrownBy(late::join)
                        .withMessage("GroupScope[late] was cancelled with GroupScope[inner], which it is inside of");
            }
        }
    }

    @Test
    void aCancellationWithAnOuterScopeThatItsJoinerHasCancelledNamesThatOne() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var outer = scopes.open(settings -> settings.withName("outer"))) {
            outer.fork("a", () -> {
                throw new IOException("down");
            });
            Deadline.until("its joiner has cancelled it", outer::isCancelled);
            try (var late = scopes.open(Joiner.<Object>collectAll(), settings -> settings.withName("late"))) {
                late.fork("a", () -> "x");
                assertThatExceptionOfType(CancellationException.class)
                        .isThrownBy(late::join)
                        .withMessage("GroupScope[late] was cancelled with GroupScope[outer], which it is inside of");
            }
            assertThatExceptionOfType(ExecutionException.class).isThrownBy(outer::join);
        }
    }

    @Test
    void aForkThatWasCancelledAloneIsNamed() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        for (Joiner<Object, ?, ?> joiner : List.<Joiner<Object, ?, ?>>of(
                Joiner.awaitAllSuccessfulOrThrow(), Joiner.allSuccessfulOrThrow(), Joiner.anySuccessfulOrThrow())) {
            try (var scope = scopes.open(joiner, settings -> settings.withName("page"))) {
                scope.fork(ForkOptions.in("a").withName("slow"), this::interrupted)
                        .cancel();
                assertThatExceptionOfType(ExecutionException.class)
                        .isThrownBy(scope::join)
                        .withCauseInstanceOf(CancellationException.class)
                        .havingCause()
                        .withMessage("Subtask[slow in a, CANCELLED] of GroupScope[page] was cancelled alone");
            }
        }
    }

    /** No scope tells it what became of the forks. */
    @Test
    void aJoinerInsideAnotherKnowsOfCancelledForksToo() throws Exception {
        Joiner<Object, Void, ExecutionException> ours = Joiner.awaitAllSuccessfulOrThrow();
        Joiner<Object, Void, ExecutionException> around = new Joiner<>() {
            @Override
            public boolean onFork(Subtask<Object> subtask) {
                return ours.onFork(subtask);
            }

            @Override
            public boolean onComplete(Subtask<Object> subtask) {
                return ours.onComplete(subtask);
            }

            @Override
            public Void result() throws ExecutionException {
                return ours.result();
            }

            @Override
            public Void timeout() throws ExecutionException {
                return ours.timeout();
            }
        };
        try (var scope = Scopes.of(executor(1)).open(around)) {
            scope.fork("a", () -> "x");
            scope.fork("a", this::interrupted).cancel();
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(scope::join)
                    .withCauseInstanceOf(CancellationException.class)
                    .havingCause()
                    .withMessage("The scope, or one of its forks, was cancelled");
        }
    }

    @Test
    void anInterruptedJoinSaysWhoseOwnerWasInterrupted() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open(Joiner.<Object>awaitAll(), settings -> settings.withName("page"))) {
            Thread.currentThread().interrupt();
            assertThatExceptionOfType(InterruptedException.class)
                    .isThrownBy(scope::join)
                    .withMessage("The owner of GroupScope[page] was interrupted in join");
        }
    }

    @Test
    void anOwnerThatIsACancelledForkIsToldSo() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        CompletableFuture<String> message = new CompletableFuture<>();
        try (var outer = scopes.open(Joiner.<Object>supervise())) {
            Subtask<Object> owner = outer.fork(ForkOptions.in("a").withName("owner"), () -> {
                try (var inner = scopes.open(Joiner.<Object>awaitAll(), settings -> settings.withName("inner"))) {
                    gate.passStubbornly();
                    Thread.interrupted();
                    inner.join();
                } catch (InterruptedException thrown) {
                    message.complete(thrown.getMessage());
                }
                return null;
            });
            gate.awaitArrived(1);
            owner.cancel();
            gate.open();
            outer.join();
        }
        assertThat(message.join())
                .isEqualTo(
                        "The owner of GroupScope[inner] runs Subtask[owner in a, CANCELLED], which was cancelled, or "
                                + "whose own time is up");
    }

    @Test
    void aForkWhoseOwnTimeIsUpTellsHowLongThatWasAndHowFarItCame() throws Exception {
        GroupExecutor executor = timed(1);
        Duration limit = Duration.ofSeconds(3);
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise())) {
            Gate interrupted = new Gate();
            Subtask<Object> running =
                    scope.fork(ForkOptions.in("a").withName("r").withTimeout(limit), () -> {
                        try {
                            gate.pass();
                        } catch (InterruptedException timeIsUp) {
                            interrupted.open();
                            gate.passStubbornly();
                        }
                        return "x";
                    });
            gate.awaitArrived(1);
            Subtask<Object> queued =
                    scope.fork(ForkOptions.in("a").withName("q").withTimeout(limit), () -> "x");
            Gate failed = new Gate();
            failed.open();
            Subtask<Object> retried = scope.fork(
                    ForkOptions.in("b")
                            .withTimeout(limit)
                            .withRetry(RetryPolicy.attempts(2).withDelay(Duration.ofDays(1))),
                    () -> {
                        failed.pass();
                        throw new IOException("down");
                    });
            Deadline.until("it waits for another attempt", () -> retried.phase() == Subtask.Phase.DELAYED);
            clock.advance(limit, executor);
            // Each has its own alarm, and no order is promised between these three.
            Deadline.until("the queued one has failed", () -> queued.phase() == Subtask.Phase.FAILED);
            Deadline.until("the running one is interrupted", interrupted::isOpen);
            Deadline.until("the one that waits has failed", () -> retried.phase() == Subtask.Phase.FAILED);
            gate.open();
            scope.join();

            assertThat(running.exception())
                    .hasMessage("Fork 'r' in group 'a' did not end within its own time-out of PT3S: it was running");
            assertThat(queued.exception())
                    .hasMessage("Fork 'q' in group 'a' did not end within its own time-out of PT3S: it was queued, and"
                            + " never ran");
            assertThat(retried.exception())
                    .hasMessage("Fork 'task-3' in group 'b' did not end within its own time-out of PT3S: it was waiting"
                            + " for another attempt")
                    .hasSuppressedException(retried.exception().getSuppressed()[0]);
        }
    }

    @Test
    void aJoinerIsNamedAsTheCallThatHasMadeIt() {
        Scopes scopes = Scopes.of(executor(1));
        Joiner<Object, Void, RuntimeException> used = Joiner.awaitAll();
        scopes.open(used, settings -> settings.withName("first")).close();
        assertThatIllegalStateException()
                .isThrownBy(() -> scopes.open(used))
                .withMessage("Joiner.awaitAll() serves GroupScope[first] already; make a new joiner for each scope");
        assertThat(List.<Joiner<Object, ?, ?>>of(
                        Joiner.allSuccessfulOrThrow(),
                        Joiner.anySuccessfulOrThrow(),
                        Joiner.awaitAllSuccessfulOrThrow(),
                        Joiner.allUntil(subtask -> false),
                        Joiner.collectAll(),
                        Joiner.supervise(),
                        Joiner.cancelOthers(),
                        Joiner.quorum(2)))
                .extracting(Object::toString)
                .containsExactly(
                        "Joiner.allSuccessfulOrThrow()",
                        "Joiner.anySuccessfulOrThrow()",
                        "Joiner.awaitAllSuccessfulOrThrow()",
                        "Joiner.allUntil(…)",
                        "Joiner.collectAll()",
                        "Joiner.supervise()",
                        "Joiner.cancelOthers()",
                        "Joiner.quorum(2)");
    }

    @Test
    void aRaceInAGroupThatRunsOneAtATimeIsSaidOnce() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (CapturedLog log = CapturedLog.open()) {
            for (String name : List.of("first", "second")) {
                try (var scope =
                        scopes.open(Joiner.<String>anySuccessfulOrThrow(), settings -> settings.withName(name))) {
                    Gate first = new Gate();
                    scope.fork("rates", first.then("x"));
                    scope.fork(ForkOptions.in("rates").withStartAfter(Duration.ofMillis(1)), () -> "hedge");
                    first.open();
                    scope.join();
                }
            }
            assertThat(log.warnings())
                    .singleElement()
                    .satisfies(line -> assertThat(line)
                            .contains("GroupScope[first]", "group 'rates'", "runs one at a time", "maxConcurrency"));
        }
    }

    @Test
    void aRaceIsNotSpokenOfWhereItsForksRunBesideEachOther() throws Exception {
        Scopes one = Scopes.of(executor(1));
        Scopes two = Scopes.of(executor(2));
        try (CapturedLog log = CapturedLog.open()) {
            try (var scope = one.open(Joiner.<String>anySuccessfulOrThrow())) {
                scope.fork("a", gate.then("x"));
                scope.fork("b", gate.then("y"));
                gate.open();
                scope.join();
            }
            try (var scope = two.open(Joiner.<String>quorum(2))) {
                scope.fork("a", () -> "x");
                scope.fork("a", () -> "y");
                scope.join();
            }
            try (var scope = one.open(Joiner.<String>supervise())) {
                scope.fork("a", () -> "x");
                scope.fork("a", () -> "y");
                scope.join();
            }
            assertThat(log.warnings()).isEmpty();
        }
    }

    @Test
    void aJoinerThatThrowsIsNamedWithItsScope() throws Exception {
        Joiner<Object, List<Subtask<Object>>, RuntimeException> throwing = Joiner.allUntil(subtask -> {
            throw new IllegalArgumentException("bad");
        });
        try (var scope = Scopes.of(executor(1)).open(throwing, settings -> settings.withName("page"))) {
            scope.fork("a", () -> "x");
            assertThatIllegalStateException()
                    .isThrownBy(scope::join)
                    .withMessage("onComplete of Joiner.allUntil(…), the joiner of GroupScope[page], failed")
                    .withCauseInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void theValueOfAFailedSubtaskIsRefusedWithItsFailureAsTheCause() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        IllegalArgumentException failure = new IllegalArgumentException("no such tenant");
        try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
            Subtask<Object> subtask = scope.fork("a", () -> {
                throw failure;
            });
            scope.join();
            assertThatIllegalStateException().isThrownBy(subtask::get).withCause(failure);
        }
    }

    @Test
    void aThreadThatMayNotJoinIsNamedBesideTheOneThatMay() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        Thread owner = Thread.currentThread();
        try (var scope = scopes.open(Joiner.<Object>awaitAll(), change -> change.withName("page"))) {
            Caller<Thread> other = Caller.startPlatform(() -> {
                assertThatExceptionOfType(WrongThreadException.class)
                        .isThrownBy(scope::join)
                        .withMessage(named(Thread.currentThread()) + " isn't the owner of GroupScope[page], which is "
                                + named(owner));
                assertThatExceptionOfType(WrongThreadException.class)
                        .isThrownBy(() -> scope.fork("a", () -> "x"))
                        .withMessageStartingWith(named(Thread.currentThread()) + " is neither the owner")
                        .withMessageContaining(named(owner));
                return Thread.currentThread();
            });
            other.result();
            scope.join();
        }
    }

    private static String named(Thread thread) {
        return "thread '" + thread.getName() + "' (#" + thread.threadId() + ")";
    }

    @Test
    void aForkWithoutAGroupIsToldHowToNameOne() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open(Joiner.<Object>awaitAll(), change -> change.withName("page"))) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> scope.fork(() -> "x"))
                    .withMessageContainingAll("GroupScope[page]", "fork(group, task)", "withGroup");
            assertThatIllegalStateException()
                    .isThrownBy(() -> scope.fork(ForkOptions.named("x"), () -> "x"))
                    .withMessageContainingAll("GroupScope[page]", "ForkOptions.in(group)", "withGroup");
            assertThatIllegalStateException()
                    .isThrownBy(() -> scope.schedule(Duration.ZERO, () -> "x"))
                    .withMessageContainingAll("The schedule names no group", "GroupScope[page]", "withGroup");
            scope.join();
        }
    }
}
