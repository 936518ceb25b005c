package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupStats;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionHandler;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
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
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whoever waits is released before, and not behind, what user code does for somebody else, however long it blocks. */
@Tag("G48")
class WakeUpTests {

    private static final Duration QUEUE_TIMEOUT = Duration.ofSeconds(1);

    /** The work for which user code blocks; it comes first where several end together. */
    private static final String SLOW = "slow";

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();
    /** Holds what occupies a group. */
    private final Gate gate = new Gate();
    /** Holds the user code that blocks. */
    private final Gate blocked = new Gate();

    @AfterEach
    void openGates() {
        gate.open();
        blocked.open();
    }

    private void blockFor(String taskId) {
        if (taskId.equals(SLOW)) {
            blocked.passStubbornly();
        }
    }

    private final class BlockingHandler implements RejectionHandler {
        @Override
        public GroupResult<?> onRejected(String groupKey, String taskId, Callable<?> task) {
            blockFor(taskId);
            return GroupResult.rejected(groupKey, taskId);
        }
    }

    private final class BlockingListener implements TaskLifecycleListener {
        @Override
        public void onRejected(String groupKey, String taskId, RejectionReason reason) {
            blockFor(taskId);
        }

        @Override
        public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
            blockFor(taskId);
        }
    }

    private GroupPolicy.Builder timed() {
        return GroupPolicy.builder().queueTimeout(QUEUE_TIMEOUT).rejectionPolicy(RejectionPolicy.DISCARD);
    }

    private void occupy(GroupExecutor executor, String key) {
        int before = gate.arrived();
        executor.submit(key, "holder", gate.stubbornlyThen("held"));
        gate.awaitArrived(before + 1);
    }

    /** All that can wait in a group, behind work whose end is told by user code that blocks. */
    private final class Crowd {
        private final GroupExecutor executor;
        private final TaskHandle<String> first;
        private final Caller<String> caller;
        private final TaskHandle<String> task;
        private final CompletableFuture<GroupPermit> permit;
        private final Future<String> viewed;

        Crowd(GroupExecutor executor, String firstKey, String key) {
            this.executor = executor;
            first = executor.submit(firstKey, SLOW, () -> "no");
            caller = Caller.start(() -> executor.call(key, () -> "no"));
            Deadline.until("the caller waits", () -> queued(key) == (firstKey.equals(key) ? 2 : 1));
            task = executor.submit(key, "task", () -> "no");
            permit = executor.acquireAsync(key).toCompletableFuture();
            ExecutorService view = executor.asExecutorService(key);
            viewed = view.submit(() -> "no");
        }

        private int queued(String key) {
            return executor.groupStats(key).map(GroupStats::queued).orElse(0);
        }

        /** All but the first are released while user code blocks for that one. */
        void requireReleased() {
            blocked.awaitArrived(1);
            assertThatThrownBy(caller::result).isInstanceOf(RejectedTaskException.class);
            Deadline.until("the task's handle is done", task::isDone);
            Deadline.until("the permit's future is done", permit::isDone);
            Deadline.until("the view's future is done", viewed::isDone);
            assertThat(first.isDone()).isFalse();
            blocked.open();
            Deadline.until("the first one is done too", first::isDone);
            gate.open();
        }
    }

    @Test
    @Tag("E3")
    void aHandlerThatBlocksForATimeOutKeepsNobodyElseWaiting() {
        GroupExecutor executor =
                engines.start(timed().rejectionHandler(new BlockingHandler()).build(), clock);
        occupy(executor, "a");
        Crowd crowd = new Crowd(executor, "a", "a");

        clock.advance(QUEUE_TIMEOUT, executor);

        crowd.requireReleased();
    }

    @Test
    @Tag("E3")
    void aListenerThatBlocksForATimeOutKeepsNobodyElseWaiting() {
        GroupExecutor executor = engines.startPlain(
                timed().taskLifecycleListener(new BlockingListener()).build(), clock.environment());
        occupy(executor, "a");
        Crowd crowd = new Crowd(executor, "a", "a");

        clock.advance(QUEUE_TIMEOUT, executor);

        crowd.requireReleased();
    }

    @Test
    @Tag("E3")
    void aHandlerThatBlocksForOneGroupKeepsNobodyOfAnotherWaiting() {
        GroupExecutor executor = engines.start(
                timed().rejectionHandler(new BlockingHandler())
                        .globalMaxInFlight(1)
                        .build(),
                clock);
        occupy(executor, "c");
        Crowd crowd = new Crowd(executor, "a", "b");
        clock.advance(QUEUE_TIMEOUT);

        gate.open(); // who gives back the global permit finds all of them late

        crowd.requireReleased();
    }

    @Test
    @Tag("G41")
    void aListenerThatBlocksForAShutdownKeepsNobodyElseWaiting() {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .taskLifecycleListener(new BlockingListener())
                .build());
        occupy(executor, "a");
        Crowd crowd = new Crowd(executor, "a", "a");

        executor.shutdown();

        crowd.requireReleased();
    }

    @Test
    @Tag("G43")
    void aListenerThatBlocksForAGroupsShutdownKeepsNobodyElseWaiting() {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .taskLifecycleListener(new BlockingListener())
                .build());
        occupy(executor, "a");
        Crowd crowd = new Crowd(executor, "a", "a");

        executor.shutdownGroup("a");

        crowd.requireReleased();
    }

    @Test
    @Tag("G36")
    void aDependentThatBlocksKeepsNobodyElseWaiting() {
        GroupExecutor executor = engines.start(timed().build(), clock);
        occupy(executor, "a");
        TaskHandle<String> first = executor.submit("a", SLOW, () -> "no");
        CompletableFuture<Void> chained = first.toCompletableFuture().thenAccept(result -> blocked.passStubbornly());
        TaskHandle<String> second = executor.submit("a", "2", () -> "no");
        CompletableFuture<GroupResult<String>> future = second.toCompletableFuture();
        CompletableFuture<GroupPermit> permit = executor.acquireAsync("a").toCompletableFuture();

        clock.advance(QUEUE_TIMEOUT, executor);

        blocked.awaitArrived(1);
        Deadline.until("both handles are done", () -> first.isDone() && second.isDone());
        Deadline.until("the other future is done", future::isDone);
        Deadline.until("the permit's future is done", permit::isDone);
        assertThat(chained).isNotDone();
    }

    @Test
    @Tag("E5")
    void aPermitsDependentThatBlocksKeepsNobodyElseWaiting() {
        GroupExecutor executor = engines.start(timed().build(), clock);
        occupy(executor, "a");
        CompletableFuture<Object> chained = executor.acquireAsync("a")
                .toCompletableFuture()
                .handle((permit, failure) -> {
                    blocked.passStubbornly();
                    return "done";
                });
        TaskHandle<String> second = executor.submit("a", "2", () -> "no");
        CompletableFuture<GroupPermit> permit = executor.acquireAsync("a").toCompletableFuture();

        clock.advance(QUEUE_TIMEOUT, executor);

        blocked.awaitArrived(1);
        Deadline.until("the task's handle is done", second::isDone);
        Deadline.until("the other permit's future is done", permit::isDone);
        assertThat(chained).isNotDone();
    }

    @Test
    @Tag("G36")
    void aDependentThatBlocksKeepsNoThreadWaitingForItsOwnHandle() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        TaskHandle<String> handle = executor.submit("a", "1", gate.then("done"));
        CompletableFuture<Void> chained = handle.toCompletableFuture().thenAccept(result -> blocked.passStubbornly());
        Caller<GroupResult<String>> waiting = Caller.start(handle::await).awaitBlockedOn(handle);

        gate.open();

        assertThat(waiting.result().value()).isEqualTo("done");
        assertThat(chained).isNotDone();
    }

    @Test
    @Tag("G35")
    void aDependentThatBlocksKeepsNoCancelledCodeRunning() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Gate interrupted = new Gate();
        TaskHandle<String> handle = executor.submit("a", "1", () -> {
            try {
                gate.pass();
            } catch (InterruptedException meant) {
                interrupted.open();
            }
            return "done";
        });
        gate.awaitArrived(1);
        CompletableFuture<Void> chained = handle.toCompletableFuture().thenAccept(result -> blocked.passStubbornly());

        Caller<Boolean> canceller = Caller.start(() -> handle.cancel(true));

        blocked.awaitArrived(1);
        Deadline.until("its code is interrupted", interrupted::isOpen);
        assertThat(chained).isNotDone();
        assertThat(canceller.isDone()).isFalse();
    }

    @Test
    @Tag("E4")
    void aDependentThatBlocksKeepsNoCancelledStageOpen() {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxInFlightPerGroup(1).build());
        CompletableFuture<String> stage = new CompletableFuture<>();
        TaskHandle<String> handle = executor.submitAsync("a", "1", () -> stage);
        Deadline.until("its stage is open", () -> executor.stats().running() == 0);
        CompletableFuture<Void> chained = handle.toCompletableFuture().thenAccept(result -> blocked.passStubbornly());

        Caller<Boolean> canceller = Caller.start(() -> handle.cancel(true));

        blocked.awaitArrived(1);
        Deadline.until("the stage is cancelled", stage::isCancelled);
        assertThat(chained).isNotDone();
        assertThat(canceller.isDone()).isFalse();
    }

    @Test
    @Tag("G36")
    void aDependentThatBlocksKeepsNoPlaceInTheQueueOfWhatItsFutureCancels() {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultQueueThresholdPerGroup(1).build());
        occupy(executor, "a");
        CompletableFuture<GroupResult<String>> future =
                executor.submit("a", "1", () -> "no").toCompletableFuture();
        requireThatItLeavesTheQueueFirst(executor, future);
    }

    @Test
    @Tag("E5")
    void aDependentThatBlocksKeepsNoPlaceInTheQueueOfAPermitsFuture() {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultQueueThresholdPerGroup(1).build());
        occupy(executor, "a");
        CompletableFuture<GroupPermit> future = executor.acquireAsync("a").toCompletableFuture();
        requireThatItLeavesTheQueueFirst(executor, future);
    }

    /** Has a future of group "a" cancelled that something is chained on which blocks. */
    private void requireThatItLeavesTheQueueFirst(GroupExecutor executor, CompletableFuture<?> future) {
        CompletableFuture<Object> chained = future.handle((result, failure) -> {
            blocked.passStubbornly();
            return "done";
        });

        Caller<Boolean> canceller = Caller.start(() -> future.cancel(true));

        blocked.awaitArrived(1);
        assertThat(executor.groupStats("a").orElseThrow().queued()).isZero();
        assertThat(future).isCancelled();
        assertThat(chained).isNotDone();
        assertThat(canceller.isDone()).isFalse();
    }

    @Test
    @Tag("E10")
    @Tag("G45")
    void aListenerThatBlocksForARemovedGroupKeepsNobodyWaiting() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder()
                .maxIdleGroups(0)
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onGroupRemoved(String groupKey) {
                        blocked.passStubbornly();
                    }
                })
                .build());

        TaskHandle<String> handle = executor.submit("a", "1", () -> "done");
        Caller<String> caller = Caller.start(() -> executor.call("b", () -> "called"));

        blocked.awaitArrived(1);
        Deadline.until("the handle is done", handle::isDone);
        assertThat(caller.result()).isEqualTo("called");
    }

    @Test
    @Tag("G37")
    void aListenerThatBlocksForATaskThatDidNotStartKeepsNobodyElseWaiting() {
        AtomicBoolean failed = new AtomicBoolean();
        TaskThreads threads = (name, work) -> {
            if (name.equals("unstartable") && failed.compareAndSet(false, true)) {
                throw new OutOfMemoryError("as if: unable to create native thread");
            }
            return TaskThreads.VIRTUAL.unstarted(name, work);
        };
        GroupExecutor executor = engines.startPlain(
                GroupPolicy.builder()
                        .globalMaxInFlight(1)
                        .taskLifecycleListener(new BlockingListener())
                        .build(),
                new Surroundings(System::nanoTime, threads, true));
        TaskHandle<String> holder = executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        TaskHandle<String> unstartable = executor.submit("unstartable", SLOW, () -> "no");
        TaskHandle<String> next = executor.submit("b", "next", () -> "next");

        gate.open();

        blocked.awaitArrived(1);
        Deadline.until("its predecessor is done", holder::isDone);
        Deadline.until("the next has run", next::isDone);
        assertThat(unstartable.isDone()).isFalse();
        blocked.open();
        assertThat(unstartable.join().status()).isEqualTo(TaskStatus.FAILED);
        // After a start that failed, the group pauses for some milliseconds.
        assertThat(executor.submit("unstartable", "again", () -> "yes").join().value())
                .isEqualTo("yes");
    }

    @Test
    void whatFindsNoThreadIsToldLaterAndNotOnTheEnginesOwn() throws Exception {
        List<Thread> heardOn = new CopyOnWriteArrayList<>();
        Gate outage = new Gate();
        TaskThreads threads = (name, work) -> {
            if (!outage.isOpen() && name.equals("group-concurrency-report")) {
                throw new OutOfMemoryError("as if: unable to create native thread");
            }
            return TaskThreads.VIRTUAL.unstarted(name, work);
        };
        GroupExecutor executor = engines.startPlain(
                timed().taskLifecycleListener(new TaskLifecycleListener() {
                            @Override
                            public void onRejected(String groupKey, String taskId, RejectionReason reason) {
                                heardOn.add(Thread.currentThread());
                            }
                        })
                        .build(),
                new Surroundings(clock, threads, false));
        occupy(executor, "a");
        TaskHandle<String> late = executor.submit("a", "late", () -> "no");
        Caller<String> caller = Caller.start(() -> executor.call("a", () -> "no"));
        Deadline.until("both wait", () -> executor.groupStats("a").orElseThrow().queued() == 2);

        clock.advance(QUEUE_TIMEOUT, executor);
        assertThatThrownBy(caller::result).isInstanceOf(RejectedTaskException.class);
        assertThat(late.isDone()).isFalse();
        outage.open();
        clock.advance(Duration.ofMillis(10), executor);

        Deadline.until("the handle is done", late::isDone);
        assertThat(heardOn).hasSize(2).allMatch(Thread::isVirtual).doesNotContain(Thread.currentThread());
        gate.open();
    }
}
