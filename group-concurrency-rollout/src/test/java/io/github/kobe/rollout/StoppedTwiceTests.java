package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node is stopped, and stopped again, while a stage goes on through its interrupt. */
@Tag("deep")
@Tag("R127")
class StoppedTwiceTests {

    @Test
    void whoStopsAgainWaitsNoLongerThanTheFirst() throws Exception {
        Gate gate = new Gate();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().build());
                StoreKind.Opened kept = StoreKind.H2.open()) {
            Rollouts rollouts = Rollouts.builder(executor)
                    .store(kept.store())
                    .stages(Stage.named("A").step(ctx -> gate.passStubbornly()))
                    .shutdownGrace(Duration.ZERO)
                    .build();
            PlanId planId = rollouts.start(RolloutPlan.named("plan-x")
                            .add(Samples.change("acme"))
                            .build())
                    .planId();
            gate.awaitArrived(1);
            long start = System.nanoTime();
            Thread first = Thread.ofVirtual().start(rollouts::close);
            Deadline.until("the first waits", () -> first.getState() == Thread.State.TIMED_WAITING);
            rollouts.close();
            assertThat(first.join(Deadline.LONG)).isTrue();
            Duration both = since(start);
            rollouts.close();

            assertThat(since(start).minus(both)).isLessThan(Duration.ofSeconds(1));
            assertThat(both).isLessThan(Duration.ofSeconds(9));
            assertThat(gate.arrived()).isEqualTo(1);
            gate.open();
            Deadline.until("the stage is over", () -> executor.stats().running() == 0);
            rollouts.open();
            assertThat(rollouts.await(planId, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
            rollouts.close();
        }
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }
}
