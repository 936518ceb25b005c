package io.github.kobe.rollout.internal.drive;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import io.github.kobe.testing.Deadline;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What could not begin at its turn, since its plan was paused then, begins before the tasks behind it. */
class BeginsInOrderTests {

    private final GroupExecutor executor =
            GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
    private final TaskRecord first = task("a", 0);
    private final TaskRecord second = task("b", 1);

    /** Of which the first has met a pause. */
    private final TaskThreads threads = new TaskThreads(
            executor, "plan", id -> () -> id.equals(first.id()) ? Optional.of(first) : Optional.empty(), failure -> {
                throw failure;
            });

    private static TaskRecord task(String tenant, int position) {
        return TaskRecord.created(
                Samples.taskId(Samples.PLAN),
                Samples.PLAN,
                position,
                Samples.change(tenant),
                UnaryOperator.identity(),
                List.of("A"),
                Samples.NOW);
    }

    @Test
    @Tag("R35")
    void theDriveLooksBeforeItBeginsWhatComesAfterIt() {
        try (executor) {
            assertThat(threads.start(first.id(), 1)).isTrue();
            Deadline.until("it has met the pause", () -> threads.running().isEmpty());

            assertThat(threads.start(second.id(), 1)).isFalse();
            assertThat(threads.takeNudge()).isTrue();
            assertThat(threads.deferred()).containsExactly(WaitingTask.of(first));
            assertThat(threads.start(second.id(), 1)).isTrue();
        }
    }

    @Test
    @Tag("R35")
    void ofThoseWhoseTurnItIsTheFirstOneOfThePlanBegins() {
        try (executor) {
            Backlog backlog = new Backlog();
            backlog.setReach(2);
            backlog.ready(WaitingTask.of(second));
            backlog.ready(WaitingTask.of(first));
            assertThat(backlog.first()).isEqualTo(first.id());
            backlog.remove(Set.of(first.id()));
            assertThat(backlog.first()).isEqualTo(second.id());
            backlog.removeFirst();
            assertThat(backlog.hasWork()).isFalse();
        }
    }
}
