package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Audit;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.Witness;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Failures that bit others, in the engine as a whole; each test ends with the audit, which shows that no permit is lost. */
class FailureModeTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    @Test
    @Tag("P2")
    void tasksCancelledBeforeTheyRanHoldNoPermit() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(2)
                .globalMaxInFlight(2)
                .build());
        List<TaskHandle<String>> holders = List.of(
                executor.submit("a", "holder-1", gate.then("held")),
                executor.submit("a", "holder-2", gate.then("held")));
        List<TaskHandle<String>> waiting = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            waiting.add(engines.watch(executor, executor.submit("a", "task-" + i, () -> "ran")));
        }

        for (int i = 0; i < 100; i += 2) {
            assertThat(waiting.get(i).cancel(i % 4 == 0)).isTrue();
        }
        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(50);
        gate.open();

        for (TaskHandle<String> holder : holders) {
            assertThat(holder.await().value()).isEqualTo("held");
        }
        for (int i = 0; i < 100; i++) {
            assertThat(waiting.get(i).await().status())
                    .isEqualTo(i % 2 == 0 ? TaskStatus.CANCELLED : TaskStatus.SUCCESS);
        }
    }

    @Test
    @Tag("P2")
    void cancelRacingTheStartOfATaskLosesNoPermit() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(1).build());
        for (int i = 0; i < 500; i++) {
            AtomicInteger runs = new AtomicInteger();
            TaskHandle<String> first = engines.watch(executor, executor.submit("a", "first-" + i, () -> "first"));
            TaskHandle<Integer> second =
                    engines.watch(executor, executor.submit("a", "second-" + i, runs::incrementAndGet));
            boolean cancelled = second.cancel(i % 2 == 0);
            assertThat(first.await().value()).isEqualTo("first");
            assertThat(second.await().status()).isEqualTo(cancelled ? TaskStatus.CANCELLED : TaskStatus.SUCCESS);
            assertThat(runs.get()).isLessThanOrEqualTo(1);
        }
    }

    @Test
    @Tag("P2")
    void aTaskCancelledBetweenItsGrantAndItsStartHoldsNoPermit() throws Exception {
        AtomicReference<TaskHandle<String>> victim = new AtomicReference<>();
        TaskThreads threads = TaskThreads.VIRTUAL;
        Surroundings environment = new Surroundings(
                System::nanoTime,
                (name, work) -> {
                    TaskHandle<String> cancelled = victim.getAndSet(null);
                    if (cancelled != null) {
                        cancelled.cancel(true);
                    }
                    return threads.unstarted(name, work);
                },
                true);
        GroupExecutor executor = engines.start(GroupPolicy.builder().build(), environment);
        TaskHandle<String> holder = executor.submit("a", "holder", gate.then("held"));
        TaskHandle<String> first = executor.submit("a", "first", () -> "first");
        TaskHandle<String> second = engines.watch(executor, executor.submit("a", "second", () -> "second"));
        gate.awaitArrived(1);

        // Both are granted in one go; while the first gets its thread, the second is cancelled.
        victim.set(second);
        executor.setLimits("a", GroupLimits.unset().withMaxConcurrency(3));

        assertThat(second.await().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(first.await().value()).isEqualTo("first");
        gate.open();
        assertThat(holder.await().value()).isEqualTo("held");
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
    }

    static Stream<Throwable> throwables() {
        return Stream.of(
                new AssertionError("error"),
                new StackOverflowError("error"),
                new OutOfMemoryError("error"),
                new NoClassDefFoundError("error"),
                new RuntimeException("exception"),
                new Exception("checked"),
                new Throwable("bare"));
    }

    @ParameterizedTest
    @MethodSource("throwables")
    @Tag("P12")
    @Tag("G37")
    void whateverATaskThrowsItsHandleEndsAndItsPermitsReturn(Throwable thrown) throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxInFlightPerGroup(1)
                .globalMaxInFlight(1)
                .build());

        TaskHandle<String> handle = engines.watch(
                executor,
                executor.submit("a", "1", () -> FailureModeTests.<String, RuntimeException>sneakyThrow(thrown)));
        GroupResult<String> result = Deadline.within(handle::await);

        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error()).isSameAs(thrown);
        assertThat(result.value()).isNull();
        assertThat(executor.submit("a", "2", () -> "next").await().value()).isEqualTo("next");
    }

    @Test
    @Tag("P12")
    void aRealStackOverflowInATaskEndsItsHandle() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(1).build());

        GroupResult<Integer> result =
                executor.submit("a", "1", () -> overflow(1)).await();

        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error()).isInstanceOf(StackOverflowError.class);
    }

    private static int overflow(int depth) {
        return depth < 0 ? 0 : depth + overflow(depth + 1);
    }

    @Test
    @Tag("W1")
    void noWakeUpIsLostBetweenAnEmptyQueueAndARelease() throws Exception {
        GroupExecutor executor =
                engines.startPlain(GroupPolicy.builder().globalMaxInFlight(2).build());
        List<Caller<Integer>> submitters = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            String key = "group-" + t % 2;
            submitters.add(Caller.start(() -> {
                int ended = 0;
                for (int i = 0; i < 2_000; i++) {
                    TaskHandle<Integer> handle = executor.submit(key, "task", () -> 1);
                    ended += handle.await(Deadline.SECONDS, TimeUnit.SECONDS).value();
                }
                return ended;
            }));
        }

        for (Caller<Integer> submitter : submitters) {
            assertThat(submitter.result()).isEqualTo(2_000);
        }
    }

    @Test
    @Tag("W1")
    void noWakeUpIsLostBetweenAFailedTryAndARelease() throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        for (int i = 0; i < 500; i++) {
            GroupPermit permit = executor.acquire("a");
            CyclicBarrier barrier = new CyclicBarrier(2);
            Caller<TaskHandle<String>> submitter = Caller.start(() -> {
                barrier.await();
                return executor.submit("a", "task", () -> "ran");
            });
            barrier.await();
            permit.close();
            assertThat(submitter
                            .result()
                            .await(Deadline.SECONDS, TimeUnit.SECONDS)
                            .value())
                    .isEqualTo("ran");
        }
    }

    @Test
    @Tag("W9")
    @Tag("E9")
    void shrinkingALimitBlocksNobodyAndFreezesNobody() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(8)
                .globalMaxInFlight(20)
                .build());
        Witness witness = engines.witness(executor);
        List<TaskHandle<String>> holders = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            holders.add(executor.submit("a", "holder-" + i, gate.then("held")));
        }
        gate.awaitArrived(8);
        TaskHandle<String> waiting = executor.submit("a", "waiting", () -> "waiting");

        GroupPolicy narrow = engines.witnessed(
                executor, GroupPolicy.builder().globalMaxInFlight(9).build());
        Deadline.within(() -> {
            witness.changing(
                    "a",
                    1,
                    Integer.MAX_VALUE,
                    () -> executor.setLimits("a", GroupLimits.unset().withMaxConcurrency(1)));
            witness.changingGlobal(9, () -> executor.updatePolicy(narrow));
            return true;
        });

        TaskHandle<String> other = executor.submit("b", "other", () -> "other");
        assertThat(Deadline.within(other::await).value()).isEqualTo("other");
        assertThat(waiting.isDone()).isFalse();
        gate.open();
        for (TaskHandle<String> holder : holders) {
            assertThat(holder.await().value()).isEqualTo("held");
        }
        assertThat(Deadline.within(waiting::await).value()).isEqualTo("waiting");
    }

    @Test
    @Tag("S8")
    @Tag("E9")
    void limitsChangedWhilePermitsAreOutKeepTheCountsRight() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(4)
                .globalMaxInFlight(6)
                .build());
        Random random = new Random(42);
        List<GroupPermit> permits = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            String key = random.nextBoolean() ? "a" : "b";
            switch (random.nextInt(6)) {
                case 0 ->
                    executor.setLimits(
                            key,
                            GroupLimits.unset()
                                    .withMaxConcurrency(1 + random.nextInt(8))
                                    .withMaxInFlight(1 + random.nextInt(8)));
                case 1 -> executor.resetLimits(key);
                case 2 ->
                    executor.updatePolicy(engines.witnessed(
                            executor,
                            GroupPolicy.builder()
                                    .defaultMaxConcurrencyPerGroup(1 + random.nextInt(5))
                                    .globalMaxInFlight(
                                            random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(10))
                                    .build()));
                case 3 -> {
                    if (!permits.isEmpty()) {
                        permits.remove(random.nextInt(permits.size())).close();
                    }
                }
                case 4 -> executor.evictGroup(key);
                default -> {
                    Duration none = Duration.ZERO;
                    Deadline.within(() -> executor.tryAcquire(key, none)).ifPresent(permits::add);
                }
            }
            assertThat(executor.stats().inFlight()).isEqualTo(permits.size());
        }
        permits.forEach(GroupPermit::close);
        assertThat(executor.stats().inFlight()).isZero();
    }

    @Test
    @Tag("S8")
    @Tag("I4")
    void growingALimitStartsExactlyWhatItLets() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        for (int i = 0; i < 10; i++) {
            executor.submit("a", "task-" + i, gate.then("ran"));
        }
        gate.awaitArrived(1);

        for (int limit : List.of(2, 3, 6, 10)) {
            executor.setLimits("a", GroupLimits.unset().withMaxConcurrency(limit));
            gate.awaitArrived(limit);
            Audit.checkNoLostWakeUp(executor);
            assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(limit);
            assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(10 - limit);
        }

        gate.open();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(engines.witness(executor).peakRunning("a")).isEqualTo(10);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T, E extends Throwable> T sneakyThrow(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
