package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.Waits;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("G35")
class CancellationTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    private GroupExecutor busy(GroupPolicy policy) {
        GroupExecutor executor = engines.start(policy);
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        return executor;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aQueuedTaskThatIsCancelledNeverRuns(boolean mayInterrupt) throws Exception {
        GroupExecutor executor = busy(GroupPolicy.builder().build());
        AtomicInteger ran = new AtomicInteger();
        TaskHandle<Integer> handle = engines.watch(executor, executor.submit("a", "1", ran::incrementAndGet));

        assertThat(handle.cancel(mayInterrupt)).isTrue();

        assertThat(handle.isDone()).isTrue();
        assertThat(handle.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(handle.await().error())
                .isInstanceOf(CancellationException.class)
                .hasMessage("Task '1' of group 'a' was cancelled");
        gate.open();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(ran).hasValue(0);
    }

    @Test
    void theSlotOfACancelledTaskIsFreeAtOnce() throws Exception {
        GroupExecutor executor = busy(GroupPolicy.builder()
                .defaultQueueThresholdPerGroup(1)
                .globalQueueThreshold(1)
                .build());
        for (int i = 0; i < 10; i++) {
            TaskHandle<String> handle = executor.submit("a", "task-" + i, () -> "done");
            assertThat(handle.isDone()).isFalse();
            assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(1);
            handle.cancel(true);
            assertThat(executor.groupStats("a").orElseThrow().queued()).isZero();
            assertThat(executor.stats().queued()).isZero();
        }
        gate.open();
    }

    @Test
    void theClosureOfACancelledTaskIsLetGo() {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        List<TaskHandle<?>> handles = new ArrayList<>();
        WeakReference<Object> payload = submitPayload(executor, handles);

        handles.getFirst().cancel(true);

        Waits.awaitCollected(payload);
        assertThat(handles.getFirst().isDone()).isTrue();
        gate.open();
    }

    private static WeakReference<Object> submitPayload(GroupExecutor executor, List<TaskHandle<?>> handles) {
        Object payload = new byte[1_000];
        handles.add(executor.submit("a", "1", () -> payload));
        return new WeakReference<>(payload);
    }

    @Test
    void theClosureOfATaskThatHasEndedIsLetGoToo() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        List<TaskHandle<?>> handles = new ArrayList<>();
        WeakReference<Object> payload = submitSizeOfPayload(executor, handles);
        handles.getFirst().await();

        Waits.awaitCollected(payload);
        assertThat(handles.getFirst().await().value()).isEqualTo(1_000);
    }

    private static WeakReference<Object> submitSizeOfPayload(GroupExecutor executor, List<TaskHandle<?>> handles) {
        byte[] payload = new byte[1_000];
        handles.add(executor.submit("a", "1", () -> payload.length));
        return new WeakReference<>(payload);
    }

    @Test
    void onlyTheCallThatCancelsSaysSo() throws Exception {
        GroupExecutor executor = busy(GroupPolicy.builder().build());
        TaskHandle<String> queued = executor.submit("a", "1", () -> "done");
        TaskHandle<String> done = executor.submit("b", "1", () -> "done");
        done.await();

        assertThat(queued.cancel(true)).isTrue();
        assertThat(queued.cancel(true)).isFalse();
        assertThat(queued.cancel(false)).isFalse();
        assertThat(done.cancel(true)).isFalse();
        assertThat(done.await().status()).isEqualTo(TaskStatus.SUCCESS);
        gate.open();
    }

    @Test
    @Tag("I2")
    void ofManyCallersExactlyOneCancels() throws Exception {
        GroupExecutor executor = busy(GroupPolicy.builder().build());
        for (int round = 0; round < 50; round++) {
            TaskHandle<String> handle = executor.submit("a", "task-" + round, () -> "done");
            List<Caller<Boolean>> callers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                callers.add(Caller.start(() -> handle.cancel(true)));
            }
            int winners = 0;
            for (Caller<Boolean> caller : callers) {
                winners += caller.result() ? 1 : 0;
            }
            assertThat(winners).isEqualTo(1);
        }
        gate.open();
    }

    @Test
    void cancelTrueInterruptsARunningTask() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        AtomicInteger interrupted = new AtomicInteger();
        TaskHandle<String> handle = executor.submit("a", "1", () -> {
            try {
                gate.pass();
                return "done";
            } catch (InterruptedException e) {
                interrupted.incrementAndGet();
                throw e;
            }
        });
        gate.awaitArrived(1);

        assertThat(handle.cancel(true)).isTrue();

        assertThat(handle.await().status()).isEqualTo(TaskStatus.CANCELLED);
        Deadline.until("interrupted", () -> interrupted.get() == 1);
    }

    @Test
    void cancelFalseDoesNotInterruptARunningTask() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        AtomicReference<Boolean> interrupted = new AtomicReference<>();
        TaskHandle<String> handle = executor.submit("a", "1", () -> {
            gate.passStubbornly();
            interrupted.set(Thread.currentThread().isInterrupted());
            return "done";
        });
        gate.awaitArrived(1);

        assertThat(handle.cancel(false)).isTrue();

        assertThat(handle.isDone()).isTrue();
        assertThat(handle.await().status()).isEqualTo(TaskStatus.CANCELLED);
        gate.open();
        Deadline.untilAsserted(() -> assertThat(interrupted.get()).isFalse());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void thePermitsOfACancelledTaskReturnWhenItsCodeHasEnded(boolean mayInterrupt) throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(1).build());
        TaskHandle<String> handle = executor.submit("a", "1", gate.stubbornlyThen("done"));
        gate.awaitArrived(1);
        TaskHandle<String> next = executor.submit("a", "2", () -> "next");

        handle.cancel(mayInterrupt);

        assertThat(handle.isDone()).isTrue();
        assertThat(next.isDone()).isFalse();
        assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(1);
        gate.open();
        assertThat(next.await().value()).isEqualTo("next");
        assertThat(handle.await().status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void noInterruptReachesTheListenerOfATaskThatIsCancelled() throws Exception {
        AtomicInteger heard = new AtomicInteger();
        AtomicInteger interrupted = new AtomicInteger();
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                        interrupted.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
                        heard.incrementAndGet();
                    }
                })
                .build());

        for (int i = 0; i < 300; i++) {
            Gate entered = new Gate();
            TaskHandle<String> handle = executor.submit("a", "task-" + i, () -> {
                entered.open();
                return "done";
            });
            entered.passStubbornly();
            handle.cancel(true);
        }

        Deadline.until("all are heard of", () -> heard.get() == 300);
        assertThat(interrupted).hasValue(0);
    }

    @Test
    void cancellingInAnyOrderKeepsTheQueueSmallAndInOrder() throws Exception {
        GroupExecutor executor = busy(GroupPolicy.builder().build());
        List<TaskHandle<String>> handles = new ArrayList<>();
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            ids.add("task-" + i);
            handles.add(executor.submit("a", "task-" + i, () -> "done"));
        }
        Collections.shuffle(handles, new Random(42));

        for (TaskHandle<String> handle : handles.subList(0, 1_900)) {
            assertThat(handle.cancel(true)).isTrue();
            ids.remove(handle.taskId());
            int queued = executor.groupStats("a").orElseThrow().queued();
            int dead = EngineAccess.linked(executor, "a") - queued;
            assertThat(dead).as("dead nodes among %s", queued).isLessThanOrEqualTo(Math.max(32, queued));
        }

        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(100);
        gate.open();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        ids.addFirst("holder");
        assertThat(engines.witness(executor).started("a")).isEqualTo(ids);
    }

    @Test
    @Tag("P2")
    void cancelRacingTheStartLosesNothing() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(2).build());
        AtomicInteger ran = new AtomicInteger();
        int cancelled = 0;
        List<TaskHandle<Integer>> handles = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            TaskHandle<Integer> handle =
                    engines.watch(executor, executor.submit("group-" + i % 3, "task-" + i, ran::incrementAndGet));
            handles.add(handle);
            if (i % 2 == 0) {
                cancelled += handle.cancel(i % 4 == 0) ? 1 : 0;
            }
        }

        int cancelledResults = 0;
        for (TaskHandle<Integer> handle : handles) {
            cancelledResults += handle.await().status() == TaskStatus.CANCELLED ? 1 : 0;
        }

        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(cancelledResults).isEqualTo(cancelled);
        assertThat(ran.get()).isBetween(1_000 - cancelledResults, 1_000);
        assertThat(executor.stats().totals().submitted()).isEqualTo(1_000);
        assertThat(executor.stats().totals().cancelled()).isEqualTo(cancelledResults);
    }
}
