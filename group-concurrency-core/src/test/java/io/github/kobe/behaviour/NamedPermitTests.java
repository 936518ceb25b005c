package io.github.kobe.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupHolder;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupWaiter;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.audit.Engines;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** E5: permits with an id. */
@Tag("E5")
class NamedPermitTests {

    @RegisterExtension
    final Engines engines = new Engines();

    @Test
    void aHolderAndAWaiterAreShownUnderTheirIds() throws Exception {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        GroupPermit held = executor.acquire("a", "first");
        Caller<GroupPermit> waiting = Caller.start(() -> executor.acquire("a", "second"));
        Deadline.until("the second waits", () -> !executor.waiters("a", 1).isEmpty());

        assertThat(executor.holders("a")).extracting(GroupHolder::taskId).containsExactly("first");
        assertThat(executor.waiters("a", 1)).extracting(GroupWaiter::taskId).containsExactly("second");

        held.close();
        waiting.result().close();
    }

    @Test
    void aRejectionNamesTheId() throws Exception {
        GroupExecutor executor = engines.start(
                GroupPolicy.builder().defaultQueueThresholdPerGroup(0).build());
        try (GroupPermit held = executor.acquire("a")) {
            assertThat(held.groupKey()).isEqualTo("a");

            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> executor.acquire("a", "second"))
                    .returns("second", RejectedTaskException::taskId)
                    .withMessageContaining("'second'");
        }
    }

    @Test
    void aListenerHearsTheId() throws Exception {
        List<String> heard = new CopyOnWriteArrayList<>();
        GroupExecutor executor = engines.start(GroupPolicy.builder()
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onStarted(String groupKey, String taskId) {
                        heard.add(taskId);
                    }
                })
                .build());

        executor.acquire("a", "first").close();

        assertThat(heard).containsExactly("first");
    }

    @Test
    void withoutAKeyOrAnIdNothingIsTaken() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());

        assertThatNullPointerException()
                .isThrownBy(() -> executor.acquire(null, "first"))
                .withMessage("groupKey");
        assertThatNullPointerException()
                .isThrownBy(() -> executor.acquire("a", null))
                .withMessage("taskId");

        assertThat(executor.groupKeys()).isEmpty();
    }
}
