package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.GroupTask;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("E3")
class QueueTimeoutTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration NANO = Duration.ofNanos(1);

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();
    private final Gate gate = new Gate();

    private GroupExecutor busy(GroupPolicy policy) {
        GroupExecutor executor = engines.start(policy, clock);
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        return executor;
    }

    private static GroupPolicy oneSecond() {
        return GroupPolicy.builder().queueTimeout(SECOND).build();
    }

    private static RejectionReason reason(TaskHandle<?> handle) {
        Deadline.until("rejected", handle::isDone);
        return catchThrowableOfType(RejectedTaskException.class, handle::join).reason();
    }

    @Test
    void aTaskWhoseTimeIsUpIsRejected() {
        GroupExecutor executor = busy(oneSecond());
        TaskHandle<String> handle = executor.submit("a", "1", () -> "done");

        clock.advance(SECOND, executor);

        assertThat(reason(handle)).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        gate.open();
    }

    @Test
    void aTaskWaitsUntilItsTimeIsUpAndNotLess() throws Exception {
        GroupExecutor executor = busy(oneSecond());
        TaskHandle<String> handle = executor.submit("a", "1", () -> "done");

        clock.advance(SECOND.minus(NANO), executor);

        assertThat(handle.isDone()).isFalse();
        gate.open();
        assertThat(handle.await().value()).isEqualTo("done");
    }

    @Test
    void theTimeIsMeasuredFromEnqueueing() {
        GroupExecutor executor = busy(oneSecond());
        TaskHandle<String> first = executor.submit("a", "1", () -> "done");
        clock.advance(Duration.ofMillis(600), executor);
        TaskHandle<String> second = executor.submit("a", "2", () -> "done");

        clock.advance(Duration.ofMillis(400), executor);

        assertThat(reason(first)).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        assertThat(second.isDone()).isFalse();
        clock.advance(Duration.ofMillis(600), executor);
        assertThat(reason(second)).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        gate.open();
    }

    @Test
    void aTaskWhoseTimeIsUpNeverStartsAlsoIfNothingHasLookedAtIt() throws Exception {
        GroupExecutor executor = busy(oneSecond());
        AtomicInteger ran = new AtomicInteger();
        TaskHandle<Integer> late = executor.submit("a", "1", ran::incrementAndGet);
        clock.advance(SECOND);

        gate.open();

        assertThat(reason(late)).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        assertThat(ran).hasValue(0);
    }

    @Test
    void aGroupWhoseLastTaskIsFoundLateByAnotherGroupGoesAsIdle() throws Exception {
        GroupExecutor executor =
                busy(GroupPolicy.builder().globalMaxInFlight(1).maxIdleGroups(0).build());
        TaskHandle<String> late = executor.submit(new GroupTask<>("b", "late", () -> "never").withQueueTimeout(SECOND));
        clock.advance(SECOND);

        gate.open();

        assertThat(reason(late)).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        Deadline.until("no group is left", () -> executor.groupKeys().isEmpty());
    }

    @Test
    void theSlotIsFreeAtOnce() throws Exception {
        GroupExecutor executor = busy(GroupPolicy.builder()
                .queueTimeout(SECOND)
                .defaultQueueThresholdPerGroup(1)
                .globalQueueThreshold(1)
                .build());
        executor.submit("a", "1", () -> "done");

        clock.advance(SECOND, executor);
        TaskHandle<String> next = executor.submit("a", "2", () -> "next");

        assertThat(next.isDone()).isFalse();
        assertThat(executor.groupStats("a").orElseThrow().queued()).isEqualTo(1);
        gate.open();
        assertThat(next.await().value()).isEqualTo("next");
    }

    @Test
    void aPauseDoesNotStopTheTime() {
        GroupExecutor executor = engines.start(oneSecond(), clock);
        executor.pause("a");
        TaskHandle<String> handle = executor.submit("a", "1", () -> "done");

        clock.advance(SECOND, executor);

        assertThat(reason(handle)).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        executor.resume("a");
    }

    @Test
    void theTimeOutInForceIsWhatCounts() {
        GroupExecutor executor = busy(oneSecond());
        TaskHandle<String> handle = executor.submit("a", "1", () -> "done");

        executor.setLimits("a", GroupLimits.unset().withQueueTimeout(Duration.ofSeconds(3)));
        clock.advance(Duration.ofSeconds(2), executor);
        assertThat(handle.isDone()).isFalse();

        executor.setLimits("a", GroupLimits.unset().withQueueTimeout(Duration.ofMillis(2_500)));
        clock.advance(Duration.ofMillis(500), executor);
        assertThat(reason(handle)).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        gate.open();
    }

    @Test
    void aTimeOutSetWhileTasksWaitHoldsForThemToo() {
        GroupExecutor executor = busy(GroupPolicy.builder().build());
        TaskHandle<String> handle = executor.submit("a", "1", () -> "done");
        clock.advance(SECOND, executor);

        executor.setLimits("a", GroupLimits.unset().withQueueTimeout(SECOND));
        clock.advance(NANO, executor);

        assertThat(reason(handle)).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        gate.open();
    }

    @Test
    void noTimeOutLiftsTheDefault() throws Exception {
        GroupExecutor executor = busy(GroupPolicy.builder()
                .queueTimeout(SECOND)
                .group("a", GroupLimits.unset().withQueueTimeout(GroupLimits.NO_TIMEOUT))
                .build());
        TaskHandle<String> handle = executor.submit("a", "1", () -> "done");

        clock.advance(Duration.ofDays(365), executor);

        assertThat(handle.isDone()).isFalse();
        gate.open();
        assertThat(handle.await().value()).isEqualTo("done");
    }

    @Test
    void theShorterOfATasksTimeOutAndItsGroupsHolds() {
        GroupExecutor executor = busy(oneSecond());
        TaskHandle<String> shorter =
                executor.submit(new GroupTask<>("a", "shorter", () -> "done").withQueueTimeout(Duration.ofMillis(500)));
        TaskHandle<String> longer =
                executor.submit(new GroupTask<>("a", "longer", () -> "done").withQueueTimeout(Duration.ofSeconds(5)));

        clock.advance(Duration.ofMillis(500), executor);
        assertThat(reason(shorter)).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        assertThat(longer.isDone()).isFalse();

        clock.advance(Duration.ofMillis(500), executor);
        assertThat(reason(longer)).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        gate.open();
    }

    @Test
    void aTasksOwnTimeOutHoldsOnceItsGroupsHasGrownBeyondIt() {
        GroupExecutor executor = busy(oneSecond());
        TaskHandle<String> handle =
                executor.submit(new GroupTask<>("a", "1", () -> "done").withQueueTimeout(SECOND.multipliedBy(2)));
        executor.setLimits("a", GroupLimits.unset().withQueueTimeout(GroupLimits.NO_TIMEOUT));

        clock.advance(SECOND, executor);
        assertThat(handle.isDone()).isFalse();
        clock.advance(SECOND, executor);

        assertThat(reason(handle)).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        gate.open();
    }

    @Test
    void aTaskBehindOthersTimesOutByItself() throws Exception {
        GroupExecutor executor = busy(GroupPolicy.builder().build());
        TaskHandle<String> patient = executor.submit("a", "patient", () -> "done");
        TaskHandle<String> hasty =
                executor.submit(new GroupTask<>("a", "hasty", () -> "done").withQueueTimeout(SECOND));

        clock.advance(SECOND, executor);

        assertThat(reason(hasty)).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        gate.open();
        assertThat(patient.await().value()).isEqualTo("done");
    }

    @Test
    void aTaskWithATimeOutOfZeroDoesNotWait() throws Exception {
        GroupExecutor executor = busy(GroupPolicy.builder().build());

        TaskHandle<String> refused =
                executor.submit(new GroupTask<>("a", "1", () -> "done").withQueueTimeout(Duration.ZERO));
        TaskHandle<String> negative =
                executor.submit(new GroupTask<>("a", "1", () -> "done").withQueueTimeout(Duration.ofSeconds(-1)));
        TaskHandle<String> atOnce =
                executor.submit(new GroupTask<>("b", "1", () -> "done").withQueueTimeout(Duration.ZERO));

        assertThat(refused.isDone()).isTrue();
        assertThat(reason(refused)).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        assertThat(reason(negative)).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        assertThat(atOnce.await().value()).isEqualTo("done");
        gate.open();
    }

    @Test
    void underDiscardATimeOutIsARejectedResult() throws Exception {
        GroupExecutor executor = busy(GroupPolicy.builder()
                .queueTimeout(SECOND)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .build());
        TaskHandle<String> handle = executor.submit("a", "1", () -> "done");

        clock.advance(SECOND, executor);

        assertThat(handle.await()).isEqualTo(GroupResult.rejected("a", "1", RejectionReason.QUEUE_TIMEOUT));
        gate.open();
    }

    @Test
    void underCallerRunsATimeOutAborts() {
        AtomicInteger ran = new AtomicInteger();
        GroupExecutor executor = busy(GroupPolicy.builder()
                .queueTimeout(SECOND)
                .rejectionPolicy(RejectionPolicy.CALLER_RUNS)
                .build());
        TaskHandle<Integer> handle = executor.submit("a", "1", ran::incrementAndGet);

        clock.advance(SECOND, executor);

        assertThat(reason(handle)).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        assertThat(ran).hasValue(0);
        gate.open();
    }

    @Test
    @Tag("G48")
    void theHandlerOfATimeOutIsCalledOnAFreshVirtualThread() throws Exception {
        AtomicReference<Thread> handlers = new AtomicReference<>();
        GroupExecutor executor = busy(GroupPolicy.builder()
                .queueTimeout(SECOND)
                .rejectionHandler((groupKey, taskId, task) -> {
                    handlers.set(Thread.currentThread());
                    return GroupResult.rejected(groupKey, taskId);
                })
                .build());
        TaskHandle<String> handle = executor.submit("a", "1", () -> "done");

        clock.advance(SECOND, executor);

        assertThat(handle.await().status()).isEqualTo(TaskStatus.REJECTED);
        assertThat(handlers.get().isVirtual()).isTrue();
        assertThat(handlers.get()).isNotSameAs(Thread.currentThread());
        gate.open();
    }

    @Test
    @Tag("P7")
    void aNestedCallerAtTheHeadWhoseTimeIsUpLetsNobodyPastTheGlobalLimit() throws Exception {
        GroupExecutor executor =
                engines.start(oneSecond().toBuilder().globalMaxInFlight(1).build(), clock);
        executor.pause("a");
        // It has the only global permit, so it waits for its second group without needing one.
        Caller<Boolean> nested = Caller.start(() -> {
            GroupPermit outer = executor.acquire("b");
            try {
                executor.acquire("a").close();
                return true;
            } catch (RejectedTaskException late) {
                gate.pass();
                return false;
            } finally {
                outer.close();
            }
        });
        Deadline.until("queued", () -> executor.stats().queued() == 1);
        clock.advance(SECOND.minus(NANO));
        TaskHandle<String> behind = executor.submit("a", "1", () -> "done");
        clock.advance(NANO);

        executor.resume("a");

        gate.awaitArrived(1);
        assertThat(executor.stats().inFlight()).isEqualTo(1);
        assertThat(behind.isDone()).isFalse();
        gate.open();
        assertThat(nested.result()).isFalse();
        assertThat(behind.await().value()).isEqualTo("done");
    }

    @Test
    void queueTimeOutsRunOutByThemselves() {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().queueTimeout(Duration.ofMillis(20)).build());
        executor.submit("a", "holder", gate.then("held"));
        gate.awaitArrived(1);
        TaskHandle<String> handle = executor.submit("a", "1", () -> "done");

        assertThat(reason(handle)).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        gate.open();
    }
}
