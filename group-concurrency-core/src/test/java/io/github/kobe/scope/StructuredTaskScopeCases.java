package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The cases of the JDK's own tests of its StructuredTaskScope, by their names there, so that they can be laid side by side: what
 * moves over from it is to find here what it had. Where a scope differs on purpose, the comment says so with a ≠. The threads that
 * the JDK's run their forks on are here those that own the scopes: platform ones and virtual ones.
 */
@SuppressWarnings("try") // some are closed by hand
abstract class StructuredTaskScopeCases {

    private static final String GROUP = "forks";
    private static final Duration SHORT = Duration.ofMillis(100);

    @RegisterExtension
    final Engines engines = new Engines();

    private final GroupExecutor executor = engines.start(GroupPolicy.builder()
            .defaults(GroupLimits.unset().withMaxConcurrency(1_000))
            .group("one", GroupLimits.unset().withMaxConcurrency(1).withQueueThreshold(0))
            .build());

    private final Scopes scopes = Scopes.of(executor).withDefaults(settings -> settings.withGroup(GROUP));

    // ---------------------------------------------------------------- fork

    /** ≠ The threads are named after their group. */
    @Tag("S2")
    @Test
    void testForkCreatesVirtualThread() throws Exception {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        try (var scope = scopes.open()) {
            for (int i = 0; i < 50; i++) {
                scope.fork(() -> {
                    threads.add(Thread.currentThread());
                });
                scope.fork(() -> threads.add(Thread.currentThread()));
            }
            scope.join();
        }
        assertThat(threads)
                .hasSize(100)
                .allMatch(Thread::isVirtual)
                .allMatch(thread -> thread.getName().equals(GROUP));
    }

    /** ≠ There is no factory to give: each fork has a thread of the engine's, made for it and for nothing else. */
    @Test
    void testForkUsesThreadFactory() throws Exception {
        record Seen(Thread thread, ThreadGroup group, ClassLoader loader) {
            static Seen here() { // of a thread that has ended there is no group to be had
                Thread thread = Thread.currentThread();
                return new Seen(thread, thread.getThreadGroup(), thread.getContextClassLoader());
            }
        }
        AtomicReference<Seen> first = new AtomicReference<>();
        AtomicReference<Seen> second = new AtomicReference<>();
        try (var scope = scopes.open()) {
            scope.fork("one", () -> first.set(Seen.here()));
            scope.join();
        }
        try (var scope = scopes.open()) {
            scope.fork("one", () -> second.set(Seen.here()));
            scope.join();
        }
        assertThat(first.get().thread()).isNotSameAs(second.get().thread());
        assertThat(first.get().group()).isEqualTo(second.get().group());
        assertThat(first.get().loader()).isSameAs(Thread.currentThread().getContextClassLoader());
    }

    /** ≠ Subtasks may fork. */
    @Tag("S4")
    @Test
    void testForkConfined() throws Exception {
        try (var scope = scopes.open()) {
            Deadline.within(() -> {
                assertThatThrownBy(() -> scope.fork(() -> null)).isInstanceOf(WrongThreadException.class);
                return null;
            });

            Subtask<Subtask<String>> outer = scope.fork(() -> scope.fork(() -> "inner"));
            scope.join();

            assertThat(outer.get().get()).isEqualTo("inner");
        }
    }

    @Test
    void testForkAfterJoinCompleted1() throws Exception {
        try (var scope = scopes.open()) {
            scope.join();

            assertThatIllegalStateException().isThrownBy(() -> scope.fork(() -> "bar"));
        }
    }

    @Test
    void testForkAfterJoinCompleted2() throws Exception {
        try (var scope = scopes.open()) {
            scope.fork(() -> "foo");
            scope.join();

            assertThatIllegalStateException().isThrownBy(() -> scope.fork(() -> "bar"));
        }
    }

    @Test
    void testForkAfterJoinInterrupted() throws Exception {
        try (var scope = scopes.open()) {
            scope.fork(new Gate().then("foo"));

            Thread.currentThread().interrupt();
            assertThatThrownBy(scope::join).isInstanceOf(InterruptedException.class);

            assertThatIllegalStateException().isThrownBy(() -> scope.fork(() -> "bar"));
        }
    }

    @Test
    void testForkAfterJoinTimeout() throws Exception {
        try (var scope = scopes.open(settings -> settings.withTimeout(SHORT))) {
            awaitCancelled(scope);
            assertTimesOut(scope);

            assertThatIllegalStateException().isThrownBy(() -> scope.fork(() -> "bar"));
        }
    }

    @Tag("S8")
    @Test
    void testForkAfterCancel2() throws Exception {
        AtomicBoolean ran = new AtomicBoolean();
        CancelAfterOne<String> joiner = new CancelAfterOne<>();
        try (var scope = scopes.open(joiner)) {
            Subtask<String> first = scope.fork(() -> "foo");
            awaitCancelled(scope);
            assertThat(joiner.forked).hasValue(1);
            assertThat(joiner.completed).hasValue(1);

            Subtask<String> second = scope.fork(() -> {
                ran.set(true);
                return "bar";
            });
            assertThat(joiner.forked).hasValue(2);
            assertThat(joiner.completed).hasValue(1);
            assertThat(second.phase()).isEqualTo(Subtask.Phase.CANCELLED);

            scope.join();

            assertThat(joiner.forked).hasValue(2);
            assertThat(joiner.completed).hasValue(1);
            assertThat(first.get()).isEqualTo("foo");
            assertThat(second.state()).isEqualTo(Subtask.State.UNAVAILABLE);
        }
        assertThat(ran).isFalse();
    }

    @Tag("S9")
    @Test
    void testForkAfterClose() {
        try (var scope = scopes.open()) {
            scope.close();

            assertThatIllegalStateException().isThrownBy(() -> scope.fork(() -> null));
        }
    }

    /** ≠ What isn't let in is a failed fork, and the joiner decides. */
    @Tag("S53")
    @Test
    void testForkRejectedExecutionException() throws Exception {
        Gate gate = new Gate();
        try (var scope = scopes.open(Joiner.<String>allUntil(subtask -> false))) {
            scope.fork("one", gate.then("foo"));
            gate.awaitArrived(1);

            Subtask<String> rejected = scope.fork("one", () -> "bar");
            gate.open();
            scope.join();

            assertThat(rejected.state()).isEqualTo(Subtask.State.FAILED);
            assertThat(rejected.exception())
                    .isInstanceOfSatisfying(
                            RejectedTaskException.class,
                            rejection -> assertThat(rejection.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL));
        }
    }

    // ---------------------------------------------------------------- join

    @Test
    void testJoinWithNoSubtasks() throws Exception {
        try (var scope = scopes.open()) {
            assertThat(scope.join()).isNull();
        }
    }

    @Test
    void testJoinWithRemainingSubtasks() throws Exception {
        Gate gate = new Gate();
        Thread owner = Thread.currentThread();
        try (var scope = scopes.open()) {
            Subtask<String> subtask = scope.fork(() -> {
                Caller.awaitBlocked(owner);
                gate.pass();
                return "foo";
            });
            gate.open();

            scope.join();

            assertThat(subtask.get()).isEqualTo("foo");
        }
    }

    @Tag("S11")
    @Test
    void testJoinAfterJoin1() throws Exception {
        try (var scope = scopes.open(Joiner.<String>anySuccessfulOrThrow())) {
            scope.fork(() -> "foo");
            assertThat(scope.join()).isEqualTo("foo");

            assertNoMoreJoins(scope);
        }
    }

    @Test
    void testJoinAfterJoin2() throws Exception {
        try (var scope = scopes.open()) {
            scope.fork(failing());
            assertThatThrownBy(scope::join)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(FooException.class);

            assertNoMoreJoins(scope);
        }
    }

    /** ≠ The interrupt cancels the scope, so that what was lent comes back; a second join tells what came of it. */
    @Tag("S21")
    @Test
    void testJoinAfterJoinInterrupted() throws Exception {
        try (var scope = scopes.open()) {
            Subtask<String> subtask = scope.fork(new Gate().then("foo"));

            Thread.currentThread().interrupt();
            assertThatThrownBy(scope::join).isInstanceOf(InterruptedException.class);
            assertThat(scope.isCancelled()).isTrue();

            assertThatThrownBy(scope::join)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(CancellationException.class);
            assertThat(subtask.phase()).isEqualTo(Subtask.Phase.CANCELLED);
            assertNoMoreJoins(scope);
        }
    }

    @Test
    void testJoinAfterJoinTimeout() throws Exception {
        try (var scope = scopes.open(settings -> settings.withTimeout(SHORT))) {
            awaitCancelled(scope);
            assertTimesOut(scope);

            assertNoMoreJoins(scope);
        }
    }

    @Test
    void testJoinInTimeout() throws Exception {
        Thread owner = Thread.currentThread();
        AtomicReference<GroupScope<?, ?, ?>> opened = new AtomicReference<>();
        Joiner<String, String, RuntimeException> joiner = new Joiner<>() {
            @Override
            public String result() {
                return "result";
            }

            @Override
            public String timeout() {
                assertThat(Thread.currentThread()).isSameAs(owner);
                assertThatIllegalStateException().isThrownBy(() -> opened.get().join());
                return "time-out";
            }
        };
        try (var scope = scopes.open(joiner, settings -> settings.withTimeout(SHORT))) {
            opened.set(scope);
            awaitCancelled(scope);

            assertThat(scope.join()).isEqualTo("time-out");
        }
    }

    @Tag("S6")
    @Test
    void testJoinConfined() throws Exception {
        try (var scope = scopes.open()) {
            Deadline.within(() -> {
                assertThatThrownBy(scope::join).isInstanceOf(WrongThreadException.class);
                return null;
            });

            Subtask<Boolean> subtask = scope.fork(() -> {
                assertThatThrownBy(scope::join).isInstanceOf(WrongThreadException.class);
                return true;
            });
            scope.join();

            assertThat(subtask.get()).isTrue();
        }
    }

    @Test
    void testInterruptJoin1() throws Exception {
        try (var scope = scopes.open()) {
            scope.fork(new Gate().then("foo"));

            Thread.currentThread().interrupt();

            assertThatThrownBy(scope::join).isInstanceOf(InterruptedException.class);
            assertThat(Thread.interrupted()).isFalse();
        }
    }

    @Test
    void testInterruptJoin2() throws Exception {
        try (var scope = scopes.open()) {
            scope.fork(new Gate().then("foo"));
            Caller<?> interrupter = interruptWhenBlocked(Thread.currentThread());

            assertThatThrownBy(scope::join).isInstanceOf(InterruptedException.class);
            interrupter.result();
            assertThat(Thread.interrupted()).isFalse();
        }
    }

    @Test
    void testJoinWhenCancelled() throws Exception {
        try (var scope = scopes.open(new CancelAfterOne<String>())) {
            Subtask<String> first = scope.fork(() -> "foo");
            awaitCancelled(scope);
            Subtask<String> second = scope.fork(new Gate().then("bar"));

            scope.join();

            assertThat(first.get()).isEqualTo("foo");
            assertThat(second.state()).isEqualTo(Subtask.State.UNAVAILABLE);
        }
    }

    @Test
    void testJoinAfterClose() {
        try (var scope = scopes.open()) {
            scope.close();

            assertThatIllegalStateException().isThrownBy(scope::join);
        }
    }

    @Test
    void testJoinWithTimeout1() throws Exception {
        Gate gate = new Gate();
        try (var scope = scopes.open(settings -> settings.withTimeout(Duration.ofDays(1)))) {
            Subtask<String> subtask = scope.fork(gate.then("foo"));
            gate.open();

            scope.join();

            assertThat(scope.isCancelled()).isFalse();
            assertThat(subtask.get()).isEqualTo("foo");
        }
    }

    @Test
    void testJoinWithTimeout2() throws Exception {
        long opened = System.nanoTime();
        try (var scope = scopes.open(settings -> settings.withTimeout(SHORT))) {
            Subtask<String> subtask = scope.fork(new Gate().then("foo"));

            assertTimesOut(scope);

            assertThat(System.nanoTime() - opened).isGreaterThanOrEqualTo(SHORT.toNanos());
            assertThat(scope.isCancelled()).isTrue();
            assertThat(subtask.state()).isEqualTo(Subtask.State.UNAVAILABLE);
        }
    }

    /** ≠: a time-out of zero or less is refused, since it is mostly a mistake; a deadline may be past. */
    @Tag("T7")
    @Test
    void testJoinWithTimeout3() throws Exception {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> scopes.open(settings -> settings.withTimeout(Duration.ofSeconds(-1))));

        try (var scope = scopes.open()) {
            Subtask<String> subtask = scope.fork(new Gate().then("foo"));

            assertThatThrownBy(() -> scope.joinUntil(Instant.now().minusSeconds(1)))
                    .hasCauseInstanceOf(CancelledByTimeoutException.class);

            assertThat(scope.isCancelled()).isTrue();
            assertThat(subtask.state()).isEqualTo(Subtask.State.UNAVAILABLE);
        }
    }

    // ---------------------------------------------------------------- cancel

    @Tag("S7")
    @Test
    void testCancelInterruptsThreads2() throws Exception {
        Gate gate = new Gate();
        AtomicBoolean interrupted = new AtomicBoolean();
        try (var scope = scopes.open(new CancelAfterOne<Object>())) {
            Subtask<Object> first = scope.fork(recordInterrupt(gate, interrupted));
            gate.awaitArrived(1);

            Subtask<String> second = scope.fork(() -> "bar");
            awaitCancelled(scope);
            Deadline.until("interrupted", interrupted::get);
            scope.join();

            assertThat(first.state()).isEqualTo(Subtask.State.UNAVAILABLE);
            assertThat(second.get()).isEqualTo("bar");
        }
    }

    @Test
    void testTimeoutInterruptsThreads() throws Exception {
        Gate gate = new Gate();
        AtomicBoolean interrupted = new AtomicBoolean();
        try (var scope = scopes.open(settings -> settings.withTimeout(SHORT))) {
            Subtask<Object> subtask = scope.fork(recordInterrupt(gate, interrupted));

            awaitCancelled(scope);
            if (gate.arrived() > 0) {
                Deadline.until("interrupted", interrupted::get);
            }
            assertTimesOut(scope);

            assertThat(subtask.state()).isEqualTo(Subtask.State.UNAVAILABLE);
        }
    }

    // ---------------------------------------------------------------- close

    @Test
    void testCloseWithoutJoin1() {
        GroupScope<Object, Void, ExecutionException> scope = scopes.open();

        scope.close();

        assertThat(scope.isCancelled()).isTrue();
    }

    @Tag("S12")
    @Test
    void testCloseWithoutJoin2() {
        try (var scope = scopes.open()) {
            Subtask<String> subtask = scope.fork(new Gate().then("foo"));

            assertThatIllegalStateException().isThrownBy(scope::close);

            for (int i = 0; i < 3; i++) {
                scope.close();
            }
            assertThat(subtask.state()).isEqualTo(Subtask.State.UNAVAILABLE);
            assertHasNeither(subtask);
        }
    }

    @Tag("S13")
    @Test
    void testCloseAfterJoinThrows() throws Exception {
        GroupScope<Object, Void, ExecutionException> scope = scopes.open();
        Subtask<String> subtask = scope.fork(new Gate().then("foo"));

        Thread.currentThread().interrupt();
        assertThatThrownBy(scope::join).isInstanceOf(InterruptedException.class);
        assertThatIllegalStateException().isThrownBy(subtask::get);

        scope.close(); // doesn't throw, since a join was tried
        assertThat(scope.isCancelled()).isTrue();
    }

    @Tag("S6")
    @Test
    void testCloseConfined() throws Exception {
        try (var scope = scopes.open()) {
            for (Caller<Object> other : List.of(
                    Caller.start(() -> assertCannotClose(scope)),
                    Caller.startPlatform(() -> assertCannotClose(scope)))) {
                other.result();
            }

            Subtask<Object> subtask = scope.fork(() -> assertCannotClose(scope));
            scope.join();

            assertThat(subtask.get()).isEqualTo("not closed");
        }
    }

    private static Object assertCannotClose(GroupScope<?, ?, ?> scope) {
        assertThatThrownBy(scope::close).isInstanceOf(WrongThreadException.class);
        return "not closed";
    }

    @Tag("S16")
    @Test
    void testInterruptClose1() throws Exception {
        Gate gate = new Gate();
        AtomicBoolean done = new AtomicBoolean();
        try (var scope = scopes.open(new CancelAfterOne<Object>())) {
            scope.fork(straggler(gate, done));
            gate.awaitArrived(1);
            scope.fork(() -> "bar");
            awaitCancelled(scope);
            scope.join();
            Thread owner = Thread.currentThread();
            Caller<?> opener = Caller.start(() -> {
                Caller.awaitBlocked(owner);
                gate.open();
                return null;
            });

            Thread.currentThread().interrupt();
            scope.close();

            assertThat(Thread.interrupted()).isTrue();
            assertThat(done).isTrue();
            opener.result();
        }
    }

    @Test
    void testInterruptClose2() throws Exception {
        Gate gate = new Gate();
        AtomicBoolean done = new AtomicBoolean();
        try (var scope = scopes.open(new CancelAfterOne<Object>())) {
            scope.fork(straggler(gate, done));
            gate.awaitArrived(1);
            scope.fork(() -> "bar");
            awaitCancelled(scope);
            scope.join();
            Thread owner = Thread.currentThread();
            Caller<?> interrupter = Caller.start(() -> {
                Caller.awaitBlocked(owner);
                owner.interrupt();
                Caller.awaitBlocked(owner);
                gate.open();
                return null;
            });

            scope.close();

            assertThat(Thread.interrupted()).isTrue();
            assertThat(done).isTrue();
            interrupter.result();
        }
    }

    private static Callable<Object> straggler(Gate gate, AtomicBoolean done) {
        return () -> {
            gate.passStubbornly();
            done.set(true);
            return null;
        };
    }

    /** ≠ The join of the inner scope tells that its fork was cancelled. */
    @Tag("S18")
    @Test
    void testCloseThrowsStructureViolation() {
        AtomicBoolean ran = new AtomicBoolean();
        try (var outer = scopes.open();
                var inner = scopes.open()) {
            assertThatThrownBy(outer::close).isInstanceOf(ScopeStructureException.class);

            Subtask<?> subtask = inner.fork(() -> ran.set(true));
            assertThat(subtask.state()).isEqualTo(Subtask.State.UNAVAILABLE);
            assertThatThrownBy(inner::join)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(CancellationException.class);

            assertThat(ran).isFalse();
            assertThat(subtask.state()).isEqualTo(Subtask.State.UNAVAILABLE);
        }
    }

    @Test
    void testIsCancelledAfterClose() {
        try (var scope = scopes.open()) {
            assertThat(scope.isCancelled()).isFalse();

            scope.close();

            assertThat(scope.isCancelled()).isTrue();
        }
    }

    // ---------------------------------------------------------------- joiners of one's own

    @Test
    void testOnForkThrows() {
        Joiner<String, Void, RuntimeException> joiner = new Silent<>() {
            @Override
            public boolean onFork(Subtask<String> subtask) {
                throw new FooException();
            }
        };
        try (var scope = scopes.open(joiner)) {
            assertThatThrownBy(() -> scope.fork(() -> "foo")).isInstanceOf(FooException.class);
        }
    }

    @Test
    void testOnForkCancelsExecution() throws Exception {
        Joiner<String, Void, RuntimeException> joiner = new Silent<>() {
            @Override
            public boolean onFork(Subtask<String> subtask) {
                return true;
            }
        };
        try (var scope = scopes.open(joiner)) {
            assertThat(scope.isCancelled()).isFalse();
            scope.fork(() -> "foo");
            assertThat(scope.isCancelled()).isTrue();

            scope.join();
        }
    }

    /** ≠ No handler of uncaught exceptions is asked: a joiner that is broken must not look like a success. */
    @Tag("S37")
    @Test
    void testOnCompleteThrows() throws Exception {
        Joiner<String, Void, RuntimeException> joiner = new Silent<>() {
            @Override
            public boolean onComplete(Subtask<String> subtask) {
                throw new FooException();
            }
        };
        try (var scope = scopes.open(joiner)) {
            scope.fork(() -> "foo");

            assertThatIllegalStateException().isThrownBy(scope::join).withCauseInstanceOf(FooException.class);
            assertThat(scope.isCancelled()).isTrue();
        }
    }

    @Test
    void testOnCompleteCancelsExecution() throws Exception {
        Joiner<String, Void, RuntimeException> joiner = new Silent<>() {
            @Override
            public boolean onComplete(Subtask<String> subtask) {
                return true;
            }
        };
        try (var scope = scopes.open(joiner)) {
            assertThat(scope.isCancelled()).isFalse();
            scope.fork(() -> "foo");
            awaitCancelled(scope);

            scope.join();
        }
    }

    @Test
    void testTimeoutInvoked() throws Exception {
        Thread owner = Thread.currentThread();
        AtomicReference<GroupScope<?, ?, ?>> opened = new AtomicReference<>();
        AtomicInteger invoked = new AtomicInteger();
        Joiner<String, Void, RuntimeException> joiner = new Joiner<>() {
            @Override
            public Void result() {
                throw new AssertionError("the result was asked for");
            }

            @Override
            public Void timeout() {
                assertThat(Thread.currentThread()).isSameAs(owner);
                assertThat(opened.get().isCancelled()).isTrue();
                invoked.incrementAndGet();
                return null;
            }
        };
        try (var scope = scopes.open(joiner, settings -> settings.withTimeout(SHORT))) {
            opened.set(scope);
            scope.fork(new Gate().then("foo"));

            scope.join();

            assertThat(invoked).hasValue(1);
        }
    }

    @Test
    void testTimeoutThrows() throws Exception {
        Joiner<String, Void, RuntimeException> joiner = new Silent<>() {
            @Override
            public Void timeout() {
                throw new FooException();
            }
        };
        try (var scope = scopes.open(joiner, settings -> settings.withTimeout(SHORT))) {
            awaitCancelled(scope);

            assertThatThrownBy(scope::join).isInstanceOf(FooException.class);
            assertNoMoreJoins(scope);
        }
    }

    @Test
    void testToString() {
        try (var scope = scopes.open(settings -> settings.withName("duke"))) {
            assertThat(scope.toString()).contains("duke");

            scope.close();

            assertThat(scope.toString()).contains("duke");
        }
    }

    // ---------------------------------------------------------------- subtasks

    @Tag("S28")
    @Test
    void testSubtaskWhenSuccess() throws Exception {
        try (var scope = scopes.open()) {
            Subtask<String> subtask = scope.fork(() -> "foo");
            assertHasNeither(subtask);

            scope.join();

            assertThat(subtask.state()).isEqualTo(Subtask.State.SUCCESS);
            assertThat(subtask.get()).isEqualTo("foo");
            assertThat(Deadline.within(subtask::get)).isEqualTo("foo");
            assertThatIllegalStateException().isThrownBy(subtask::exception);
            assertThatIllegalStateException().isThrownBy(() -> Deadline.within(subtask::exception));
        }
    }

    @Tag("S27")
    @Test
    void testSubtaskWhenFailed() throws Exception {
        try (var scope = scopes.open(Joiner.<String>allUntil(subtask -> false))) {
            Subtask<String> subtask = scope.fork(failing());
            assertHasNeither(subtask);

            scope.join();

            assertThat(subtask.state()).isEqualTo(Subtask.State.FAILED);
            assertThatIllegalStateException().isThrownBy(subtask::get);
            assertThatIllegalStateException().isThrownBy(() -> Deadline.within(subtask::get));
            assertThat(subtask.exception()).isInstanceOf(FooException.class);
            assertThat(Deadline.within(subtask::exception)).isInstanceOf(FooException.class);
        }
    }

    @Test
    void testSubtaskWhenNotCompleted() throws Exception {
        try (var scope = scopes.open()) {
            Subtask<String> subtask = scope.fork(new Gate().then("foo"));
            assertThat(subtask.state()).isEqualTo(Subtask.State.UNAVAILABLE);
            assertHasNeither(subtask);

            Thread.currentThread().interrupt();
            assertThatThrownBy(scope::join).isInstanceOf(InterruptedException.class);

            assertThat(subtask.state()).isEqualTo(Subtask.State.UNAVAILABLE);
            assertHasNeither(subtask);
        }
    }

    @Test
    void testSubtaskWhenCancelled() throws Exception {
        try (var scope = scopes.open(new CancelAfterOne<String>())) {
            scope.fork(() -> "foo");
            awaitCancelled(scope);

            Subtask<String> subtask = scope.fork(() -> "foo");
            assertHasNeither(subtask);

            scope.join();

            assertThat(subtask.state()).isEqualTo(Subtask.State.UNAVAILABLE);
            assertHasNeither(subtask);
        }
    }

    @Test
    void testSubtaskToString() throws Exception {
        Gate gate = new Gate();
        try (var scope = scopes.open(Joiner.<String>allUntil(subtask -> false))) {
            Subtask<String> succeeds = scope.fork(gate.then("foo"));
            Subtask<String> fails = scope.fork(failing());
            gate.awaitArrived(1);
            assertThat(succeeds.toString()).contains("task-1", "RUNNING");
            gate.open();

            scope.join();

            assertThat(succeeds.toString()).contains("task-1", "SUCCESS");
            assertThat(fails.toString()).contains("task-2", "FAILED");
        }
    }

    // ---------------------------------------------------------------- allSuccessfulOrThrow

    @Test
    void testAllSuccessfulOrThrow1() throws Exception {
        try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
            assertThat(scope.join()).isEmpty();
        }
    }

    @Test
    void testAllSuccessfulOrThrow2() throws Exception {
        try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
            scope.fork(() -> "foo");
            scope.fork(() -> "bar");

            assertThat(scope.join()).containsExactly("foo", "bar");
        }
    }

    @Test
    void testAllSuccessfulOrThrow3() throws Exception {
        try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
            scope.fork(() -> "foo");
            scope.fork(failing());

            assertThatThrownBy(scope::join)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(FooException.class);
        }
    }

    @Test
    void testAllSuccessfulOrThrow4() throws Exception {
        try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow(), settings -> settings.withTimeout(SHORT))) {
            scope.fork(() -> "foo");
            scope.fork(new Gate().then("bar"));

            assertTimesOut(scope);
            assertNoMoreJoins(scope);
        }
    }

    @Test
    void testAllSuccessfulOrThrow5() throws Exception {
        try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
            assertThat(scope.join()).isUnmodifiable().isEmpty();
        }
        try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
            scope.fork(() -> "foo");

            assertThat(scope.join()).containsExactly("foo").isUnmodifiable();
        }
    }

    @Test
    void testAllSuccessfulOrThrow6() throws Exception {
        assertMakesExceptions(Joiner::allSuccessfulOrThrow);
    }

    // ---------------------------------------------------------------- anySuccessfulOrThrow

    @Test
    void testAnySuccessfulOrThrow1() throws Exception {
        try (var scope = scopes.open(Joiner.<String>anySuccessfulOrThrow())) {
            assertThatThrownBy(scope::join)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(NoSuchElementException.class);
        }
    }

    @Test
    void testAnySuccessfulOrThrow2() throws Exception {
        try (var scope = scopes.open(Joiner.<String>anySuccessfulOrThrow())) {
            scope.fork(() -> "foo");

            assertThat(scope.join()).isEqualTo("foo");
        }
    }

    @Tag("S29")
    @Test
    void testAnySuccessfulOrThrow3() throws Exception {
        try (var scope = scopes.open(Joiner.<String>anySuccessfulOrThrow())) {
            scope.fork(() -> null);

            assertThat(scope.join()).isNull();
        }
    }

    @Test
    void testAnySuccessfulOrThrow4() throws Exception {
        try (var scope = scopes.open(Joiner.<String>anySuccessfulOrThrow())) {
            scope.fork(failing());

            assertThatThrownBy(scope::join)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(FooException.class);
        }
    }

    @Test
    void testAnySuccessfulOrThrow5() throws Exception {
        Gate gate = new Gate();
        try (var scope = scopes.open(Joiner.<String>anySuccessfulOrThrow())) {
            scope.fork(gate.then("foo"));
            Subtask<String> fails = scope.fork(failing());
            Deadline.until("failed", () -> fails.state() == Subtask.State.FAILED);
            gate.open();

            assertThat(scope.join()).isEqualTo("foo");
        }
    }

    @Test
    void testAnySuccessfulOrThrow6() throws Exception {
        try (var scope = scopes.open(Joiner.<String>anySuccessfulOrThrow(), settings -> settings.withTimeout(SHORT))) {
            scope.fork(failing());
            scope.fork(new Gate().then("bar"));

            assertTimesOut(scope);
            assertNoMoreJoins(scope);
        }
    }

    @Test
    void testAnySuccessfulOrThrow7() throws Exception {
        assertMakesExceptions(Joiner::anySuccessfulOrThrow);
    }

    // ---------------------------------------------------------------- awaitAllSuccessfulOrThrow

    @Test
    void testAwaitSuccessfulOrThrow1() throws Exception {
        try (var scope = scopes.open(Joiner.awaitAllSuccessfulOrThrow())) {
            assertThat(scope.join()).isNull();
        }
    }

    @Test
    void testAwaitSuccessfulOrThrow2() throws Exception {
        try (var scope = scopes.open(Joiner.<String>awaitAllSuccessfulOrThrow())) {
            Subtask<String> first = scope.fork(() -> "foo");
            Subtask<String> second = scope.fork(() -> "bar");

            assertThat(scope.join()).isNull();

            assertThat(first.get()).isEqualTo("foo");
            assertThat(second.get()).isEqualTo("bar");
        }
    }

    @Test
    void testAwaitSuccessfulOrThrow3() throws Exception {
        try (var scope = scopes.open(Joiner.<String>awaitAllSuccessfulOrThrow())) {
            scope.fork(() -> "foo");
            scope.fork(failing());

            assertThatThrownBy(scope::join)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(FooException.class);
        }
    }

    @Test
    void testAwaitSuccessfulOrThrow4() throws Exception {
        try (var scope =
                scopes.open(Joiner.<String>awaitAllSuccessfulOrThrow(), settings -> settings.withTimeout(SHORT))) {
            scope.fork(() -> "foo");
            scope.fork(new Gate().then("bar"));

            assertTimesOut(scope);
            assertNoMoreJoins(scope);
        }
    }

    @Test
    void awaitAllSuccessfulOrThrow5() throws Exception {
        assertMakesExceptions(Joiner::awaitAllSuccessfulOrThrow);
    }

    // ---------------------------------------------------------------- allUntil

    @Test
    void testAllUntil1() throws Exception {
        try (var scope = scopes.open(Joiner.<String>allUntil(subtask -> false))) {
            assertThat(scope.join()).isEmpty();
        }
    }

    @Test
    void testAllUntil2() throws Exception {
        try (var scope = scopes.open(Joiner.<String>allUntil(subtask -> false))) {
            Subtask<String> first = scope.fork(() -> "foo");
            Subtask<String> second = scope.fork(failing());

            assertThat(scope.join()).containsExactly(first, second);

            assertThat(first.get()).isEqualTo("foo");
            assertThat(second.exception()).isInstanceOf(FooException.class);
        }
    }

    @Test
    void testAllUntil3() throws Exception {
        try (var scope = scopes.open(Joiner.<String>allUntil(subtask -> true))) {
            Subtask<String> first = scope.fork(() -> "foo");
            Subtask<String> second = scope.fork(new Gate().then("bar"));

            assertThat(scope.join()).containsExactly(first, second);

            assertThat(first.get()).isEqualTo("foo");
            assertThat(second.state()).isEqualTo(Subtask.State.UNAVAILABLE);
        }
    }

    @Test
    void testAllUntil4() throws Exception {
        AtomicInteger failures = new AtomicInteger();
        Predicate<Subtask<?>> twoHaveFailed =
                subtask -> subtask.state() == Subtask.State.FAILED && failures.incrementAndGet() >= 2;
        try (var scope = scopes.open(Joiner.<String>allUntil(twoHaveFailed))) {
            int forks = 0;
            while (!scope.isCancelled()) {
                scope.fork(() -> "foo");
                Subtask<String> fails = scope.fork(failing());
                forks += 2;
                Deadline.until("ended", () -> fails.phase() != Subtask.Phase.RUNNING || scope.isCancelled());
            }

            List<Subtask<String>> subtasks = scope.join();

            assertThat(subtasks).hasSize(forks);
            assertThat(subtasks)
                    .filteredOn(subtask -> subtask.state() == Subtask.State.FAILED)
                    .hasSizeGreaterThanOrEqualTo(2);
        }
    }

    /** ≠ As {@link #testOnCompleteThrows}. */
    @Tag("S37")
    @Test
    void testAllUntil5() throws Exception {
        Joiner<String, ?, RuntimeException> joiner = Joiner.allUntil(subtask -> {
            throw new FooException();
        });
        try (var scope = scopes.open(joiner)) {
            scope.fork(() -> "foo");

            assertThatIllegalStateException().isThrownBy(scope::join).withCauseInstanceOf(FooException.class);
        }
    }

    @Test
    void testAllUntil6() throws Exception {
        try (var scope =
                scopes.open(Joiner.<String>allUntil(subtask -> false), settings -> settings.withTimeout(SHORT))) {
            Subtask<String> first = scope.fork(() -> "foo");
            Subtask<String> second = scope.fork(new Gate().then("bar"));

            assertThat(scope.join()).containsExactly(first, second);

            assertThat(second.state()).isEqualTo(Subtask.State.UNAVAILABLE);
            assertNoMoreJoins(scope);
        }
    }

    @Test
    void testAllUntil7() throws Exception {
        try (var scope = scopes.open(Joiner.<String>allUntil(subtask -> false))) {
            assertThat(scope.join()).isUnmodifiable().isEmpty();
        }
        try (var scope = scopes.open(Joiner.<String>allUntil(subtask -> false))) {
            Subtask<String> subtask = scope.fork(() -> "foo");

            assertThat(scope.join()).containsExactly(subtask).isUnmodifiable();
        }
    }

    // ---------------------------------------------------------------- joiners, configurations, nulls

    @Tag("S38")
    @Test
    void testJoinerDefaultMethods() throws Exception {
        try (var scope = scopes.open(new CancelAfterOne<String>())) {
            Subtask<String> ended = scope.fork(() -> "foo");
            awaitCancelled(scope);
            Subtask<String> cancelled = scope.fork(() -> "bar");
            scope.join();

            Joiner<String, Void, RuntimeException> joiner = new Silent<>();
            assertThatNullPointerException().isThrownBy(() -> joiner.onFork(null));
            assertThatNullPointerException().isThrownBy(() -> joiner.onComplete(null));
            assertThatIllegalArgumentException().isThrownBy(() -> joiner.onFork(ended));
            assertThatIllegalArgumentException().isThrownBy(() -> joiner.onComplete(cancelled));
            assertThat(joiner.onFork(cancelled)).isFalse();
            assertThat(joiner.onComplete(ended)).isFalse();
        }
    }

    @Tag("S38")
    @Test
    void testJoinersWithUnavailableResult() throws Exception {
        Gate gate = new Gate();
        try (var scope = scopes.open()) {
            Subtask<Object> subtask = scope.fork(gate.then("foo"));
            for (Joiner<Object, ?, ?> joiner : joiners()) {
                assertThatIllegalArgumentException()
                        .as("onComplete of %s", joiner)
                        .isThrownBy(() -> joiner.onComplete(subtask));
            }

            gate.open();
            scope.join();

            for (Joiner<Object, ?, ?> joiner : joiners()) {
                assertThatIllegalArgumentException()
                        .as("onFork of %s", joiner)
                        .isThrownBy(() -> joiner.onFork(subtask));
            }
        }
    }

    @Test
    void testConfigFunctionThrows() {
        assertThatThrownBy(() -> scopes.open(settings -> {
                    throw new FooException();
                }))
                .isInstanceOf(FooException.class);
    }

    @Test
    void testConfigMethods() {
        try (var scope = scopes.open()) {
            ScopeSettings settings = scope.settings();

            assertSettingIsPartOfIt(settings, c -> c.withName("duke"), "duke");
            assertSettingIsPartOfIt(settings, c -> c.withTimeout(Duration.ofSeconds(10)), "PT10S");
            assertSettingIsPartOfIt(settings, c -> c.withGroup("other"), "other");
            assertSettingIsPartOfIt(settings, c -> c.withMaxUnfinished(77), "77");
        }
    }

    private static void assertSettingIsPartOfIt(
            ScopeSettings settings, UnaryOperator<ScopeSettings> setting, String text) {
        assertThat(setting.apply(settings))
                .isEqualTo(setting.apply(settings))
                .hasSameHashCodeAs(setting.apply(settings))
                .isNotEqualTo(settings);
        assertThat(setting.apply(settings).toString()).contains(text);
    }

    @Test
    void testNulls() {
        assertThatNullPointerException().isThrownBy(() -> scopes.open((Joiner<Object, Object, RuntimeException>) null));
        assertThatNullPointerException().isThrownBy(() -> scopes.open((UnaryOperator<ScopeSettings>) null));
        assertThatNullPointerException().isThrownBy(() -> scopes.open(null, settings -> settings));
        assertThatNullPointerException().isThrownBy(() -> scopes.open(Joiner.allSuccessfulOrThrow(), null));
        assertThatNullPointerException().isThrownBy(() -> scopes.open(Joiner.allSuccessfulOrThrow(), settings -> null));
        assertThatNullPointerException().isThrownBy(() -> scopes.open(settings -> settings.withName(null)));
        assertThatNullPointerException().isThrownBy(() -> scopes.open(settings -> settings.withTimeout(null)));

        try (var scope = scopes.open()) {
            assertThatNullPointerException().isThrownBy(() -> scope.fork((Callable<Object>) null));
            assertThatNullPointerException().isThrownBy(() -> scope.fork((Runnable) null));
        }

        for (Joiner<Object, ?, ?> joiner : joiners()) {
            assertThatNullPointerException().as("onFork of %s", joiner).isThrownBy(() -> joiner.onFork(null));
            assertThatNullPointerException().as("onComplete of %s", joiner).isThrownBy(() -> joiner.onComplete(null));
        }
        assertThatNullPointerException().isThrownBy(() -> Joiner.allUntil(null));
    }

    // ---------------------------------------------------------------- what they share

    /** {@return one of each, ours included} */
    private static List<Joiner<Object, ?, ?>> joiners() {
        return List.of(
                Joiner.allSuccessfulOrThrow(),
                Joiner.allSuccessfulOrThrow(CompletionException::new),
                Joiner.anySuccessfulOrThrow(),
                Joiner.anySuccessfulOrThrow(CompletionException::new),
                Joiner.awaitAllSuccessfulOrThrow(),
                Joiner.awaitAllSuccessfulOrThrow(CompletionException::new),
                Joiner.allUntil(subtask -> false),
                Joiner.awaitAll(),
                Joiner.collectAll(),
                Joiner.supervise(),
                Joiner.cancelOthers(),
                Joiner.quorum(1));
    }

    /** A factory of joiners that throw what a function makes. */
    private interface Factory {
        <X extends Throwable> Joiner<Object, ?, X> with(Function<Throwable, X> toException);
    }

    private void assertMakesExceptions(Factory factory) throws Exception {
        try (var scope = scopes.open(factory.with(CompletionException::new))) {
            scope.fork(failing());
            assertThatThrownBy(scope::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(FooException.class);
        }
        try (var scope = scopes.open(factory.with(Function.identity()))) {
            scope.fork(failing());
            assertThatThrownBy(scope::join).isInstanceOf(FooException.class);
        }
        try (var scope = scopes.open(factory.<Exception>with(failure -> null))) {
            scope.fork(failing());
            assertThatNullPointerException().isThrownBy(scope::join);
        }
        assertThatNullPointerException().isThrownBy(() -> factory.with(null));
    }

    private static void awaitCancelled(GroupScope<?, ?, ?> scope) {
        Deadline.until("cancelled", scope::isCancelled);
    }

    private static void assertTimesOut(GroupScope<?, ?, ?> scope) {
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(scope::join)
                .withCauseInstanceOf(CancelledByTimeoutException.class);
    }

    private static void assertNoMoreJoins(GroupScope<?, ?, ?> scope) {
        for (int i = 0; i < 3; i++) {
            assertThatIllegalStateException().isThrownBy(scope::join);
        }
    }

    /** On this thread and on another. */
    private static void assertHasNeither(Subtask<?> subtask) {
        assertThatIllegalStateException().isThrownBy(subtask::get);
        assertThatIllegalStateException().isThrownBy(subtask::exception);
        assertThatIllegalStateException().isThrownBy(() -> Deadline.within(subtask::get));
        assertThatIllegalStateException().isThrownBy(() -> Deadline.within(subtask::exception));
    }

    private static Callable<String> failing() {
        return () -> {
            throw new FooException();
        };
    }

    private static Callable<Object> recordInterrupt(Gate gate, AtomicBoolean interrupted) {
        return () -> {
            try {
                gate.pass();
            } catch (InterruptedException e) {
                interrupted.set(true);
            }
            return null;
        };
    }

    private static Caller<?> interruptWhenBlocked(Thread target) {
        return Caller.start(() -> {
            Caller.awaitBlocked(target);
            target.interrupt();
            return null;
        });
    }

    /** Gives nothing. */
    private static class Silent<T> implements Joiner<T, Void, RuntimeException> {

        @Override
        public Void result() {
            return null;
        }

        @Override
        public Void timeout() {
            return null;
        }
    }

    /** Counts, and cancels the scope when one fork has ended. */
    private static final class CancelAfterOne<T> extends Silent<T> {

        private final AtomicInteger forked = new AtomicInteger();
        private final AtomicInteger completed = new AtomicInteger();

        @Override
        public boolean onFork(Subtask<T> subtask) {
            forked.incrementAndGet();
            return false;
        }

        @Override
        public boolean onComplete(Subtask<T> subtask) {
            completed.incrementAndGet();
            return true;
        }
    }

    private static final class FooException extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }
}
