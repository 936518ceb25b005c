package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who approves names the wave that has ended, so that an approval that is sent again never means the next one. */
class ApprovalTests extends RolloutsTestCase {

    private static final PlanId PLAN = PlanId.of("plan-x");

    @Test
    @Tag("R49")
    @Tag("R138")
    void anApprovalThatIsSentAgainIsRefusedAtTheNextGate() throws Exception {
        Rollouts rollouts = rollouts(Stage.named("A"));
        RolloutPlan.Builder plan = RolloutPlan.named(PLAN.value());
        for (String tenant : new String[] {"a", "b", "c"}) {
            plan.add(Samples.change(tenant));
        }
        rollouts.start(plan.waves(1, 1).approval(Duration.ofHours(1)).build());
        awaitGateAfter(1, rollouts);
        rollouts.approve(PLAN, 1);
        awaitGateAfter(2, rollouts);
        PlanInfo before = rollouts.plan(PLAN);

        for (int other : new int[] {1, 0, 3}) {
            assertThatThrownBy(() -> rollouts.approve(PLAN, other))
                    .isInstanceOfSatisfying(
                            TaskOperationException.class,
                            e -> assertThat(e.errorType()).isEqualTo("OTHER_GATE"))
                    .hasMessage("plan plan-x waits for an approval of wave 2, not of wave " + other);
        }
        assertThat(rollouts.plan(PLAN)).isEqualTo(before);
        rollouts.approve(PLAN, 2);
        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    private static void awaitGateAfter(int wave, Rollouts rollouts) {
        Deadline.until("the gate after wave " + wave, () -> {
            PlanInfo plan = rollouts.plan(PLAN);
            return plan.wave() == wave && plan.gate() != null;
        });
    }
}
