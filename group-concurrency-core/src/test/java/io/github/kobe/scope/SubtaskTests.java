package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.audit.FaultyThreads;
import io.github.kobe.audit.FaultyThreads.Fault;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.audit.Waits;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a fork is, shows, and takes along. */
class SubtaskTests extends ScopeTestCase {

    @Tag("S26")
    @Tag("S30")
    @Test
    void aSubtaskShowsWhereItIsAndNeverBlocks() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open(Joiner.<Object>supervise())) {
            Subtask<Object> running = scope.fork("a", gate.then("x"));
            Subtask<Object> queued = scope.fork("a", () -> {
                throw new Exception("failure");
            });
            Subtask<Object> cancelled = scope.fork("a", () -> "z");
            Subtask<Object> delayed = scope.fork(ForkOptions.in("a").withStartAfter(Duration.ofDays(1)), () -> "d");
            gate.awaitArrived(1);

            assertThat(running.phase()).isEqualTo(Subtask.Phase.RUNNING);
            assertThat(queued.phase()).isEqualTo(Subtask.Phase.QUEUED);
            assertThat(delayed.phase()).isEqualTo(Subtask.Phase.DELAYED);
            assertThat(List.of(running, queued, delayed))
                    .allMatch(subtask -> subtask.state() == Subtask.State.UNAVAILABLE);
            assertThat(cancelled.cancel()).isTrue();
            assertThat(cancelled.cancel()).isFalse();
            assertThat(delayed.cancel()).isTrue();
            assertThat(cancelled.phase()).isEqualTo(Subtask.Phase.CANCELLED);
            gate.open();
            Outcome outcome = scope.join();

            assertThat(running.phase()).isEqualTo(Subtask.Phase.SUCCESS);
            assertThat(queued.phase()).isEqualTo(Subtask.Phase.FAILED);
            assertThat(outcome.total()).isEqualTo(4);
            assertThat(outcome.cancelled()).isEqualTo(2);
        }
    }

    @Tag("S27")
    @Tag("S28")
    @Test
    void itsResultIsReadByAnyThreadOnceItIsJoined() throws Exception {
        Scopes scopes = Scopes.of(executor(2));
        try (var scope = scopes.open(Joiner.<Object>supervise())) {
            Subtask<Object> succeeds = scope.fork("a", () -> "x");
            Subtask<Object> fails = scope.fork("a", () -> {
                throw new IllegalArgumentException("failure");
            });
            Deadline.until(
                    "they have ended",
                    () -> succeeds.state() == Subtask.State.SUCCESS && fails.state() == Subtask.State.FAILED);

            assertThatIllegalStateException().isThrownBy(succeeds::get);
            assertThatIllegalStateException().isThrownBy(fails::exception);
            scope.join();

            assertThat(Deadline.<Object>within(succeeds::get)).isEqualTo("x");
            assertThat(fails.exception()).isInstanceOf(IllegalArgumentException.class);
            assertThatIllegalStateException().isThrownBy(succeeds::exception);
            assertThatIllegalStateException().isThrownBy(fails::get);
        }
    }

    @Tag("S28")
    @Test
    void listenersThatAreToldOfAnEndReadItWhileItsOwnerMayNot() throws Exception {
        Gate telling = new Gate();
        Exception failure = new Exception("failure");
        List<Subtask<Object>> forks = new CopyOnWriteArrayList<>();
        List<Object> read = new CopyOnWriteArrayList<>();
        ScopeListener reading = new ScopeListener() {
            @Override
            public void onSuccess(ForkInfo fork, Duration ran) {
                read.add(forks.getFirst().get());
                telling.passStubbornly();
            }

            @Override
            public void onFailure(ForkInfo fork, Throwable thrown, Duration ran) {
                read.add(forks.getLast().exception());
                telling.passStubbornly();
            }
        };
        try (var scope = Scopes.of(executor(2)).open(Joiner.<Object>supervise(), cf -> cf.withListener(reading))) {
            forks.add(scope.fork("a", gate.then("x")));
            forks.add(scope.fork("a", () -> {
                gate.pass();
                throw failure;
            }));
            gate.open();
            telling.awaitArrived(2);

            assertThatIllegalStateException().isThrownBy(forks.getFirst()::get);
            assertThatIllegalStateException().isThrownBy(forks.getLast()::exception);
            telling.open();
            scope.join();
        }
        assertThat(read).containsExactlyInAnyOrder("x", failure);
    }

    @Tag("S29")
    @Test
    void nullIsAResult() throws Exception {
        Scopes scopes = Scopes.of(executor(2));
        try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
            Subtask<String> subtask = scope.fork("a", () -> null);
            Subtask<String> runnable = scope.fork("a", () -> {});

            assertThat(scope.join()).containsExactly(null, null);
            assertThat(subtask.get()).isNull();
            assertThat(runnable.get()).isNull();
        }
    }

    @Test
    void aSubtaskThatIsOverKeepsNothingOfItsTask() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        for (ForkOptions options : List.of(
                ForkOptions.in("a"),
                ForkOptions.in("a").withRetry(RetryPolicy.attempts(2)),
                ForkOptions.in("a").withStartAfter(Duration.ofNanos(1)))) {
            try (var scope = scopes.open(Joiner.<Integer>awaitAll())) {
                byte[] payload = new byte[1_000];
                WeakReference<byte[]> kept = new WeakReference<>(payload);
                Subtask<Integer> subtask = scope.fork(options, lengthOf(payload));
                payload = null;
                scope.await(subtask);

                Waits.awaitCollected(kept);
                assertThat(subtask.get()).isEqualTo(1_000);
                scope.join();
            }
        }
    }

    private static Callable<Integer> lengthOf(byte[] payload) {
        return () -> payload.length;
    }

    @Tag("S31")
    @Test
    void whatCameBeforeAForkIsSeenInItAndWhatItDidAfterJoin() throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        for (int i = 0; i < 1_000; i++) {
            int[] plain = {0, 0, 0, 0};
            try (var scope = scopes.open()) {
                plain[0] = 1;
                for (int k = 1; k < 4; k++) {
                    int at = k;
                    scope.fork("a", () -> plain[at] = plain[0]);
                }
                scope.join();
            }
            assertThat(plain).containsOnly(1);
        }
    }

    @Tag("S52")
    @Test
    void whatAForkThrowsMakesItFailedWhateverThatIs() throws Exception {
        Scopes scopes = Scopes.of(executor(4));
        List<Throwable> thrown =
                List.of(new InterruptedException(), new CancellationException(), new StackOverflowError());
        try (var scope = scopes.open(Joiner.<Object>supervise())) {
            List<Subtask<Object>> subtasks = thrown.stream()
                    .map(failure -> scope.<Object>fork("a", () -> {
                        if (failure instanceof Error error) {
                            throw error;
                        }
                        throw (Exception) failure;
                    }))
                    .toList();
            scope.join();

            assertThat(subtasks).allMatch(subtask -> subtask.phase() == Subtask.Phase.FAILED);
            assertThat(subtasks).extracting(Subtask::exception).containsExactlyElementsOf(thrown);
        }
    }

    private static void assertRejected(Subtask<?> subtask, RejectionReason reason) {
        assertThat(subtask.state()).isEqualTo(Subtask.State.FAILED);
        assertThat(subtask.exception())
                .isInstanceOfSatisfying(
                        RejectedTaskException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }

    @Tag("S53")
    @Test
    void aForkThatFindsTheQueueFullFailsWhateverThePolicyAndTheHandlerSay() throws Exception {
        AtomicInteger handled = new AtomicInteger();
        for (RejectionPolicy policy : RejectionPolicy.values()) {
            GroupExecutor executor = engines.start(GroupPolicy.builder()
                    .defaultQueueThresholdPerGroup(0)
                    .rejectionPolicy(policy)
                    .rejectionHandler((group, id, task) -> {
                        handled.incrementAndGet();
                        return null;
                    })
                    .build());
            try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise())) {
                Subtask<Object> running = scope.fork("a", () -> interrupted());
                Deadline.until("it runs", () -> running.phase() == Subtask.Phase.RUNNING);
                Subtask<Object> refused = scope.fork("a", handled::incrementAndGet);
                running.cancel();
                Outcome outcome = scope.join();

                assertRejected(refused, RejectionReason.GROUP_QUEUE_FULL);
                assertThat(outcome.failed()).isEqualTo(1);
            }
        }
        assertThat(handled).hasValue(0);
    }

    @Tag("S53")
    @Test
    void aForkWhoseQueueTimeIsUpFails() throws Exception {
        ManualClock clock = new ManualClock();
        GroupExecutor executor = engines.start(
                GroupPolicy.builder()
                        .defaults(GroupLimits.unset().withQueueTimeout(Duration.ofSeconds(1)))
                        .build(),
                clock);
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise(), ScopeSettings::withoutTimeout)) {
            scope.fork("a", gate.then("x"));
            Subtask<Object> waits = scope.fork("a", () -> "y");
            gate.awaitArrived(1);
            clock.advance(Duration.ofSeconds(1), executor);
            Deadline.until("it has failed", () -> waits.phase() == Subtask.Phase.FAILED);
            gate.open();
            scope.join();

            assertRejected(waits, RejectionReason.QUEUE_TIMEOUT);
        }
    }

    @Tag("S53")
    @Test
    void aForkThatAShutdownKeepsFromRunningFails() throws Exception {
        GroupExecutor executor = executor(1);
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise())) {
            Subtask<Object> runs = scope.fork("a", gate.stubbornlyThen("x"));
            Subtask<Object> waits = scope.fork("a", () -> "y");
            gate.awaitArrived(1);
            executor.shutdown();
            Subtask<Object> late = scope.fork("a", () -> "z");
            gate.open();
            Outcome outcome = scope.join();

            assertThat(runs.state()).isEqualTo(Subtask.State.SUCCESS);
            assertRejected(waits, RejectionReason.SHUTDOWN);
            assertRejected(late, RejectionReason.SHUTDOWN);
            assertThat(outcome.failed()).isEqualTo(2);
        }
    }

    @Tag("S53")
    @Test
    void anOpenScopeMayForkDuringADrain() throws Exception {
        GroupExecutor executor = executor(2);
        Caller<Boolean> drain;
        try (var scope = Scopes.of(executor).open(Joiner.<Object>allSuccessfulOrThrow())) {
            scope.fork("a", gate.then("x"));
            gate.awaitArrived(1);
            drain = Caller.start(() -> executor.shutdown(Deadline.LONG));
            Deadline.until("it drains", executor::isShutdown);
            scope.fork("a", () -> "y");
            gate.open();

            assertThat(scope.join()).containsExactly("x", "y");
        }
        assertThat(drain.result()).isTrue();
    }

    @Tag("S53")
    @Test
    void aForkWhoseDecoratorOrThreadFailsFails() throws Exception {
        IllegalStateException broken = new IllegalStateException("decorator");
        AtomicBoolean first = new AtomicBoolean(true);
        GroupExecutor undecorated = engines.startPlain(GroupPolicy.builder()
                .taskDecorator((groupKey, task) -> {
                    if (first.getAndSet(false)) {
                        throw broken;
                    }
                    return task;
                })
                .build());
        try (var scope = Scopes.of(undecorated).open(Joiner.<Object>supervise())) {
            Subtask<Object> subtask = scope.fork("a", () -> "x");
            scope.join();
            assertThat(subtask.exception()).isSameAs(broken);
        }
        Surroundings surroundings = new Surroundings(
                System::nanoTime,
                new FaultyThreads(Fault.STARTING_IT_THROWS, number -> number == 1),
                true,
                Duration.ofSeconds(1),
                Duration.ofSeconds(5));
        GroupExecutor threadless = engines.start(policy(1), surroundings);
        try (var scope = Scopes.of(threadless).open(Joiner.<Object>supervise())) {
            Subtask<Object> subtask = scope.fork("a", () -> "x");
            Subtask<Object> next = scope.fork("a", () -> "y");
            scope.join();
            assertThat(subtask.exception()).isInstanceOf(OutOfMemoryError.class);
            assertThat(next.get()).isEqualTo("y");
        }
    }

    @Tag("S54")
    @Test
    void contextIsTakenWhereItIsForkedAlsoForWhatStartsLaterAndAgain() throws Exception {
        ThreadLocal<String> context = new ThreadLocal<>();
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .taskDecorator((groupKey, task) -> {
                    String taken = context.get();
                    return () -> {
                        context.set(taken);
                        return task.call();
                    };
                })
                .build());
        try (URLClassLoader loader = new URLClassLoader(new URL[0], getClass().getClassLoader());
                var scope = Scopes.of(executor).open(Joiner.<String>allSuccessfulOrThrow())) {
            AtomicInteger attempts = new AtomicInteger();
            Callable<String> shown =
                    () -> context.get() + loader.equals(Thread.currentThread().getContextClassLoader());
            ClassLoader own = Thread.currentThread().getContextClassLoader();
            context.set("owner's ");
            Thread.currentThread().setContextClassLoader(loader);
            try {
                scope.fork("a", shown);
                scope.fork(ForkOptions.in("a").withStartAfter(Duration.ofMillis(20)), shown);
                scope.fork(
                        ForkOptions.in("a").withRetry(RetryPolicy.attempts(3).withDelay(Duration.ofMillis(5))), () -> {
                            if (attempts.incrementAndGet() < 3) {
                                throw new Exception("again");
                            }
                            return shown.call();
                        });
            } finally {
                Thread.currentThread().setContextClassLoader(own);
                context.remove();
            }

            assertThat(scope.join()).containsExactly("owner's true", "owner's true", "owner's true");
        }
    }

    @Tag("T14")
    @Test
    void aForkHasAnIdAndANameAndItsThreadIsNamedIfItIs() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow(), cf -> cf.withName("sco\npe"))) {
            Subtask<String> first = scope.fork("a", () -> Thread.currentThread().getName());
            Subtask<String> second = scope.fork(
                    ForkOptions.in("a").withName("load\r"),
                    () -> Thread.currentThread().getName());

            assertThat(first.id()).isEqualTo(1);
            assertThat(first.name()).isEqualTo("task-1");
            assertThat(first.group()).isEqualTo("a");
            assertThat(second.id()).isEqualTo(2);
            assertThat(second.name()).isEqualTo("load\r");
            assertThat(scope.join()).containsExactly("a", "a sco_pe/load_");
        }
    }

    @Tag("S4")
    @Test
    void aCancelledForkLeavesItsQueueAtOnceAndTheScopeGoesOn() throws Exception {
        GroupExecutor executor = executor(1);
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise())) {
            scope.fork("a", gate.then("x"));
            Subtask<Object> waits = scope.fork("a", () -> "y");
            gate.awaitArrived(1);
            Waits.awaitQueued(executor, "a", 1);
            assertThat(waits.cancel()).isTrue();
            Waits.awaitQueued(executor, "a", 0);
            assertThat(scope.isCancelled()).isFalse();
            gate.open();

            assertThat(scope.join()).isEqualTo(new Outcome(2, 1, 1, List.of()));
        }
    }

    @Tag("S9")
    @Test
    void aForkIntoNoGroupIsRefused() {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open()) {
            assertThatIllegalStateException().isThrownBy(() -> scope.fork(() -> "x"));
            assertThatThrownBy(() -> scope.fork("a", (Callable<Object>) null)).isInstanceOf(NullPointerException.class);
        }
    }

    @Test
    void aForkThatNamesNoGroupGoesWhereItsScopeSays() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow(), cf -> cf.withGroup("g"))) {
            scope.fork(() -> Thread.currentThread().getName());
            assertThat(scope.join()).containsExactly("g");
        }
    }

    /** The caller of fork may be deep in its stack already. */
    @Tag("T38")
    @Test
    void retriesOfAForkThatIsRefusedAtOnceTakeNoMoreOfTheStackThanOne() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(1)
                .defaultQueueThresholdPerGroup(0)
                .build());
        List<Integer> depths = new CopyOnWriteArrayList<>();
        RetryPolicy retry = RetryPolicy.attempts(100).retryIf(refused -> {
            depths.add(Thread.currentThread().getStackTrace().length);
            return true;
        });
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise())) {
            scope.fork("a", gate.then("x"));
            gate.awaitArrived(1);
            Subtask<Object> refused = scope.fork(ForkOptions.in("a").withRetry(retry), () -> "y");
            scope.await(refused);
            gate.open();
            scope.join();

            assertThat(refused.exception()).isInstanceOf(RejectedTaskException.class);
            assertThat(refused.exception().getSuppressed()).hasSize(99);
        }
        assertThat(depths).hasSize(99);
        assertThat(depths.stream().mapToInt(Integer::intValue).max().orElseThrow())
                .isLessThan(depths.getFirst() + 20);
    }

    @Test
    void optionsWithoutAGroupForkIntoThatOfTheScope() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        try (var scope = Scopes.of(engines.startPlain(policy(1)))
                .open(Joiner.<Object>supervise(), settings -> settings.withGroup("own"))) {
            Subtask<Object> named = scope.fork(ForkOptions.named("n"), () -> "x");
            Subtask<Object> later = scope.fork(ForkOptions.after(Duration.ofNanos(1)), () -> "y");
            Subtask<Object> valueless = scope.fork(ForkOptions.in("other"), ran::incrementAndGet);
            Subtask<Object> valuelessToo = scope.fork(ForkOptions.named("m"), (Runnable) ran::incrementAndGet);
            scope.join();

            assertThat(named.group()).isEqualTo("own");
            assertThat(named.name()).isEqualTo("n");
            assertThat(later.group()).isEqualTo("own");
            assertThat(later.get()).isEqualTo("y");
            assertThat(valueless.group()).isEqualTo("other");
            assertThat(valuelessToo.get()).isNull();
        }
        assertThat(ran).hasValue(2);
    }

    private final AtomicInteger sent = new AtomicInteger();

    private void send() {
        sent.incrementAndGet();
    }

    @Test
    void aTaskWithoutAValueMayHaveOptions() throws Exception {
        try (var scope = Scopes.of(executor(1)).open()) {
            Subtask<Object> subtask = scope.fork(ForkOptions.in("a").withName("n"), () -> send());
            scope.join();
            assertThat(subtask.get()).isNull();
        }
        assertThat(sent).hasValue(1);
    }
}
