package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.rollout.internal.rules.Samples;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tasks are read by the page. */
@Tag("R48")
@Tag("R114")
class TaskPagesTests extends RolloutsTestCase {

    @Test
    void theFirstTasksOfAPlanAreInItsOrderAndInTheStateThatIsAskedFor() throws Exception {
        Rollouts rollouts = rollouts(Stage.named("A").step(ctx -> {
            if (ctx.tenantId().value().startsWith("bad")) {
                throw new IllegalStateException("broken");
            }
        }));
        PlanId planId = rollouts.start(plan(
                        "x",
                        1,
                        Samples.change("bad1"),
                        Samples.change("acme"),
                        Samples.change("bad2"),
                        Samples.change("zorg")))
                .planId();
        settled(rollouts, planId);

        assertThat(rollouts.tasks(planId, null, 3))
                .extracting(task -> task.tenantId().value())
                .containsExactly("bad1", "acme", "bad2");
        assertThat(rollouts.tasks(planId, TaskStatus.FAILED, 1))
                .extracting(task -> task.tenantId().value())
                .containsExactly("bad1");
        assertThat(rollouts.tasks(planId, TaskStatus.COMPLETED, 9))
                .extracting(task -> task.tenantId().value())
                .containsExactly("acme", "zorg");
        assertThat(rollouts.tasks(planId, TaskStatus.PAUSED, 9)).isEmpty();
        assertThat(rollouts.tasks(planId, null, 9)).isEqualTo(rollouts.tasks(planId));
        assertThat(rollouts.tasks(planId, null, 0)).isEmpty();
        assertThatThrownBy(() -> rollouts.tasks(planId, null, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit is -1; it must be at least 0");
        assertThatThrownBy(() -> rollouts.tasks(PlanId.of("plan-nobody"), null, 1))
                .isInstanceOf(PlanNotFoundException.class);
    }

    @Test
    void theTasksOfATenantAreThoseOfAllPlansTheNewestFirst() throws Exception {
        Rollouts rollouts = rollouts(Stage.named("A"));
        for (String name : new String[] {"x", "y"}) {
            settled(
                    rollouts,
                    rollouts.start(plan(name, Samples.change("acme"), Samples.change("zorg")))
                            .planId());
        }

        assertThat(rollouts.tasks(TenantId.of("acme")))
                .extracting(TaskInfo::planId)
                .containsExactly(PlanId.of("plan-y"), PlanId.of("plan-x"));
        assertThat(rollouts.tasks(TenantId.of("nobody"))).isEmpty();
    }
}
