package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ShutdownTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    private GroupExecutor start() {
        return engines.start(GroupPolicy.builder().build());
    }

    @Test
    @Tag("G41")
    void aShutdownRefusesNewWork() {
        GroupExecutor executor = start();
        assertThat(executor.isShutdown()).isFalse();

        executor.shutdown();

        assertThat(executor.isShutdown()).isTrue();
        assertThatThrownBy(() -> executor.submit("a", "1", () -> "done"))
                .isExactlyInstanceOf(ExecutorShutdownException.class);
    }

    @Test
    @Tag("G41")
    @Tag("I6")
    void aShutdownCancelsWhatWaitsAndInterruptsWhatRuns() throws Exception {
        GroupExecutor executor = start();
        AtomicInteger ran = new AtomicInteger();
        TaskHandle<String> running = engines.watch(executor, executor.submit("a", "1", gate.then("done")));
        TaskHandle<Integer> queued = engines.watch(executor, executor.submit("a", "2", ran::incrementAndGet));
        gate.awaitArrived(1);

        executor.shutdown();

        assertThat(queued.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(running.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
        assertThat(ran).hasValue(0);
    }

    private enum Force {
        SHUTDOWN(GroupExecutor::shutdown),
        CLOSE(GroupExecutor::close),
        DRAIN_WITHOUT_TIME(executor -> executor.shutdown(Duration.ofNanos(1)));

        @SuppressWarnings("ImmutableEnumChecker") // lambdas without state
        private final Consumer<GroupExecutor> way;

        Force(Consumer<GroupExecutor> way) {
            this.way = way;
        }
    }

    /** Short tasks of many groups: each that ends would hand its permits to one that waits. */
    @ParameterizedTest
    @EnumSource(Force.class)
    @Tag("G41")
    @Tag("G42")
    void nothingThatWaitsBeginsOnceItIsShutDownByForce(Force force) throws Exception {
        int permits = 20;
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .globalMaxInFlight(permits)
                .defaultMaxConcurrencyPerGroup(2)
                .build());
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger begunTooLate = new AtomicInteger();
        Gate closed = new Gate(); // so that they don't run out, however late the force comes
        for (int i = 0; i < 20_000; i++) {
            Gate own = i < 10_000 ? gate : closed;
            executor.submit("tenant:" + i % 100, "row", () -> {
                begun.incrementAndGet();
                if (Thread.currentThread().isInterrupted()) {
                    begunTooLate.incrementAndGet();
                }
                own.pass(); // which doesn't look at the flag once it is open
                return 0;
            });
        }
        gate.awaitArrived(permits);
        gate.open();
        Deadline.until("some have begun after those that waited", () -> begun.get() > 2 * permits);

        force.way.accept(executor);

        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
        assertThat(begunTooLate).as("begun on permits granted before").hasValueLessThanOrEqualTo(permits);
        assertThat(begun).hasValueLessThan(20_000);
    }

    @Test
    @Tag("G41")
    void aShutdownWaitsForNothing() throws Exception {
        GroupExecutor executor = start();
        executor.submit("a", "1", gate.stubbornlyThen("done"));
        gate.awaitArrived(1);

        Deadline.within(() -> {
            executor.shutdown();
            return true;
        });

        assertThat(executor.isTerminated()).isFalse();
        assertThat(executor.awaitTermination(Duration.ZERO)).isFalse();
        assertThat(executor.awaitTermination(Duration.ofMillis(5))).isFalse();
        gate.open();
        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    @Tag("G41")
    void closeDoesTheSameAndBothAreIdempotent() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> queued;
        AtomicInteger interrupts = new AtomicInteger();
        executor.submit("a", "1", () -> {
            try {
                gate.pass();
            } catch (InterruptedException e) {
                interrupts.incrementAndGet();
            }
            return "done";
        });
        queued = executor.submit("a", "2", () -> "done");
        gate.awaitArrived(1);

        executor.close();
        executor.close();
        executor.shutdown();

        assertThat(queued.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
        assertThat(interrupts).hasValue(1);
    }

    @Test
    @Tag("G41")
    void anIdleExecutorTerminatesAtOnce() throws Exception {
        GroupExecutor executor = start();
        executor.submit("a", "1", () -> "done").await();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(executor.isTerminated()).isFalse();

        executor.shutdown();

        assertThat(executor.isTerminated()).isTrue();
        assertThat(executor.awaitTermination(Duration.ZERO)).isTrue();
    }

    @Test
    @Tag("G41")
    void awaitTerminationIsInterruptible() throws Exception {
        GroupExecutor executor = start();
        Caller<Boolean> waiting = Caller.start(() -> executor.awaitTermination(GroupLimits.NO_TIMEOUT))
                .awaitBlockedOnACondition();

        waiting.interrupt();

        assertThatThrownBy(waiting::result).isInstanceOf(InterruptedException.class);
    }

    @Test
    @Tag("G42")
    @Tag("S1")
    void aTaskThatMeetsAShutdownOnItsWayInIsCancelled() throws Exception {
        AtomicReference<GroupExecutor> self = new AtomicReference<>();
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onSubmitted(String groupKey, String taskId) {
                        if (taskId.equals("late")) {
                            self.get().shutdown();
                        }
                    }
                })
                .build());
        self.set(executor);
        // Without a contention there is a way in that looks at nothing but the permits.
        executor.acquire("a").close();

        TaskHandle<String> late = engines.watch(executor, executor.submit("a", "late", () -> "ran"));

        assertThat(Deadline.within(late::await).status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    @Tag("G42")
    void aDrainFromInsideEndsWithTheLastOtherTask() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        executor.submit("b", "other", gate.then("done"));
        gate.awaitArrived(1);
        AtomicReference<Thread> drainer = new AtomicReference<>();
        TaskHandle<Boolean> drain = executor.submit("a", "drain", () -> {
            drainer.set(Thread.currentThread());
            return executor.shutdown(Deadline.LONG.multipliedBy(10));
        });
        Deadline.until("draining", executor::isShutdown);
        Caller.awaitBlocked(drainer.get());

        gate.open();

        assertThat(Deadline.within(drain::await).value()).isTrue();
    }

    @Test
    @Tag("G42")
    @Tag("S1")
    void aCallerThatMeetsADrainOnItsWayInIsRejected() throws Exception {
        AtomicReference<Runnable> drain = new AtomicReference<>(() -> {});
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onSubmitted(String groupKey, String taskId) {
                        if (taskId.equals("late")) {
                            drain.get().run();
                        }
                    }
                })
                .build());
        executor.submit("b", "running", gate.then("done"));
        gate.awaitArrived(1);
        AtomicReference<Caller<Boolean>> drainer = new AtomicReference<>();
        drain.set(() -> {
            drainer.set(Caller.start(() -> executor.shutdown(Deadline.LONG.multipliedBy(10))));
            Deadline.until("draining", executor::isShutdown);
        });

        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> executor.call("a", "late", () -> "ran"))
                .returns(RejectionReason.SHUTDOWN, RejectedTaskException::reason);

        gate.open();
        assertThat(drainer.get().result()).isTrue();
    }

    @RepeatedTest(20)
    @Tag("G42")
    @Tag("S1")
    void whatIsSubmittedDuringAShutdownRunsOrIsCancelledOrRefused() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build());
        ConcurrentLinkedQueue<TaskHandle<Integer>> handles = new ConcurrentLinkedQueue<>();
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        List<Caller<Boolean>> submitters = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int submitter = i;
            submitters.add(Caller.start(() -> {
                gate.pass();
                for (int task = 0; task < 50; task++) {
                    try {
                        handles.add(engines.watch(
                                executor,
                                executor.submit("group-" + task % 3, submitter + "-" + task, ran::incrementAndGet)));
                    } catch (ExecutorShutdownException e) {
                        refused.incrementAndGet();
                    }
                }
                return true;
            }));
        }
        gate.awaitArrived(4);
        gate.open();
        Deadline.until("some are in", () -> handles.size() > 10);

        executor.shutdown();

        for (Caller<Boolean> submitter : submitters) {
            submitter.result();
        }
        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
        assertThat(handles.size() + refused.get()).isEqualTo(200);
        int succeeded = 0;
        for (TaskHandle<Integer> handle : handles) {
            TaskStatus status = Deadline.within(handle::await).status();
            assertThat(status).isIn(TaskStatus.SUCCESS, TaskStatus.CANCELLED);
            succeeded += status == TaskStatus.SUCCESS ? 1 : 0;
        }
        assertThat(ran.get()).isBetween(succeeded, handles.size());
    }

    @Test
    @Tag("G42")
    void aDrainLetsWhatIsQueuedAndRunningFinish() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> running = executor.submit("a", "1", gate.then("one"));
        TaskHandle<String> queued = executor.submit("a", "2", () -> "two");
        gate.awaitArrived(1);
        Caller<Boolean> drain =
                Caller.start(() -> executor.shutdown(Deadline.LONG)).awaitBlockedOnACondition();

        assertThat(executor.isShutdown()).isTrue();
        assertThatThrownBy(() -> executor.submit("b", "1", () -> "late"))
                .isExactlyInstanceOf(ExecutorShutdownException.class);
        gate.open();

        assertThat(drain.result()).isTrue();
        assertThat(running.await().value()).isEqualTo("one");
        assertThat(queued.await().value()).isEqualTo("two");
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    @Tag("G42")
    void aDrainOfNothingIsTrueAtOnce() {
        GroupExecutor executor = start();

        assertThat(executor.shutdown(Deadline.LONG)).isTrue();
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    @Tag("G42")
    @Tag("S2")
    void aDrainWhoseTimeIsUpForcesAndSaysSo() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> running = executor.submit("a", "1", gate.then("one"));
        TaskHandle<String> queued = executor.submit("a", "2", () -> "two");
        gate.awaitArrived(1);

        assertThat(executor.shutdown(Duration.ofMillis(20))).isFalse();

        assertThat(running.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(queued.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
    }

    @Test
    @Tag("G42")
    @Tag("S2")
    void aDrainNeverSaysTrueWhileATaskRuns() throws Exception {
        GroupExecutor executor = start();
        AtomicBoolean ended = new AtomicBoolean();
        executor.submit("a", "1", () -> {
            gate.pass();
            ended.set(true);
            return "done";
        });
        gate.awaitArrived(1);
        Caller<Boolean> drain = Caller.start(() -> {
            boolean all = executor.shutdown(Deadline.LONG);
            return all && ended.get();
        });
        drain.awaitBlockedOnACondition();
        gate.open();

        assertThat(drain.result()).isTrue();
    }

    @Test
    @Tag("G42")
    void zeroOrNegativeTimeForcesAtOnce() throws Exception {
        for (Duration timeout : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
            Gate here = new Gate();
            GroupExecutor executor = start();
            TaskHandle<String> running = executor.submit("a", "1", here.then("one"));
            here.awaitArrived(1);

            assertThat(executor.shutdown(timeout)).isFalse();
            assertThat(running.await().status()).isEqualTo(TaskStatus.CANCELLED);
        }
    }

    @Test
    @Tag("G42")
    void whatRunningCodeSubmitsIsAcceptedUntilTheDrainEnds() throws Exception {
        GroupExecutor executor = start();
        AtomicReference<TaskHandle<String>> child = new AtomicReference<>();
        executor.submit("a", "parent", () -> {
            gate.pass();
            child.set(executor.submit("b", "child", () -> "born in the drain"));
            return executor.call("c", () -> "called in the drain");
        });
        gate.awaitArrived(1);
        Caller<Boolean> drain =
                Caller.start(() -> executor.shutdown(Deadline.LONG)).awaitBlockedOnACondition();
        gate.open();

        assertThat(drain.result()).isTrue();
        assertThat(child.get().await().value()).isEqualTo("born in the drain");
    }

    @Test
    @Tag("G42")
    void waitingTasksOfPausedGroupsAreCancelledAtOnceWhichIsForced() throws Exception {
        GroupExecutor executor = start();
        executor.pause("paused");
        TaskHandle<String> stuck = executor.submit("paused", "1", () -> "never");
        executor.submit("a", "1", gate.then("done"));
        gate.awaitArrived(1);
        Caller<Boolean> drain = Caller.start(() -> executor.shutdown(Deadline.LONG));

        assertThat(Deadline.within(stuck::await).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(drain.isDone()).isFalse();
        gate.open();

        assertThat(drain.result()).isFalse();
    }

    @Test
    @Tag("G42")
    void anInterruptedDrainForcesNowAndKeepsTheFlag() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> running = executor.submit("a", "1", gate.then("one"));
        gate.awaitArrived(1);
        AtomicBoolean flag = new AtomicBoolean();
        Caller<Boolean> drain = Caller.start(() -> {
            boolean all = executor.shutdown(Duration.ofDays(1));
            flag.set(Thread.currentThread().isInterrupted());
            return all;
        });

        drain.awaitBlockedOnACondition().interrupt();

        assertThat(drain.result()).isFalse();
        assertThat(flag).isTrue();
        assertThat(running.await().status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    @Tag("G42")
    void aSecondDrainJoinsTheFirst() throws Exception {
        GroupExecutor executor = start();
        executor.submit("a", "1", gate.then("one"));
        gate.awaitArrived(1);
        Caller<Boolean> first =
                Caller.start(() -> executor.shutdown(Duration.ofDays(1))).awaitBlockedOnACondition();
        Caller<Boolean> second =
                Caller.start(() -> executor.shutdown(Duration.ofMillis(1))).awaitBlockedOnACondition();

        gate.open();

        assertThat(first.result()).isTrue();
        assertThat(second.result()).isTrue();
    }

    @Test
    @Tag("G42")
    void aShutdownEndsADrainByForce() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> running = executor.submit("a", "1", gate.then("one"));
        gate.awaitArrived(1);
        Caller<Boolean> drain =
                Caller.start(() -> executor.shutdown(Duration.ofDays(1))).awaitBlockedOnACondition();

        executor.shutdown();

        assertThat(drain.result()).isFalse();
        assertThat(running.await().status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    @Tag("G42")
    void aDrainFromInsideATaskDoesNotWaitForThatTask() throws Exception {
        GroupExecutor executor = start();
        AtomicBoolean interrupted = new AtomicBoolean();

        TaskHandle<Boolean> handle = executor.submit("a", "1", () -> {
            boolean all = executor.shutdown(Deadline.LONG);
            interrupted.set(Thread.currentThread().isInterrupted());
            return all;
        });

        assertThat(handle.await().value()).isTrue();
        assertThat(interrupted).isFalse();
        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
    }

    @Test
    @Tag("G42")
    void aDrainFromInsideATaskWaitsForTheOthers() throws Exception {
        GroupExecutor executor = start();
        TaskHandle<String> other = executor.submit("b", "1", gate.then("other"));
        gate.awaitArrived(1);
        TaskHandle<Boolean> drainer = executor.submit("a", "1", () -> executor.shutdown(Deadline.LONG));
        Deadline.until("the drain has begun", executor::isShutdown);

        assertThat(drainer.isDone()).isFalse();
        gate.open();

        assertThat(drainer.await().value()).isTrue();
        assertThat(other.await().value()).isEqualTo("other");
    }

    @Test
    @Tag("G41")
    @Tag("G42")
    void aShutdownAfterADrainFromInsideATaskInterruptsThatTask() throws Exception {
        for (Consumer<GroupExecutor> shutdown : List.<Consumer<GroupExecutor>>of(
                GroupExecutor::shutdown, GroupExecutor::close, e -> e.shutdown(Duration.ZERO))) {
            Gate here = new Gate();
            GroupExecutor executor = start();
            AtomicBoolean drained = new AtomicBoolean();
            TaskHandle<String> drainer = executor.submit("a", "1", () -> {
                drained.set(executor.shutdown(Deadline.LONG));
                here.pass();
                return "was not interrupted";
            });
            here.awaitArrived(1);
            assertThat(executor.isTerminated()).isFalse();

            shutdown.accept(executor);

            assertThat(Deadline.within(drainer::await).status()).isEqualTo(TaskStatus.CANCELLED);
            assertThat(drained).isTrue();
            assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
        }
    }

    @Test
    @Tag("E14")
    void awaitQuietIsTrueOnceNothingRunsIsInFlightOrWaits() throws Exception {
        GroupExecutor executor = start();
        executor.submit("a", "1", gate.then("one"));
        executor.submit("a", "2", () -> "two");
        gate.awaitArrived(1);
        assertThat(executor.awaitQuiet(Duration.ZERO)).isFalse();
        assertThat(executor.awaitQuiet(Duration.ofMillis(5))).isFalse();
        Caller<Boolean> quiet =
                Caller.start(() -> executor.awaitQuiet(Deadline.LONG)).awaitBlockedOnACondition();

        gate.open();

        assertThat(quiet.result()).isTrue();
        assertThat(executor.stats().totals().succeeded()).isEqualTo(2);
        assertThat(executor.awaitQuiet(Duration.ZERO)).isTrue();
    }

    @Test
    @Tag("E14")
    @Tag("I3")
    void everyPermitIsBackOnceItIsQuiet() throws Exception {
        GroupExecutor executor = engines.startPlain(
                GroupPolicy.builder().globalMaxInFlight(1).maxIdleGroups(1).build());
        for (int i = 0; i < 2_000; i++) {
            executor.submit("a" + i, "1", () -> "done");
            assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();

            Optional<GroupPermit> permit = executor.tryAcquire("b", Duration.ZERO);

            assertThat(permit).as("round %d", i).isPresent();
            permit.orElseThrow().close();
        }
    }

    @Test
    @Tag("E14")
    void workIsAcceptedWhileSomebodyWaitsForQuiet() throws Exception {
        GroupExecutor executor = start();
        executor.submit("a", "1", gate.then("one"));
        gate.awaitArrived(1);
        Caller<Boolean> quiet =
                Caller.start(() -> executor.awaitQuiet(Deadline.LONG)).awaitBlockedOnACondition();
        Gate later = new Gate();

        executor.submit("b", "1", later.then("later"));
        later.awaitArrived(1);
        gate.open();
        Deadline.until("the first has ended", () -> executor.stats().inFlight() == 1);
        assertThat(quiet.isDone()).isFalse();
        later.open();

        assertThat(quiet.result()).isTrue();
    }

    @Test
    @Tag("E14")
    void awaitQuietIsInterruptible() throws Exception {
        GroupExecutor executor = start();
        executor.submit("a", "1", gate.then("one"));
        gate.awaitArrived(1);
        Caller<Boolean> quiet =
                Caller.start(() -> executor.awaitQuiet(Deadline.LONG)).awaitBlockedOnACondition();

        quiet.interrupt();

        assertThatThrownBy(quiet::result).isInstanceOf(InterruptedException.class);
        gate.open();
    }
}
