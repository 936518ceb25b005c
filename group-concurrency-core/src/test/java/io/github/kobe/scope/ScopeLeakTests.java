package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.audit.Waits;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nothing outlives its scope: the three leaks that the JEP begins with, and what else could be left behind. */
class ScopeLeakTests extends ScopeTestCase {

    private String findUser() throws Exception {
        throw new IllegalStateException("no user");
    }

    @Tag("S50")
    @Test
    void ifOneFailsTheOtherDoesNotRunOn() throws Exception {
        Scopes scopes = Scopes.of(executor(2));
        AtomicReference<Thread> fetching = new AtomicReference<>();
        assertThatThrownBy(() -> {
                    try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
                        scope.fork("orders", () -> {
                            fetching.set(Thread.currentThread());
                            return interrupted();
                        });
                        gate.awaitArrived(1);
                        scope.fork("users", this::findUser);
                        scope.join();
                    }
                })
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
        fetching.get().join(Duration.ofSeconds(20));
        assertThat(fetching.get().isAlive()).isFalse();
    }

    @Tag("S50")
    @Test
    void ifTheOwnerIsInterruptedSoAreItsForks() throws Exception {
        Scopes scopes = Scopes.of(executor(2));
        AtomicBoolean interrupted = new AtomicBoolean();
        Caller<Object> owner = Caller.start(() -> {
            try (var scope = scopes.open()) {
                scope.fork("orders", () -> {
                    try {
                        return interrupted();
                    } catch (InterruptedException e) {
                        interrupted.set(true);
                        throw e;
                    }
                });
                scope.join();
            }
            return null;
        });
        gate.awaitArrived(1);
        owner.awaitBlocked().interrupt();

        assertThatThrownBy(owner::result).isInstanceOf(InterruptedException.class);
        assertThat(interrupted).isTrue();
    }

    @Tag("S50")
    @Test
    void ifTheSecondFailsNobodyWaitsForTheFirst() throws Exception {
        Scopes scopes = Scopes.of(executor(2));
        Gate failing = new Gate();
        try (var scope = scopes.open()) {
            Subtask<Object> slow = scope.fork("users", this::interrupted);
            scope.fork("orders", () -> {
                failing.pass();
                throw new IllegalStateException("no order");
            });
            gate.awaitArrived(1);
            failing.open();

            assertThatThrownBy(scope::join).isInstanceOf(ExecutionException.class);
            assertThat(slow.phase()).isEqualTo(Subtask.Phase.CANCELLED);
        }
    }

    @Tag("S15")
    @Test
    void afterCloseNoThreadRunsEachPermitIsBackAndTheTreeIsEmpty() throws Exception {
        GroupExecutor executor = executor(2);
        Scopes scopes = Scopes.of(executor);
        Random random = new Random(17);
        for (int round = 0; round < 150; round++) {
            Queue<Thread> threads = new ConcurrentLinkedQueue<>();
            int cancelAt = random.nextInt(12);
            try (var scope = scopes.open(Joiner.<Object>supervise())) {
                for (int i = 0; i < 10; i++) {
                    if (i == cancelAt) {
                        scope.cancel();
                    }
                    int depth = random.nextInt(3);
                    scope.fork("g" + i % 3, () -> nested(scopes, threads, depth));
                }
                scope.join();
            }
            assertThat(scopes.live()).isEmpty();
            assertThat(executor.stats().running()).isZero();
            assertThat(executor.stats().queued()).isZero();
            for (Thread thread : threads) {
                thread.join(Duration.ofSeconds(20));
                assertThat(thread.isAlive()).isFalse();
            }
        }
    }

    /** By depth, each in a group of its own, so that no cycle can form. */
    private Object nested(Scopes scopes, Queue<Thread> threads, int depth) throws Exception {
        threads.add(Thread.currentThread());
        if (depth > 0) {
            try (var inner = scopes.open(Joiner.<Object>supervise())) {
                inner.fork("depth" + depth, () -> nested(scopes, threads, depth - 1));
                inner.fork("depth" + depth, () -> "leaf");
                inner.join();
            }
        }
        return null;
    }

    /** A thread that lives on, such as one of a pool, has left it open, and nobody can close it any more. */
    @Tag("S20")
    @Test
    void aScopeThatIsNeverClosedIsForgottenThoughItsOwnerLivesOn() throws Exception {
        Scopes scopes = Scopes.of(executor(1));

        Waits.awaitCollected(leftOpen(scopes, Duration.ofNanos(1)));

        assertThat(scopes.live()).isEmpty();
    }

    @Tag("S20")
    @Test
    void aScopeThatIsNeverClosedIsForgottenOnceItsTimeIsUpAndItsForksAreOver() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(policy(1), clock);
        Scopes scopes = Scopes.of(executor);
        WeakReference<Object> left = leftOpen(scopes, Duration.ofSeconds(1));
        assertThat(scopes.live()).hasSize(1);
        clock.advance(Duration.ofSeconds(1), executor);

        Waits.awaitCollected(left);
        assertThat(scopes.live()).isEmpty();
    }

    @Tag("S20")
    @Test
    void aScopeThatWasLeftOpenCancelsNoLaterOneOfItsThread() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        Waits.awaitCollected(leftOpen(scopes, Duration.ofNanos(1)));

        try (var later = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
            later.fork("a", () -> "x");
            assertThat(later.join()).containsExactly("x");
            assertThat(later.snapshot().scope().parentId()).isEmpty();
        }
    }

    @Tag("S20")
    @Test
    void aScopeThatWasLeftOpenEnclosesNoOtherOnceItsTimeIsUpAndItsForksAreOver() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(policy(1), clock);
        Scopes scopes = Scopes.of(executor);
        var left = scopes.open(Joiner.<Object>awaitAll(), cf -> cf.withTimeout(Duration.ofSeconds(1)));
        Subtask<Object> last = left.fork("a", this::interrupted);
        gate.awaitArrived(1);
        clock.advance(Duration.ofSeconds(1), executor);
        Deadline.until("its forks are over", () -> left.snapshot().unfinished() == 0);
        assertThat(last.phase()).isEqualTo(Subtask.Phase.CANCELLED);

        try (var later = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
            later.fork("a", () -> "x");
            assertThat(later.join()).containsExactly("x");
            assertThat(later.snapshot().scope().parentId()).isEmpty();
        }
        var inside = scopes.open();
        assertThatThrownBy(left::close).isInstanceOf(ScopeStructureException.class);
        inside.close();
        assertThat(scopes.live()).isEmpty();
    }

    @Tag("S20")
    @Test
    void norDoesOneThatWasCancelledBeforeItsTimeWasUp() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(policy(1), clock);
        Scopes scopes = Scopes.of(executor);
        List<Consumer<GroupScope<Object, Void, ExecutionException>>> cancels = List.of(
                left -> {
                    left.fork("a", this::findUser);
                    assertThatThrownBy(left::join).isInstanceOf(ExecutionException.class);
                },
                GroupScope::cancel,
                left -> {
                    Thread.currentThread().interrupt();
                    assertThatThrownBy(left::join).isInstanceOf(InterruptedException.class);
                });
        for (Consumer<GroupScope<Object, Void, ExecutionException>> cancel : cancels) {
            var left = scopes.open(cf -> cf.withTimeout(Duration.ofSeconds(1)));
            cancel.accept(left);
            Deadline.until("its forks are over", () -> left.snapshot().unfinished() == 0);
            try (var inside = scopes.open(Joiner.<Object>awaitAll())) {
                assertThat(inside.isCancelled()).isTrue();
            }
            clock.advance(Duration.ofSeconds(1), executor);

            try (var later = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
                later.fork("a", () -> "x");
                assertThat(later.join()).containsExactly("x");
                assertThat(later.snapshot().scope().parentId()).isEmpty();
            }
            left.close();
        }
        assertThat(scopes.live()).isEmpty();
    }

    @Tag("S22")
    @Tag("S24")
    @Test
    void aScopeThatIsOpenedInsideOneWhoseTimeIsUpButWhoseForksAreNotOverHasNoneEither() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(policy(1), clock);
        Scopes scopes = Scopes.of(executor);
        try (var outer = scopes.open(Joiner.<Object>awaitAll(), cf -> cf.withTimeout(Duration.ofSeconds(1)))) {
            outer.fork("a", gate.stubbornlyThen("x"));
            gate.awaitArrived(1);
            clock.advance(Duration.ofSeconds(1), executor);
            Deadline.until("its time is up", outer::isCancelled);
            try (var inner = scopes.open(Joiner.awaitAll())) {
                assertThat(inner.isCancelled()).isTrue();
            }
            gate.open();
            assertThatThrownBy(outer::join).isInstanceOf(CancelledByTimeoutException.class);
        }
        assertThat(scopes.live()).isEmpty();
    }

    /** Nobody would ever end them: neither a time-out nor the owner. */
    @Tag("S20")
    @Test
    void forksOfAScopeWithoutTimeOutEndOnceItsOwnerHasEndedAndLeftItOpen() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(policy(1), clock);
        Scopes scopes = Scopes.of(executor);
        Caller<Subtask<Object>> owner = Caller.start(() -> {
            var left = scopes.open(Joiner.<Object>awaitAll(), ScopeSettings::withoutTimeout);
            Subtask<Object> fork = left.fork("a", this::interrupted);
            gate.awaitArrived(1);
            return fork;
        });
        Subtask<Object> fork = owner.result();
        Deadline.until("its owner has ended", () -> !owner.thread().isAlive());
        assertThat(fork.phase()).isEqualTo(Subtask.Phase.RUNNING);
        clock.advance(Duration.ofSeconds(30), executor);

        Deadline.until("it has ended", () -> fork.phase() == Subtask.Phase.CANCELLED);
        Deadline.until("nobody knows it", () -> scopes.live().isEmpty());
        Deadline.until("its permit is back", () -> executor.stats().running() == 0);
    }

    @Tag("S20")
    @Test
    void aScopeWhoseTimeWasUpBeforeItsOwnerEndedIsForgottenThoughOneOfItsForksIsKept() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(policy(1), clock);
        Scopes scopes = Scopes.of(executor);
        AtomicReference<CancellationToken> token = new AtomicReference<>();
        Caller<Subtask<Object>> owner = Caller.start(() -> {
            var left = scopes.open(Joiner.<Object>awaitAll(), cf -> cf.withTimeout(Duration.ofSeconds(1)));
            token.set(left.token());
            Subtask<Object> kept = left.fork("a", () -> "x");
            gate.pass();
            return kept;
        });
        gate.awaitArrived(1);
        clock.advance(Duration.ofSeconds(1), executor);
        Deadline.until("its time is up", () -> token.get().isCancelled());
        gate.open();
        Subtask<Object> kept = owner.result();
        Deadline.until("its owner has ended", () -> !owner.thread().isAlive());

        Deadline.until("nobody knows it", () -> {
            clock.advance(Duration.ofSeconds(30), executor);
            return scopes.live().isEmpty();
        });
        assertThat(kept.group()).isEqualTo("a");
    }

    @Tag("S24")
    @Test
    void aScopeWithoutTimeOutGoesOnAsLongAsItsOwnerLives() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(policy(1), clock);
        try (var scope =
                Scopes.of(executor).open(Joiner.<String>allSuccessfulOrThrow(), ScopeSettings::withoutTimeout)) {
            scope.fork("a", gate.then("x"));
            gate.awaitArrived(1);
            for (int i = 0; i < 5; i++) {
                clock.advance(Duration.ofDays(1), executor);
            }
            gate.open();
            assertThat(scope.join()).containsExactly("x");
        }
    }

    private static WeakReference<Object> leftOpen(Scopes scopes, Duration timeout) {
        var left = scopes.open(Joiner.<Object>awaitAll(), cf -> cf.withTimeout(timeout));
        left.fork("a", () -> "x");
        return new WeakReference<>(left);
    }

    @Tag("S24")
    @Test
    void theAlarmOfAClosedScopeKeepsNothingOfIt() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(policy(1), clock);
        Scopes scopes = Scopes.of(executor);
        WeakReference<Object> closed = closedScope(scopes);

        Waits.awaitCollected(closed);
    }

    private static WeakReference<Object> closedScope(Scopes scopes) throws Exception {
        try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
            scope.fork(
                    ForkOptions.in("a").withTimeout(Duration.ofDays(1)).withStartAfter(Duration.ofDays(1)), () -> "x");
            scope.schedule("a", Duration.ofDays(1), () -> {});
            scope.cancel();
            scope.join();
            return new WeakReference<>(scope);
        }
    }
}
