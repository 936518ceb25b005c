package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.Waits;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the joiners make of forks, beyond what the JDK's cases ask for. */
class JoinerTests {

    private static final Duration SHORT = Duration.ofMillis(50);
    private static final int MANY = 64;

    @RegisterExtension
    static final OwnerThread OWNER = OwnerThread.VIRTUAL;

    @RegisterExtension
    final Engines engines = new Engines();

    private final GroupExecutor executor = engines.start(GroupPolicy.builder()
            .group("a", GroupLimits.unset().withMaxConcurrency(1_000))
            .group("one", GroupLimits.unset().withMaxConcurrency(1))
            .build());

    private final Scopes scopes = Scopes.of(executor).withDefaults(settings -> settings.withGroup("a"));

    private final Gate gate = new Gate();

    // ---------------------------------------------------------------- ours

    @Test
    void awaitAllWaitsForAllWhateverBecomesOfThem() throws Exception {
        AtomicInteger ended = new AtomicInteger();
        try (var scope = scopes.open(Joiner.awaitAll())) {
            scope.fork(failing("first"));
            scope.fork(() -> {
                gate.pass();
                return ended.incrementAndGet();
            });
            gate.open();

            assertThat(scope.join()).isNull();
        }
        assertThat(ended).hasValue(1);
    }

    @Test
    void collectAllGivesTheValuesInTheOrderOfTheForks() throws Exception {
        try (var scope = scopes.open(Joiner.<String>collectAll())) {
            Subtask<String> first = scope.fork(gate.then("first"));
            Subtask<String> second = scope.fork(() -> null);
            Deadline.until("the second ended", () -> second.state() == Subtask.State.SUCCESS);
            assertThat(first.state()).isEqualTo(Subtask.State.UNAVAILABLE);
            gate.open();

            assertThat(scope.join()).containsExactly("first", null).isUnmodifiable();
        }
    }

    @Test
    void collectAllThrowsAllFailuresInTheOrderOfTheForks() throws Exception {
        try (var scope = scopes.open(Joiner.<String>collectAll())) {
            scope.fork(() -> {
                gate.pass();
                throw new IllegalStateException("first");
            });
            scope.fork(() -> "value");
            Subtask<String> third = scope.fork(failing("third"));
            Deadline.until("the third ended", () -> third.state() == Subtask.State.FAILED);
            gate.open();

            assertThatExceptionOfType(ForksFailedException.class)
                    .isThrownBy(scope::join)
                    .withMessage("2 of 3 forks failed")
                    .satisfies(thrown -> assertThat(thrown.failures())
                            .extracting(Throwable::getMessage)
                            .containsExactly("first", "third"));
        }
    }

    @Test
    void superviseLetsTheOthersGoOnAndNamesTheFailures() throws Exception {
        try (var scope = scopes.open(Joiner.<String>supervise())) {
            Subtask<String> fails = scope.fork(failing("failed"));
            Subtask<String> succeeds = scope.fork(gate.then("value"));
            Subtask<String> cancelled = scope.fork(new Gate().then("never"));
            Deadline.until("failed", () -> fails.state() == Subtask.State.FAILED);
            assertThat(cancelled.cancel()).isTrue();
            gate.open();

            Outcome outcome = scope.join();

            assertThat(outcome).isEqualTo(new Outcome(3, 1, 1, List.of(fails.exception())));
            assertThat(succeeds.get()).isEqualTo("value");
        }
    }

    @Test
    void cancelOthersEndsTheOthersAndThrowsNothing() throws Exception {
        try (var scope = scopes.open(Joiner.<String>cancelOthers())) {
            Subtask<String> succeeds = scope.fork(() -> "value");
            Deadline.until("succeeded", () -> succeeds.state() == Subtask.State.SUCCESS);
            scope.fork(gate.then("never"));
            Subtask<String> fails = scope.fork(failing("failed"));

            assertThat(scope.join()).isEqualTo(new Outcome(3, 1, 1, List.of(fails.exception())));
        }
    }

    @Test
    void aQuorumEndsWithTheLastOfItsValuesInTheOrderInWhichTheyCame() throws Exception {
        try (var scope = scopes.open(Joiner.<String>quorum(2))) {
            Subtask<String> second = scope.fork(gate.then("second"));
            Subtask<String> first = scope.fork(() -> "first");
            scope.fork(failing("failed"));
            Subtask<String> never = scope.fork(new Gate().then("never"));
            Deadline.until("the first ended", () -> first.state() == Subtask.State.SUCCESS);
            gate.open();

            assertThat(scope.join()).containsExactly("first", "second").isUnmodifiable();
            assertThat(second.get()).isEqualTo("second");
            assertThat(never.phase()).isEqualTo(Subtask.Phase.CANCELLED);
        }
    }

    @Test
    void aQuorumThatIsNotReachedThrowsAllFailures() throws Exception {
        try (var scope = scopes.open(Joiner.<String>quorum(2))) {
            scope.fork(() -> "first");
            scope.fork(failing("failed"));

            assertThatExceptionOfType(ForksFailedException.class)
                    .isThrownBy(scope::join)
                    .withMessage("2 forks had to succeed, 1 of 2 did")
                    .satisfies(thrown -> assertThat(thrown.failures()).hasSize(1));
        }
    }

    @Test
    void aQuorumOfMoreThanWasForkedIsNotReached() throws Exception {
        try (var scope = scopes.open(Joiner.<String>quorum(2))) {
            scope.fork(() -> "first");

            assertThatExceptionOfType(ForksFailedException.class)
                    .isThrownBy(scope::join)
                    .withMessage("2 forks had to succeed, 1 of 1 did")
                    .withNoCause();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void aQuorumOfNothingIsRefused(int successes) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Joiner.quorum(successes))
                .withMessage("successes must be at least 1, was " + successes);
    }

    // ---------------------------------------------------------------- the first in time

    @Tag("S32")
    @Test
    void atLimitOneNoSiblingStartsAfterTheFailureThatDecides() throws Exception {
        AtomicInteger started = new AtomicInteger();
        try (var scope = scopes.open()) {
            scope.fork("one", () -> {
                gate.pass();
                throw new IllegalStateException("first");
            });
            for (int i = 0; i < MANY; i++) {
                scope.fork("one", () -> {
                    started.incrementAndGet();
                    throw new IllegalStateException("later");
                });
            }
            Waits.awaitQueued(executor, "one", MANY);
            gate.open();

            assertThatThrownBy(scope::join).cause().hasMessage("first");
        }
        assertThat(started).hasValue(0);
    }

    @Test
    void theFirstValueWinsThoughOneFailedBefore() throws Exception {
        try (var scope = scopes.open(Joiner.<String>anySuccessfulOrThrow())) {
            Subtask<String> fails = scope.fork(failing("failed"));
            Deadline.until("failed", () -> fails.state() == Subtask.State.FAILED);
            scope.fork(new Gate().then("never"));
            scope.fork(() -> "value");

            assertThat(scope.join()).isEqualTo("value");
        }
    }

    @Test
    void ofSeveralFailuresTheFirstIsThrownWhenNoneSucceeds() throws Exception {
        try (var scope = scopes.open(Joiner.<String>anySuccessfulOrThrow())) {
            scope.fork(failing("first"));
            Deadline.until("the joiner has heard", () -> scope.snapshot().unfinished() == 0);
            scope.fork(failing("second"));

            assertThatThrownBy(scope::join).cause().hasMessage("first");
        }
    }

    // ---------------------------------------------------------------- cancelled, or out of time

    static Stream<Joiner<Object, ?, ?>> thoseThatThrowWhenCancelled() {
        return Stream.of(
                Joiner.allSuccessfulOrThrow(Function.identity()),
                Joiner.anySuccessfulOrThrow(Function.identity()),
                Joiner.awaitAllSuccessfulOrThrow(Function.identity()),
                Joiner.collectAll(),
                Joiner.quorum(1));
    }

    @ParameterizedTest
    @MethodSource("thoseThatThrowWhenCancelled")
    void afterACancelWithoutAnOutcomeACancellationIsThrown(Joiner<Object, ?, ?> joiner) {
        try (var scope = scopes.open(joiner)) {
            scope.fork(gate.then("never"));
            scope.cancel();

            assertThatThrownBy(scope::join).isInstanceOf(CancellationException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("thoseThatThrowWhenCancelled")
    void aForkThatIsCancelledAloneHasNotSucceeded(Joiner<Object, ?, ?> joiner) {
        try (var scope = scopes.open(joiner)) {
            scope.fork(gate.then("never")).cancel();

            assertThatThrownBy(scope::join).isInstanceOf(CancellationException.class);
            assertThat(scope.isCancelled()).isFalse();
        }
    }

    @Test
    void theCheckedFormsCarryTheCancellationAsTheCause() {
        try (var scope = scopes.open()) {
            scope.fork(gate.then("never"));
            scope.cancel();

            assertThatThrownBy(scope::join)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(CancellationException.class);
        }
    }

    @Test
    void aFailureBeforeTheCancelIsTheOutcome() {
        for (Joiner<Object, ?, ?> joiner : thoseThatThrowWhenCancelled().toList()) {
            try (var scope = scopes.open(joiner)) {
                Subtask<String> fails = scope.fork(failing("failed"));
                Deadline.until("failed", () -> fails.state() == Subtask.State.FAILED);
                scope.fork(gate.then("never"));
                scope.cancel();

                assertThatThrownBy(scope::join)
                        .as("join of %s", joiner)
                        .isNotInstanceOf(CancellationException.class)
                        .satisfiesAnyOf(
                                thrown -> assertThat(thrown).hasMessage("failed"),
                                thrown -> assertThat(thrown).cause().hasMessage("failed"));
            }
        }
    }

    @Tag("S51")
    @Test
    void whatHadEndedBeforeTheCancelCounts() throws Exception {
        try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
            Subtask<String> ended = scope.fork(() -> "value");
            Deadline.until("ended", () -> ended.state() == Subtask.State.SUCCESS);
            scope.cancel();

            assertThat(scope.join()).containsExactly("value");
        }
        try (var scope = scopes.open()) {
            Subtask<String> ended = scope.fork(() -> "value");
            Deadline.until("ended", () -> ended.state() == Subtask.State.SUCCESS);
            scope.cancel();

            assertThat(scope.join()).isNull();
        }
    }

    @Test
    void thoseThatCountGiveTheirOutcomeAfterACancel() throws Exception {
        try (var scope = scopes.open(Joiner.<String>supervise())) {
            scope.fork(gate.then("never"));
            scope.cancel();

            assertThat(scope.join()).isEqualTo(new Outcome(1, 0, 1, List.of()));
        }
        try (var scope = scopes.open(Joiner.<String>awaitAll())) {
            scope.fork(gate.then("never"));
            scope.cancel();

            assertThat(scope.join()).isNull();
        }
    }

    static Stream<Joiner<Object, ?, ?>> thoseThatThrowAtTheTimeout() {
        return Stream.concat(
                thoseThatThrowWhenCancelled(), Stream.of(Joiner.awaitAll(), Joiner.supervise(), Joiner.cancelOthers()));
    }

    @ParameterizedTest
    @MethodSource("thoseThatThrowAtTheTimeout")
    void outOfTimeATimeoutIsThrown(Joiner<Object, ?, ?> joiner) {
        try (var scope = scopes.open(joiner, settings -> settings.withTimeout(SHORT))) {
            scope.fork(gate.then("never"));

            assertThatThrownBy(scope::join).isInstanceOf(CancelledByTimeoutException.class);
        }
    }

    // ---------------------------------------------------------------- one scope

    static Stream<Joiner<Object, ?, ?>> all() {
        return Stream.concat(thoseThatThrowAtTheTimeout(), Stream.of(Joiner.allUntil(subtask -> false)));
    }

    @Tag("S38")
    @ParameterizedTest
    @MethodSource("all")
    void aJoinerServesOneScope(Joiner<Object, ?, ?> joiner) {
        scopes.open(joiner).close();

        assertThatIllegalStateException()
                .isThrownBy(() -> scopes.open(joiner))
                .withMessageContainingAll(joiner.toString(), "already", "a new joiner for each scope");
        assertThat(scopes.live()).isEmpty();
    }

    @Test
    void aJoinerWhoseScopeWasNotOpenedMayBeUsedAgain() throws Exception {
        Joiner<String, List<String>, ExecutionException> joiner = Joiner.allSuccessfulOrThrow();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> scopes.open(joiner, settings -> settings.withMaxUnfinished(0)));

        try (var scope = scopes.open(joiner)) {
            scope.fork(() -> "value");

            assertThat(scope.join()).containsExactly("value");
        }
    }

    // ---------------------------------------------------------------- many threads at once

    @Test
    void exactlyOneOfManyFailuresAtOnceCancels() throws Exception {
        for (Joiner<Object, ?, ?> joiner :
                List.<Joiner<Object, ?, ?>>of(Joiner.allSuccessfulOrThrow(), Joiner.awaitAllSuccessfulOrThrow())) {
            assertThat(cancelsOf(joiner, ended(failing("failed"))))
                    .as("%s", joiner)
                    .isEqualTo(1);
        }
    }

    @Test
    void exactlyOneOfManyValuesAtOnceCancels() throws Exception {
        Joiner<Object, Object, ExecutionException> any = Joiner.anySuccessfulOrThrow();
        Joiner<Object, List<Object>, ForksFailedException> quorum = Joiner.quorum(MANY / 2);
        List<Subtask<Object>> subtasks = ended(() -> "value");

        assertThat(cancelsOf(any, subtasks)).isEqualTo(1);
        assertThat(cancelsOf(quorum, subtasks)).isEqualTo(1);
        assertThat(any.result()).isEqualTo("value");
        assertThat(quorum.result()).hasSize(MANY / 2).containsOnly("value");
    }

    @Test
    void nothingIsLostWhenManyForkAndEndAtOnce() throws Exception {
        try (var scope = scopes.open(Joiner.<Object>supervise())) {
            for (int i = 0; i < MANY; i++) {
                scope.fork(() -> {
                    scope.fork(() -> "value");
                    scope.fork(failing("failed"));
                });
            }

            Outcome outcome = scope.join();

            assertThat(outcome.total()).isEqualTo(3 * MANY);
            assertThat(outcome.succeeded()).isEqualTo(2 * MANY);
            assertThat(outcome.failures()).hasSize(MANY);
        }
    }

    @Test
    void allValuesOfManyThatForkAtOnceAreThere() throws Exception {
        try (var scope = scopes.open(Joiner.<Object>allSuccessfulOrThrow())) {
            for (int i = 0; i < MANY; i++) {
                scope.fork(() -> scope.fork(() -> "inner").name());
            }

            assertThat(scope.join())
                    .hasSize(2 * MANY)
                    .filteredOn("inner"::equals)
                    .hasSize(MANY);
        }
    }

    /** {@return how many of the calls say that the scope is to be cancelled, all at once} */
    private static int cancelsOf(Joiner<Object, ?, ?> joiner, List<Subtask<Object>> subtasks) throws Exception {
        CyclicBarrier start = new CyclicBarrier(subtasks.size());
        List<Caller<Boolean>> callers = new ArrayList<>();
        for (Subtask<Object> subtask : subtasks) {
            callers.add(Caller.start(() -> {
                start.await(Deadline.SECONDS, TimeUnit.SECONDS);
                return joiner.onComplete(subtask);
            }));
        }
        int cancels = 0;
        for (Caller<Boolean> caller : callers) {
            cancels += caller.result() ? 1 : 0;
        }
        return cancels;
    }

    /** {@return many subtasks that have ended so, of a scope that is closed} */
    private List<Subtask<Object>> ended(Callable<?> task) throws Exception {
        try (var scope = scopes.open(Joiner.<Object>allUntil(subtask -> false))) {
            IntStream.range(0, MANY).forEach(i -> scope.fork(task));
            return new ArrayList<>(scope.join());
        }
    }

    // ---------------------------------------------------------------- what is kept

    static Stream<Joiner<Object, ?, ?>> thoseThatKeepNoValue() {
        return Stream.of(
                Joiner.awaitAllSuccessfulOrThrow(), Joiner.awaitAll(), Joiner.supervise(), Joiner.cancelOthers());
    }

    @ParameterizedTest
    @MethodSource("thoseThatKeepNoValue")
    void aValueThatNobodyAsksForIsLetGoWhileTheScopeIsOpen(Joiner<Object, ?, ?> joiner) throws Exception {
        try (var scope = scopes.open(joiner)) {
            scope.fork(gate.then("goes on"));
            WeakReference<Object> value = forkOne(scope);

            Waits.awaitCollected(value);

            gate.open();
            assertThatNoException().isThrownBy(scope::join);
        }
    }

    private static WeakReference<Object> forkOne(GroupScope<Object, ?, ?> scope) {
        Object value = new Object();
        Subtask<Object> subtask = scope.fork(() -> value);
        Deadline.until("ended", () -> subtask.state() == Subtask.State.SUCCESS);
        return new WeakReference<>(value);
    }

    @Test
    void afterTheFirstFailureNoValuesAreKept() throws Exception {
        try (var scope = scopes.open(Joiner.<Object>allSuccessfulOrThrow())) {
            WeakReference<Object> value = forkOne(scope);
            scope.fork(failing("failed"));

            Deadline.until("cancelled", scope::isCancelled);
            Waits.awaitCollected(value);

            assertThatThrownBy(scope::join).cause().hasMessage("failed");
        }
    }

    private static Callable<String> failing(String message) {
        return () -> {
            throw new IllegalStateException(message);
        };
    }
}
