package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What may happen at the same instant: each time exactly one of the outcomes that the contract names. */
class ScopeRaceTests extends ScopeTestCase {

    private static final int ROUNDS = 300;

    private static final Duration A_SECOND = Duration.ofSeconds(1);

    private final ManualClock clock = new ManualClock();

    /** Makes two things happen at about the same time, in either order. */
    private static <T> T against(Random random, Runnable other, java.util.concurrent.Callable<T> one) throws Exception {
        CountDownLatch start = new CountDownLatch(2);
        int ahead = random.nextInt(40_000);
        Caller<Object> caller = Caller.start(() -> {
            start.countDown();
            start.await();
            LockSupport.parkNanos(ahead);
            other.run();
            return null;
        });
        start.countDown();
        start.await();
        try {
            return one.call();
        } finally {
            caller.result();
        }
    }

    @Tag("S7")
    @Test
    void aCancelAgainstForksLeavesEachEitherEndedOrCancelled() throws Exception {
        Scopes scopes = Scopes.of(executor(2));
        Random random = new Random(1);
        for (int round = 0; round < ROUNDS; round++) {
            AtomicInteger ran = new AtomicInteger();
            try (var scope = scopes.open(Joiner.<Object>supervise())) {
                CancellationToken token = scope.token();
                List<Subtask<Object>> forks = against(random, token::cancel, () -> {
                    List<Subtask<Object>> made = new ArrayList<>();
                    for (int i = 0; i < 20; i++) {
                        made.add(scope.fork("a", ran::incrementAndGet));
                    }
                    return made;
                });
                Outcome outcome = scope.join();

                assertThat(outcome.total()).isEqualTo(20);
                assertThat(outcome.succeeded() + outcome.cancelled()).isEqualTo(20);
                assertThat(forks.stream().filter(f -> f.phase() == Subtask.Phase.SUCCESS))
                        .hasSize(outcome.succeeded());
                assertThat(forks.stream().filter(f -> f.phase() == Subtask.Phase.CANCELLED))
                        .hasSize(outcome.cancelled());
                assertThat(ran.get()).isGreaterThanOrEqualTo(outcome.succeeded());
            }
        }
    }

    @Tag("S51")
    @Test
    void theLastEndAgainstTheTimeOutGivesTheResultOrTheTimeOut() throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        Random random = new Random(2);
        for (int round = 0; round < ROUNDS; round++) {
            try (var scope = scopes.open(
                    Joiner.<String>allSuccessfulOrThrow(),
                    cf -> cf.withTimeout(Duration.ofNanos(200_000 + random.nextInt(200_000))))) {
                Subtask<String> one = scope.fork("a", () -> {
                    LockSupport.parkNanos(random.nextInt(300_000));
                    return "x";
                });
                boolean result;
                try {
                    assertThat(scope.join()).containsExactly("x");
                    result = true;
                } catch (ExecutionException e) {
                    assertThat(e).hasCauseInstanceOf(CancelledByTimeoutException.class);
                    result = false;
                }
                assertThat(one.phase()).isEqualTo(result ? Subtask.Phase.SUCCESS : Subtask.Phase.CANCELLED);
            }
        }
    }

    @Tag("S37")
    @Test
    void twoEndsThatDecideAtOnceDecideOnce() throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        for (int round = 0; round < ROUNDS; round++) {
            try (var scope = scopes.open(Joiner.<String>anySuccessfulOrThrow())) {
                for (int i = 0; i < 4; i++) {
                    String value = "v" + i;
                    scope.fork("a", () -> value);
                }
                assertThat(scope.join()).startsWith("v");
            }
        }
    }

    @Tag("S18")
    @Test
    void anInnerScopeThatOpensWhileTheOuterOneIsCancelledIsCancelledToo() throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        Random random = new Random(3);
        for (int round = 0; round < ROUNDS; round++) {
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
                CancellationToken token = scope.token();
                against(
                        random,
                        token::cancel,
                        () -> scope.fork("a", () -> {
                            try (var inner = scopes.open(Joiner.<Object>awaitAll())) {
                                inner.fork("b", this::interrupted);
                                inner.join();
                            } catch (Throwable e) {
                                thrown.set(e);
                            }
                            return null;
                        }));
                scope.join();
            }
            assertThat(thrown.get())
                    .satisfiesAnyOf(
                            none -> assertThat(none).isNull(),
                            cut -> assertThat(cut).isInstanceOf(InterruptedException.class));
        }
    }

    @Tag("T37")
    @Test
    void theTimeOfAForkAgainstItsEndDecidesOnce() throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        Random random = new Random(4);
        for (int round = 0; round < ROUNDS; round++) {
            AtomicInteger ran = new AtomicInteger();
            try (var scope = scopes.open(Joiner.<Object>supervise())) {
                for (int i = 0; i < 4; i++) {
                    scope.fork(ForkOptions.in("a").withTimeout(Duration.ofNanos(1 + random.nextInt(200_000))), () -> {
                        LockSupport.parkNanos(random.nextInt(200_000));
                        return ran.incrementAndGet();
                    });
                }
                Outcome outcome = scope.join();
                assertThat(outcome.succeeded() + outcome.failed()).isEqualTo(4);
                assertThat(outcome.failures()).hasSize(outcome.failed());
            }
        }
    }

    private GroupScope<Object, Outcome, RuntimeException> heard(Scopes scopes, HeardEnds ends) {
        return scopes.open(Joiner.<Object>supervise(), cf -> cf.withoutTimeout().withListener(ends));
    }

    private Void aSecondPasses(GroupExecutor executor) {
        clock.advance(A_SECOND, executor);
        return null;
    }

    @Tag("T37")
    @Test
    void theTimeOfAForkAgainstItsTurnDecidesOnce() throws Exception {
        GroupExecutor executor = engines.start(policy(1), clock);
        Scopes scopes = Scopes.of(executor);
        Random random = new Random(7);
        for (int round = 0; round < ROUNDS; round++) {
            HeardEnds ends = new HeardEnds();
            Gate before = new Gate();
            try (var scope = heard(scopes, ends)) {
                scope.fork("a", before.then("x"));
                scope.fork(ForkOptions.in("a").withTimeout(A_SECOND), () -> "y");
                before.awaitArrived(1);
                against(random, before::open, () -> aSecondPasses(executor));
                Outcome outcome = scope.join();

                assertThat(outcome.succeeded() + outcome.failed()).isEqualTo(2);
                assertThat(outcome.failures()).allMatch(TimeoutException.class::isInstance);
            }
            assertThat(ends.forks).containsExactlyInAnyOrder(1L, 2L);
        }
    }

    @Tag("T37")
    @Test
    void theTimeOfAForkAgainstTheEndOfItsBackOffDecidesOnce() throws Exception {
        GroupExecutor executor = engines.start(policy(1), clock);
        Scopes scopes = Scopes.of(executor);
        for (int round = 0; round < ROUNDS; round++) {
            HeardEnds ends = new HeardEnds();
            AtomicInteger attempts = new AtomicInteger();
            try (var scope = heard(scopes, ends)) {
                Subtask<Object> retried = scope.fork(
                        ForkOptions.in("a")
                                .withTimeout(A_SECOND)
                                .withRetry(RetryPolicy.attempts(2).withDelay(A_SECOND)),
                        () -> {
                            if (attempts.incrementAndGet() == 1) {
                                throw new Exception("to be tried again");
                            }
                            return "x";
                        });
                Deadline.until("it waits", () -> retried.phase() == Subtask.Phase.DELAYED);
                aSecondPasses(executor);
                Outcome outcome = scope.join();

                assertThat(outcome.succeeded() + outcome.failed()).isEqualTo(1);
                assertThat(outcome.failures()).allMatch(TimeoutException.class::isInstance);
            }
            assertThat(ends.forks).containsExactly(1L);
        }
    }

    @Tag("T37")
    @Test
    void theTimeOfAForkThatWaitsAgainstItsCancelDecidesOnce() throws Exception {
        GroupExecutor executor = engines.start(policy(1), clock);
        Scopes scopes = Scopes.of(executor);
        Random random = new Random(8);
        for (int round = 0; round < ROUNDS; round++) {
            HeardEnds ends = new HeardEnds();
            Gate before = new Gate();
            try (var scope = heard(scopes, ends)) {
                scope.fork("a", before.then("x"));
                List<Subtask<Object>> waiting = List.of(
                        scope.fork(ForkOptions.in("a").withTimeout(A_SECOND), () -> "y"),
                        scope.fork(
                                ForkOptions.in("b")
                                        .withTimeout(A_SECOND)
                                        .withRetry(RetryPolicy.attempts(2).withDelay(Duration.ofDays(1))),
                                () -> {
                                    throw new Exception("to be tried again");
                                }));
                before.awaitArrived(1);
                Deadline.until("it waits", () -> waiting.getLast().phase() == Subtask.Phase.DELAYED);
                against(random, () -> waiting.forEach(Subtask::cancel), () -> aSecondPasses(executor));
                before.open();
                Outcome outcome = scope.join();

                assertThat(outcome.failed() + outcome.cancelled()).isEqualTo(2);
                assertThat(outcome.failures()).allMatch(TimeoutException.class::isInstance);
            }
            assertThat(ends.forks).containsExactlyInAnyOrder(1L, 2L, 3L);
        }
    }

    @Tag("T38")
    @Test
    void aBackOffAgainstACancelEndsOnce() throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        Random random = new Random(5);
        for (int round = 0; round < ROUNDS; round++) {
            try (var scope = scopes.open(
                    Joiner.<Object>supervise(),
                    cf -> cf.withRetry(RetryPolicy.attempts(100).withDelay(Duration.ofNanos(1_000))))) {
                CancellationToken token = scope.token();
                against(
                        random,
                        token::cancel,
                        () -> scope.fork("a", () -> {
                            throw new Exception("again");
                        }));
                assertThat(scope.join().total()).isEqualTo(1);
            }
            assertThat(scopes.live()).isEmpty();
        }
    }

    @Tag("S53")
    @Test
    void aShutdownAgainstForksLeavesEachEnded() throws Exception {
        Random random = new Random(6);
        for (int round = 0; round < 60; round++) {
            GroupExecutor executor = executor(2);
            try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise())) {
                against(random, executor::shutdown, () -> {
                    for (int i = 0; i < 20; i++) {
                        scope.fork("a", () -> "x");
                    }
                    return null;
                });
                Outcome outcome = scope.join();
                assertThat(outcome.total()).isEqualTo(20);
                assertThat(outcome.cancelled()).isZero();
            }
        }
    }

    @Tag("S16")
    @Test
    void aLateInterruptReachesNoForkThatComesAfterIt() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        for (int round = 0; round < ROUNDS; round++) {
            try (var scope = scopes.open(Joiner.<Object>supervise())) {
                Subtask<Object> first = scope.fork("a", () -> "x");
                Subtask<Object> second =
                        scope.fork("a", () -> Thread.currentThread().isInterrupted());
                first.cancel();
                scope.join();
                assertThat(second.get()).isEqualTo(false);
            }
        }
    }
}
