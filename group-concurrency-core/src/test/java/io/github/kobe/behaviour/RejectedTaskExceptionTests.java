package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.testing.Deadline;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RejectedTaskExceptionTests {

    @Tag("G19")
    @Test
    void itTellsWhatWasRejectedAndWhy() {
        RejectedTaskException rejection = new RejectedTaskException("a", "1", RejectionReason.GROUP_QUEUE_FULL, 5, 6);

        assertThat(rejection).isInstanceOf(RejectedExecutionException.class);
        assertThat(rejection.groupKey()).isEqualTo("a");
        assertThat(rejection.taskId()).isEqualTo("1");
        assertThat(rejection.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
        assertThat(rejection.limit()).isEqualTo(5);
        assertThat(rejection.queued()).isEqualTo(6);
    }

    @Tag("G19")
    @ParameterizedTest
    @CsvSource({
        "GROUP_QUEUE_FULL, 'queueThreshold 5'",
        "GLOBAL_QUEUE_FULL, 'globalQueueThreshold 5'",
        "QUEUE_TIMEOUT, time-out",
        "SHUTDOWN, shut down",
        "INTERRUPTED, interrupted"
    })
    void theMessageTellsTheReason(RejectionReason reason, String text) {
        assertThat(new RejectedTaskException("a", "1", reason, 5, 6))
                .hasMessageStartingWith("Task '1' of group 'a' was rejected")
                .hasMessageContaining(text);
    }

    @Test
    void whatWasGivenNoIdIsCalledWork() {
        assertThat(new RejectedTaskException("a", "", RejectionReason.SHUTDOWN, -1, 0))
                .hasMessageStartingWith("Work of group 'a'");
    }

    @Tag("K7")
    @ParameterizedTest
    @EnumSource(RejectionReason.class)
    void theMessageHasNoControlCharactersOfTheKeys(RejectionReason reason) {
        RejectedTaskException rejection = new RejectedTaskException("a\r\nb", "1\n2", reason, 5, 6);

        assertThat(rejection.getMessage()).contains("a__b").contains("1_2").doesNotContain("\r", "\n");
        assertThat(rejection.groupKey()).isEqualTo("a\r\nb");
        assertThat(rejection.taskId()).isEqualTo("1\n2");
    }

    /** Of a request that is turned away at once, and of one that had to wait. */
    @Tag("E5")
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void whatAnAsynchronousRequestEndsWithHasNoStackTrace(int queueThreshold) {
        GroupPolicy policy = GroupPolicy.builder()
                .defaultQueueThresholdPerGroup(queueThreshold)
                .build();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            CompletableFuture<GroupPermit> first = executor.acquireAsync("a").toCompletableFuture();
            CompletableFuture<GroupPermit> second = executor.acquireAsync("a").toCompletableFuture();
            executor.shutdown();

            assertThat(second)
                    .failsWithin(Deadline.LONG)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(RejectedTaskException.class)
                    .satisfies(rejection -> {
                        assertThat(rejection.getStackTrace()).isEmpty();
                        assertThat(rejection)
                                .hasToString(RejectedTaskException.class.getName() + ": " + rejection.getMessage());
                    });
            first.join().close();
        }
    }
}
