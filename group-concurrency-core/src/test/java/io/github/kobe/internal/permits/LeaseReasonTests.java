package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.WaitReason;
import io.github.kobe.audit.Engines;
import io.github.kobe.audit.ManualClock;
import io.github.kobe.internal.doors.EngineAccess.Surroundings;
import io.github.kobe.internal.doors.EngineAccess.TaskThreads;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is said of work that waits for want of a lease. */
@Tag("CL38")
class LeaseReasonTests {

    private static final String KEY = "shared";

    @RegisterExtension
    final Engines engines = new Engines();

    private final ManualClock clock = new ManualClock();
    private final Leases leases = new Leases();
    private final Gate gate = new Gate();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private GroupExecutor executor;

    private void start(GroupPolicy.Builder policy) {
        Surroundings surroundings = new Surroundings(
                clock,
                (name, work) -> {
                    Thread thread = TaskThreads.VIRTUAL.unstarted(name, work);
                    threads.add(thread);
                    return thread;
                },
                false);
        executor = engines.startPlain(policy.build(), surroundings, leases);
        leases.leaseFor(executor);
    }

    private static GroupPolicy.Builder policy(GroupLimits limits) {
        return GroupPolicy.builder().defaults(limits.withClusterMaxInFlight(3));
    }

    @AfterEach
    void letAllEnd() {
        leases.lease(KEY, 10);
        leases.count(Duration.ofDays(1));
        gate.open();
    }

    private void submit(int count) {
        for (int i = 0; i < count; i++) {
            executor.submit(KEY, "task", gate.then("done"));
        }
    }

    private Optional<WaitReason> waitsFor() {
        return executor.groupStats(KEY).orElseThrow().waitsFor();
    }

    private void aMinuteLater() {
        clock.advance(Duration.ofMinutes(1), executor);
        for (Thread thread : threads) {
            Deadline.until("the report has ended", () -> thread.getState() == Thread.State.TERMINATED);
        }
    }

    @Test
    void whatOwnLimitsAllowAndALeaseDoesNotWaitsForTheCluster() {
        start(policy(GroupLimits.unset().withMaxConcurrency(2)));
        submit(1);
        assertThat(waitsFor()).contains(WaitReason.CLUSTER_LIMIT);

        leases.lease(KEY, 1);
        submit(1);
        assertThat(waitsFor()).contains(WaitReason.CLUSTER_LIMIT);

        leases.lease(KEY, 5);
        assertThat(waitsFor()).isEmpty();
        submit(1);
        assertThat(waitsFor()).contains(WaitReason.GROUP_LIMIT);
    }

    @Test
    void whatIsLeasedAndCountsNoMoreIsWaitedForToo() {
        start(policy(GroupLimits.unset().withMaxConcurrency(2)));
        leases.lease(KEY, 5);
        leases.lapse();
        submit(1);

        assertThat(waitsFor()).contains(WaitReason.CLUSTER_LIMIT);
    }

    @Test
    void aPausedGroupWaitsToBeResumedFirst() {
        start(policy(GroupLimits.unset().withMaxConcurrency(2)));
        executor.pause(KEY);
        submit(1);
        assertThat(waitsFor()).contains(WaitReason.PAUSED);
        executor.resume(KEY);
    }

    @Test
    void aGroupWithoutALimitOfItsOwnWaitsForTheClusterAlone() {
        start(policy(GroupLimits.unset()));
        leases.lease(KEY, 3);
        submit(4);

        assertThat(waitsFor()).contains(WaitReason.CLUSTER_LIMIT);
    }

    @Test
    void aLimitInFlightIsOneOfItsOwn() {
        start(policy(GroupLimits.unset().withMaxInFlight(2)));
        leases.lease(KEY, 3);
        submit(3);

        assertThat(waitsFor()).contains(WaitReason.GROUP_LIMIT);
    }

    @Test
    void aGroupThatIsNotSharedWaitsForItsOwnLimitWithoutOne() {
        start(Leases.shared(GroupPolicy.builder()));
        executor.submit("own", "task", gate.then("done"));
        executor.submit("own", "task", gate.then("done"));
        leases.lapse();

        assertThat(executor.groupStats("own").orElseThrow().waitsFor()).contains(WaitReason.GROUP_LIMIT);
    }

    @Test
    void aRejectionNamesTheClustersLimit() {
        start(policy(GroupLimits.unset().withMaxConcurrency(2).withQueueThreshold(1)));
        submit(1);
        TaskHandle<String> refused = executor.submit(KEY, "refused", () -> "done");

        RejectedTaskException full =
                catchThrowableOfType(RejectedTaskException.class, () -> Deadline.within(refused::await));

        assertThat(full.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
        assertThat(full.waitsFor()).contains(WaitReason.CLUSTER_LIMIT);
        assertThat(full).hasMessageContaining("(1 waiting, queueThreshold 1; held up by CLUSTER_LIMIT)");
    }

    @Test
    void aTimeOutNamesTheClustersLimit() {
        start(policy(GroupLimits.unset().withMaxConcurrency(2).withQueueTimeout(Duration.ofSeconds(5))));
        TaskHandle<String> late = executor.submit(KEY, "late", () -> "done");
        clock.advance(Duration.ofSeconds(5), executor);

        RejectedTaskException over =
                catchThrowableOfType(RejectedTaskException.class, () -> Deadline.within(late::await));

        assertThat(over.reason()).isEqualTo(RejectionReason.QUEUE_TIMEOUT);
        assertThat(over).hasMessageContaining("held up by CLUSTER_LIMIT");
    }

    @Test
    void theWarningOfAGroupThatStandsStillNamesTheClustersLimit() {
        start(policy(GroupLimits.unset().withMaxConcurrency(2)).warnInterval(Duration.ofMinutes(1)));
        try (CapturedLog log = CapturedLog.open()) {
            submit(1);
            aMinuteLater();
            aMinuteLater();

            assertThat(log.warnings())
                    .singleElement()
                    .asString()
                    .contains("Group 'shared' stands still")
                    .contains("nothing is leased to this instance of the limit that all instances share"
                            + " (it waits for CLUSTER_LIMIT)");
        }
    }
}
