package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupTask;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SubmitTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    @Test
    @Tag("G1")
    void anExecutorIsMadeFromAPolicy() throws Exception {
        GroupPolicy policy = GroupPolicy.builder().build();

        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            assertThat(executor.policy()).isSameAs(policy);
            assertThat(executor.submit("a", "1", () -> "done").await().value()).isEqualTo("done");
        }
    }

    @Test
    @Tag("G1")
    void anExecutorWantsAPolicy() {
        assertThatNullPointerException().isThrownBy(() -> GroupExecutor.newVirtualThreadExecutor(null));
    }

    @Test
    @Tag("G1")
    void thereIsNoPublicConstructor() {
        for (Constructor<?> constructor : GroupExecutor.class.getDeclaredConstructors()) {
            assertThat(Modifier.isPrivate(constructor.getModifiers()))
                    .as(constructor.toString())
                    .isTrue();
        }
    }

    @Test
    @Tag("G12")
    void aSubmittedTaskGivesItsResultWithItsNames() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        TaskHandle<String> handle = executor.submit("a", "1", () -> "done");

        assertThat(handle.groupKey()).isEqualTo("a");
        assertThat(handle.taskId()).isEqualTo("1");
        GroupResult<String> result = handle.await();
        assertThat(result.groupKey()).isEqualTo("a");
        assertThat(result.taskId()).isEqualTo("1");
        assertThat(result.status()).isEqualTo(TaskStatus.SUCCESS);
        assertThat(result.value()).isEqualTo("done");
    }

    @Test
    @Tag("G12")
    void aGroupTaskIsSubmittedWithItsParts() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        GroupResult<String> result =
                executor.submit(new GroupTask<>("a", "1", () -> "done")).await();

        assertThat(result.groupKey()).isEqualTo("a");
        assertThat(result.taskId()).isEqualTo("1");
        assertThat(result.value()).isEqualTo("done");
    }

    @Test
    @Tag("G12")
    void nothingSubmittedIsNull() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        assertThatNullPointerException().isThrownBy(() -> executor.submit(null, "1", () -> "done"));
        assertThatNullPointerException().isThrownBy(() -> executor.submit("a", null, () -> "done"));
        assertThatNullPointerException().isThrownBy(() -> executor.submit("a", "1", null));
        assertThatNullPointerException().isThrownBy(() -> executor.submit(null));
        assertThat(executor.stats().totals().submitted()).isZero();
    }

    @Test
    @Tag("G12")
    void nothingIsSubmittedAfterAShutdown() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        executor.shutdown();

        assertThatIllegalStateException().isThrownBy(() -> executor.submit("a", "1", () -> "done"));
        assertThatIllegalStateException().isThrownBy(() -> executor.submit(new GroupTask<>("a", "1", () -> "done")));
        assertThat(executor.stats().totals().submitted()).isZero();
    }

    @Test
    @Tag("G12")
    void submittingToABusyGroupDoesNotBlock() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);

        List<TaskHandle<Integer>> handles = Deadline.within(() -> {
            List<TaskHandle<Integer>> submitted = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                int value = i;
                submitted.add(executor.submit("a", "task-" + i, () -> value));
            }
            return submitted;
        });

        assertThat(handles).noneMatch(TaskHandle::isDone);
        gate.open();
        for (int i = 0; i < 100; i++) {
            assertThat(handles.get(i).await().value()).isEqualTo(i);
        }
    }

    @Test
    @Tag("G12")
    void taskIdsNeedNotBeUnique() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        TaskHandle<Integer> one = executor.submit("a", "same", () -> 1);
        TaskHandle<Integer> two = executor.submit("a", "same", () -> 2);

        assertThat(one.await().value()).isEqualTo(1);
        assertThat(two.await().value()).isEqualTo(2);
    }

    @Test
    @Tag("G14")
    void groupsRunInParallel() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        CyclicBarrier together = new CyclicBarrier(3);

        List<TaskHandle<Integer>> handles = new ArrayList<>();
        for (String key : List.of("a", "b", "c")) {
            handles.add(executor.submit(key, "1", () -> together.await(Deadline.SECONDS, TimeUnit.SECONDS)));
        }

        for (TaskHandle<Integer> handle : handles) {
            assertThat(handle.await().status()).isEqualTo(TaskStatus.SUCCESS);
        }
    }

    @Test
    @Tag("G14")
    void insideAGroupAsManyRunAtOnceAsItsConcurrencyAndNotOneMore() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(3).build());
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            handles.add(executor.submit("a", "task-" + i, gate.then("done")));
        }

        gate.awaitArrived(3);
        assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(3);
        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(7);
        assertThat(gate.arrived()).isEqualTo(3);

        gate.open();
        for (TaskHandle<String> handle : handles) {
            handle.await();
        }
        assertThat(engines.witness(executor).peakRunning("a")).isEqualTo(3);
    }

    @Test
    @Tag("G14")
    @Tag("I1")
    void overAllGroupsAsManyAreInFlightAsTheGlobalLimitAndNotOneMore() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(3).build());
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            handles.add(executor.submit("group-" + i, "task", gate.then("done")));
        }

        gate.awaitArrived(3);
        assertThat(executor.stats().inFlight()).isEqualTo(3);
        assertThat(executor.stats().queued()).isEqualTo(7);
        assertThat(gate.arrived()).isEqualTo(3);

        gate.open();
        for (TaskHandle<String> handle : handles) {
            handle.await();
        }
    }

    @Test
    @Tag("G14")
    void atNoInstantDoMoreRunThanTheLimits() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(3)
                .globalMaxInFlight(5)
                .build());
        AtomicInteger done = new AtomicInteger();
        List<Caller<Boolean>> submitters = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            submitters.add(Caller.start(() -> {
                for (int task = 0; task < 500; task++) {
                    executor.submit("group-" + task % 3, "task", () -> {
                        // Lets others in, if they may, on one core too.
                        LockSupport.parkNanos(1);
                        return done.incrementAndGet();
                    });
                }
                return true;
            }));
        }

        for (Caller<Boolean> submitter : submitters) {
            assertThat(submitter.result()).isTrue();
        }
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(done).hasValue(2_000);
    }

    @Test
    @Tag("G15")
    void aTaskStartsWhenAllThreeLimitsAllowIt() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .globalMaxInFlight(2)
                .defaultMaxConcurrencyPerGroup(5)
                .group("narrow", GroupLimits.unset().withMaxInFlight(1))
                .build());
        Gate other = new Gate();
        executor.submit("narrow", "1", gate.then("done"));
        executor.submit("other", "1", other.then("done"));
        gate.awaitArrived(1);
        other.awaitArrived(1);

        TaskHandle<String> waiting = executor.submit("narrow", "2", () -> "done");
        other.open();
        Deadline.until("one free global permit", () -> executor.stats().inFlight() == 1);
        assertThat(waiting.isDone()).isFalse();
        assertThat(executor.groupStats("narrow").orElseThrow().queued()).isEqualTo(1);

        gate.open();
        assertThat(waiting.await().value()).isEqualTo("done");
    }

    @Test
    @Tag("G15")
    void aWaitingTaskHoldsNoPermitThatAnotherGroupNeeds() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(2).build());
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        for (int i = 0; i < 10; i++) {
            executor.submit("a", "waits-" + i, () -> "done");
        }

        assertThat(executor.submit("b", "1", () -> "runs").await().value()).isEqualTo("runs");
        assertThat(executor.stats().inFlight()).isEqualTo(1);
        gate.open();
    }

    @Test
    @Tag("G17")
    @Tag("I5")
    void tasksOfAGroupStartInTheOrderInWhichTheyWereSubmitted() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        List<String> ids = new ArrayList<>();
        ids.add("holder");
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        for (int i = 0; i < 50; i++) {
            ids.add("task-" + i);
            executor.submit("a", "task-" + i, () -> "done");
        }

        gate.open();

        Deadline.untilAsserted(
                () -> assertThat(engines.witness(executor).started("a")).isEqualTo(ids));
    }

    @Test
    @Tag("G3")
    void aGroupRunsAsManyAsThePolicyResolvesForIt() {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .concurrencyResolver(String::length)
                .pattern("vip:*", GroupLimits.unset().withMaxConcurrency(4))
                .group("vip:x", GroupLimits.unset().withMaxConcurrency(2))
                .build());

        assertThat(concurrency(executor, "abc")).isEqualTo(3);
        assertThat(concurrency(executor, "vip:y")).isEqualTo(4);
        assertThat(concurrency(executor, "vip:x")).isEqualTo(2);
    }

    private static int concurrency(GroupExecutor executor, String key) {
        Gate here = new Gate();
        for (int i = 0; i < 8; i++) {
            executor.submit(key, "task-" + i, here.then("done"));
        }
        int running = executor.groupStats(key).orElseThrow().running();
        here.awaitArrived(running);
        here.open();
        return running;
    }

    @Test
    @Tag("G6")
    void theFirstResolutionStandsWhileTheGroupIsLive() throws Exception {
        AtomicInteger plan = new AtomicInteger(2);
        AtomicInteger asked = new AtomicInteger();
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .concurrencyResolver(key -> {
                    asked.incrementAndGet();
                    return plan.get();
                })
                .build());
        executor.submit("a", "1", () -> "done").await();

        plan.set(5);
        executor.submit("a", "2", () -> "done").await();

        assertThat(executor.groupStats("a").orElseThrow().maxConcurrency().value())
                .isEqualTo(2);
        assertThat(asked).hasValue(1);
    }

    @Test
    @Tag("G6")
    void evictionResetAndANewPolicyResolveAnew() throws Exception {
        AtomicInteger plan = new AtomicInteger(2);
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().concurrencyResolver(key -> plan.get()).build());
        executor.submit("a", "1", () -> "done").await();

        plan.set(3);
        executor.evictGroup("a");
        executor.submit("a", "2", () -> "done").await();
        assertThat(executor.groupStats("a").orElseThrow().maxConcurrency().value())
                .isEqualTo(3);

        plan.set(4);
        executor.resetLimits("a");
        assertThat(executor.groupStats("a").orElseThrow().maxConcurrency().value())
                .isEqualTo(4);

        plan.set(5);
        executor.updatePolicy(executor.policy().toBuilder().build());
        assertThat(executor.groupStats("a").orElseThrow().maxConcurrency().value())
                .isEqualTo(5);
    }

    @Test
    @Tag("G5")
    void whenResolutionRacesOneAnswerStands() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Gate inResolver = new Gate();
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .concurrencyResolver(key -> {
                    int answer = asked.incrementAndGet();
                    inResolver.passStubbornly();
                    return answer;
                })
                .build());
        Caller<TaskHandle<String>> one = Caller.start(() -> executor.submit("a", "1", gate.then("done")));
        Caller<TaskHandle<String>> two = Caller.start(() -> executor.submit("a", "2", gate.then("done")));
        inResolver.awaitArrived(2);

        inResolver.open();
        one.result();
        two.result();

        int stands = executor.groupStats("a").orElseThrow().maxConcurrency().value();
        assertThat(stands).isBetween(1, 2);
        assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(stands);
        gate.open();
    }

    @Test
    @Tag("G12")
    void aTaskNeedsNoId() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        TaskHandle<String> handle = executor.submit("a", () -> "done");

        assertThat(handle.taskId()).isEmpty();
        assertThat(handle.await().valueOrThrow()).isEqualTo("done");
        assertThatNullPointerException().isThrownBy(() -> executor.submit(null, () -> "done"));
        assertThatNullPointerException().isThrownBy(() -> executor.submit("a", null));
    }
}
