package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who interrupts a thread that waits in a channel runs the code that closes it, which somebody else has written. */
@Tag("G35")
class InterruptTests {

    @RegisterExtension
    final Engines engines = new Engines();

    private final Gate gate = new Gate();

    /** Its thread waits in it until it is interrupted, by which it is closed; and that fails. */
    private static final class Unclosable extends AbstractInterruptibleChannel {

        private final Error failure;

        Unclosable(Error failure) {
            this.failure = failure;
        }

        /** Waits in it at {@code gate}. */
        String wait(Gate gate) throws Exception {
            boolean passed = false;
            begin();
            try {
                gate.pass();
                passed = true;
            } finally {
                end(passed);
            }
            return "passed";
        }

        @Override
        protected void implCloseChannel() {
            throw failure;
        }
    }

    private TaskHandle<String> waitInAChannel(GroupExecutor executor, String id) {
        return executor.submit("a", id, () -> new Unclosable(new LinkageError("no such channel")).wait(gate));
    }

    @Test
    void aChannelThatCannotBeClosedKeepsNoPermit() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        try (CapturedLog log = CapturedLog.open()) {
            TaskHandle<String> waiting = waitInAChannel(executor, "1");
            gate.awaitArrived(1);
            TaskHandle<String> next = executor.submit("a", "2", () -> "next");

            assertThat(waiting.cancel(true)).isTrue();

            assertThat(Deadline.within(next::await).value()).isEqualTo("next");
            assertThat(waiting.await().status()).isEqualTo(TaskStatus.CANCELLED);
            assertThat(log.thrown()).singleElement().isInstanceOf(LinkageError.class);
        }
    }

    @Test
    @Tag("G41")
    void aChannelThatCannotBeClosedKeepsAShutdownFromNothing() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(3).build());
        List<TaskHandle<String>> waiting =
                List.of(waitInAChannel(executor, "1"), waitInAChannel(executor, "2"), waitInAChannel(executor, "3"));
        gate.awaitArrived(3);
        try (CapturedLog log = CapturedLog.open()) {
            executor.shutdown();

            for (TaskHandle<String> handle : waiting) {
                assertThat(Deadline.within(handle::await).status()).isNotEqualTo(TaskStatus.SUCCESS);
            }
            assertThat(executor.awaitTermination(Deadline.LONG)).isTrue();
            assertThat(log.thrown()).as("once per kind").hasSize(1);
        }
    }

    @Test
    @Tag("G43")
    void aChannelThatCannotBeClosedKeepsAGroupShutdownFromNothing() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build());
        List<TaskHandle<String>> waiting = List.of(waitInAChannel(executor, "1"), waitInAChannel(executor, "2"));
        gate.awaitArrived(2);
        try (CapturedLog log = CapturedLog.open()) {
            executor.shutdownGroup("a");

            for (TaskHandle<String> handle : waiting) {
                assertThat(Deadline.within(handle::await).status()).isNotEqualTo(TaskStatus.SUCCESS);
            }
            assertThat(log.thrown()).hasSize(1);
        }
    }

    @Test
    @Tag("E7")
    void aChannelThatCannotBeClosedKeepsAViewFromNothing() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build());
        ExecutorService view = executor.asExecutorService("a");
        try (CapturedLog log = CapturedLog.open()) {
            List<Future<String>> waiting = List.of(
                    view.submit(() -> new Unclosable(new LinkageError("no such channel")).wait(gate)),
                    view.submit(() -> new Unclosable(new LinkageError("no such channel")).wait(gate)));
            gate.awaitArrived(2);

            assertThat(view.shutdownNow()).isEmpty();

            for (Future<String> future : waiting) {
                Deadline.until("it was interrupted", future::isDone);
            }
            Deadline.until("the view is terminated", view::isTerminated);
            assertThat(log.thrown()).hasSize(1);
        }
    }
}
