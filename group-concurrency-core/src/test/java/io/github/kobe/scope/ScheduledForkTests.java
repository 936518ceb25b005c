package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTrace;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a scope runs later, or again and again. */
class ScheduledForkTests extends ScopeTestCase {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualClock clock = new ManualClock();
    private final AtomicInteger runs = new AtomicInteger();

    private void awaitRuns(int count) {
        Deadline.until(() -> count + " runs, but " + runs, () -> runs.get() == count);
    }

    @Test
    void aTimeThatIsRefusedIsNamedAsInTheMethod() {
        Duration negative = Duration.ofSeconds(-1);
        try (var scope = Scopes.of(executor(1)).open()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> scope.schedule("a", negative, runs::incrementAndGet))
                    .withMessage("delay must be zero or more, was PT-1S");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> scope.scheduleAtFixedRate("a", negative, SECOND, runs::incrementAndGet))
                    .withMessage("initial must be zero or more, was PT-1S");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> scope.scheduleWithFixedDelay("a", Duration.ZERO, negative, runs::incrementAndGet))
                    .withMessage("delay must be more than zero, was PT-1S");
        }
    }

    @Tag("T26")
    @Test
    void aScheduledForkRunsInItsGroupUnknownToJoinAndJoiner() throws Exception {
        GroupExecutor executor = engines.start(policy(1), clock);
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise())) {
            List<String> groups = new CopyOnWriteArrayList<>();
            ScheduledFork once = scope.schedule("later", SECOND, () -> {
                groups.add(Thread.currentThread().getName());
                runs.incrementAndGet();
            });
            scope.schedule("a", Duration.ofDays(1), runs::incrementAndGet);
            clock.advance(SECOND, executor);
            Deadline.until("it is done", once::isDone);

            assertThat(groups).containsExactly("later");
            assertThat(once.isCancelled()).isFalse();
            assertThat(scope.join()).isEqualTo(new Outcome(0, 0, 0, List.of()));
        }
        awaitRuns(1);
    }

    @Tag("T26")
    @Test
    void runsAtAFixedRateNeverOverlapAndMissedOnesAreDropped() throws Exception {
        GroupExecutor executor = engines.start(policy(4), clock);
        try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll(), ScopeSettings::withoutTimeout)) {
            AtomicReference<Thread> first = new AtomicReference<>();
            scope.scheduleAtFixedRate("a", Duration.ZERO, SECOND, () -> {
                if (runs.incrementAndGet() == 1) {
                    first.set(Thread.currentThread());
                    gate.passStubbornly();
                }
            });
            clock.advance(Duration.ZERO, executor);
            gate.awaitArrived(1);
            for (int i = 0; i < 5; i++) {
                clock.advance(SECOND, executor);
            }
            assertThat(runs).hasValue(1);
            gate.open();
            Deadline.until("the next alarm is set", () -> !first.get().isAlive());
            clock.advance(SECOND.minusMillis(1), executor);
            clock.advance(Duration.ofMillis(1));
            runUntil(executor, 2);
            scope.join();
        }
        assertThat(runs).hasValue(2);
    }

    @Tag("T26")
    @Test
    void aPeriodWithoutEndMeansOneRun() throws Exception {
        GroupExecutor executor = engines.start(policy(1), clock);
        Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);
        try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll(), ScopeSettings::withoutTimeout)) {
            AtomicReference<Thread> first = new AtomicReference<>();
            clock.advance(SECOND, executor);
            scope.scheduleAtFixedRate("a", Duration.ZERO, forEver, () -> {
                first.compareAndSet(null, Thread.currentThread());
                runs.incrementAndGet();
            });
            runUntil(executor, 1);
            Deadline.until("the next alarm is set", () -> !first.get().isAlive());
            clock.advance(Duration.ofDays(1), executor);
            scope.join();
        }
        assertThat(runs).hasValue(1);
    }

    /** The next alarm is set once the run before is over. */
    private void runUntil(GroupExecutor executor, int count) {
        Deadline.until("runs: " + count, () -> {
            clock.advance(Duration.ZERO, executor);
            return runs.get() == count;
        });
    }

    @Tag("T26")
    @Test
    void aFixedDelayBeginsWhenTheRunHasEnded() throws Exception {
        GroupExecutor executor = engines.start(policy(4), clock);
        try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll(), ScopeSettings::withoutTimeout)) {
            ScheduledFork schedule = scope.scheduleWithFixedDelay("a", Duration.ZERO, SECOND, runs::incrementAndGet);
            runUntil(executor, 1);
            for (int i = 2; i < 5; i++) {
                int count = i;
                Deadline.until("runs: " + count, () -> {
                    clock.advance(Duration.ofMillis(100), executor);
                    return runs.get() == count;
                });
            }
            assertThat(schedule.cancel()).isTrue();
            assertThat(schedule.cancel()).isFalse();
            assertThat(schedule.isCancelled()).isTrue();
            assertThat(schedule.isDone()).isTrue();
            clock.advance(Duration.ofDays(1), executor);
            scope.join();
        }
        assertThat(runs).hasValue(4);
    }

    @Tag("T26")
    @Test
    void aRunThatFailsEndsItsScheduleAndIsLogged() throws Exception {
        GroupExecutor executor = engines.start(policy(1), clock);
        try (CapturedLog log = CapturedLog.open();
                var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll(), ScopeSettings::withoutTimeout)) {
            ScheduledFork schedule = scope.scheduleAtFixedRate("a", Duration.ZERO, SECOND, () -> {
                runs.incrementAndGet();
                throw new IllegalStateException("a run failed");
            });
            clock.advance(Duration.ZERO, executor);
            Deadline.until("it is done", schedule::isDone);
            clock.advance(Duration.ofDays(1), executor);

            assertThat(schedule.isCancelled()).isFalse();
            Deadline.untilAsserted(() -> assertThat(log.warnings()).anyMatch(line -> line.contains("scheduled fork")));
            scope.join();
        }
        assertThat(runs).hasValue(1);
    }

    @Tag("S12")
    @Tag("T26")
    @Test
    void anOwnerThatHasJoinedIsNotBlamedForWhatARunForks() throws Exception {
        GroupExecutor executor = engines.start(policy(1), clock);
        Gate forking = new Gate();
        AtomicReference<Subtask<Object>> forked = new AtomicReference<>();
        try (var scope = Scopes.of(executor).open(slowToFork(forking))) {
            scope.schedule("a", Duration.ZERO, () -> forked.set(scope.fork("b", this::interrupted)));
            clock.advance(Duration.ZERO, executor);
            forking.awaitArrived(1);
            scope.join();
            forking.open();
            gate.awaitArrived(1);
        }
        assertThat(forked.get().phase()).isEqualTo(Subtask.Phase.CANCELLED);
    }

    private static Joiner<Object, String, RuntimeException> slowToFork(Gate forking) {
        return new Joiner<>() {
            @Override
            public boolean onFork(Subtask<Object> subtask) {
                forking.passStubbornly();
                return false;
            }

            @Override
            public String result() {
                return "joined";
            }

            @Override
            public String timeout() {
                return "late";
            }
        };
    }

    @Tag("T26")
    @Test
    void withoutAGroupOfItsOwnAScheduleRunsInThatOfItsScope() throws Exception {
        List<String> groups = new CopyOnWriteArrayList<>();
        Runnable run = () -> groups.add(Thread.currentThread().getName());
        GroupExecutor executor = engines.startPlain(policy(1), clock.environment());
        try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll(), settings -> settings.withGroup("own"))) {
            scope.schedule(SECOND, run);
            scope.schedule(SECOND, () -> {
                run.run();
                return "dropped";
            });
            scope.scheduleAtFixedRate(SECOND, SECOND, run).isDone();
            scope.scheduleWithFixedDelay(SECOND, SECOND, run);
            clock.advance(SECOND, executor);
            Deadline.until("all ran", () -> groups.size() == 4);

            assertThat(groups).containsOnly("own");
            scope.join();
        }
    }

    @Tag("T26")
    @Test
    void aShutdownEndsASchedulesRunsWithoutAWarning() throws Exception {
        GroupExecutor executor = engines.start(policy(1), clock);
        try (CapturedLog log = CapturedLog.open();
                var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll())) {
            ScheduledFork schedule = scope.scheduleAtFixedRate("a", SECOND, SECOND, runs::incrementAndGet);
            executor.shutdown();
            clock.advance(SECOND, executor);
            Deadline.until("it is done", schedule::isDone);

            assertThat(log.warnings()).isEmpty();
            scope.join();
        }
    }

    @Tag("T27")
    @Test
    void noneStartsOnceTheScopeIsCancelled() throws Exception {
        GroupExecutor executor = engines.start(policy(1), clock);
        try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll(), ScopeSettings::withoutTimeout)) {
            ScheduledFork schedule = scope.scheduleAtFixedRate("a", SECOND, SECOND, runs::incrementAndGet);
            scope.cancel();
            clock.advance(Duration.ofDays(1), executor);

            assertThat(schedule.isCancelled()).isTrue();
            scope.join();
        }
        assertThat(runs).hasValue(0);
    }

    @Tag("T27")
    @Test
    void aScheduleWhoseScopeWasCancelledAfterItsLastRunStaysCancelled() throws Exception {
        GroupExecutor executor = engines.start(policy(1), clock);
        AtomicReference<CancellationToken> token = new AtomicReference<>();
        AtomicReference<Thread> run = new AtomicReference<>();
        ScopeListener listener = new ScopeListener() {
            @Override
            public void onSuccess(ForkInfo fork, Duration ran) {
                token.get().cancel();
            }
        };
        try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll(), cf -> cf.withListener(listener))) {
            token.set(scope.token());
            ScheduledFork schedule =
                    scope.scheduleAtFixedRate("a", Duration.ZERO, SECOND, () -> run.set(Thread.currentThread()));
            clock.advance(Duration.ZERO, executor);
            Deadline.until("the scope is cancelled", scope::isCancelled);
            Deadline.until("the run is over", () -> !run.get().isAlive());

            assertThat(schedule.isCancelled()).isTrue();
            assertThat(schedule.isDone()).isTrue();
            scope.join();
        }
    }

    @Tag("T26")
    @Test
    void aScheduleWithoutMemoryForARunHasEndedForItsTraceToo() throws Exception {
        AtomicReference<Thread> alarm = new AtomicReference<>();
        TaskThreads watched = (name, work) -> {
            Thread thread = TaskThreads.VIRTUAL.unstarted(name, work);
            alarm.set(thread);
            return thread;
        };
        LongSupplier failing = () -> {
            if (alarm.compareAndSet(Thread.currentThread(), null)) {
                throw new OutOfMemoryError("no memory for a run");
            }
            return clock.getAsLong();
        };
        AtomicReference<GroupResult<?>> heard = new AtomicReference<>();
        TaskTrace trace = new TaskTrace() {
            @Override
            public void onCompleted(GroupResult<?> result) {
                heard.set(result);
            }
        };
        GroupPolicy traced =
                policy(1).toBuilder().taskTracer((groupKey, taskId) -> trace).build();
        GroupExecutor executor = engines.startPlain(traced, new Surroundings(failing, watched, false));
        try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll(), ScopeSettings::withoutTimeout)) {
            ScheduledFork schedule = scope.schedule("a", Duration.ZERO, runs::incrementAndGet);
            clock.advance(Duration.ZERO, executor);
            Deadline.until("it is done", schedule::isDone);

            Deadline.until("its trace has heard", () -> heard.get() != null);
            assertThat(heard.get().status()).isEqualTo(TaskStatus.CANCELLED);
            scope.join();
        }
        assertThat(runs).hasValue(0);
    }

    @Tag("S15")
    @Test
    void aScopeIsClosedOnceTheTraceOfAScheduleHasHeardOfItsEnd() throws Exception {
        Gate running = new Gate();
        Gate telling = new Gate();
        TaskTrace trace = new TaskTrace() {
            @Override
            public void onCompleted(GroupResult<?> result) {
                telling.passStubbornly();
            }
        };
        GroupPolicy traced =
                policy(1).toBuilder().taskTracer((groupKey, taskId) -> trace).build();
        GroupExecutor executor = engines.start(traced, clock);
        Caller<Object> owner = Caller.start(() -> {
            try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll(), ScopeSettings::withoutTimeout)) {
                scope.schedule("a", Duration.ZERO, running.then("x"));
                clock.advance(Duration.ZERO, executor);
                running.awaitArrived(1);
                scope.cancel();
                return scope.join();
            }
        });
        telling.awaitArrived(1);

        owner.awaitBlocked();

        telling.open();
        owner.result();
    }

    @Tag("T27")
    @Test
    void noUserCodeDelaysATimer() throws Exception {
        GroupExecutor executor = executor(64);
        Gate running = new Gate();
        try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll())) {
            for (int i = 0; i < 32; i++) {
                scope.schedule("a", Duration.ofMillis(1), gate.then("x"));
            }
            scope.schedule("a", Duration.ofMillis(10), running.then("y"));
            running.awaitArrived(1);
            scope.cancel();
            scope.join();
        }
    }

    @Tag("T27")
    @Test
    void closeEndsARunAndWaitsForIt() throws Exception {
        GroupExecutor executor = executor(1);
        AtomicInteger ended = new AtomicInteger();
        try (var scope = Scopes.of(executor).open(Joiner.<Object>awaitAll())) {
            scope.schedule("a", Duration.ZERO, () -> {
                try {
                    return interrupted();
                } finally {
                    ended.incrementAndGet();
                }
            });
            gate.awaitArrived(1);
            scope.join();
        }
        assertThat(ended).hasValue(1);
        assertThat(executor.stats().running()).isZero();
    }
}
