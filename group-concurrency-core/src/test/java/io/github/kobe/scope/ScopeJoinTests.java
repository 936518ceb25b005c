package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Joining, cancelling, closing and interrupts. */
class ScopeJoinTests extends ScopeTestCase {

    @Tag("S7")
    @Test
    void aCancelTakesOutWhatWaitsBeforeItInterruptsWhatRuns() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        AtomicInteger began = new AtomicInteger();
        try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
            scope.fork("a", () -> {
                began.incrementAndGet();
                return interrupted();
            });
            gate.awaitArrived(1);
            for (int i = 0; i < 100; i++) {
                scope.fork("a", began::incrementAndGet);
            }

            scope.cancel();
            scope.cancel();

            assertThat(scope.join()).isNull();
        }
        assertThat(began).hasValue(1);
    }

    @Tag("S7")
    @Test
    void aCancelInterruptsOnceMoreWhatWasInterruptedBefore() throws Exception {
        GroupExecutor executor = executor(1);
        Gate second = new Gate();
        try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll())) {
            scope.fork("a", () -> {
                try {
                    gate.pass();
                } catch (InterruptedException byTheGroup) {
                    second.pass();
                }
                return null;
            });
            gate.awaitArrived(1);
            executor.shutdownGroup("a");
            second.awaitArrived(1);

            scope.cancel();
            scope.join();
        }
        assertThat(second.isOpen()).isFalse();
    }

    @Tag("S7")
    @Test
    void aCancelReachesTheWholeSubtree() throws Exception {
        GroupExecutor executor = executor(8);
        GroupExecutor other = executor(8);
        Scopes scopes = Scopes.of(executor);
        AtomicInteger ends = new AtomicInteger();
        try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
            scope.fork("a", () -> {
                try (var inner = Scopes.of(other).open(Joiner.<Object>awaitAll())) {
                    inner.fork("b", () -> {
                        try (var innermost = scopes.open(Joiner.<Object>awaitAll())) {
                            innermost.fork("c", this::interrupted);
                            innermost.join();
                        } catch (InterruptedException e) {
                            ends.incrementAndGet();
                        }
                        return null;
                    });
                    inner.join();
                } catch (InterruptedException e) {
                    ends.incrementAndGet();
                }
                return null;
            });
            gate.awaitArrived(1);

            scope.cancel();
            scope.join();
        }
        assertThat(ends).hasValue(2);
    }

    @Tag("S7")
    @Test
    void aCancelWakesTheOwnerThoughAForkIgnoresIt() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        AtomicReference<CancellationToken> token = new AtomicReference<>();
        Gate left = new Gate();
        Caller<Object> owner = Caller.start(() -> {
            try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
                scope.fork("a", gate.stubbornlyThen("x"));
                token.set(scope.token());
                scope.join();
                left.pass();
            }
            return null;
        });
        gate.awaitArrived(1);
        Deadline.until("there is a token", () -> token.get() != null);
        token.get().cancel();

        left.awaitArrived(1);
        left.open();
        gate.open();
        owner.result();
    }

    @Tag("S8")
    @Test
    void whatIsForkedAfterACancelIsCancelledAndItsJoinerHearsOfIt() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger heard = new AtomicInteger();
        Joiner<Object, String, RuntimeException> joiner = new Joiner<>() {
            @Override
            public boolean onFork(Subtask<Object> subtask) {
                heard.incrementAndGet();
                return false;
            }

            @Override
            public boolean onComplete(Subtask<Object> subtask) {
                throw new AssertionError("never for a cancelled one");
            }

            @Override
            public String result() {
                return "result";
            }

            @Override
            public String timeout() {
                return "timeout";
            }
        };
        try (var scope = scopes.open(joiner)) {
            scope.cancel();
            Subtask<Object> subtask = scope.fork("a", ran::incrementAndGet);

            assertThat(subtask.phase()).isEqualTo(Subtask.Phase.CANCELLED);
            assertThat(subtask.state()).isEqualTo(Subtask.State.UNAVAILABLE);
            assertThat(subtask.cancel()).isFalse();
            assertThat(scope.join()).isEqualTo("result");
        }
        assertThat(heard).hasValue(1);
        assertThat(ran).hasValue(0);
    }

    @Tag("S11")
    @Test
    void joinGivesItsOutcomeOnceAndTheOwnerForksNoMore() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow(), change -> change.withName("page"))) {
            scope.fork("a", () -> "x");

            assertThat(scope.join()).containsExactly("x");
            assertThatIllegalStateException()
                    .isThrownBy(scope::join)
                    .withMessage("GroupScope[page] was joined already; a scope can be joined only once");
            assertThatIllegalStateException()
                    .isThrownBy(() -> scope.fork("a", () -> "y"))
                    .withMessage("GroupScope[page] accepts no more forks from this thread, since join was called");
        }
    }

    @Tag("S11")
    @Test
    void theForksOfAForkCountBeforeItEnds() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        AtomicInteger ran = new AtomicInteger();
        try (var scope = scopes.open(Joiner.<Object>supervise())) {
            forkChain(scope, ran, 50);

            assertThat(scope.join().total()).isEqualTo(50);
        }
        assertThat(ran).hasValue(50);
    }

    private static void forkChain(GroupScope<Object, Outcome, RuntimeException> scope, AtomicInteger ran, int left) {
        scope.fork("a", () -> {
            ran.incrementAndGet();
            if (left > 1) {
                forkChain(scope, ran, left - 1);
            }
            return null;
        });
    }

    @Tag("S12")
    @Test
    void closeWithoutJoinCancelsWaitsAndThrows() {
        Scopes scopes = Scopes.of(executor(1));
        var scope = scopes.open(change -> change.withName("page"));
        Subtask<Object> subtask = scope.fork("a", gate.then("x"));
        gate.awaitArrived(1);

        assertThatIllegalStateException()
                .isThrownBy(scope::close)
                .withMessage("GroupScope[page] was closed before its owner had joined all its forks");

        assertThat(subtask.phase()).isEqualTo(Subtask.Phase.CANCELLED);
        scope.close();
    }

    @Tag("S12")
    @Test
    void closeThrowsAlsoIfSomethingWasForkedSinceTheLastAwait() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        var scope = scopes.open();
        scope.await(scope.fork("a", () -> "x"));
        scope.fork("a", () -> "y");

        assertThatIllegalStateException().isThrownBy(scope::close);
    }

    @Tag("S13")
    @Test
    void aJoinThatThrewCountsAsOne() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open()) {
            scope.fork("a", () -> {
                throw new Exception("failure");
            });
            assertThatThrownBy(scope::join).isInstanceOf(ExecutionException.class);
        }
        assertThat(scopes.live()).isEmpty();
    }

    @Tag("S14")
    @Test
    void anOwnerForksInRoundsByAwait() throws Exception {
        Scopes scopes = Scopes.of(executor(2));
        try (var scope = scopes.open(Joiner.<Integer>supervise())) {
            int sum = 0;
            for (int round = 1; round <= 3; round++) {
                int value = round;
                Subtask<Integer> subtask = scope.fork("a", () -> value);
                scope.await(subtask);
                sum += subtask.get();
            }
            assertThat(sum).isEqualTo(6);
            assertThat(scope.join().succeeded()).isEqualTo(3);
        }
    }

    @Tag("S15")
    @Test
    void closeWaitsUntilPermitsAreBackAndListenersHaveHeard() throws Exception {
        GroupExecutor executor = executor(1);
        Gate listening = new Gate();
        AtomicBoolean heard = new AtomicBoolean();
        ScopeListener listener = new ScopeListener() {
            @Override
            public void onCancel(ForkInfo fork, java.time.Duration ran) {
                listening.passStubbornly();
                heard.set(true);
            }
        };
        Gate forked = new Gate();
        Caller<Boolean> owner = Caller.start(() -> {
            try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll(), cf -> cf.withListener(listener))) {
                scope.fork("a", gate.then("x"));
                gate.awaitArrived(1);
                forked.open();
                scope.cancel();
                scope.join();
            }
            return heard.get();
        });
        listening.awaitArrived(1);
        assertThat(owner.isDone()).isFalse();
        Deadline.until("its permit is back", () -> executor.stats().running() == 0);
        listening.open();

        assertThat(owner.result()).isTrue();
    }

    @Tag("S16")
    @Test
    void closeGoesOnWhenItIsInterruptedAndKeepsTheFlag() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        Caller<Boolean> owner = Caller.start(() -> {
            try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
                scope.fork("a", gate.stubbornlyThen("x"));
                gate.awaitArrived(1);
                scope.cancel();
                scope.join();
            }
            return Thread.interrupted();
        });
        gate.awaitArrived(1);
        Deadline.until(
                "the owner closes",
                () -> scopes.live().stream().anyMatch(scope -> scope.owner() == ScopeSnapshot.Owner.CLOSING));
        owner.awaitBlocked().interrupt();
        owner.awaitBlocked();
        gate.open();

        assertThat(owner.result()).isTrue();
    }

    @Tag("S17")
    @Test
    void aSecondCloseDoesNothing() {
        Scopes scopes = Scopes.of(executor(1));
        AtomicInteger cleaned = new AtomicInteger();
        var scope = scopes.open();
        scope.defer(cleaned::incrementAndGet);
        scope.defer(scope::close);
        scope.close();
        scope.close();

        assertThat(cleaned).hasValue(1);
    }

    @Tag("S21")
    @Test
    void anInterruptInJoinCancelsAndASecondJoinGivesTheOutcome() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        Caller<Object> owner = Caller.start(() -> {
            try (var scope = scopes.open(Joiner.<Object>supervise())) {
                scope.fork("a", this::interrupted);
                assertThatThrownBy(scope::join).isInstanceOf(InterruptedException.class);
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
                assertThat(scope.isCancelled()).isTrue();
                return scope.join();
            }
        });
        gate.awaitArrived(1);
        owner.awaitBlocked().interrupt();

        assertThat(owner.result()).isEqualTo(new Outcome(1, 0, 1, List.of()));
    }

    @Tag("S21")
    @Test
    void anInterruptThatCameBeforeEndsJoinAndAwaitAtOnce() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        Deadline.within(() -> {
            try (var scope = scopes.open(Joiner.<Object>supervise())) {
                Subtask<Object> subtask = scope.fork("a", this::interrupted);
                Thread.currentThread().interrupt();
                assertThatThrownBy(() -> scope.await(subtask)).isInstanceOf(InterruptedException.class);
                assertThat(scope.isCancelled()).isTrue();
            }
            return null;
        });
    }

    @Tag("S22")
    @Test
    void anOwnerWhoseForkIsCancelledIsInterruptedWhicheverSignalComesFirst() throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        for (int i = 0; i < 200; i++) {
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            Gate inside = new Gate();
            try (var outer = scopes.open(Joiner.<Object>awaitAll())) {
                outer.fork("a", () -> {
                    try (var inner = scopes.open(Joiner.<Object>awaitAll())) {
                        inner.fork("b", inside.then("x"));
                        inner.join();
                    } catch (Throwable e) {
                        thrown.set(e);
                    }
                    return null;
                });
                inside.awaitArrived(1);
                outer.cancel();
                outer.join();
            }
            assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        }
    }

    @Tag("S22")
    @Test
    void anInnerScopeOfTheSameOwnerEndsAsTheOuterOne() throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        try (var outer = scopes.open(Joiner.<Object>awaitAll(), cf -> cf.withTimeout(java.time.Duration.ofMillis(50)));
                var inner = scopes.open(Joiner.<Object>awaitAll())) {
            inner.fork("a", gate.then("x"));

            assertThatThrownBy(inner::join).isInstanceOf(CancelledByTimeoutException.class);
            Deadline.until("the outer one has ended", outer::isCancelled);
        }
    }

    @Tag("S51")
    @Test
    void joinGivesTheResultIfEachForkHadEndedByItselfBeforeTheCancelOrTheTimeOut() throws Exception {
        Scopes scopes = Scopes.of(executor(2));
        try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
            Subtask<String> subtask = scope.fork("a", () -> "x");
            Deadline.until("it has ended", () -> subtask.phase() == Subtask.Phase.SUCCESS);
            scope.cancel();

            assertThat(scope.join()).containsExactly("x");
        }
        try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
            Subtask<String> subtask = scope.fork("a", () -> "x");
            Deadline.until("it has ended", () -> subtask.phase() == Subtask.Phase.SUCCESS);

            assertThat(scope.joinUntil(java.time.Instant.EPOCH)).containsExactly("x");
        }
    }

    @Tag("S37")
    @Test
    void whatOnCompleteThrowsCancelsAndComesOutOfJoin() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        IllegalArgumentException broken = new IllegalArgumentException("broken");
        Joiner<Object, Object, RuntimeException> joiner = new Joiner<>() {
            @Override
            public boolean onComplete(Subtask<Object> subtask) {
                throw broken;
            }

            @Override
            public Object result() {
                return "result";
            }

            @Override
            public Object timeout() {
                return "timeout";
            }
        };
        AtomicInteger ran = new AtomicInteger();
        try (var scope = scopes.open(joiner)) {
            scope.fork("a", gate.then("x"));
            scope.fork("a", ran::incrementAndGet);
            gate.open();

            assertThatIllegalStateException().isThrownBy(scope::join).withCause(broken);
            assertThat(scope.isCancelled()).isTrue();
        }
        assertThat(ran).hasValue(0);
    }

    @Tag("S37")
    @Tag("S32")
    @Test
    void atLimitOneNoSiblingStartsAfterTheEndThatDecides() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        for (int i = 0; i < 200; i++) {
            AtomicInteger ran = new AtomicInteger();
            try (var scope = scopes.open()) {
                scope.fork("a", () -> {
                    ran.incrementAndGet();
                    throw new Exception("decides");
                });
                for (int k = 0; k < 5; k++) {
                    scope.fork("a", () -> {
                        ran.incrementAndGet();
                        throw new Exception("decides, too");
                    });
                }
                assertThatThrownBy(scope::join).isInstanceOf(ExecutionException.class);
            }
            assertThat(ran).hasValue(1);
        }
    }

    @Tag("S37")
    @Test
    void whatOnForkThrowsForkThrowsAndNothingRuns() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        AtomicInteger ran = new AtomicInteger();
        Joiner<Object, Object, RuntimeException> joiner = new Joiner<>() {
            @Override
            public boolean onFork(Subtask<Object> subtask) {
                throw new IllegalArgumentException("no");
            }

            @Override
            public Object result() {
                return "result";
            }

            @Override
            public Object timeout() {
                return "timeout";
            }
        };
        try (var scope = scopes.open(joiner)) {
            assertThatThrownBy(() -> scope.fork("a", ran::incrementAndGet))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(scope.join()).isEqualTo("result");
        }
        assertThat(ran).hasValue(0);
    }
}
