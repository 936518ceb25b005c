package io.github.kobe.spring.test;

import static io.github.kobe.spring.test.GroupAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GroupAssertionsTests {

    private final Gate gate = new Gate();
    private final GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
            .group("a", GroupLimits.unset().withMaxConcurrency(1).withQueueThreshold(1))
            .build());

    @AfterEach
    void close() {
        gate.open();
        executor.close();
    }

    /** One runs, one waits, one was rejected. */
    private void occupy() {
        TaskHandle<String> first = executor.submit("a", "first", gate.then("one"));
        gate.awaitArrived(1);
        TaskHandle<String> second = executor.submit("a", "second", gate.then("two"));
        TaskHandle<String> third = executor.submit("a", "third", gate.then("three"));
        assertThat(List.of(first.isDone(), second.isDone(), third.isDone())).containsExactly(false, false, true);
    }

    @Test
    void whatHoldsIsSaidInSilence() {
        occupy();

        assertThat(executor)
                .group("a")
                .hasRunning(1)
                .hasInFlight(1)
                .hasQueued(1)
                .hasMaxConcurrency(1)
                .hasSubmitted(3)
                .hasSucceeded(0)
                .hasRejected(RejectionReason.GROUP_QUEUE_FULL, 1);
        assertThat(executor).group("never used").isQuiet().hasNoPermitsOut().hasRunning(0);

        gate.open();
        Deadline.untilAsserted(() -> assertThat(executor).isQuiet().hasNoPermitsOut());
        assertThat(executor).group("a").isQuiet().hasNoPermitsOut().hasSucceeded(2);
    }

    @Test
    void aFailureSaysWhatTheGroupDoesAndWhoHasItsPermits() {
        occupy();

        String who = "has a permit";
        assertFails(
                () -> assertThat(executor).isQuiet(), "Expected a quiet executor", "group 'a': 1 in flight, 1", who);
        assertFails(() -> assertThat(executor).hasNoPermitsOut(), "no permits to be out", who, "task 'first'");
        assertFails(() -> assertThat(executor).group("a").isQuiet(), "group 'a' to be quiet", "TASK, task 'second'");
        assertFails(() -> assertThat(executor).group("a").hasNoPermitsOut(), "no permits of group 'a'", "TASK '");
        assertFails(() -> assertThat(executor).group("a").hasRunning(2), "to have 2 running, but it has 1", who);
        assertFails(() -> assertThat(executor).group("a").hasInFlight(0), "to have 0 in flight, but it has 1", who);
        assertFails(() -> assertThat(executor).group("a").hasQueued(0), "to have 0 waiting, but it has 1", "waits for");
        assertFails(() -> assertThat(executor).group("a").hasSubmitted(2), "2 submitted, but it has 3");
        assertFails(() -> assertThat(executor).group("a").hasSucceeded(1), "1 succeeded, but it has 0");
        assertFails(
                () -> assertThat(executor).group("a").hasRejected(RejectionReason.SHUTDOWN, 1),
                "1 rejected as SHUTDOWN, but it has 0");
        assertFails(() -> assertThat(executor).group("a").isPaused(), "to be paused");
        assertFails(() -> assertThat(executor).group("a").hasMaxConcurrency(4), "a limit of 4", "CONFIGURED");
        assertFails(() -> assertThat(executor).group("b").hasMaxConcurrency(4), "it was never used");
        assertFails(() -> assertThat(executor).group("b").hasSubmitted(1), "never used");
        assertFails(() -> assertThat((GroupExecutor) null).isQuiet(), "not to be null");
    }

    @Test
    void waitingWorkHasNoPermit() {
        executor.pause("a");
        TaskHandle<String> waiting = executor.submit("a", gate.then("one"));

        assertThat(executor)
                .hasNoPermitsOut()
                .group("a")
                .isPaused()
                .hasNoPermitsOut()
                .hasQueued(1);

        assertThat(waiting.cancel(true)).isTrue();
        assertThat(executor).isQuiet();
    }

    @Test
    void aPermitThatBelongsToNoThreadIsTold() throws InterruptedException {
        GroupPermit permit = executor.acquire("a");
        try {
            assertFails(() -> assertThat(executor).isQuiet(), "has a permit", "PERMIT");
        } finally {
            permit.close();
        }
        assertThat(executor).isQuiet();
    }

    private static void assertFails(ThrowingCallable assertion, String... told) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(assertion)
                .satisfies(failure -> assertThat(failure).message().contains(told));
    }
}
