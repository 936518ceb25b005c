package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupTask;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ExecuteAllTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    @Test
    @Tag("G39")
    void resultsComeInTheOrderOfTheTasks() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        List<GroupTask<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            int value = i;
            tasks.add(new GroupTask<>("group-" + i % 7, "task-" + i, () -> value));
        }

        List<GroupResult<Integer>> results = executor.executeAll(tasks);

        assertThat(results).hasSize(50);
        for (int i = 0; i < 50; i++) {
            assertThat(results.get(i).taskId()).isEqualTo("task-" + i);
            assertThat(results.get(i).value()).isEqualTo(i);
        }
        assertThatThrownBy(results::removeFirst).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    @Tag("G39")
    void noFailureStopsTheOthers() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        IllegalStateException failure = new IllegalStateException("no");

        List<GroupResult<String>> results = executor.executeAll(List.of(
                new GroupTask<>("a", "1", () -> "one"),
                new GroupTask<>("a", "2", () -> {
                    throw failure;
                }),
                new GroupTask<>("a", "3", () -> "three")));

        assertThat(results)
                .extracting(GroupResult::status)
                .containsExactly(TaskStatus.SUCCESS, TaskStatus.FAILED, TaskStatus.SUCCESS);
        assertThat(results.get(1).error()).isSameAs(failure);
    }

    @Test
    @Tag("G39")
    void rejectedTasksAreInTheListUnderEveryPolicy() throws Exception {
        for (RejectionPolicy policy : List.of(RejectionPolicy.ABORT, RejectionPolicy.DISCARD)) {
            Gate here = new Gate();
            GroupExecutor executor = engines.start(GroupPolicy.builder()
                    .defaultQueueThresholdPerGroup(0)
                    .rejectionPolicy(policy)
                    .build());
            executor.submit("a", "holder", here.then("held"));
            here.awaitArrived(1);

            List<GroupResult<String>> results = Deadline.within(() -> executor.executeAll(
                    List.of(new GroupTask<>("a", "1", () -> "one"), new GroupTask<>("b", "2", () -> "two"))));

            assertThat(results.getFirst())
                    .as(policy.name())
                    .isEqualTo(GroupResult.rejected("a", "1", RejectionReason.GROUP_QUEUE_FULL));
            assertThat(results).hasSize(2);
            assertThat(results.get(1).value()).isEqualTo("two");
            here.open();
        }
    }

    @Test
    @Tag("G39")
    void nothingIsSubmittedIfAnythingIsNull() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        AtomicInteger ran = new AtomicInteger();
        List<GroupTask<Integer>> tasks = Arrays.asList(new GroupTask<>("a", "1", ran::incrementAndGet), null);

        assertThatNullPointerException().isThrownBy(() -> executor.executeAll(null));
        assertThatNullPointerException().isThrownBy(() -> executor.executeAll(tasks));

        assertThat(executor.stats().totals().submitted()).isZero();
        assertThat(ran).hasValue(0);
    }

    @Test
    @Tag("G39")
    void nothingIsExecutedAfterAShutdown() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        executor.shutdown();

        assertThatIllegalStateException()
                .isThrownBy(() -> executor.executeAll(List.of(new GroupTask<>("a", "1", () -> "done"))));
    }

    @Test
    @Tag("G39")
    void nothingToDoGivesAnEmptyList() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        assertThat(executor.executeAll(List.<GroupTask<String>>of())).isEmpty();
    }

    @Test
    @Tag("G40")
    void anInterruptedCallerGetsACompleteListAndKeepsItsFlag() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .group("full", GroupLimits.unset().withQueueThreshold(0))
                .build());
        Gate inFull = new Gate();
        executor.submit("full", "holder", inFull.then("held"));
        inFull.awaitArrived(1);
        AtomicBoolean flag = new AtomicBoolean();
        AtomicInteger interruptedTasks = new AtomicInteger();
        AtomicInteger ran = new AtomicInteger();
        Caller<List<GroupResult<Integer>>> caller = Caller.start(() -> {
            List<GroupResult<Integer>> results = executor.executeAll(List.of(
                    new GroupTask<>("full", "1", ran::incrementAndGet),
                    new GroupTask<>("a", "2", () -> {
                        try {
                            gate.pass();
                            return 2;
                        } catch (InterruptedException e) {
                            return interruptedTasks.incrementAndGet();
                        }
                    }),
                    new GroupTask<>("a", "3", ran::incrementAndGet)));
            flag.set(Thread.currentThread().isInterrupted());
            return results;
        });
        gate.awaitArrived(1);
        caller.awaitBlocked().interrupt();

        List<GroupResult<Integer>> results = caller.result();

        assertThat(results)
                .extracting(GroupResult::status)
                .containsExactly(TaskStatus.REJECTED, TaskStatus.CANCELLED, TaskStatus.CANCELLED);
        assertThat(flag).isTrue();
        inFull.open();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(interruptedTasks).hasValue(1);
        assertThat(ran).hasValue(0);
    }

    @Test
    @Tag("G40")
    void aCallerInterruptedBeforehandGetsACompleteListToo() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        List<GroupResult<String>> results = Deadline.within(() -> {
            Thread.currentThread().interrupt();
            List<GroupResult<String>> all = executor.executeAll(
                    List.of(new GroupTask<>("a", "1", gate.then("done")), new GroupTask<>("a", "2", () -> "done")));
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            return all;
        });

        assertThat(results).extracting(GroupResult::status).containsExactly(TaskStatus.CANCELLED, TaskStatus.CANCELLED);
    }

    @Test
    @Tag("G39")
    void anyCollectionOfTasksOfASubtypeWillDo() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Set<GroupTask<Integer>> tasks = new LinkedHashSet<>();
        tasks.add(new GroupTask<>("a", "1", () -> 1));
        tasks.add(new GroupTask<>("a", "2", () -> 2));

        List<GroupResult<Number>> results = executor.executeAll(tasks);

        assertThat(results).extracting(GroupResult::value).containsExactly(1, 2);
    }
}
