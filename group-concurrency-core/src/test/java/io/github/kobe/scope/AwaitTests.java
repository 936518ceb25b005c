package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.TaskHandle;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Waiting for some forks, and forks that wait for their turn. */
class AwaitTests extends ScopeTestCase {

    private static void awaitOwner(Scopes scopes, ScopeSnapshot.Owner doing) {
        Deadline.until("the owner waits", () -> scopes.live().stream().anyMatch(scope -> scope.owner() == doing));
    }

    @Tag("T10")
    @Test
    void theOwnersForkWaitsWhileAsManyAsAllowedAreUnfinished() throws Exception {
        Scopes scopes = Scopes.of(executor(16));
        AtomicInteger most = new AtomicInteger();
        AtomicInteger now = new AtomicInteger();
        try (var scope = scopes.open(Joiner.<Object>supervise(), cf -> cf.withMaxUnfinished(3))) {
            for (int i = 0; i < 200; i++) {
                scope.fork("a", () -> {
                    most.accumulateAndGet(now.incrementAndGet(), Math::max);
                    return now.decrementAndGet();
                });
            }
            assertThat(scope.join().succeeded()).isEqualTo(200);
        }
        assertThat(most.get()).isLessThanOrEqualTo(3);
    }

    @Tag("T10")
    @Test
    void aSubtasksForkNeverWaitsForItsTurn() throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        try (var scope = scopes.open(Joiner.<Object>supervise(), cf -> cf.withMaxUnfinished(1))) {
            scope.fork("a", () -> {
                scope.fork("a", () -> "x");
                scope.fork("a", () -> "y");
                return null;
            });
            assertThat(scope.join().succeeded()).isEqualTo(3);
        }
    }

    /** Forks into group "b" in place of what fails, on the thread that is told of that. */
    private static final class Replacing implements Joiner<String, String, RuntimeException>, ScopeListener {

        private final AtomicReference<GroupScope<String, ?, ?>> scope = new AtomicReference<>();
        private final AtomicReference<String> value = new AtomicReference<>();
        private final boolean asListener;

        Replacing(boolean asListener) {
            this.asListener = asListener;
        }

        private void replace() {
            scope.get().fork("b", () -> "replaced");
        }

        @Override
        public boolean onComplete(Subtask<String> fork) {
            if (fork.state() == Subtask.State.SUCCESS) {
                value.set(fork.get());
            } else if (!asListener) {
                replace();
            }
            return false;
        }

        @Override
        public void onFailure(ForkInfo fork, Throwable failure, Duration ran) {
            if (asListener) {
                replace();
            }
        }

        @Override
        public String result() {
            return value.get();
        }

        @Override
        public String timeout() {
            return "timed out";
        }
    }

    /** A fork that is rejected at once is told of on the owner's thread. */
    @Tag("T10")
    @Tag("S4")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoIsToldOfARejectedForkMayForkAnotherThoughNoneMoreMayBeUnfinished(boolean asListener) throws Exception {
        GroupExecutor executor = engines.start(
                policy(1).toBuilder().defaultQueueThresholdPerGroup(0).build());
        TaskHandle<String> busy = executor.submit("a", "busy", gate.then("busy"));
        gate.awaitArrived(1);
        Replacing joiner = new Replacing(asListener);

        String value = Deadline.within(() -> {
            try (var scope = Scopes.of(executor).open(joiner, cf -> {
                ScopeSettings bounded = cf.withoutTimeout().withMaxUnfinished(1);
                return asListener ? bounded.withListener(joiner) : bounded;
            })) {
                joiner.scope.set(scope);
                scope.fork("a", () -> "refused");
                return scope.join();
            }
        });

        assertThat(value).isEqualTo("replaced");
        gate.open();
        busy.await();
    }

    /** Whoever cancels it tells of it. */
    @Tag("T10")
    @Tag("S5")
    @ParameterizedTest
    @ValueSource(strings = {"thread", "owner of another scope", "fork of another scope"})
    void whoIsToldOfACancelledForkMayForkAnotherWhoeverHasCancelledIt(String canceller) throws Exception {
        GroupExecutor executor = engines.start(policy(1));
        Scopes scopes = Scopes.of(executor).withDefaults(ScopeSettings::withoutTimeout);
        AtomicReference<GroupScope<Object, ?, ?>> told = new AtomicReference<>();
        ScopeListener replacing = new ScopeListener() {
            @Override
            public void onCancel(ForkInfo fork, Duration ran) {
                told.get().fork("b", () -> "replaced");
            }
        };

        Outcome outcome = Deadline.within(() -> {
            try (var scope = scopes.open(Joiner.supervise(), cf -> cf.withListener(replacing))) {
                told.set(scope);
                scope.fork("a", gate.then("done"));
                Subtask<Object> waiting = scope.fork("a", () -> "never");
                Caller<Boolean> cancelling = Caller.start(() -> cancel(waiting, scopes, canceller));
                assertThat(cancelling.result()).isTrue();
                gate.open();
                return scope.join();
            }
        });

        assertThat(outcome.succeeded()).isEqualTo(2);
        assertThat(outcome.cancelled()).isEqualTo(1);
    }

    private static boolean cancel(Subtask<Object> fork, Scopes scopes, String canceller) throws Exception {
        if (canceller.equals("thread")) {
            return fork.cancel();
        }
        try (var other = scopes.open()) {
            if (canceller.startsWith("owner")) {
                return fork.cancel();
            }
            Subtask<Boolean> cancelling = other.fork("c", fork::cancel);
            other.join();
            return cancelling.get();
        }
    }

    @Tag("T11")
    @Test
    void aForkThatWaitsForItsTurnIsCancelledIfTheScopeIs() throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        AtomicReference<CancellationToken> token = new AtomicReference<>();
        Caller<Subtask.Phase> owner = Caller.start(() -> {
            try (var scope = scopes.open(Joiner.<Object>supervise(), cf -> cf.withMaxUnfinished(1))) {
                token.set(scope.token());
                scope.fork("a", this::interrupted);
                Subtask<Object> second = scope.fork("a", () -> "x");
                scope.join();
                return second.phase();
            }
        });
        awaitOwner(scopes, ScopeSnapshot.Owner.FORKING);
        token.get().cancel();

        assertThat(owner.result()).isEqualTo(Subtask.Phase.CANCELLED);
    }

    @Tag("T11")
    @Test
    void aForkThatWaitsForItsTurnIsCancelledByTheTimeOutWhichJoinTells() throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        try (var scope = scopes.open(
                Joiner.<Object>supervise(), cf -> cf.withMaxUnfinished(1).withTimeout(Duration.ofMillis(30)))) {
            scope.fork("a", this::interrupted);
            assertThat(scope.fork("a", () -> "x").phase()).isEqualTo(Subtask.Phase.CANCELLED);
            assertThatThrownBy(scope::join).isInstanceOf(CancelledByTimeoutException.class);
        }
    }

    @Tag("T12")
    @Test
    void aForkThatWaitsForItsTurnIsCutByAnInterruptWhichJoinThrows() throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        Caller<Object> owner = Caller.start(() -> {
            try (var scope = scopes.open(Joiner.<Object>supervise(), cf -> cf.withMaxUnfinished(1))) {
                scope.fork("a", gate.then("x"));
                Subtask<Object> second = scope.fork("a", () -> "y");
                assertThat(second.phase()).isEqualTo(Subtask.Phase.CANCELLED);
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
                assertThat(scope.isCancelled()).isFalse();
                assertThatThrownBy(scope::join).isInstanceOf(InterruptedException.class);
            }
            return null;
        });
        awaitOwner(scopes, ScopeSnapshot.Owner.FORKING);
        owner.awaitBlocked().interrupt();
        owner.result();
    }

    @Tag("T17")
    @Test
    void awaitWaitsForThoseAndTellsHowTheyEnded() throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        Exception failure = new Exception("failure");
        try (var scope = scopes.open(Joiner.<Object>supervise())) {
            Subtask<Object> other = scope.fork("b", gate.then("later"));
            Subtask<Object> succeeds = scope.fork("a", () -> "x");
            Subtask<Object> fails = scope.fork("a", () -> {
                throw failure;
            });
            Subtask<Object> cancelled = scope.fork("b", this::interrupted);
            cancelled.cancel();

            assertThat(scope.await(succeeds, fails, cancelled)).isEqualTo(new Outcome(3, 1, 1, List.of(failure)));
            assertThat(succeeds.get()).isEqualTo("x");
            assertThat(fails.exception()).isSameAs(failure);
            assertThat(other.phase()).isEqualTo(Subtask.Phase.RUNNING);
            gate.open();
            assertThat(scope.join().total()).isEqualTo(4);
        }
    }

    @Tag("T18")
    @Test
    void awaitOfNoneGivesAnEmptyOutcomeAtOnce() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open()) {
            assertThat(scope.await()).isEqualTo(new Outcome(0, 0, 0, List.of()));
            assertThat(scope.valuesOf(List.<Subtask<Object>>of())).isEmpty();
        }
    }

    @Tag("T19")
    @Test
    void awaitRefusesForksOfAnotherScopeAndNull() {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open();
                var other = scopes.open(Joiner.awaitAll())) {
            Subtask<Object> foreign = other.fork("a", () -> "x");
            assertThatIllegalArgumentException().isThrownBy(() -> scope.await(foreign));
            assertThatThrownBy(() -> scope.await((Subtask<?>) null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> scope.await((Collection<Subtask<?>>) null))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("some");
            other.cancel();
            assertThatThrownBy(other::close).isInstanceOf(IllegalStateException.class);
        }
    }

    @Tag("T20")
    @Test
    void awaitEndsAsJoinIfTheScopeIsCancelledFirst() throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        Exception failure = new Exception("failure");
        try (var scope = scopes.open()) {
            Subtask<Object> running = scope.fork("a", this::interrupted);
            scope.fork("b", () -> {
                throw failure;
            });

            assertThatThrownBy(() -> scope.await(running))
                    .isInstanceOf(ExecutionException.class)
                    .hasCause(failure);
            assertThatThrownBy(scope::join)
                    .isInstanceOf(ExecutionException.class)
                    .hasCause(failure);
        }
        try (var scope = scopes.open(Joiner.<Object>supervise(), cf -> cf.withTimeout(Duration.ofMillis(30)))) {
            Subtask<Object> running = scope.fork("a", this::interrupted);
            assertThatThrownBy(() -> scope.await(running)).isInstanceOf(CancelledByTimeoutException.class);
        }
        try (var scope = scopes.open(Joiner.<Object>supervise())) {
            Subtask<Object> running = scope.fork("a", this::interrupted);
            scope.cancel();
            assertThat(scope.await(running)).isEqualTo(new Outcome(1, 0, 1, List.of()));
            assertThat(scope.join()).isEqualTo(new Outcome(1, 0, 1, List.of()));
        }
    }

    /** Whichever of them fails: if it is the last to end, none of them is left to be cancelled. */
    @Tag("T20")
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void theFailureOfOneOfThemThatCancelsTheScopeIsThrown(int failing) throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        Exception failure = new Exception("failure");
        try (var scope = scopes.open()) {
            List<Subtask<Object>> forks = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int at = i;
                forks.add(scope.fork("a", () -> {
                    if (at == failing) {
                        gate.pass();
                        throw failure;
                    }
                    return "value";
                }));
            }
            List<Subtask<Object>> others = new ArrayList<>(forks);
            others.remove(failing);
            assertThat(scope.valuesOf(others)).containsOnly("value");
            gate.open();

            assertThatThrownBy(() -> scope.valuesOf(forks))
                    .isInstanceOf(ExecutionException.class)
                    .hasCause(failure);
            assertThat(forks.get(failing).exception()).isSameAs(failure);
            assertThat(scope.await(others).succeeded()).isEqualTo(2);
        }
    }

    @Tag("T20")
    @Test
    void aFailureThatDidNotCancelTheScopeIsToldThoughTheScopeIsCancelledSince() throws Exception {
        Exception failure = new Exception("failure");
        try (var scope = Scopes.of(executor(4)).open(Joiner.<Object>supervise())) {
            Subtask<Object> fails = scope.fork("a", () -> {
                throw failure;
            });
            assertThat(scope.await(fails)).isEqualTo(new Outcome(1, 0, 0, List.of(failure)));
            scope.cancel();

            assertThat(scope.await(fails)).isEqualTo(new Outcome(1, 0, 0, List.of(failure)));
        }
    }

    @Tag("T21")
    @Test
    void awaitIsInterruptible() throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        Caller<Object> owner = Caller.start(() -> {
            try (var scope = scopes.open(Joiner.<Object>supervise())) {
                Subtask<Object> running = scope.fork("a", this::interrupted);
                assertThatThrownBy(() -> scope.await(running)).isInstanceOf(InterruptedException.class);
                assertThat(scope.isCancelled()).isTrue();
            }
            return null;
        });
        awaitOwner(scopes, ScopeSnapshot.Owner.AWAITING);
        owner.awaitBlocked().interrupt();
        owner.result();
    }

    @Tag("T25")
    @Test
    void awaitAllGivesTheValuesInTheOrderOfItsInputWithNullWhereThereIsNone() throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        try (var scope = scopes.open(Joiner.<String>supervise())) {
            Gate first = new Gate();
            Subtask<String> slow = scope.fork("a", first.then("slow"));
            Subtask<String> fails = scope.fork("a", () -> {
                throw new Exception("failure");
            });
            Subtask<String> fast = scope.fork("a", () -> {
                first.open();
                return "fast";
            });
            List<String> values = scope.valuesOf(List.of(fast, fails, slow));

            assertThat(values).containsExactly("fast", null, "slow");
            assertThat(values).isUnmodifiable();
            scope.join();
        }
    }

    @Tag("T17")
    @Test
    void awaitOfManyTakesLinearTime() throws Exception {
        Scopes scopes = Scopes.of(executor(8));
        try (var scope = scopes.open(Joiner.<Integer>supervise())) {
            List<Subtask<Integer>> all = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                int value = i;
                all.add(scope.fork("g" + i % 16, () -> value));
            }
            List<Integer> values = scope.valuesOf(all);

            assertThat(values).hasSize(20_000).isSorted();
            assertThat(scope.join().succeeded()).isEqualTo(20_000);
        }
    }
}
