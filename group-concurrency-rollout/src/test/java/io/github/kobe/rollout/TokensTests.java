package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A service of a tenant remembers the highest token that it has seen, whichever plan sends it. */
class TokensTests extends RolloutsTestCase {

    private static final TenantId ACME = TenantId.of("acme");

    private final List<Long> tokens = new CopyOnWriteArrayList<>();
    private final Gate gate = new Gate();
    private final AtomicInteger failures = new AtomicInteger();

    private Stage stage() {
        return Stage.named("A")
                .step(ctx -> tokens.add(ctx.fencingToken()))
                .step(ctx -> gate.pass())
                .step(ctx -> {
                    if (failures.getAndDecrement() > 0) {
                        throw new IllegalStateException("broken");
                    }
                })
                .rollback(ctx -> tokens.add(ctx.fencingToken()));
    }

    /** A plan that runs when its node is killed. */
    private PlanId killed() throws InterruptedException {
        HaltingStore halting = new HaltingStore(store);
        try (GroupExecutor doomed =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            Rollouts first = builder(doomed, halting)
                    .stages(stage())
                    .shutdownGrace(Duration.ZERO)
                    .build();
            PlanId planId = first.start(plan("x", Samples.change("acme"))).planId();
            gate.awaitArrived(1);
            halting.halt();
            first.close();
            return planId;
        }
    }

    @Test
    @Tag("R121")
    @Tag("R125")
    void aTenantsTokenGrowsOverTakeoversRetriesRollbacksAndAllItsPlans() throws Exception {
        PlanId first = killed();
        Rollouts rollouts = rollouts(stage());
        gate.awaitArrived(2);
        gate.open();
        settled(rollouts, first);

        failures.set(1);
        PlanId second = rollouts.start(plan("y", Samples.change("acme"))).planId();
        settled(rollouts, second);
        rollouts.retry(second, true);
        settled(rollouts, second);
        rollouts.rollback(second);
        assertThat(settled(rollouts, second).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        PlanId third = rollouts.start(plan("z", Samples.change("acme"))).planId();
        settled(rollouts, third);

        assertThat(tokens).hasSize(6).isSorted().doesNotHaveDuplicates();
        assertThat(store.findTenant(ACME).token()).isEqualTo(tokens.getLast());
    }

    @Test
    @Tag("R42")
    @Tag("R121")
    void whoWasGivenATenantThatAnotherLetGoHasAHigherTokenThanThat() throws Exception {
        Rollouts rollouts = rollouts(builder -> builder.stages(stage()).conflict(ConflictPolicy.QUEUE));
        PlanId first = rollouts.start(plan("x", Samples.change("acme"))).planId();
        gate.awaitArrived(1);
        PlanId second = rollouts.start(plan("y", Samples.change("acme"))).planId();
        gate.open();
        settled(rollouts, first);
        settled(rollouts, second);

        assertThat(tokens).hasSize(2).isSorted().doesNotHaveDuplicates();
    }

    @Test
    @Tag("R121")
    void theRollbackOfARunningTaskHasAHigherTokenThanItsStages() throws Exception {
        Rollouts rollouts = rollouts(stage());
        PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
        gate.awaitArrived(1);
        rollouts.rollback(ACME);
        gate.open();

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(tokens).hasSize(2).isSorted().doesNotHaveDuplicates();
    }

    @Test
    @Tag("R55")
    @Tag("R121")
    void aCheckpointHasTheTokenOfTheStageThatItIsOf() throws Exception {
        failures.set(1);
        Rollouts rollouts = rollouts(Stage.named("first"), stage());
        gate.open();
        for (String name : List.of("x", "y")) {
            PlanId planId = rollouts.start(plan(name, Samples.change("acme"))).planId();
            settled(rollouts, planId);
            failures.set(1);
            assertThat(rollouts.checkpoint(onlyTask(rollouts, planId))
                            .orElseThrow()
                            .token())
                    .isEqualTo(tokens.getLast());
        }
    }
}
