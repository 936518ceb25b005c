package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.audit.Engines;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** E6: asking again from inside. */
@Tag("E6")
class ReentryTests {

    @RegisterExtension
    final Engines engines = new Engines();

    @Test
    void aCallInsideACallOfTheSameGroupNeedsNoSecondPermit() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultQueueThresholdPerGroup(0).build());

        String value = executor.call(
                "a", () -> executor.call("a", () -> executor.call("a", Duration.ZERO, () -> "innermost")));

        assertThat(value).isEqualTo("innermost");
    }

    @Test
    void aCallInsideASubmittedTaskNeedsNoSecondPermit() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(1).build());

        TaskHandle<String> handle = executor.submit("a", "1", () -> executor.call("a", Duration.ZERO, () -> "inside"));

        assertThat(handle.await().value()).isEqualTo("inside");
    }

    @Test
    void reentryGoesPastTheQueue() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Gate gate = new Gate();
        TaskHandle<String> outer = executor.submit("a", "outer", () -> {
            gate.pass();
            return executor.call("a", () -> "inside");
        });
        gate.awaitArrived(1);
        TaskHandle<String> queued = executor.submit("a", "queued", () -> "queued");

        gate.open();

        assertThat(outer.await().value()).isEqualTo("inside");
        assertThat(queued.await().value()).isEqualTo("queued");
    }

    @Test
    void reentryGoesThroughWhileTheGroupIsPaused() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        String value = executor.call("a", () -> {
            executor.pause("a");
            return executor.call("a", Duration.ZERO, () -> "inside");
        });

        assertThat(value).isEqualTo("inside");
        executor.resume("a");
    }

    @ParameterizedTest
    @ValueSource(strings = {"012", "021", "102", "120", "201", "210"})
    void sharesGiveTheRealOneBackAtTheLastCloseInAnyOrderOnAnyThread(String order) throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(2)
                .globalMaxInFlight(2)
                .build());
        GroupPermit other = executor.acquire("a");
        List<GroupPermit> shares = executor.call(
                "a",
                () -> List.of(
                        executor.enclosingPermit("a").orElseThrow(),
                        executor.enclosingPermit("a").orElseThrow(),
                        executor.enclosingPermit("a").orElseThrow()));

        for (int i = 0; i < 3; i++) {
            assertThat(tryAcquireElsewhere(executor, "a")).isEmpty();
            GroupPermit next = shares.get(order.charAt(i) - '0');
            Deadline.within(() -> {
                next.close();
                next.close();
                return "closed";
            });
        }

        tryAcquireElsewhere(executor, "a").orElseThrow().close();
        other.close();
    }

    @Test
    void aShareOfATaskKeepsTheTasksPermitWhenItEnds() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        GroupPermit permit = executor.submit(
                        "a", "1", () -> executor.enclosingPermit("a").orElseThrow())
                .await()
                .value();

        Deadline.untilAsserted(() ->
                assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(1));
        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        permit.close();
        executor.acquire("a").close();
    }

    @Test
    void aNestedCallOfAnotherGroupTakesNoSecondGlobalPermit() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(1).build());

        String value = executor.call(
                "a",
                () -> executor.call("b", Duration.ZERO, () -> {
                    assertThat(executor.stats().inFlight()).isEqualTo(1);
                    assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(1);
                    assertThat(executor.groupStats("b").orElseThrow().running()).isEqualTo(1);
                    return executor.submit("d", "1", () -> "later").isDone() ? "done" : "waits";
                }));

        assertThat(value).isEqualTo("waits");
    }

    @Test
    void aSubmittedTaskThatNestsAnotherGroupTakesNoSecondGlobalPermit() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(1).build());

        TaskHandle<String> handle = executor.submit("a", "1", () -> executor.call("b", Duration.ZERO, () -> "nested"));

        assertThat(handle.await().value()).isEqualTo("nested");
    }

    @Test
    void aNestedCallOfAnotherGroupTakesThatGroupsOwnPermits() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(10).build());
        GroupPermit full = executor.acquireAsync("b").toCompletableFuture().join();

        executor.call("a", () -> {
            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> executor.call("b", Duration.ZERO, () -> "never"));
            return "done";
        });

        full.close();
    }

    @Test
    void theGlobalPermitOfATaskStaysWithThePermitThatItLeavesOpen() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalMaxInFlight(1).build());

        GroupPermit left = executor.submit(
                        "a",
                        "1",
                        () -> executor.call(
                                "b", () -> executor.enclosingPermit("b").orElseThrow()))
                .await()
                .value();

        assertThat(executor.tryAcquire("c", Duration.ZERO)).isEmpty();
        left.close();
        executor.acquire("c").close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void goingFromOneGroupIntoAnotherDoesNotWaitForTheLockOfAllGroups(boolean busy) throws Exception {
        GroupExecutor executor = engines.startPlain(GroupPolicy.builder().build());
        Gate gate = new Gate();
        TaskHandle<String> holder = busy ? executor.submit("b", "holder", gate.then("held")) : null;
        ReentrantLock lock = EngineAccess.sharedLock(executor);

        lock.lock();
        try {
            Caller<String> nested = Caller.start(() ->
                    executor.call("a", () -> executor.call("c", () -> executor.call("b", () -> "b"))));
            gate.open();
            assertThat(nested.result()).isEqualTo("b");
        } finally {
            lock.unlock();
        }
        if (holder != null) {
            assertThat(holder.await().value()).isEqualTo("held");
        }
    }

    @Test
    void threadsStartedByTheHolderAreNotInside() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        boolean inside =
                executor.call("a", () -> tryAcquireElsewhere(executor, "a").isPresent());

        assertThat(inside).isFalse();
    }

    @Test
    void reentryIsNeitherCountedNorReported() throws Exception {
        List<String> heard = new ArrayList<>();
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onSubmitted(String groupKey, String taskId) {
                        heard.add(taskId);
                    }
                })
                .build());

        executor.call("a", "outer", Duration.ZERO, () -> {
            executor.enclosingPermit("a").orElseThrow().close();
            return executor.call("a", "inner", Duration.ZERO, () -> "inner");
        });

        assertThat(executor.stats().totals().submitted()).isEqualTo(1);
        assertThat(executor.stats().totals().succeeded()).isEqualTo(1);
        assertThat(heard).containsExactly("outer");
    }

    @Test
    void workSubmittedFromInsideIsNotInside() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        CompletableFuture<Boolean> queued = new CompletableFuture<>();

        TaskHandle<String> inner = executor.call("a", () -> {
            TaskHandle<String> submitted = executor.submit("a", "inner", () -> "inner");
            queued.complete(executor.groupStats("a").orElseThrow().queued() == 1);
            return submitted;
        });

        assertThat(queued.join()).isTrue();
        assertThat(inner.await().value()).isEqualTo("inner");
    }

    private static Optional<GroupPermit> tryAcquireElsewhere(GroupExecutor executor, String groupKey) throws Exception {
        return Deadline.within(() -> executor.tryAcquire(groupKey, Duration.ZERO));
    }
}
