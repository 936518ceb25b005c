package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** G13, I8: the threads that tasks run on, and what passes from one task to the next, which is nothing. */
@Tag("G13")
@Tag("I8")
class TaskThreadTests {

    private static final ThreadLocal<String> LOCAL = new ThreadLocal<>();
    private static final InheritableThreadLocal<String> INHERITABLE = new InheritableThreadLocal<>();

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    @Test
    void eachTaskRunsOnAFreshVirtualThread() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        List<TaskHandle<Boolean>> handles = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            handles.add(executor.submit(
                    "a", "task-" + i, () -> Thread.currentThread().isVirtual() && threads.add(Thread.currentThread())));
        }

        for (TaskHandle<Boolean> handle : handles) {
            assertThat(handle.await().value()).isTrue();
        }
        assertThat(threads).hasSize(50).doesNotContain(Thread.currentThread());
    }

    @Test
    void aThreadIsMadeWhenItsTaskIsDispatchedAndNotBefore() throws Exception {
        AtomicInteger made = new AtomicInteger();
        GroupExecutor executor = engines.start(GroupPolicy.builder().build(), countingThreads(made));
        TaskHandle<String> first = executor.submit("a", "first", gate.then("first"));
        List<TaskHandle<String>> waiting = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiting.add(executor.submit("a", "task-" + i, () -> "ran"));
        }
        gate.awaitArrived(1);

        assertThat(made).hasValue(1);
        waiting.removeLast().cancel(true);
        gate.open();

        assertThat(first.await().value()).isEqualTo("first");
        for (TaskHandle<String> handle : waiting) {
            assertThat(handle.await().value()).isEqualTo("ran");
        }
        assertThat(made).hasValue(20);
    }

    @Test
    void aThreadIsNamedAfterItsGroup() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        assertThat(threadName(executor, "tenant:a")).isEqualTo("tenant:a");
        assertThat(threadName(executor, "\u5ba2\u6237")).isEqualTo("\u5ba2\u6237");
    }

    @Test
    @Tag("K7")
    void controlCharactersInTheGroupDoNotGetIntoTheNameOfAThread() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        String name = threadName(executor, "a\r\nforged\tline\u0085\u001b[0m");

        assertThat(name).startsWith("a").contains("forged", "line");
        assertThat(name.chars()).noneMatch(Character::isISOControl);
    }

    @Test
    void aLongNameIsCut() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        assertThat(threadName(executor, "k".repeat(1_000))).startsWith("kkk").hasSize(128);
        assertThat(threadName(executor, "k".repeat(128))).isEqualTo("k".repeat(128));
    }

    private static String threadName(GroupExecutor executor, String groupKey) throws Exception {
        return executor.submit(groupKey, "1", () -> Thread.currentThread().getName())
                .await()
                .value();
    }

    @Test
    void theContextClassLoaderIsThatOfTheSubmittingThread() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        TaskHandle<String> holder = executor.submit("a", "holder", gate.then("holder"));
        List<ClassLoader> loaders = new ArrayList<>();
        List<TaskHandle<ClassLoader>> handles = new ArrayList<>();
        Thread self = Thread.currentThread();
        ClassLoader before = self.getContextClassLoader();
        try {
            for (int i = 0; i < 6; i++) {
                ClassLoader loader = i % 3 == 2 ? null : new URLClassLoader(new URL[0], before);
                loaders.add(loader);
                self.setContextClassLoader(loader);
                handles.add(executor.submit(
                        "a", "task-" + i, () -> Thread.currentThread().getContextClassLoader()));
            }
        } finally {
            self.setContextClassLoader(before);
        }

        gate.open();

        assertThat(holder.await().value()).isEqualTo("holder");
        for (int i = 0; i < 6; i++) {
            assertThat(handles.get(i).await().value()).isSameAs(loaders.get(i));
        }
        assertThat(executor.submit("a", "last", () -> Thread.currentThread().getContextClassLoader())
                        .await()
                        .value())
                .isSameAs(before);
    }

    @Test
    void aLoaderThatATaskSetsIsNotThatOfItsSuccessors() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        executor.submit("a", "first", () -> {
            gate.pass();
            Thread.currentThread().setContextClassLoader(new URLClassLoader(new URL[0]));
            return "first";
        });
        TaskHandle<ClassLoader> second =
                executor.submit("a", "second", () -> Thread.currentThread().getContextClassLoader());

        gate.open();

        assertThat(second.await().value()).isSameAs(before);
    }

    @Test
    @Tag("T2")
    void aTaskInheritsNoThreadLocals() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        INHERITABLE.set("of the submitter");
        try {
            TaskHandle<String> first = executor.submit("a", "first", () -> {
                String seen = INHERITABLE.get();
                INHERITABLE.set("of the predecessor");
                gate.pass();
                return seen;
            });
            TaskHandle<String> second = executor.submit("a", "second", INHERITABLE::get);
            gate.open();

            assertThat(first.await().value()).isNull();
            assertThat(second.await().value()).isNull();
            assertThat(executor.submitAsync(
                                    "a",
                                    "third",
                                    () -> CompletableFuture.completedFuture(String.valueOf(INHERITABLE.get())))
                            .await()
                            .value())
                    .isEqualTo("null");
        } finally {
            INHERITABLE.remove();
        }
    }

    @Test
    @Tag("T1")
    void threadLocalsOfATaskAreGoneForItsSuccessors() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            String mine = "task-" + i;
            handles.add(executor.submit("a", mine, () -> {
                String seen = LOCAL.get();
                LOCAL.set(mine);
                return seen;
            }));
        }

        for (TaskHandle<String> handle : handles) {
            GroupResult<String> result = handle.await();
            assertThat(result.status()).isEqualTo(TaskStatus.SUCCESS);
            assertThat(result.value()).isNull();
        }
    }

    @Test
    void anInterruptFlagOfATaskReachesNeitherItsListenerNorItsSuccessor() throws Exception {
        AtomicInteger interrupted = new AtomicInteger();
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                        if (Thread.currentThread().isInterrupted()) {
                            interrupted.incrementAndGet();
                        }
                    }
                })
                .build());
        TaskHandle<String> first = executor.submit("a", "first", () -> {
            gate.pass();
            Thread.currentThread().interrupt();
            return "first";
        });
        AtomicReference<Boolean> dependent = new AtomicReference<>();
        var chained = first.toCompletableFuture()
                .thenAccept(result -> dependent.set(Thread.currentThread().isInterrupted()));
        TaskHandle<Boolean> second =
                executor.submit("a", "second", () -> Thread.currentThread().isInterrupted());

        gate.open();

        assertThat(second.await().value()).isFalse();
        chained.get(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(dependent.get()).isFalse();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(interrupted).hasValue(0);
    }

    @Test
    @Tag("G35")
    void aLateInterruptReachesNeitherListenerNorDependentNorAnotherTask() throws Exception {
        AtomicInteger interrupted = new AtomicInteger();
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                        for (int i = 0; i < 50; i++) {
                            Thread.onSpinWait();
                        }
                        if (Thread.currentThread().isInterrupted()) {
                            interrupted.incrementAndGet();
                        }
                    }
                })
                .build());
        for (int i = 0; i < 300; i++) {
            CyclicBarrier barrier = new CyclicBarrier(2);
            TaskHandle<String> task = executor.submit("a", "task-" + i, () -> {
                barrier.await();
                return "done";
            });
            TaskHandle<Boolean> next = executor.submit(
                    "a", "next-" + i, () -> Thread.currentThread().isInterrupted());
            barrier.await();
            task.cancel(true);
            assertThat(next.await().value()).isFalse();
        }
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(interrupted).hasValue(0);
    }

    @Test
    @Tag("G21")
    @Tag("T1")
    void callerRunsPutsBackTheCallersLoaderAndInterruptFlag() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.CALLER_RUNS)
                .build());
        TaskHandle<String> holder = executor.submit("a", "holder", gate.then("holder"));
        Thread self = Thread.currentThread();
        ClassLoader loader = self.getContextClassLoader();

        TaskHandle<Thread> setsLoader = executor.submit("a", "sets", () -> {
            Thread.currentThread().setContextClassLoader(new URLClassLoader(new URL[0]));
            Thread.currentThread().interrupt();
            return Thread.currentThread();
        });

        assertThat(setsLoader.await().value()).isSameAs(self);
        assertThat(self.getContextClassLoader()).isSameAs(loader);
        assertThat(Thread.interrupted()).isFalse();
        self.interrupt();
        TaskHandle<Boolean> clearsFlag = executor.submit("a", "clears", Thread::interrupted);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(clearsFlag.await().status()).isEqualTo(TaskStatus.SUCCESS);
        gate.open();
        assertThat(holder.await().value()).isEqualTo("holder");
    }

    // ---------------------------------------------------------------- P3: threads that can't be had

    private enum Failure {
        TO_MAKE,
        TO_START
    }

    @ParameterizedTest
    @EnumSource(Failure.class)
    @Tag("P3")
    @Tag("G37")
    void aTaskWhoseThreadFailsIsFailedAndItsPermitsReturn(Failure failure) throws Exception {
        ManualClock clock = new ManualClock();
        AtomicInteger failures = new AtomicInteger();
        GroupExecutor executor = engines.start(
                GroupPolicy.builder()
                        .defaultMaxInFlightPerGroup(1)
                        .globalMaxInFlight(1)
                        .build(),
                new Surroundings(clock, failingThreads(failure, failures), false));
        failures.set(1);

        GroupResult<String> failed = engines.watch(executor, executor.submit("a", "1", () -> "never"))
                .await();

        assertThat(failed.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(failed.error()).isInstanceOf(OutOfMemoryError.class);
        assertThat(failed.startTimeNanos()).isZero();
        assertThat(failed.endTimeNanos()).isZero();
        assertThat(executor.stats().inFlight()).isZero();
        TaskHandle<String> next = executor.submit("a", "2", () -> "next");
        awaitRetries(executor, clock, List.of(next));
        assertThat(next.await().value()).isEqualTo("next");
    }

    /**
     * Lets time pass, and what is due by then run, until all have ended; and once more, for a group that stalled when the
     * last of them failed.
     */
    private static void awaitRetries(GroupExecutor executor, ManualClock clock, List<? extends TaskHandle<?>> handles) {
        Deadline.until("all have ended", () -> {
            clock.advance(Duration.ofMillis(100), executor);
            return handles.stream().allMatch(TaskHandle::isDone);
        });
        clock.advance(Duration.ofMillis(100), executor);
    }

    @ParameterizedTest
    @EnumSource(Failure.class)
    @Tag("P3")
    @Tag("G37")
    void whatWaitsBehindATaskWhoseThreadFailedIsTriedAgainByAndBy(Failure failure) throws Exception {
        ManualClock clock = new ManualClock();
        AtomicInteger failures = new AtomicInteger();
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().globalMaxInFlight(1).build(),
                new Surroundings(clock, failingThreads(failure, failures), false));
        TaskHandle<String> holder = executor.submit("a", "holder", gate.then("holder"));
        gate.awaitArrived(1);
        TaskHandle<String> unlucky = engines.watch(executor, executor.submit("a", "unlucky", () -> "never"));
        TaskHandle<String> next = engines.watch(executor, executor.submit("a", "next", () -> "next"));
        TaskHandle<String> other = engines.watch(executor, executor.submit("b", "other", () -> "other"));
        failures.set(1);

        gate.open();

        assertThat(holder.await().value()).isEqualTo("holder");
        awaitRetries(executor, clock, List.of(unlucky, next, other));
        assertThat(List.of(
                        unlucky.await().status(),
                        next.await().status(),
                        other.await().status()))
                .containsOnlyOnce(TaskStatus.FAILED)
                .contains(TaskStatus.SUCCESS);
    }

    @ParameterizedTest
    @EnumSource(Failure.class)
    @Tag("P3")
    void anOutageOfThreadsFailsNotTheWholeQueueInOneGo(Failure failure) throws Exception {
        ManualClock clock = new ManualClock();
        AtomicInteger failures = new AtomicInteger();
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().build(), new Surroundings(clock, failingThreads(failure, failures), false));
        executor.submit("a", "holder", gate.then("holder"));
        gate.awaitArrived(1);
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            handles.add(engines.watch(executor, executor.submit("a", "task-" + i, () -> "ran")));
        }
        List<TaskHandle<String>> all = List.copyOf(handles);
        TaskHandle<String> first = handles.removeFirst();
        failures.set(Integer.MAX_VALUE);

        gate.open();

        Deadline.until("the first has failed", () -> executor.stats().totals().failed() == 1);
        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(4);
        failures.set(0);
        // The first too: its end may have to be told again when there are threads.
        awaitRetries(executor, clock, all);
        assertThat(Deadline.within(first::await).status()).isEqualTo(TaskStatus.FAILED);
        for (TaskHandle<String> handle : handles) {
            assertThat(handle.await().value()).isEqualTo("ran");
        }
    }

    @Test
    @Tag("P3")
    void anOutageOfThreadsNeitherLosesTasksNorPermits() throws Exception {
        ManualClock clock = new ManualClock();
        AtomicInteger failures = new AtomicInteger();
        GroupExecutor executor = engines.start(
                GroupPolicy.builder()
                        .defaultMaxConcurrencyPerGroup(2)
                        .globalMaxInFlight(3)
                        .build(),
                new Surroundings(clock, failingThreads(Failure.TO_START, failures), false));
        failures.set(20);
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            handles.add(engines.watch(executor, executor.submit("group-" + i % 5, "task-" + i, () -> "ran")));
        }

        awaitRetries(executor, clock, handles);

        List<TaskStatus> statuses = new CopyOnWriteArrayList<>();
        for (TaskHandle<String> handle : handles) {
            statuses.add(handle.await().status());
        }
        // What is told on a fresh thread wants threads too, and fails to get some of them.
        assertThat(statuses).filteredOn(status -> status == TaskStatus.FAILED).hasSizeBetween(1, 20);
        assertThat(statuses).containsOnly(TaskStatus.FAILED, TaskStatus.SUCCESS);
    }

    @ParameterizedTest
    @EnumSource(Failure.class)
    @Tag("P3")
    @Tag("E13")
    void aBorrowerWhoseThreadFailsGivesItsLenderThePermitsBack(Failure failure) throws Exception {
        ManualClock clock = new ManualClock();
        AtomicInteger failures = new AtomicInteger();
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().globalMaxInFlight(1).build(),
                new Surroundings(clock, failingThreads(failure, failures), false));

        AtomicBoolean ended = new AtomicBoolean();
        AtomicReference<TaskHandle<Boolean>> behind = new AtomicReference<>();
        TaskHandle<TaskStatus> outer = executor.submit("a", "outer", () -> {
            TaskHandle<String> inner = executor.submit("a", "inner", () -> "never");
            behind.set(executor.submit("b", "behind", ended::get));
            failures.set(1);
            TaskStatus status =
                    engines.witness(executor).waiting("a", inner::await).status();
            ended.set(true);
            return status;
        });

        awaitRetries(executor, clock, List.of(outer));
        assertThat(outer.await().value()).isEqualTo(TaskStatus.FAILED);
        assertThat(behind.get().await().value())
                .as("what waited began after the lender had ended")
                .isTrue();
    }

    @Test
    void aTaskThatWaitsForItselfIsToldSo() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        AtomicReference<TaskHandle<String>> self = new AtomicReference<>();
        TaskHandle<String> handle = executor.submit("a", "1", () -> {
            gate.pass();
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> self.get().await());
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> self.get().join(1, TimeUnit.SECONDS));
            return "told";
        });
        self.set(handle);

        gate.open();

        assertThat(handle.await().value()).isEqualTo("told");
    }

    @Test
    @Tag("I8")
    void anInterruptBeforeTheCodeReachesNoListener() throws Exception {
        TaskThreads threads = TaskThreads.VIRTUAL;
        Surroundings lateThreads = new Surroundings(
                System::nanoTime,
                (name, work) -> threads.unstarted(name, () -> {
                    gate.passStubbornly();
                    work.run();
                }),
                true);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                interrupted.complete(Thread.currentThread().isInterrupted());
            }
        };
        GroupExecutor executor = engines.startPlain(
                GroupPolicy.builder().taskLifecycleListener(listener).build(), lateThreads);
        TaskHandle<String> handle = executor.submit("a", "task", () -> "ran");
        gate.awaitArrived(1);

        assertThat(handle.cancel(true)).isTrue();
        gate.open();

        assertThat(interrupted.get(Deadline.SECONDS, TimeUnit.SECONDS)).isFalse();
    }

    private static Surroundings countingThreads(AtomicInteger made) {
        TaskThreads threads = TaskThreads.VIRTUAL;
        return new Surroundings(
                System::nanoTime,
                (name, work) -> {
                    made.incrementAndGet();
                    return threads.unstarted(name, work);
                },
                true);
    }

    private static TaskThreads failingThreads(Failure failure, AtomicInteger failures) {
        TaskThreads threads = TaskThreads.VIRTUAL;
        return (name, work) -> {
            if (failures.getAndUpdate(left -> Math.max(0, left - 1)) == 0) {
                return threads.unstarted(name, work);
            }
            OutOfMemoryError error = new OutOfMemoryError("unable to create native thread");
            if (failure == Failure.TO_MAKE) {
                throw error;
            }
            return new Unstartable(error);
        };
    }

    private static final class Unstartable extends Thread {

        private final Error error;

        private Unstartable(Error error) {
            this.error = error;
        }

        @Override
        public void start() {
            throw error;
        }
    }
}
