package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class TaskHandleTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();
    private final Gate gate = new Gate();

    private GroupExecutor start() {
        return engines.start(GroupPolicy.builder().build());
    }

    /** A task that runs until the gate opens. */
    private TaskHandle<String> running(GroupExecutor executor) {
        TaskHandle<String> handle = executor.submit("a", "runs", gate.stubbornlyThen("done"));
        gate.awaitArrived(1);
        return handle;
    }

    @Test
    @Tag("G30")
    void theDurationIsOfTheExecutionAlone() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build(), clock);
        running(executor);
        TaskHandle<String> waits = executor.submit("a", "waits", () -> {
            clock.advance(Duration.ofSeconds(3));
            return "done";
        });
        clock.advance(Duration.ofSeconds(5));
        gate.open();

        assertThat(waits.await().durationNanos())
                .isEqualTo(Duration.ofSeconds(3).toNanos());
    }

    @Test
    @Tag("G30")
    @Tag("G45")
    void theStartIsTakenAfterTheListenerHasHeardOfIt() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder()
                        .taskLifecycleListener(new TaskLifecycleListener() {
                            @Override
                            public void onStarted(String groupKey, String taskId) {
                                clock.advance(SECOND);
                            }

                            @Override
                            public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                                clock.advance(SECOND);
                            }
                        })
                        .build(),
                clock);

        assertThat(executor.submit("a", "1", () -> "done").await().durationNanos())
                .isZero();
    }

    @Test
    @Tag("E8")
    void aTaskThatStartsAtOnceHasNotQueued() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build(), clock);

        TaskHandle<String> handle = executor.submit("a", "1", () -> {
            clock.advance(SECOND);
            return "done";
        });

        handle.await();
        assertThat(handle.queuedNanos()).isZero();
    }

    @Test
    @Tag("E8")
    void aTaskThatWaitsTellsHowLong() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build(), clock);
        running(executor);
        TaskHandle<String> handle = executor.submit("a", "1", () -> "done");
        clock.advance(SECOND);
        assertThat(handle.queuedNanos()).isEqualTo(SECOND.toNanos());
        clock.advance(SECOND);
        gate.open();
        handle.await();

        clock.advance(SECOND);

        assertThat(handle.queuedNanos()).isEqualTo(2 * SECOND.toNanos());
    }

    @Test
    @Tag("E8")
    void theWaitOfATaskCancelledInTheQueueEndsThere() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build(), clock);
        running(executor);
        TaskHandle<String> handle = executor.submit("a", "1", () -> "done");
        clock.advance(SECOND);
        handle.cancel(false);

        clock.advance(SECOND);

        assertThat(handle.queuedNanos()).isEqualTo(SECOND.toNanos());
        gate.open();
    }

    @Test
    @Tag("E8")
    void theClockIsNotReadForATaskThatStartsAtOnceButForItsTwoTimes() throws Exception {
        AtomicLong reads = new AtomicLong();
        GroupExecutor executor = engines.startPlain(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build(),
                new Surroundings(
                        () -> {
                            reads.incrementAndGet();
                            return clock.getAsLong();
                        },
                        TaskThreads.VIRTUAL,
                        false));
        TaskHandle<String> holder = executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);

        long before = reads.get();
        executor.submit("a", "1", () -> "done").await();

        assertThat(reads.get() - before).isEqualTo(2);
        gate.open();
        holder.await();
    }

    @Test
    @Tag("G31")
    void aHandleIsDoneWhenItsTaskHasEnded() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> handle = running(executor);

        assertThat(handle.isDone()).isFalse();
        gate.open();
        handle.await();

        assertThat(handle.isDone()).isTrue();
    }

    @Test
    @Tag("G31")
    void everyWayToWaitGivesTheSameResult() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> handle = executor.submit("a", "1", () -> "done");

        GroupResult<String> result = handle.await();

        assertThat(handle.await(1, TimeUnit.SECONDS)).isEqualTo(result);
        assertThat(handle.join()).isEqualTo(result);
        assertThat(handle.join(1, TimeUnit.SECONDS)).isEqualTo(result);
        assertThat(handle.toCompletableFuture().join()).isEqualTo(result);
    }

    @Test
    @Tag("G31")
    void aDoneHandleAnswersAnInterruptedCaller() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> handle = executor.submit("a", "1", () -> "done");
        handle.await();

        List<GroupResult<String>> results = Deadline.within(() -> {
            Thread.currentThread().interrupt();
            List<GroupResult<String>> answers = List.of(
                    handle.await(), handle.await(0, TimeUnit.SECONDS), handle.join(), handle.join(0, TimeUnit.SECONDS));
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            return answers;
        });

        assertThat(results).hasSize(4).allMatch(result -> result.status() == TaskStatus.SUCCESS);
    }

    @Test
    @Tag("G31")
    void aTaskThatWaitsForItsOwnHandleIsRefused() throws Exception {
        GroupExecutor executor = start();
        AtomicReference<TaskHandle<String>> self = new AtomicReference<>();
        TaskHandle<String> handle = executor.submit("a", "1", () -> {
            gate.pass();
            assertThatThrownBy(() -> self.get().await()).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> self.get().await(1, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> self.get().join()).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> self.get().join(1, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
            return "refused";
        });
        self.set(handle);
        gate.open();

        assertThat(handle.await().value()).isEqualTo("refused");
    }

    @Test
    @Tag("G33")
    void aTimedWaitThatRunsOutIsACancelledResultOfTheWaitAlone() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> handle = running(executor);

        for (GroupResult<String> timedOut : List.of(
                handle.await(1, TimeUnit.MILLISECONDS),
                handle.await(0, TimeUnit.SECONDS),
                handle.await(-1, TimeUnit.SECONDS),
                handle.join(1, TimeUnit.MILLISECONDS),
                handle.join(0, TimeUnit.SECONDS))) {
            assertThat(timedOut.status()).isEqualTo(TaskStatus.CANCELLED);
            assertThat(timedOut.error()).isInstanceOf(TimeoutException.class);
        }

        assertThat(handle.isDone()).isFalse();
        gate.open();
        assertThat(handle.await().value()).isEqualTo("done");
    }

    @Test
    @Tag("G33")
    void aTimedWaitEndsWithTheTask() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> handle = running(executor);
        Caller<GroupResult<String>> waiting =
                Caller.start(() -> handle.await(1, TimeUnit.DAYS)).awaitBlockedOn(handle);
        Caller<GroupResult<String>> endless =
                Caller.start(() -> handle.join(Long.MAX_VALUE, TimeUnit.DAYS)).awaitBlockedOn(handle);

        gate.open();

        assertThat(waiting.result().value()).isEqualTo("done");
        assertThat(endless.result().value()).isEqualTo("done");
    }

    @Test
    @Tag("G31")
    void anInterruptedAwaitThrowsAndTheTaskGoesOn() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> handle = running(executor);
        Caller<GroupResult<String>> plain = Caller.start(() -> handle.await()).awaitBlockedOn(handle);
        Caller<GroupResult<String>> timed =
                Caller.start(() -> handle.await(1, TimeUnit.DAYS)).awaitBlockedOn(handle);

        plain.interrupt();
        timed.interrupt();

        assertThatThrownBy(plain::result).isInstanceOf(InterruptedException.class);
        assertThatThrownBy(timed::result).isInstanceOf(InterruptedException.class);
        assertThat(handle.isDone()).isFalse();
        gate.open();
        assertThat(handle.await().value()).isEqualTo("done");
    }

    @Test
    @Tag("G34")
    void anInterruptedJoinIsACancelledResultAndTheFlagStaysSet() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> handle = running(executor);
        AtomicInteger flags = new AtomicInteger();
        Caller<GroupResult<String>> plain = Caller.start(() -> {
            GroupResult<String> result = handle.join();
            flags.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
            return result;
        });
        Caller<GroupResult<String>> timed = Caller.start(() -> {
            GroupResult<String> result = handle.join(1, TimeUnit.DAYS);
            flags.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
            return result;
        });
        plain.awaitBlockedOn(handle).interrupt();
        timed.awaitBlockedOn(handle).interrupt();

        for (GroupResult<String> result : List.of(plain.result(), timed.result())) {
            assertThat(result.status()).isEqualTo(TaskStatus.CANCELLED);
            assertThat(result.error()).isInstanceOf(InterruptedException.class);
        }
        assertThat(flags).hasValue(2);
        assertThat(handle.isDone()).isFalse();
        gate.open();
        assertThat(handle.await().value()).isEqualTo("done");
    }

    @Test
    @Tag("G31")
    void manyMayWaitForOneHandle() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> handle = running(executor);
        List<Caller<GroupResult<String>>> callers = List.of(
                Caller.start(() -> handle.await()).awaitBlockedOn(handle),
                Caller.start(() -> handle.join()).awaitBlockedOn(handle),
                Caller.startPlatform(() -> handle.await()).awaitBlockedOn(handle));

        gate.open();

        for (Caller<GroupResult<String>> caller : callers) {
            assertThat(caller.result().value()).isEqualTo("done");
        }
    }
}
