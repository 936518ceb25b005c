package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** E5: work on the caller's own thread. */
@Tag("E5")
class CallTests {

    private static final Duration SHORT = Duration.ofMillis(30);

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    @Test
    void theCallRunsOnTheCallersThread() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        assertThat(executor.call("a", Thread::currentThread)).isSameAs(Thread.currentThread());
    }

    @Test
    void theCallThrowsWhatTheCallableThrows() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        IOException checked = new IOException("checked");
        Error error = new AssertionError("error");

        assertThatThrownBy(() -> executor.call("a", throwing(checked))).isSameAs(checked);
        assertThatThrownBy(() -> executor.call("a", () -> {
                    throw error;
                }))
                .isSameAs(error);
        assertThat(executor.stats().totals().failed()).isEqualTo(2);
    }

    @Test
    void aCallTakesAllThreePermits() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(2)
                .defaultMaxInFlightPerGroup(2)
                .globalMaxInFlight(3)
                .build());
        Caller<String> one = held(executor, "a");
        Caller<String> two = held(executor, "a");
        Caller<String> three = held(executor, "b");
        gate.awaitArrived(3);

        assertThat(executor.groupStats("a").orElseThrow().running()).isEqualTo(2);
        assertThat(executor.groupStats("a").orElseThrow().inFlight()).isEqualTo(2);
        assertThat(executor.stats().inFlight()).isEqualTo(3);
        assertThat(executor.tryAcquire("a", Duration.ZERO)).isEmpty();
        assertThat(executor.tryAcquire("c", Duration.ZERO)).isEmpty();

        gate.open();
        assertThat(List.of(one.result(), two.result(), three.result())).containsOnly("held");
    }

    @Test
    @Tag("G17")
    void callersAndTasksAndAcquirersTakeTurnsInTheOrderInWhichTheyCame() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        List<String> order = new CopyOnWriteArrayList<>();
        Caller<String> holder = held(executor, "a");
        gate.awaitArrived(1);

        executor.submit("a", "task-1", () -> order.add("task-1"));
        Caller<Boolean> caller = Caller.start(() -> executor.call("a", () -> order.add("caller")));
        awaitQueued(executor, 2);
        executor.acquireAsync("a").thenAccept(permit -> {
            order.add("async");
            permit.close();
        });
        awaitQueued(executor, 3);
        Caller<Boolean> acquirer = Caller.start(() -> {
            GroupPermit permit = executor.acquire("a");
            boolean added = order.add("acquirer");
            permit.close();
            return added;
        });
        awaitQueued(executor, 4);
        executor.submit("a", "task-2", () -> order.add("task-2"));

        gate.open();
        holder.result();
        caller.result();
        acquirer.result();
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(order).containsExactly("task-1", "caller", "async", "acquirer", "task-2");
    }

    @Test
    void aFullQueueRejectsTheCallWhateverThePolicyAndTheHandlerSay() throws Exception {
        AtomicInteger handled = new AtomicInteger();
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.CALLER_RUNS)
                .rejectionHandler((groupKey, taskId, task) -> {
                    handled.incrementAndGet();
                    return GroupResult.rejected(groupKey, taskId);
                })
                .build());
        Caller<String> holder = held(executor, "a");
        gate.awaitArrived(1);

        RejectedTaskException rejected = catchThrowableOfType(
                RejectedTaskException.class, () -> executor.call("a", "id", Deadline.LONG, () -> "never"));

        assertThat(rejected.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
        assertThat(rejected.groupKey()).isEqualTo("a");
        assertThat(rejected.taskId()).isEqualTo("id");
        assertThat(rejected.limit()).isZero();
        assertThat(handled).hasValue(0);
        gate.open();
        holder.result();
    }

    @Test
    void aFullGlobalQueueRejectsTheCall() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().globalQueueThreshold(0).build());
        Caller<String> holder = held(executor, "a");
        gate.awaitArrived(1);

        RejectedTaskException rejected =
                catchThrowableOfType(RejectedTaskException.class, () -> executor.call("a", () -> "never"));

        assertThat(rejected.reason()).isEqualTo(RejectionReason.GLOBAL_QUEUE_FULL);
        gate.open();
        holder.result();
    }

    @Test
    void theCallIsRejectedWhenItsOwnTimeIsUp() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Caller<String> holder = held(executor, "a");
        gate.awaitArrived(1);

        RejectedTaskException rejected =
                catchThrowableOfType(RejectedTaskException.class, () -> executor.call("a", SHORT, () -> "never"));

        assertThat(rejected.reason()).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        assertThat(executor.groupStats("a").orElseThrow().queued()).isZero();
        gate.open();
        holder.result();
    }

    @Test
    @Tag("E3")
    void theCallIsRejectedWhenTheGroupsTimeIsUp() throws Exception {
        GroupExecutor executor =
                engines.start(GroupPolicy.builder().queueTimeout(SHORT).build());
        Caller<String> holder = held(executor, "a");
        gate.awaitArrived(1);

        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> executor.call("a", () -> "never"))
                .returns(RejectionReason.QUEUE_TIMEOUT, RejectedTaskException::reason);
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> executor.call("a", "id", GroupLimits.NO_TIMEOUT, () -> "never"))
                .returns(RejectionReason.QUEUE_TIMEOUT, RejectedTaskException::reason);
        gate.open();
        holder.result();
    }

    @Test
    void withNoTimeToWaitTheCallRunsOnlyIfItCanAtOnce() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        assertThat(executor.call("a", Duration.ZERO, () -> "at once")).isEqualTo("at once");
        Caller<String> holder = held(executor, "a");
        gate.awaitArrived(1);

        for (Duration noTime : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> executor.call("a", noTime, () -> "never"));
        }
        gate.open();
        holder.result();
    }

    @Test
    void aCallerThatIsInterruptedWhileItWaitsLeavesTheQueue() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Caller<String> holder = held(executor, "a");
        gate.awaitArrived(1);
        Caller<String> waiter = Caller.start(() -> executor.call("a", () -> "never"));
        awaitQueued(executor, 1);

        waiter.interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(waiter::result);
        assertThat(executor.groupStats("a").orElseThrow().queued()).isZero();
        assertThat(executor.stats().totals().cancelled()).isEqualTo(1);
        gate.open();
        holder.result();
    }

    @Test
    void anInterruptedCallerThatNeedNotWaitGoesThroughWithItsFlagKept() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        Caller<Boolean> caller = Caller.start(() -> {
            Thread.currentThread().interrupt();
            return executor.call("a", () -> Thread.currentThread().isInterrupted())
                    && Thread.currentThread().isInterrupted();
        });

        assertThat(caller.result()).isTrue();
    }

    @Test
    void anInterruptedCallerThatWouldHaveToWaitDoesNot() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Caller<String> holder = held(executor, "a");
        gate.awaitArrived(1);

        Caller<String> caller = Caller.start(() -> {
            Thread.currentThread().interrupt();
            return executor.call("a", () -> "never");
        });

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(caller::result);
        gate.open();
        holder.result();
    }

    @Test
    void aShutdownRejectsCallersThatWait() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Caller<String> holder = held(executor, "a");
        gate.awaitArrived(1);
        Caller<String> waiter = Caller.start(() -> executor.call("a", () -> "never"));
        awaitQueued(executor, 1);

        executor.shutdown();

        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(waiter::result)
                .returns(RejectionReason.SHUTDOWN, RejectedTaskException::reason);
        gate.open();
        assertThat(holder.result()).isEqualTo("held");
    }

    @Test
    void aShutdownWaitsForCallersAndNeverInterruptsThem() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Caller<Boolean> holder = Caller.start(() -> executor.call("a", () -> {
            gate.pass();
            return Thread.currentThread().isInterrupted();
        }));
        gate.awaitArrived(1);

        executor.shutdown();
        assertThat(executor.awaitTermination(SHORT)).isFalse();
        gate.open();

        assertThat(holder.result()).isFalse();
        assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
    }

    @Test
    void afterAShutdownThereAreNoCalls() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        executor.shutdown();

        assertThatIllegalStateException().isThrownBy(() -> executor.call("a", () -> "never"));
        assertThatIllegalStateException().isThrownBy(() -> executor.call("a", Deadline.LONG, () -> "never"));
    }

    @Test
    void shutdownOfAGroupRejectsItsWaitingCallersOnly() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Caller<String> holder = held(executor, "a");
        Caller<String> other = held(executor, "b");
        gate.awaitArrived(2);
        Caller<String> waiter = Caller.start(() -> executor.call("a", () -> "never"));
        awaitQueued(executor, 1);
        Caller<String> otherWaiter = Caller.start(() -> executor.call("b", () -> "later"));
        Deadline.until(
                "one waits in b", () -> executor.groupStats("b").orElseThrow().queued() == 1);

        executor.shutdownGroup("a");

        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(waiter::result)
                .returns(RejectionReason.SHUTDOWN, RejectedTaskException::reason);
        gate.open();
        assertThat(holder.result()).isEqualTo("held");
        assertThat(other.result()).isEqualTo("held");
        assertThat(otherWaiter.result()).isEqualTo("later");
    }

    @Test
    void theListenerHearsOfCallsAsOfTasks() throws Exception {
        List<String> heard = new CopyOnWriteArrayList<>();
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onSubmitted(String groupKey, String taskId) {
                        heard.add("submitted '" + taskId + "'");
                    }

                    @Override
                    public void onStarted(String groupKey, String taskId) {
                        heard.add("started '" + taskId + "'");
                    }

                    @Override
                    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                        heard.add("completed '" + taskId + "' " + result.status());
                    }
                })
                .build());

        executor.call("a", () -> heard.add("runs"));
        assertThatThrownBy(() -> executor.call("a", "id", Duration.ZERO, throwing(new IOException())))
                .isInstanceOf(IOException.class);
        executor.call("a", "other", () -> heard.add("runs"));

        assertThat(heard)
                .containsExactly(
                        "submitted ''",
                        "started ''",
                        "runs",
                        "completed '' SUCCESS",
                        "submitted 'id'",
                        "started 'id'",
                        "completed 'id' FAILED",
                        "submitted 'other'",
                        "started 'other'",
                        "runs",
                        "completed 'other' SUCCESS");
    }

    @Test
    @Tag("E11")
    void callsAreNotDecorated() throws Exception {
        AtomicInteger decorated = new AtomicInteger();
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .taskDecorator((groupKey, task) -> {
                    decorated.incrementAndGet();
                    return task;
                })
                .build());

        executor.call("a", () -> "called");
        assertThat(decorated).hasValue(0);
        executor.submit("a", "1", () -> "submitted").await();
        assertThat(decorated).hasValue(1);
    }

    @Test
    void nullsAreRefused() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        assertThatNullPointerException().isThrownBy(() -> executor.call(null, () -> "x"));
        assertThatNullPointerException().isThrownBy(() -> executor.call("a", null));
        assertThatNullPointerException().isThrownBy(() -> executor.call("a", (Duration) null, () -> "x"));
        assertThatNullPointerException().isThrownBy(() -> executor.call("a", null, Duration.ZERO, () -> "x"));
    }

    private Caller<String> held(GroupExecutor executor, String groupKey) {
        return Caller.start(
                () -> executor.call(groupKey, engines.witness(executor).inside(groupKey, gate.then("held"))));
    }

    private static Callable<String> throwing(Exception exception) {
        return () -> {
            throw exception;
        };
    }

    private static void awaitQueued(GroupExecutor executor, int count) {
        Deadline.until(
                () -> count + " queued, but " + executor.groupStats("a"),
                () -> executor.groupStats("a").orElseThrow().queued() == count);
    }
}
