package io.github.kobe.internal.permits;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.audit.Engines;
import io.github.kobe.internal.doors.EngineAccess;
import io.github.kobe.testing.Gate;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Nodes that have left in the middle of a queue, which is then worked off from its head. */
@Tag("G35")
class DeadNodesTests {

    private static final int MANY = 49;

    @RegisterExtension
    final Engines engines = new Engines();

    @Test
    void theyDoNotOutlastThoseThatWaited() {
        GroupExecutor executor = engines.start(GroupPolicy.builder().build());
        Gate first = new Gate();
        Gate last = new Gate();
        submit(executor, 1, first);
        submit(executor, MANY + 1, first);
        submit(executor, 1, last);
        submit(executor, 1, last);
        List<TaskHandle<String>> leaving = submit(executor, MANY, last);
        submit(executor, 1, last);
        leaving.forEach(handle -> handle.cancel(false));
        int linked = LinkedNodes.in(EngineAccess.engine(executor).group("a"));
        assertThat(linked).as("with those that have left").isEqualTo(MANY + 1 + 3 + MANY);

        first.open();
        last.awaitArrived(1);

        int queued = executor.groupStats("a").orElseThrow().queued();
        assertThat(LinkedNodes.in(EngineAccess.engine(executor).group("a")) - queued)
                .isLessThanOrEqualTo(32);
        last.open();
    }

    private static List<TaskHandle<String>> submit(GroupExecutor executor, int tasks, Gate gate) {
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < tasks; i++) {
            handles.add(executor.submit("a", "task", gate.then("done")));
        }
        return handles;
    }
}
