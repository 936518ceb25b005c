package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("G45")
class ListenerTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();
    private final Gate gate = new Gate();
    private final Recorder heard = new Recorder();

    /** Writes down what it hears of one group, "a". */
    private static class Recorder implements TaskLifecycleListener {

        private final List<String> events = new CopyOnWriteArrayList<>();

        private void add(String groupKey, String taskId, String event) {
            if (groupKey.equals("a")) {
                events.add(taskId + " " + event);
            }
        }

        @Override
        public void onSubmitted(String groupKey, String taskId) {
            add(groupKey, taskId, "submitted");
        }

        @Override
        public void onStarted(String groupKey, String taskId) {
            add(groupKey, taskId, "started");
        }

        @Override
        public void onRejected(String groupKey, String taskId, RejectionReason reason) {
            add(groupKey, taskId, reason.name());
        }

        @Override
        public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
            add(groupKey, taskId, result.status().name());
        }
    }

    private GroupExecutor start(GroupPolicy.Builder policy) {
        return engines.start(policy.taskLifecycleListener(heard).build(), clock);
    }

    private void assertHeard(String... events) {
        Deadline.untilAsserted(() -> assertThat(heard.events).containsExactly(events));
    }

    /** Has group "a" run a task of which the recorder hears nothing more than its beginning. */
    private TaskHandle<String> occupy(GroupExecutor executor) {
        TaskHandle<String> holder = executor.submit("a", "holder", gate.stubbornlyThen("held"));
        gate.awaitArrived(1);
        heard.events.clear();
        return holder;
    }

    @Test
    void aTaskIsSubmittedStartedAndCompleted() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());

        executor.submit("a", "1", () -> "done").await();
        executor.<String>submit("a", "2", () -> {
                    throw new Exception("no");
                })
                .await();

        assertHeard("1 submitted", "1 started", "1 SUCCESS", "2 submitted", "2 started", "2 FAILED");
    }

    @Test
    void nothingFollowsARejection() throws Exception {
        GroupExecutor executor =
                start(GroupPolicy.builder().defaultQueueThresholdPerGroup(0).rejectionPolicy(RejectionPolicy.DISCARD));
        TaskHandle<String> holder = occupy(executor);

        executor.submit("a", "1", () -> "done").await();
        gate.open();
        holder.await();

        assertHeard("1 submitted", "1 GROUP_QUEUE_FULL", "holder SUCCESS");
    }

    @Test
    @Tag("G21")
    void aTaskThatItsCallerRunsIsRejectedOnly() throws Exception {
        GroupExecutor executor = start(
                GroupPolicy.builder().defaultQueueThresholdPerGroup(0).rejectionPolicy(RejectionPolicy.CALLER_RUNS));
        TaskHandle<String> holder = occupy(executor);

        assertThat(executor.submit("a", "1", () -> "ran").await().value()).isEqualTo("ran");
        gate.open();
        holder.await();

        assertHeard("1 submitted", "1 GROUP_QUEUE_FULL", "holder SUCCESS");
    }

    @Test
    void aTaskThatIsCancelledInTheQueueCompletesWithoutAStart() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());
        TaskHandle<String> holder = occupy(executor);
        TaskHandle<String> queued = executor.submit("a", "1", () -> "done");

        queued.cancel(true);
        gate.open();
        holder.await();

        assertHeard("1 submitted", "1 CANCELLED", "holder SUCCESS");
    }

    @Test
    @Tag("I2")
    void ofATaskCancelledWhileItRunsTheListenerHearsWhenItsCodeHasEnded() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());
        TaskHandle<String> holder = occupy(executor);

        holder.cancel(true);

        assertThat(holder.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(heard.events).isEmpty();
        gate.open();
        assertHeard("holder CANCELLED");
    }

    @Test
    @Tag("E3")
    void aTaskWhoseTimeIsUpIsRejected() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder().queueTimeout(Duration.ofSeconds(1)));
        TaskHandle<String> holder = occupy(executor);
        executor.submit("a", "1", () -> "done");

        clock.advance(Duration.ofSeconds(1), executor);

        assertHeard("1 submitted", "1 QUEUE_TIMEOUT");
        gate.open();
        holder.await();
        assertHeard("1 submitted", "1 QUEUE_TIMEOUT", "holder SUCCESS");
    }

    @Test
    @Tag("G41")
    void whatAShutdownCancelsCompletes() {
        GroupExecutor executor = start(GroupPolicy.builder());
        occupy(executor);
        executor.submit("a", "1", () -> "done");

        executor.shutdown();

        assertHeard("1 submitted", "1 CANCELLED");
        gate.open();
        assertHeard("1 submitted", "1 CANCELLED", "holder SUCCESS");
    }

    @Test
    void submittedIsHeardBeforeAdmission() throws Exception {
        AtomicReference<GroupExecutor> executor = new AtomicReference<>();
        List<Long> inside = new CopyOnWriteArrayList<>();
        executor.set(engines.start(GroupPolicy.builder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onSubmitted(String groupKey, String taskId) {
                        GroupExecutorStats stats = executor.get().stats();
                        inside.add(stats.inFlight() + stats.queued());
                    }
                })
                .build()));

        executor.get().submit("a", "1", () -> "done").await();

        assertThat(inside).containsExactly(0L);
    }

    @Test
    void startedIsHeardOnTheTasksThread() throws Exception {
        AtomicReference<Thread> listeners = new AtomicReference<>();
        GroupExecutor executor = engines.start(
                GroupPolicy.builder()
                        .taskLifecycleListener(new TaskLifecycleListener() {
                            @Override
                            public void onStarted(String groupKey, String taskId) {
                                listeners.set(Thread.currentThread());
                            }
                        })
                        .build(),
                clock);
        executor.submit("a", "1", gate.then("done"));
        gate.awaitArrived(1);
        TaskHandle<Thread> waits = executor.submit("a", "2", Thread::currentThread);
        clock.advance(Duration.ofSeconds(3));
        gate.open();

        assertThat(waits.await().value()).isSameAs(listeners.get());
        assertThat(waits.queuedNanos()).isEqualTo(Duration.ofSeconds(3).toNanos());
    }

    @Test
    void atTheEndPermitsReturnThenTheListenerHearsThenTheHandleCompletes() throws Exception {
        AtomicReference<GroupExecutor> executor = new AtomicReference<>();
        AtomicReference<TaskHandle<String>> handle = new AtomicReference<>();
        List<String> seen = new CopyOnWriteArrayList<>();
        executor.set(engines.start(GroupPolicy.builder()
                .globalMaxInFlight(1)
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                        GroupExecutorStats stats = executor.get().stats();
                        seen.add("in flight " + stats.inFlight() + ", done "
                                + handle.get().isDone());
                    }
                })
                .build()));
        handle.set(executor.get().submit("a", "1", gate.then("done")));
        CompletableFuture<String> dependent =
                handle.get().toCompletableFuture().thenApply(result -> String.join("; ", seen));

        gate.open();

        assertThat(Deadline.within(dependent::join)).isEqualTo("in flight 0, done false");
    }

    @Test
    void whatTheListenerHasHeardACancelDoesNotChange() throws Exception {
        AtomicReference<TaskHandle<String>> handle = new AtomicReference<>();
        List<Object> seen = new CopyOnWriteArrayList<>();
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                        seen.add(result.status());
                        seen.add(handle.get().cancel(true));
                    }
                })
                .build());
        handle.set(engines.watch(executor, executor.submit("a", "1", gate.then("done"))));
        gate.open();

        assertThat(handle.get().await().status()).isEqualTo(TaskStatus.SUCCESS);
        assertThat(seen).containsExactly(TaskStatus.SUCCESS, false);
    }

    @Test
    void aSlowListenerDelaysOnlyItsTasksResult() throws Exception {
        Gate slow = new Gate();
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                        if (taskId.equals("slow")) {
                            slow.passStubbornly();
                        }
                    }
                })
                .build());
        TaskHandle<String> delayed = executor.submit("a", "slow", () -> "done");
        slow.awaitArrived(1);

        assertThat(executor.submit("a", "2", () -> "next").await().value()).isEqualTo("next");

        assertThat(delayed.isDone()).isFalse();
        slow.open();
        assertThat(delayed.await().value()).isEqualTo("done");
    }

    @Test
    @Tag("G37")
    void whatTheListenerThrowsIsLoggedOnceForEachMethodAndChangesNothing() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .maxIdleGroups(0)
                .taskLifecycleListener(new Thrower())
                .build());

        try (CapturedLog log = CapturedLog.open()) {
            for (int i = 0; i < 3; i++) {
                Gate here = new Gate();
                TaskHandle<String> runs = executor.submit("a\nb", "runs", here.then("done"));
                here.awaitArrived(1);
                assertThat(executor.submit("a\nb", "2", () -> "no").await().status())
                        .isEqualTo(TaskStatus.REJECTED);
                here.open();
                assertThat(runs.await().value()).isEqualTo("done");
                Deadline.until("removed", () -> executor.groupKeys().isEmpty());
            }
            Deadline.untilAsserted(() -> assertThat(log.thrown())
                    .extracting(Throwable::getMessage)
                    .containsExactlyInAnyOrder(
                            "onSubmitted", "onStarted", "onRejected", "onCompleted", "onGroupRemoved"));
            assertThat(log.warnings()).hasSize(5).allMatch(text -> text.contains("'a_b'"));
        }
    }

    private static final class Thrower implements TaskLifecycleListener {

        @Override
        public void onSubmitted(String groupKey, String taskId) {
            throw new IllegalStateException("onSubmitted");
        }

        @Override
        public void onStarted(String groupKey, String taskId) {
            throw new AssertionError("onStarted");
        }

        @Override
        public void onRejected(String groupKey, String taskId, RejectionReason reason) {
            throw new IllegalStateException("onRejected");
        }

        @Override
        public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
            throw new StackOverflowError("onCompleted");
        }

        @Override
        public void onGroupRemoved(String groupKey) {
            throw new AssertionError("onGroupRemoved");
        }
    }

    @Test
    @Tag("E5")
    void callsAndPermitsAreReportedWithAnEmptyId() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());

        executor.call("a", () -> "done");
        executor.acquire("a").close();
        executor.call("a", "named", Deadline.LONG, () -> "done");

        assertHeard(
                " submitted",
                " started",
                " SUCCESS",
                " submitted",
                " started",
                " SUCCESS",
                "named submitted",
                "named started",
                "named SUCCESS");
    }

    @Test
    @Tag("E6")
    void reentrantWorkIsNotReported() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder());

        executor.call("a", () -> executor.call("a", () -> "nested"));

        assertHeard(" submitted", " started", " SUCCESS");
    }

    @Test
    @Tag("E11")
    void ofATaskWhoseDecoratorFailsTheListenerHearsOneEnd() throws Exception {
        GroupExecutor executor = start(GroupPolicy.builder().taskDecorator((groupKey, task) -> {
            throw new IllegalStateException("no");
        }));

        assertThat(executor.submit("a", "1", () -> "done").await().status()).isEqualTo(TaskStatus.FAILED);

        assertHeard("1 submitted", "1 FAILED");
        executor.shutdown();
    }

    /** Asks for the group once more when work of it starts. */
    private static final class ReentrantListener implements TaskLifecycleListener {

        private final AtomicReference<GroupExecutor> executor = new AtomicReference<>();
        private final List<String> seen = new CopyOnWriteArrayList<>();

        @Override
        public void onStarted(String groupKey, String taskId) {
            try {
                seen.add(executor.get().call(groupKey, Duration.ZERO, () -> "inside"));
            } catch (Exception refused) {
                seen.add(refused.toString());
            }
        }
    }

    @Test
    @Tag("E6")
    void whoHearsOfAStartIsInsideAlready() throws Exception {
        ReentrantListener listener = new ReentrantListener();
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().taskLifecycleListener(listener).build(), clock);
        listener.executor.set(executor);

        executor.call("a", () -> "done");
        executor.call("b", () -> executor.call("a", () -> "nested"));
        executor.submit("a", "1", () -> "done").await();

        assertThat(listener.seen).hasSize(4).containsOnly("inside");
    }

    @Test
    @Tag("G30")
    void aPermitsTimeBeginsAfterItsListenerHasHeard() throws Exception {
        List<Duration> lengths = new CopyOnWriteArrayList<>();
        GroupExecutor executor = engines.start(
                GroupPolicy.builder()
                        .taskLifecycleListener(new TaskLifecycleListener() {
                            @Override
                            public void onStarted(String groupKey, String taskId) {
                                clock.advance(Duration.ofSeconds(1));
                            }

                            @Override
                            public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                                lengths.add(Duration.ofNanos(result.durationNanos()));
                            }
                        })
                        .build(),
                clock);

        GroupPermit permit = executor.acquire("a");
        clock.advance(Duration.ofSeconds(2));
        permit.close();

        assertThat(lengths).containsExactly(Duration.ofSeconds(2));
    }

    /** Waits for the handle whose end it hears of. */
    private static final class WaitingListener implements TaskLifecycleListener {

        private final CompletableFuture<TaskHandle<String>> handle = new CompletableFuture<>();
        private final List<String> seen = new CopyOnWriteArrayList<>();

        private void waitFor(String taskId) {
            if (taskId.equals("own")) {
                TaskHandle<String> own = handle.join();
                for (Callable<?> wait : List.<Callable<?>>of(
                        own::await, own::join, () -> own.await(Deadline.SECONDS, TimeUnit.SECONDS))) {
                    try {
                        seen.add("" + wait.call());
                    } catch (Exception refused) {
                        seen.add(refused.getClass().getSimpleName());
                    }
                }
            }
        }

        @Override
        public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
            waitFor(taskId);
        }

        @Override
        public void onRejected(String groupKey, String taskId, RejectionReason reason) {
            waitFor(taskId);
        }
    }

    @Test
    @Tag("G31")
    void whoHearsOfAnEndCantWaitForIt() throws Exception {
        WaitingListener listener = new WaitingListener();
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().taskLifecycleListener(listener).build());

        TaskHandle<String> own = executor.submit("a", "own", () -> "done");
        listener.handle.complete(own);

        assertThat(Deadline.within(() -> own.await()).value()).isEqualTo("done");
        assertThat(listener.seen).hasSize(3).containsOnly("IllegalStateException");
    }

    @Test
    @Tag("G31")
    @Tag("E3")
    void whoHearsOfARejectionCantWaitForItsHandle() throws Exception {
        WaitingListener listener = new WaitingListener();
        GroupExecutor executor = engines.start(
                GroupPolicy.builder()
                        .queueTimeout(Duration.ofSeconds(1))
                        .rejectionPolicy(RejectionPolicy.DISCARD)
                        .taskLifecycleListener(listener)
                        .build(),
                clock);
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        TaskHandle<String> own = executor.submit("a", "own", () -> "no");
        listener.handle.complete(own);

        clock.advance(Duration.ofSeconds(1), executor);

        assertThat(Deadline.within(() -> own.await()).status()).isEqualTo(TaskStatus.REJECTED);
        assertThat(listener.seen).hasSize(3).containsOnly("IllegalStateException");
        gate.open();
    }
}
