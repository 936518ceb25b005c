package io.github.kobe.rollout.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.RolloutStore;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.http.Instance.Ill;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The keys by which instances tell a request that comes again from another one. */
@Tag("R125")
class HttpKeysTests extends HttpTestCase {

    /** As behind one gateway. */
    private final Map<String, String> seen = new ConcurrentHashMap<>();

    @Test
    void instancesThatRefuseAKeyOfAnotherRequestAreSwitchedAndRolledBack() throws Exception {
        Instance first = instance(Ill.WELL);
        Instance second = instance(Ill.WELL);
        instances.forEach(instance -> instance.refuseKeysOfOtherRequests(seen));
        Rollouts rollouts = rollouts(builder -> builder);

        TaskInfo task = ran(rollouts, change(first, second));
        assertThat(task.status()).as("%s", task.failure()).isEqualTo(TaskStatus.COMPLETED);
        assertThat(seen).hasSize(4);

        rollouts.rollback(task.planId());
        assertThat(rollouts.await(task.planId(), Deadline.LONG).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(seen).hasSize(8);
        assertThat(first.loaded()).isEqualTo(OLD_CONFIG);
        assertThat(second.loaded()).isEqualTo(OLD_CONFIG);
    }

    @Test
    void aRequestThatIsSentAgainAfterAnInterruptHasItsKeyAgainAndARetryHasAnother() throws Exception {
        Instance instance = instance(Ill.WELL);
        instance.refuseKeysOfOtherRequests(seen);
        instance.hold("PUT /config");
        RolloutStore store = RolloutStore.inMemory();
        Rollouts stopped = rollouts(builder -> builder.store(store).shutdownGrace(Duration.ZERO));
        TaskInfo task = stopped.tasks(stopped.start(RolloutPlan.named("plan-x")
                                .add(change(instance))
                                .build())
                        .planId())
                .getFirst();
        Deadline.until("sent", () -> instance.keys().size() == 1);
        stopped.close();

        instance.become(Ill.REFUSING);
        instance.hold("");
        Rollouts next = rollouts(builder -> builder.store(store));
        assertThat(next.await(task.planId(), Deadline.LONG).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        assertThat(instance.keys())
                .containsExactly(task.taskId() + "/1/ConfigUpdate/1/1", task.taskId() + "/1/ConfigUpdate/1/1");

        instance.become(Ill.WELL);
        next.retry(task.planId(), true);
        assertThat(next.await(task.planId(), Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(instance.keys()).endsWith(task.taskId() + "/2/ConfigUpdate/1/1", task.taskId() + "/2/Broadcast/1/1");
    }
}
