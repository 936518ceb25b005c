package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** When those who lease capacity for a group are told to look at it, and when not. */
@Tag("CL61")
class LeaseSignalsTests {

    private static final String KEY = "shared";

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();
    private final Leases leases = new Leases();
    private final Gate gate = new Gate();
    private GroupExecutor executor;

    @BeforeEach
    void start() {
        start(policy().build());
    }

    private static GroupPolicy.Builder policy() {
        return Leases.shared(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(10));
    }

    private void start(GroupPolicy policy) {
        executor = engines.startPlain(policy, clock.environment(), leases);
        leases.leaseFor(executor);
    }

    private List<GroupPermit> acquire(int count) throws Exception {
        List<GroupPermit> permits = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            permits.add(Deadline.within(() -> executor.acquire(KEY)));
        }
        return permits;
    }

    private void assertTold() {
        assertThat(leases.touched()).containsExactly(KEY);
    }

    private void assertNotTold() {
        assertThat(leases.touched()).isEmpty();
    }

    private int queued() {
        return executor.groupStats(KEY).orElseThrow().queued();
    }

    @Test
    void theFirstThatWaitsForALeaseIsTold() throws Exception {
        TaskHandle<String> first = executor.submit(KEY, "task", () -> "done");
        assertTold();
        leases.lease(KEY, 0);
        TaskHandle<String> second = executor.submit(KEY, "task", () -> "done");
        assertNotTold();

        leases.lease(KEY, 1);
        Deadline.within(first::await);
        Deadline.within(second::await);
        assertNotTold();
    }

    /** It would go on at once, to fail again. */
    @Test
    void whoFailsToLookIsNotWoken() {
        executor.submit(KEY, "task", () -> "done").cancel(true);
        executor.submit("shared-too", "task", () -> "done").cancel(true);
        int wakes = leases.wakes();

        assertThatIllegalStateException()
                .isThrownBy(() -> leases.take(key -> {
                    throw new IllegalStateException(key);
                }));

        assertThat(leases.wakes()).isEqualTo(wakes);
        assertThat(leases.touched()).containsExactlyInAnyOrder(KEY, "shared-too");
    }

    @Test
    void whatComesBeforeItIsTakenIsToldOnce() {
        for (int i = 0; i < 5; i++) {
            TaskHandle<String> handle = executor.submit(KEY, "task", () -> "done");
            handle.cancel(true);
        }
        executor.submit("shared-too", "task", () -> "done").cancel(true);

        assertThat(leases.wakes()).isEqualTo(2);
        assertThat(leases.touched()).containsExactly(KEY, "shared-too");
        executor.submit(KEY, "task", () -> "done").cancel(true);
        assertThat(leases.wakes()).isEqualTo(3);
        assertTold();
    }

    @Test
    void whatIsInUseWithinItsLeaseIsNotTold() throws Exception {
        leases.lease(KEY, 4);
        for (int i = 0; i < 100; i++) {
            Deadline.within(() -> executor.call(KEY, () -> "done"));
            for (GroupPermit permit : acquire(4)) {
                permit.close();
            }
        }

        assertThat(leases.wakes()).isZero();
    }

    @Test
    void whatWaitsForTheGroupsOwnLimitIsNotTold() throws Exception {
        executor.setLimits(KEY, GroupLimits.unset().withMaxConcurrency(2));
        assertTold();
        leases.lease(KEY, 2);
        List<GroupPermit> permits = acquire(2);
        TaskHandle<String> waiting = executor.submit(KEY, "task", () -> "done");
        TaskHandle<String> another = executor.submit(KEY, "task", () -> "done");
        assertNotTold();

        permits.getFirst().close();
        permits.getLast().close();
        Deadline.within(waiting::await);
        Deadline.within(another::await);
        Deadline.until("all is back", () -> executor.stats().inFlight() == 0);
        leases.touched(); // it may have become idle in a critical section
    }

    @Test
    void aPermitThatComesBackWhileMoreIsOutThanIsLeasedIsTold() throws Exception {
        leases.lease(KEY, 3);
        List<GroupPermit> permits = acquire(3);
        leases.lease(KEY, 1);
        assertNotTold();

        permits.get(0).close();
        assertTold();
        permits.get(1).close();
        assertTold();
        permits.get(2).close();
        assertNotTold();
    }

    @Test
    void aPermitThatComesBackToALowerOwnLimitIsNotTold() throws Exception {
        leases.lease(KEY, 3);
        List<GroupPermit> permits = acquire(3);
        executor.setLimits(KEY, GroupLimits.unset().withMaxConcurrency(1));
        assertTold();

        permits.get(0).close();
        permits.get(1).close();
        assertNotTold();
        permits.get(2).close();
        assertNotTold();
    }

    @Test
    void aGroupThatBecomesIdleInACriticalSectionIsTold() throws Exception {
        leases.lease(KEY, 3);
        List<GroupPermit> permits = acquire(2);
        Caller<Boolean> drain = Caller.start(() -> executor.shutdown(Deadline.LONG));
        Deadline.until("it drains", executor::isShutdown);
        assertNotTold();

        permits.get(0).close();
        assertNotTold();
        permits.get(1).close();
        assertTold();
        assertThat(drain.result()).isTrue();
    }

    @Test
    void aGroupThatBecomesIdleWithoutALeaseIsNotTold() throws Exception {
        leases.lease(KEY, 1);
        List<GroupPermit> permits = acquire(1);
        leases.lease(KEY, 0);

        permits.getFirst().close();
        assertTold(); // of the surplus
        leases.lease(KEY, 0);
        executor.pause(KEY);
        executor.resume(KEY);
        assertNotTold();
    }

    @Test
    void whatWaitedForALeaseAndLeavesIsNotTold() {
        TaskHandle<String> waiting = executor.submit(KEY, "task", () -> "done");
        assertTold();
        leases.lease(KEY, 0);

        waiting.cancel(true);
        assertNotTold();
    }

    @Test
    void otherLimitsAreToldUnlessTheyAreTheSame() {
        executor.setLimits(KEY, GroupLimits.unset().withMaxConcurrency(3));
        assertTold();
        executor.setLimits(KEY, GroupLimits.unset().withMaxConcurrency(3));
        assertNotTold();
        executor.updatePolicy(policy().defaultQueueThresholdPerGroup(7).build());
        assertTold();
        executor.updatePolicy(executor.policy().toBuilder().maxIdleGroups(3).build());
        assertNotTold();
        executor.resetLimits(KEY);
        assertTold();
    }

    @Test
    void whatWaitedInAPausedGroupIsToldWhenThatResumes() throws Exception {
        executor.pause(KEY);
        TaskHandle<String> waiting = executor.submit(KEY, "task", () -> "done");
        assertNotTold();

        executor.resume(KEY);
        assertTold();
        leases.lease(KEY, 1);
        Deadline.within(waiting::await);
    }

    @Test
    void whatWaitsForTheDeadlineIsNotTold() throws Exception {
        leases.lease(KEY, 2);
        leases.lapse();
        TaskHandle<String> waiting = executor.submit(KEY, "task", () -> "done");
        assertNotTold();

        leases.count(Duration.ofSeconds(1));
        Deadline.within(waiting::await);
    }

    @Test
    void whatBecomesWaitingWhenThereIsNoMemoryForABatchIsToldLater() throws Exception {
        leases.lease(KEY, 2);
        List<GroupPermit> permits = acquire(2);
        leases.lease(KEY, 0);
        Group group = EngineAccess.engine(executor).group(KEY);

        group.giveBack(Piece.ALL, null); // as one that finds no memory for a batch
        assertNotTold();
        clock.advance(Duration.ofSeconds(1), executor);
        assertTold();

        group.takeFree(1, 1); // for the permit whose own return is yet to come
        permits.forEach(GroupPermit::close);
        assertThat(queued()).isZero();
    }

    @Test
    void whatIsRefusedIsToldOnceUntilTheGroupIsLookedAt() throws Exception {
        assertThat(executor.tryAcquire(KEY, Duration.ZERO)).isEmpty();
        assertTold();
        assertThat(executor.tryAcquire(KEY, Duration.ZERO)).isEmpty();
        assertNotTold();
        leases.lease(KEY, 0);
        assertThat(executor.tryAcquire(KEY, Duration.ZERO)).isEmpty();
        assertTold();
        gate.open();
    }
}
