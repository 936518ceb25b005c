package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Time-outs of scopes and of forks, delays and retries. */
class ScopeTimeTests extends ScopeTestCase {

    private final ManualClock clock = new ManualClock();

    /** What comes next may not have been set yet, and is set by the clock then. */
    private void advanceUntil(GroupExecutor executor, BooleanSupplier reached) {
        Deadline.until("it has come", () -> {
            clock.advance(Duration.ofMillis(100), executor);
            return reached.getAsBoolean();
        });
    }

    private static void awaitPhase(Subtask<?> subtask, Subtask.Phase phase) {
        Deadline.until(() -> phase + ", but " + subtask, () -> subtask.phase() == phase);
    }

    @Tag("S20")
    @Test
    void theTimeOutEndsTheForksOfAScopeThatIsNeverClosed() throws Exception {
        GroupExecutor executor = engines.start(policy(1), clock);
        Scopes scopes = Scopes.of(executor);
        AtomicReference<Subtask<Object>> left = new AtomicReference<>();
        Caller<Object> owner = Caller.start(() -> {
            var scope = scopes.open();
            left.set(scope.fork("a", this::interrupted));
            return null;
        });
        owner.result();
        gate.awaitArrived(1);
        Deadline.until("its owner has ended", () -> !owner.thread().isAlive());
        clock.advance(Duration.ofSeconds(30), executor);

        awaitPhase(left.get(), Subtask.Phase.CANCELLED);
        Deadline.until("nobody knows it", () -> scopes.live().isEmpty());
    }

    @Tag("S23")
    @Test
    void joinUntilIsATimeOutOfTheScopeAlsoIfItIsPast() throws Exception {
        Scopes scopes = Scopes.of(executor(1));
        try (var scope = scopes.open()) {
            Subtask<Object> subtask = scope.fork("a", this::interrupted);
            assertThatThrownBy(() -> scope.joinUntil(Instant.EPOCH))
                    .hasCauseInstanceOf(CancelledByTimeoutException.class);
            assertThat(subtask.phase()).isEqualTo(Subtask.Phase.CANCELLED);
        }
        try (var scope = scopes.open()) {
            scope.fork("a", this::interrupted);
            assertThatThrownBy(() -> scope.joinUntil(Instant.now().plusMillis(30)))
                    .hasCauseInstanceOf(CancelledByTimeoutException.class);
        }
        try (var scope = scopes.open(Joiner.<String>allSuccessfulOrThrow())) {
            scope.fork("a", () -> "x");
            assertThat(scope.joinUntil(Instant.MAX)).containsExactly("x");
        }
    }

    @Tag("S24")
    @Test
    void aScopeHasThirtySecondsFromItsOpeningUnlessItsConfigurationSaysOtherwise() {
        GroupExecutor executor = engines.start(policy(1), clock);
        Scopes scopes = Scopes.of(executor);
        try (var scope = scopes.open();
                var longer = scopes.withDefaults(cf -> cf.withTimeout(Duration.ofSeconds(60)))
                        .open(ScopeSettings::withoutTimeout)) {
            assertThat(scope.settings().timeout()).contains(Duration.ofSeconds(30));
            assertThat(longer.settings().timeout()).isEmpty();
            clock.advance(Duration.ofSeconds(29), executor);
            assertThat(scope.isCancelled()).isFalse();
            clock.advance(Duration.ofSeconds(1), executor);

            Deadline.until("it is cancelled", scope::isCancelled);
            Deadline.until("what is inside it, too", longer::isCancelled);
        }
    }

    @Tag("S24")
    @Test
    void theTimeOutCoversQueuesAndDelays() throws Exception {
        GroupExecutor executor = engines.start(policy(1), clock);
        AtomicInteger ran = new AtomicInteger();
        try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll())) {
            Subtask<Object> runs = scope.fork("a", this::interrupted);
            Subtask<Object> queued = scope.fork("a", ran::incrementAndGet);
            Subtask<Object> delayed =
                    scope.fork(ForkOptions.in("a").withStartAfter(Duration.ofSeconds(40)), ran::incrementAndGet);
            gate.awaitArrived(1);
            clock.advance(Duration.ofSeconds(30), executor);

            assertThatThrownBy(scope::join).isInstanceOf(CancelledByTimeoutException.class);
            assertThat(List.of(runs, queued, delayed)).allMatch(s -> s.phase() == Subtask.Phase.CANCELLED);
        }
        assertThat(ran).hasValue(0);
    }

    @Tag("S24")
    @Test
    void anInnerScopeHasNoMoreTimeThanTheOuterOne() throws Exception {
        GroupExecutor executor = engines.start(policy(4), clock);
        Scopes scopes = Scopes.of(executor);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        try (var outer = scopes.open(Joiner.<Object>awaitAll(), cf -> cf.withTimeout(Duration.ofSeconds(5)))) {
            outer.fork("a", () -> {
                try (var inner = scopes.open(Joiner.<Object>awaitAll())) {
                    inner.fork("b", this::interrupted);
                    inner.join();
                } catch (Throwable e) {
                    thrown.set(e);
                }
                return null;
            });
            gate.awaitArrived(1);
            clock.advance(Duration.ofSeconds(5), executor);

            assertThatThrownBy(outer::join).isInstanceOf(CancelledByTimeoutException.class);
        }
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    }

    @Tag("S24")
    @Test
    void anInnerScopeThatIsOpenedOnceTheOuterOnesTimeIsUpEndsWithThat() throws Exception {
        GroupExecutor executor = engines.start(policy(4), clock);
        Scopes scopes = Scopes.of(executor);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        try (var outer = scopes.open(Joiner.<Object>awaitAll(), cf -> cf.withTimeout(Duration.ofSeconds(5)))) {
            outer.fork("a", () -> {
                gate.pass();
                try (var inner = scopes.open(Joiner.<Object>awaitAll())) {
                    inner.join();
                } catch (Throwable e) {
                    thrown.set(e);
                }
                return null;
            });
            gate.awaitArrived(1);
            clock.advance(Duration.ofSeconds(5)); // its alarm comes later
            gate.open();
            Deadline.until("it has joined", () -> thrown.get() != null);
            clock.advance(Duration.ZERO, executor);

            assertThatThrownBy(outer::join).isInstanceOf(CancelledByTimeoutException.class);
        }
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    }

    @Tag("S24")
    @Test
    void theTimeOutOutlivesTheShutdownOfTheExecutor() throws Exception {
        GroupExecutor executor = executor(1);
        Gate through = new Gate();
        try (var scope =
                Scopes.of(executor).open(Joiner.<Object>awaitAll(), cf -> cf.withTimeout(Duration.ofSeconds(3)))) {
            scope.fork("a", () -> {
                try {
                    gate.pass();
                } catch (InterruptedException byTheShutdown) {
                    through.pass();
                }
                return null;
            });
            gate.awaitArrived(1);
            executor.shutdown();
            through.awaitArrived(1);

            assertThatThrownBy(scope::join).isInstanceOf(CancelledByTimeoutException.class);
        }
    }

    @Tag("S25")
    @Test
    void aForkThatIgnoresInterruptsDelaysClose() throws Exception {
        GroupExecutor executor = engines.start(policy(1), clock);
        Scopes scopes = Scopes.of(executor);
        Caller<Object> owner = Caller.start(() -> {
            try (var scope = scopes.open(Joiner.<Object>awaitAll(), cf -> cf.withTimeout(Duration.ofSeconds(1)))) {
                scope.fork("a", gate.stubbornlyThen("x"));
                assertThatThrownBy(scope::join).isInstanceOf(CancelledByTimeoutException.class);
            }
            return null;
        });
        gate.awaitArrived(1);
        clock.advance(Duration.ofSeconds(1), executor);
        Deadline.until(
                "it closes",
                () -> scopes.live().stream().anyMatch(scope -> scope.owner() == ScopeSnapshot.Owner.CLOSING));
        owner.awaitBlocked();
        gate.open();
        owner.result();
        assertThat(executor.stats().running()).isZero();
    }

    @Tag("T37")
    @Test
    void theTimeOfOneForkEndsThatForkAloneWhileItRuns() throws Exception {
        GroupExecutor executor = engines.start(policy(2), clock);
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise())) {
            Subtask<Object> late =
                    scope.fork(ForkOptions.in("a").withTimeout(Duration.ofSeconds(1)), this::interrupted);
            Subtask<Object> other = scope.fork("b", gate.then("x"));
            gate.awaitArrived(2);
            clock.advance(Duration.ofSeconds(1), executor);
            awaitPhase(late, Subtask.Phase.FAILED);
            gate.open();
            Outcome outcome = scope.join();

            assertThat(late.exception()).isInstanceOf(TimeoutException.class);
            assertThat(other.get()).isEqualTo("x");
            assertThat(outcome.failed()).isEqualTo(1);
        }
    }

    @Tag("S37")
    @Tag("T37")
    @Test
    void theJoinerHearsBeforeThePermitReturnsOfAForkWhoseTimeIsUpBeforeItsCodeBegins() throws Exception {
        AtomicReference<Thread> alarm = new AtomicReference<>();
        TaskThreads late = (name, work) -> {
            if (name.equals("a")) {
                return TaskThreads.VIRTUAL.unstarted(name, () -> {
                    gate.passStubbornly();
                    work.run();
                });
            }
            Thread report = TaskThreads.VIRTUAL.unstarted(name, work);
            alarm.set(report);
            return report;
        };
        GroupExecutor executor = engines.start(policy(1), new Surroundings(clock, late, false));
        AtomicInteger running = new AtomicInteger();
        Joiner<Object, List<Subtask<Object>>, RuntimeException> joiner = Joiner.allUntil(ended -> {
            running.set(executor.groupStats("a").orElseThrow().running());
            return false;
        });
        try (var scope = Scopes.of(executor).open(joiner)) {
            Subtask<Object> fork = scope.fork(ForkOptions.in("a").withTimeout(Duration.ofSeconds(1)), () -> "x");
            gate.awaitArrived(1);
            clock.advance(Duration.ofSeconds(1), executor);
            Deadline.join(alarm.get());
            gate.open();
            scope.join();

            assertThat(fork.exception()).isInstanceOf(TimeoutException.class);
        }
        assertThat(running).hasValue(1);
    }

    @Tag("S7")
    @Tag("T37")
    @Test
    void aCancelInterruptsAListenerOfAForkWhoseTimeWasUpBeforeItsCodeBegins() throws Exception {
        AtomicReference<Thread> alarm = new AtomicReference<>();
        TaskThreads watched = (name, work) -> {
            Thread thread = TaskThreads.VIRTUAL.unstarted(name, work);
            if (!name.equals("a")) {
                alarm.set(thread);
            }
            return thread;
        };
        CountDownLatch interrupted = new CountDownLatch(1);
        GroupPolicy policy = policy(1).toBuilder()
                .addTaskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onStarted(String groupKey, String taskId) {
                        try {
                            gate.pass();
                        } catch (InterruptedException meant) {
                            interrupted.countDown();
                        }
                    }
                })
                .build();
        GroupExecutor executor = engines.start(policy, new Surroundings(clock, watched, false));
        try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll())) {
            Subtask<Object> fork = scope.fork(ForkOptions.in("a").withTimeout(Duration.ofSeconds(1)), () -> "x");
            gate.awaitArrived(1);
            clock.advance(Duration.ofSeconds(1), executor);
            Deadline.join(alarm.get());

            scope.cancel();

            Deadline.until("the listener is interrupted", () -> interrupted.getCount() == 0);
            gate.open(); // the audit's permits have the listener too
            scope.join();
            assertThat(fork.phase()).isEqualTo(Subtask.Phase.CANCELLED);
        }
    }

    @Tag("S7")
    @Tag("T37")
    @Test
    void theTimeOfOneForkEndsTheScopesInsideItThoughItsCodeIgnoresThat() throws Exception {
        GroupExecutor executor = engines.start(policy(2), clock);
        Scopes scopes = Scopes.of(executor);
        Gate ignoring = new Gate();
        AtomicReference<Subtask<Object>> inside = new AtomicReference<>();
        try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
            Subtask<Object> late = scope.fork(ForkOptions.in("a").withTimeout(Duration.ofSeconds(1)), () -> {
                try (var inner = scopes.open(Joiner.<Object>awaitAll())) {
                    inner.fork("b", () -> {
                        try (var innermost = scopes.open(Joiner.<Object>awaitAll())) {
                            inside.set(innermost.fork("c", this::interrupted));
                            return innermost.join();
                        }
                    });
                    ignoring.passStubbornly();
                    return inner.join();
                }
            });
            ignoring.awaitArrived(1);
            gate.awaitArrived(1);
            Deadline.until("it is known", () -> inside.get() != null);
            clock.advance(Duration.ofSeconds(1), executor);
            awaitPhase(inside.get(), Subtask.Phase.CANCELLED);
            assertThat(late.phase()).isEqualTo(Subtask.Phase.RUNNING);
            ignoring.open();
            scope.join();

            assertThat(late.exception()).isInstanceOf(TimeoutException.class);
        }
    }

    @Tag("S7")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aScopeThatIsOpenedInAForkThatIsToEndAloneIsCancelledFromItsBeginning(boolean byItsTime) throws Exception {
        GroupExecutor executor = engines.start(policy(2), clock);
        Scopes scopes = Scopes.of(executor);
        AtomicReference<Subtask<Object>> forked = new AtomicReference<>();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        try (var scope = scopes.open(Joiner.<Object>awaitAll())) {
            Subtask<Object> fork = scope.fork(ForkOptions.in("a").withTimeout(Duration.ofSeconds(1)), () -> {
                assertThatThrownBy(gate::pass).isInstanceOf(InterruptedException.class);
                try (var inner = scopes.open(Joiner.<Object>awaitAll())) {
                    forked.set(inner.fork("b", () -> "x"));
                    return inner.join();
                } catch (Throwable e) {
                    thrown.set(e);
                    throw e;
                }
            });
            gate.awaitArrived(1);
            if (byItsTime) {
                clock.advance(Duration.ofSeconds(1), executor);
            } else {
                fork.cancel();
            }
            scope.join();

            assertThat(fork.phase()).isEqualTo(byItsTime ? Subtask.Phase.FAILED : Subtask.Phase.CANCELLED);
        }
        assertThat(forked.get().phase()).isEqualTo(Subtask.Phase.CANCELLED);
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    }

    @Tag("S22")
    @Test
    void anOwnerWhoseForkIsOutOfTimeIsInterruptedWhicheverSignalComesFirst() throws Exception {
        GroupExecutor executor = engines.start(policy(2), clock);
        Scopes scopes = Scopes.of(executor);
        for (int i = 0; i < 200; i++) {
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            Gate inside = new Gate();
            try (var scope = scopes.open(Joiner.<Object>awaitAll(), ScopeSettings::withoutTimeout)) {
                scope.fork(ForkOptions.in("a").withTimeout(Duration.ofSeconds(1)), () -> {
                    try (var inner = scopes.open(Joiner.<Object>awaitAll())) {
                        inner.fork("b", inside.then("x"));
                        return inner.join();
                    } catch (Throwable e) {
                        thrown.set(e);
                        throw e;
                    }
                });
                inside.awaitArrived(1);
                clock.advance(Duration.ofSeconds(1), executor);
                scope.join();
            }
            assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        }
    }

    @Tag("T37")
    @Test
    void theTimeOfOneForkCoversItsQueueAndItsRetriesFromWhenItIsDue() throws Exception {
        GroupExecutor executor = engines.start(policy(1), clock);
        AtomicInteger ran = new AtomicInteger();
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise())) {
            scope.fork("a", gate.then("x"));
            Subtask<Object> queued =
                    scope.fork(ForkOptions.in("a").withTimeout(Duration.ofSeconds(2)), ran::incrementAndGet);
            Subtask<Object> delayed = scope.fork(
                    ForkOptions.in("a").withStartAfter(Duration.ofSeconds(2)).withTimeout(Duration.ofSeconds(2)),
                    ran::incrementAndGet);
            Subtask<Object> retried = scope.fork(
                    ForkOptions.in("b")
                            .withTimeout(Duration.ofSeconds(2))
                            .withRetry(RetryPolicy.attempts(9).withDelay(Duration.ofSeconds(1))),
                    () -> {
                        throw new IllegalArgumentException("attempt");
                    });
            gate.awaitArrived(1);
            awaitPhase(retried, Subtask.Phase.DELAYED);
            clock.advance(Duration.ofSeconds(2), executor);
            awaitPhase(queued, Subtask.Phase.FAILED);
            awaitPhase(retried, Subtask.Phase.FAILED);
            awaitPhase(delayed, Subtask.Phase.QUEUED);
            clock.advance(Duration.ofSeconds(2), executor);
            awaitPhase(delayed, Subtask.Phase.FAILED);
            gate.open();

            assertThat(scope.join().failures()).allMatch(TimeoutException.class::isInstance);
            assertThat(retried.exception().getSuppressed())
                    .isNotEmpty()
                    .hasOnlyElementsOfType(IllegalArgumentException.class);
        }
        assertThat(ran).hasValue(0);
    }

    @Tag("T37")
    @Test
    void aForkWhoseTimeIsUpWhileItIsSubmittedFailsInItsQueue() throws Exception {
        AtomicReference<GroupExecutor> executor = new AtomicReference<>();
        AtomicReference<ForkedSubtask<?>> forked = new AtomicReference<>();
        GroupPolicy slow = GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(1)
                .taskDecorator((groupKey, task) -> {
                    ForkedSubtask<?> fork = forked.get();
                    if (fork.id() == 2) {
                        clock.advance(Duration.ofSeconds(1), executor.get());
                        Deadline.until("its time is up", () -> fork.phaseNumber() == ForkState.OVERDUE);
                    }
                    return task;
                })
                .build();
        executor.set(engines.startPlain(slow, clock.environment()));
        Joiner<Object, Void, RuntimeException> hearing = new Joiner<>() {
            @Override
            public boolean onFork(Subtask<Object> subtask) {
                forked.set((ForkedSubtask<?>) subtask);
                return false;
            }

            @Override
            public Void result() {
                return null;
            }

            @Override
            public Void timeout() {
                return null;
            }
        };
        try (var scope = Scopes.of(executor.get()).open(hearing)) {
            scope.fork("a", gate.then("x"));
            gate.awaitArrived(1);
            Subtask<Object> late = scope.fork(ForkOptions.in("a").withTimeout(Duration.ofSeconds(1)), () -> "never");
            awaitPhase(late, Subtask.Phase.FAILED);
            gate.open();
            scope.join();

            assertThat(late.exception()).isInstanceOf(TimeoutException.class);
        }
    }

    @Tag("T38")
    @Test
    void aForkThatFailsIsTriedAgainInItsQueueAndItsBackOffHoldsNothing() throws Exception {
        GroupExecutor executor = engines.startPlain(policy(1), clock.environment()); // attempts begin again
        AtomicInteger attempts = new AtomicInteger();
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise(), ScopeSettings::withoutTimeout)) {
            Subtask<Object> retried = scope.fork(
                    ForkOptions.in("a").withRetry(RetryPolicy.attempts(3).withDelay(Duration.ofSeconds(1))), () -> {
                        if (attempts.incrementAndGet() < 3) {
                            throw new IllegalArgumentException("attempt " + attempts);
                        }
                        return "done";
                    });
            awaitPhase(retried, Subtask.Phase.DELAYED);
            Deadline.until("its permit is back", () -> executor.stats().running() == 0);
            Subtask<Object> meanwhile = scope.fork("a", () -> "x");
            awaitPhase(meanwhile, Subtask.Phase.SUCCESS);
            assertThat(attempts).hasValue(1);
            advanceUntil(executor, () -> attempts.get() == 2);
            awaitPhase(retried, Subtask.Phase.DELAYED);
            advanceUntil(executor, () -> attempts.get() == 3);

            assertThat(scope.join().succeeded()).isEqualTo(2);
            assertThat(retried.get()).isEqualTo("done");
        }
        assertThat(attempts).hasValue(3);
    }

    @Tag("T38")
    @Test
    void theLastFailureHasTheEarlierOnesAsSuppressed() throws Exception {
        Scopes scopes = Scopes.of(executor(1)).withDefaults(cf -> cf.withRetry(RetryPolicy.attempts(3)));
        AtomicInteger attempts = new AtomicInteger();
        try (var scope = scopes.open(Joiner.<Object>supervise())) {
            Subtask<Object> retried = scope.fork("a", () -> {
                throw new Exception("attempt " + attempts.incrementAndGet());
            });
            scope.join();

            assertThat(retried.exception()).hasMessage("attempt 3");
            assertThat(retried.exception().getSuppressed())
                    .extracting(Throwable::getMessage)
                    .containsExactly("attempt 1", "attempt 2");
        }
    }

    @Tag("T38")
    @Test
    void nothingIsTriedAgainAfterAnErrorAnInterruptOrACancel() throws Exception {
        Scopes scopes = Scopes.of(executor(8)).withDefaults(cf -> cf.withRetry(RetryPolicy.attempts(5)));
        AtomicInteger attempts = new AtomicInteger();
        try (var scope = scopes.open(Joiner.<Object>supervise())) {
            scope.fork("a", () -> {
                attempts.incrementAndGet();
                throw new AssertionError("an error");
            });
            scope.fork("a", () -> {
                attempts.incrementAndGet();
                throw new InterruptedException();
            });
            Subtask<Object> cancelled = scope.fork("a", () -> {
                attempts.incrementAndGet();
                try {
                    return interrupted();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            gate.awaitArrived(1);
            cancelled.cancel();
            Outcome outcome = scope.join();

            assertThat(outcome.failed()).isEqualTo(2);
            assertThat(outcome.cancelled()).isEqualTo(1);
        }
        assertThat(attempts).hasValue(3);
    }

    @Tag("T38")
    @Test
    void aConditionThatThrowsACheckedExceptionFailsItsFork() throws Exception {
        Exception failure = new Exception("the fork's");
        IOException thrown = new IOException("the condition's");
        RetryPolicy retry = RetryPolicy.attempts(2).retryIf(throwing(thrown));
        try (var scope = Scopes.of(executor(1)).open(Joiner.<Object>supervise(), cf -> cf.withRetry(retry))) {
            Subtask<Object> fails = scope.fork("a", () -> {
                throw failure;
            });

            assertThat(scope.join().failures()).containsExactly(failure);
            assertThat(fails.exception()).hasSuppressedException(thrown);
            assertThat(scope.totals().failed()).isEqualTo(1);
        }
    }

    @Tag("T38")
    @Test
    void noAttemptFollowsOneThatTheShutdownOfItsGroupHasInterrupted() throws Exception {
        GroupExecutor executor = executor(1);
        AtomicInteger attempts = new AtomicInteger();
        Gate begun = new Gate();
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise())) {
            Subtask<Object> retried = scope.fork(ForkOptions.in("a").withRetry(RetryPolicy.attempts(3)), () -> {
                attempts.incrementAndGet();
                try {
                    begun.pass();
                } catch (InterruptedException e) {
                    throw new ClosedByInterruptException(); // as a channel does
                }
                return null;
            });
            begun.awaitArrived(1);
            executor.shutdownGroup("a");
            scope.join();

            assertThat(retried.exception()).isInstanceOf(ClosedByInterruptException.class);
        }
        assertThat(attempts).hasValue(1);
    }

    @Tag("T38")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRetryForWhichNoAlarmCanBeSetEndsOnceThoughItEndsOtherwiseMeanwhile(boolean byItsTime) throws Exception {
        AtomicReference<ForkedSubtask<?>> waits = new AtomicReference<>();
        LongSupplier failing = () -> {
            ForkedSubtask<?> fork = waits.get();
            if (fork != null && fork.phaseNumber() == ForkState.DELAYED && waits.compareAndSet(fork, null)) {
                if (byItsTime) {
                    fork.timeOut();
                } else {
                    fork.cancel();
                }
                throw new OutOfMemoryError("no memory for an alarm");
            }
            return clock.getAsLong();
        };
        GroupExecutor executor = engines.startPlain(policy(1), new Surroundings(failing, TaskThreads.VIRTUAL, false));
        HeardEnds ends = new HeardEnds();
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise(), cf -> cf.withListener(ends))) {
            Subtask<Object> retried = scope.fork(
                    ForkOptions.in("a")
                            .withTimeout(Duration.ofSeconds(1))
                            .withRetry(RetryPolicy.attempts(2).withDelay(Duration.ofSeconds(1))),
                    () -> {
                        gate.pass();
                        throw new Exception("to be tried again");
                    });
            gate.awaitArrived(1);
            waits.set((ForkedSubtask<?>) retried);
            gate.open();
            Outcome outcome = scope.join();

            assertThat(outcome.failed() + outcome.cancelled()).isEqualTo(1);
        }
        assertThat(ends.forks).containsExactly(1L);
    }

    @Tag("T38")
    @Test
    void aCancelEndsABackOff() throws Exception {
        GroupExecutor executor = engines.start(policy(1), clock);
        AtomicInteger attempts = new AtomicInteger();
        try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll())) {
            Subtask<Object> retried = scope.fork(
                    ForkOptions.in("a").withRetry(RetryPolicy.attempts(9).withDelay(Duration.ofSeconds(1))), () -> {
                        attempts.incrementAndGet();
                        throw new Exception("again");
                    });
            awaitPhase(retried, Subtask.Phase.DELAYED);
            scope.cancel();
            assertThat(retried.phase()).isEqualTo(Subtask.Phase.CANCELLED);
            scope.join();
        }
        clock.advance(Duration.ofSeconds(60), executor);
        assertThat(attempts).hasValue(1);
    }
}
