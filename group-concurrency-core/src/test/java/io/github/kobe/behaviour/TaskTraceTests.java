package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskTrace;
import io.github.kobe.TaskTracer;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.scope.ForkOptions;
import io.github.kobe.scope.Joiner;
import io.github.kobe.scope.RetryPolicy;
import io.github.kobe.scope.ScheduledFork;
import io.github.kobe.scope.ScopeSettings;
import io.github.kobe.scope.Scopes;
import io.github.kobe.scope.Subtask;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("G45")
class TaskTraceTests {

    private static final ForkOptions PAUSING_AFTER_THE_FIRST_ATTEMPT =
            ForkOptions.in("a").withRetry(RetryPolicy.attempts(2).withDelay(Duration.ofSeconds(1)));

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();
    private final Gate gate = new Gate();
    private final Gate goesOn = new Gate();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final List<GroupResult<?>> ends = new CopyOnWriteArrayList<>();
    private final AtomicInteger traces = new AtomicInteger();

    /** Follows the work of group "a", each piece by a number of its own. */
    private TaskTrace follow(String groupKey, String taskId) {
        return groupKey.equals("a") ? new Numbered(traces.incrementAndGet(), taskId) : null;
    }

    private final TaskLifecycleListener listener = new TaskLifecycleListener() {
        @Override
        public void onSubmitted(String groupKey, String taskId) {
            if (groupKey.equals("a")) {
                events.add("submitted");
            }
        }
    };

    private final class Numbered implements TaskTrace {
        private final int number;

        Numbered(int number, String taskId) {
            this.number = number;
            events.add(number + " made" + (taskId.equals("named") ? " for named" : ""));
        }

        @Override
        public <T> Callable<T> around(Callable<T> task) {
            events.add(number + " around");
            return () -> {
                events.add(number + " begins");
                T value = task.call();
                events.add(number + " ends");
                return value;
            };
        }

        @Override
        public void onStarted(long queuedNanos) {
            events.add(number + " started");
        }

        @Override
        public void onRejected(RejectionReason reason) {
            events.add(number + " " + reason);
        }

        @Override
        public void onCompleted(GroupResult<?> result) {
            ends.add(result);
            events.add(number + " " + result.status());
        }
    }

    private GroupExecutor start(GroupPolicy.Builder policy) {
        return engines.start(
                policy.taskLifecycleListener(listener).taskTracer(this::follow).build(), clock);
    }

    private void assertHeard(String... expected) {
        Deadline.untilAsserted(() -> assertThat(events).containsExactly(expected));
    }

    private TaskHandle<String> occupy(GroupExecutor executor) {
        TaskHandle<String> holder = executor.submit("a", "same", gate.then("held"));
        gate.awaitArrived(1);
        events.clear();
        return holder;
    }

    @Test
    void aTraceFollowsOneTaskFromItsSubmissionToItsEnd() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());

        assertThat(executor.submit("a", "1", () -> "done").await().value()).isEqualTo("done");

        assertHeard("1 made", "submitted", "1 around", "1 started", "1 begins", "1 ends", "1 SUCCESS");
    }

    @Test
    void workOfTheSameIdIsToldApart() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());
        TaskHandle<String> holder = occupy(executor);
        TaskHandle<String> second = executor.submit("a", "same", () -> "second");
        TaskHandle<String> third = executor.submit("a", "same", () -> "third");
        events.clear();

        second.cancel(true);
        gate.open();
        holder.await();
        third.await();

        // The first is told of its end when its permit is back, with which the third may be running already.
        Deadline.untilAsserted(() -> assertThat(events)
                .containsExactlyInAnyOrder(
                        "2 CANCELLED", "1 ends", "1 SUCCESS", "3 started", "3 begins", "3 ends", "3 SUCCESS")
                .containsSubsequence("2 CANCELLED", "1 ends", "1 SUCCESS")
                .containsSubsequence("1 ends", "3 started", "3 begins", "3 ends", "3 SUCCESS"));
    }

    @Test
    void aRejectedTasksTraceHearsWhy() {
        GroupExecutor executor = start(GroupPolicy.builder().defaultQueueThresholdPerGroup(0));
        occupy(executor);

        executor.submit("a", "same", () -> "no");

        assertHeard("2 made", "submitted", "2 around", "2 GROUP_QUEUE_FULL");
        gate.open();
    }

    @Test
    void aTaskThatWaitedTooLongIsToldToItsTrace() {
        GroupExecutor executor = start(GroupPolicy.builder().queueTimeout(Duration.ofSeconds(1)));
        occupy(executor);
        executor.submit("a", "same", () -> "no");
        events.clear();

        clock.advance(Duration.ofSeconds(2), executor);

        assertHeard("2 QUEUE_TIMEOUT");
        gate.open();
    }

    @Test
    void aTraceIsToldOfTheEndOfAStage() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());
        CompletableFuture<String> stage = new CompletableFuture<>();
        TaskHandle<String> handle = executor.submitAsync("a", "1", () -> stage);
        assertHeard("1 made", "submitted", "1 around", "1 started", "1 begins", "1 ends");
        events.clear();

        stage.complete("late");
        handle.await();

        assertHeard("1 SUCCESS");
    }

    @Test
    void workOnTheCallersThreadIsFollowedToo() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());

        assertThat(executor.call("a", () -> "done")).isEqualTo("done");

        assertHeard("1 made", "submitted", "1 started", "1 around", "1 begins", "1 ends", "1 SUCCESS");
    }

    @Test
    void aRejectedCallsTraceHearsWhy() {
        GroupExecutor executor = start(GroupPolicy.builder());
        occupy(executor);

        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> executor.call("a", Duration.ZERO, () -> "no"));

        assertHeard("2 made", "submitted", "2 QUEUE_TIMEOUT");
        gate.open();
    }

    @Test
    void aPermitIsFollowedUntilItIsClosed() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());

        GroupPermit permit = executor.acquire("a");
        assertHeard("1 made", "submitted", "1 started");
        permit.close();

        assertHeard("1 made", "submitted", "1 started", "1 SUCCESS");
    }

    @Test
    void anAsynchronousPermitIsFollowedUntilItIsClosed() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());

        executor.acquireAsync("a")
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS)
                .close();

        assertHeard("1 made", "submitted", "1 started", "1 SUCCESS");
    }

    @Test
    void anAsynchronousPermitIsToldByItsId() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());

        executor.acquireAsync("a", "named", GroupLimits.NO_TIMEOUT)
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS)
                .close();

        assertHeard("1 made for named", "submitted", "1 started", "1 SUCCESS");
    }

    @Test
    void anAsynchronousWaitThatIsGivenUpIsToldToItsTrace() {
        GroupExecutor executor = start(GroupPolicy.builder());
        occupy(executor);
        CompletableFuture<GroupPermit> waiting = executor.acquireAsync("a").toCompletableFuture();
        events.clear();

        waiting.cancel(true);

        assertHeard("2 CANCELLED");
        gate.open();
    }

    @Test
    void anAsynchronousWaitThatTookTooLongIsToldToItsTrace() {
        GroupExecutor executor = start(GroupPolicy.builder().queueTimeout(Duration.ofSeconds(1)));
        occupy(executor);
        CompletableFuture<GroupPermit> waiting = executor.acquireAsync("a").toCompletableFuture();
        events.clear();

        clock.advance(Duration.ofSeconds(2), executor);

        assertHeard("2 QUEUE_TIMEOUT");
        assertThat(waiting).failsWithin(Duration.ofSeconds(20));
        gate.open();
    }

    @Test
    void workOfAViewIsFollowed() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());
        ExecutorService view = executor.asExecutorService("a");

        view.submit(() -> "done").get(20, TimeUnit.SECONDS);

        assertHeard("1 made", "submitted", "1 around", "1 started", "1 begins", "1 ends", "1 SUCCESS");
    }

    @Test
    void aDecoratorStandsAroundWhatTheTraceHasWrapped() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder().taskDecorator((groupKey, task) -> {
            return () -> {
                events.add("decorator begins");
                return task.call();
            };
        }));

        executor.submit("a", "1", () -> "done").await();

        assertHeard(
                "1 made", "submitted", "1 around", "1 started", "decorator begins", "1 begins", "1 ends", "1 SUCCESS");
    }

    @Test
    void whatBeganUnderATracerIsFollowedToItsEndAfterThePolicyWasReplaced() throws Exception {
        GroupExecutor executor = engines.startPlain(
                GroupPolicy.builder().taskTracer(this::follow).build());
        TaskHandle<String> holder = occupy(executor);
        executor.updatePolicy(GroupPolicy.builder().build());
        gate.open();

        holder.await();

        assertHeard("1 ends", "1 SUCCESS");
    }

    private static Object failing() {
        throw new IllegalStateException("attempt");
    }

    private static void awaitPause(Subtask<?> fork) {
        Deadline.until("it waits for its next attempt", () -> fork.phase() == Subtask.Phase.DELAYED);
    }

    @Test
    void aForkWhoseLastAttemptIsRejectedHasFailedForItsTrace() throws Exception {
        GroupExecutor executor =
                start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1).defaultQueueThresholdPerGroup(0));
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise(), ScopeSettings::withoutTimeout)) {
            Subtask<Object> fork = scope.fork(PAUSING_AFTER_THE_FIRST_ATTEMPT, TaskTraceTests::failing);
            awaitPause(fork);
            Deadline.until("its permit is back", () -> executor.stats().running() == 0);
            TaskHandle<String> holder = occupy(executor);

            Deadline.until("it was tried again", () -> {
                clock.advance(Duration.ofSeconds(1), executor);
                return fork.phase() == Subtask.Phase.FAILED;
            });
            Throwable failure = scope.join().failures().getFirst();

            assertThat(failure).isInstanceOf(RejectedTaskException.class);
            assertHeard("submitted", "1 FAILED");
            assertThat(ends.getFirst().error()).isSameAs(failure);
            gate.open();
            holder.await();
        }
    }

    @Test
    void aScheduleWhoseLastRunIsRejectedHasFailedForItsTrace() throws Exception {
        GroupExecutor executor =
                start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1).defaultQueueThresholdPerGroup(0));
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise(), ScopeSettings::withoutTimeout)) {
            ScheduledFork schedule = scope.scheduleAtFixedRate("a", Duration.ZERO, Duration.ofSeconds(1), () -> {});
            clock.advance(Duration.ZERO, executor);
            Deadline.until(
                    "its first run is over",
                    () -> events.contains("1 ends") && executor.stats().running() == 0);
            TaskHandle<String> holder = occupy(executor);

            Deadline.until("it was to run again", () -> {
                clock.advance(Duration.ofSeconds(1), executor);
                return schedule.isDone();
            });

            assertHeard("submitted", "1 FAILED");
            assertThat(ends.getFirst().error()).isInstanceOf(RejectedTaskException.class);
            gate.open();
            holder.await();
        }
    }

    /** Goes on after an interrupt, until it may end. */
    private void runOn(CountDownLatch interrupted) {
        try {
            gate.pass();
        } catch (InterruptedException meant) {
            interrupted.countDown();
        }
        goesOn.passStubbornly();
    }

    /** A run that is interrupted has its permit still. */
    private void assertEndsWithItsRun(GroupExecutor executor, ScheduledFork schedule, CountDownLatch interrupted) {
        events.clear();

        assertThat(schedule.cancel()).isTrue();

        Deadline.until("the run is interrupted", () -> interrupted.getCount() == 0);
        assertThat(executor.stats().running()).isEqualTo(1);
        assertThat(events).isEmpty();
        goesOn.open();
        assertHeard("1 ends", "1 CANCELLED");
    }

    @Test
    void aScheduleThatIsCancelledInItsFirstRunEndsForItsTraceOnceThatRunDoes() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());
        CountDownLatch interrupted = new CountDownLatch(1);
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise(), ScopeSettings::withoutTimeout)) {
            ScheduledFork schedule = scope.schedule("a", Duration.ZERO, () -> runOn(interrupted));
            clock.advance(Duration.ZERO, executor);
            gate.awaitArrived(1);

            assertEndsWithItsRun(executor, schedule, interrupted);
        }
    }

    @Test
    void aScheduleThatIsCancelledInALaterRunEndsForItsTraceOnceThatRunDoes() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());
        CountDownLatch interrupted = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise(), ScopeSettings::withoutTimeout)) {
            ScheduledFork schedule = scope.scheduleAtFixedRate("a", Duration.ZERO, Duration.ofSeconds(1), () -> {
                if (runs.incrementAndGet() == 2) {
                    runOn(interrupted);
                }
            });
            Deadline.until("its second run has begun", () -> {
                clock.advance(Duration.ofSeconds(1), executor);
                return gate.arrived() == 1;
            });

            assertEndsWithItsRun(executor, schedule, interrupted);
        }
    }

    @Test
    void aForkThatIsCancelledInThePauseAfterAnAttemptIsCancelledForItsTrace() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise())) {
            Subtask<Object> fork = scope.fork(PAUSING_AFTER_THE_FIRST_ATTEMPT, TaskTraceTests::failing);
            awaitPause(fork);
            events.clear();

            fork.cancel();

            assertHeard("1 CANCELLED");
            scope.join();
        }
    }

    @Test
    void aForkWhoseTimeIsUpInThePauseAfterAnAttemptHasFailedWithThatForItsTrace() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise())) {
            awaitPause(scope.fork(
                    PAUSING_AFTER_THE_FIRST_ATTEMPT.withTimeout(Duration.ofMillis(500)), TaskTraceTests::failing));
            events.clear();

            clock.advance(Duration.ofMillis(500), executor);
            scope.join();

            assertHeard("1 FAILED");
            assertThat(ends.getFirst().error()).isInstanceOf(TimeoutException.class);
        }
    }

    /** Code that goes on until it is interrupted, and then returns a value all the same. */
    private Object goingOn() {
        try {
            gate.pass();
        } catch (InterruptedException ignored) {
            events.add("interrupted");
        }
        return "x";
    }

    @Test
    void aForkWhoseTimeIsUpWhileItsCodeGoesOnHasFailedWithThatForItsTrace() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise())) {
            scope.fork(PAUSING_AFTER_THE_FIRST_ATTEMPT.withTimeout(Duration.ofMillis(500)), this::goingOn);
            gate.awaitArrived(1);
            events.clear();

            clock.advance(Duration.ofMillis(500), executor);
            scope.join();

            assertHeard("interrupted", "1 ends", "1 FAILED");
            assertThat(ends.getFirst().error()).isInstanceOf(TimeoutException.class);
            assertThat(ends.getFirst().durationNanos())
                    .isEqualTo(Duration.ofMillis(500).toNanos());
        }
    }

    @Test
    void aForkThatIsCancelledWhileItsCodeGoesOnIsCancelledForItsTrace() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise())) {
            Subtask<Object> fork = scope.fork(PAUSING_AFTER_THE_FIRST_ATTEMPT, this::goingOn);
            gate.awaitArrived(1);
            events.clear();

            fork.cancel();
            scope.join();

            assertHeard("interrupted", "1 ends", "1 CANCELLED");
        }
    }

    @Test
    void aForkWhoseTimeIsUpInThePauseAfterARejectionHasFailedWithThatForItsTrace() throws Exception {
        GroupExecutor executor =
                start(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1).defaultQueueThresholdPerGroup(0));
        TaskHandle<String> holder = occupy(executor);
        try (var scope = Scopes.of(executor).open(Joiner.<Object>supervise(), ScopeSettings::withoutTimeout)) {
            awaitPause(scope.fork(
                    PAUSING_AFTER_THE_FIRST_ATTEMPT.withTimeout(Duration.ofMillis(500)), TaskTraceTests::failing));
            events.clear();

            clock.advance(Duration.ofMillis(500), executor);
            scope.join();

            assertHeard("2 FAILED");
            assertThat(ends.getFirst().error()).isInstanceOf(TimeoutException.class);
        }
        gate.open();
        holder.await();
    }

    @Test
    void whatATraceThrowsChangesNothing() throws Exception {
        AtomicInteger called = new AtomicInteger();
        TaskTrace failing = new TaskTrace() {
            @Override
            public <T> Callable<T> around(Callable<T> task) {
                called.incrementAndGet();
                throw new AssertionError("around");
            }

            @Override
            public void onStarted(long queuedNanos) {
                called.incrementAndGet();
                throw new AssertionError("onStarted");
            }

            @Override
            public void onRejected(RejectionReason reason) {
                called.incrementAndGet();
                throw new AssertionError("onRejected");
            }

            @Override
            public void onCompleted(GroupResult<?> result) {
                called.incrementAndGet();
                throw new AssertionError("onCompleted");
            }
        };
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().taskTracer((groupKey, taskId) -> failing).build());

        assertThat(executor.submit("a", "1", () -> "done").await().value()).isEqualTo("done");
        assertThat(executor.call("a", () -> "done")).isEqualTo("done");
        executor.pause("a");
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> executor.call("a", Duration.ZERO, () -> "no"));

        assertThat(called).hasValue(7);
    }

    @Test
    void aTracerThatFailsLetsTheTaskRun() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .taskTracer((groupKey, taskId) -> {
                    throw new AssertionError("trace");
                })
                .build());

        assertThat(executor.submit("a", "1", () -> "done").await().value()).isEqualTo("done");
    }

    @Test
    void aTraceThatWrapsATaskInNothingIsPassedOver() throws Exception {
        TaskTrace wrappingInNothing = new TaskTrace() {
            @Override
            public <T> Callable<T> around(Callable<T> task) {
                return null;
            }
        };
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .taskTracer((groupKey, taskId) -> wrappingInNothing)
                .build());

        assertThat(executor.submit("a", "1", () -> "done").await().value()).isEqualTo("done");
    }

    /** Follows all work while it is on. */
    private static final class Switched implements TaskTracer {
        private volatile boolean on;
        private final AtomicInteger asked = new AtomicInteger();

        @Override
        public boolean isOn() {
            return on;
        }

        @Override
        public TaskTrace trace(String groupKey, String taskId) {
            asked.incrementAndGet();
            return new TaskTrace() {};
        }
    }

    @Test
    void aTracerThatIsOffIsNotAskedForATrace() throws Exception {
        for (boolean several : new boolean[] {false, true}) {
            Switched tracer = new Switched();
            GroupPolicy.Builder policy = GroupPolicy.builder().taskTracer(tracer);
            GroupExecutor executor = engines.start((several ? policy.addTaskTracer(new Switched()) : policy).build());
            for (boolean on : new boolean[] {false, true}) {
                tracer.on = on;
                executor.call("a", () -> "done");
                executor.acquire("a").close();
                executor.submit("a", "1", () -> "done").await();
                assertThat(tracer.asked).hasValue(on ? 3 : 0);
            }
        }
    }

    @Test
    void aTracerThatCannotTellWhetherItIsOnLetsTheWorkRun() throws Exception {
        TaskTracer failing = new TaskTracer() {
            @Override
            public boolean isOn() {
                throw new AssertionError("isOn");
            }

            @Override
            public TaskTrace trace(String groupKey, String taskId) {
                return new TaskTrace() {};
            }
        };
        for (int tracers = 1; tracers <= 2; tracers++) {
            GroupExecutor executor = engines.start(GroupPolicy.builder()
                    .taskTracers(Collections.nCopies(tracers, failing))
                    .build());
            assertThat(executor.call("a", () -> "done")).isEqualTo("done");
            assertThat(executor.submit("a", "1", () -> "done").await().value()).isEqualTo("done");
        }
    }
}
