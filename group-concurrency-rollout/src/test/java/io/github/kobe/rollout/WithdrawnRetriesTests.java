package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Gate;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two tenants have failed and are retried, one at a time: the first one is at a gate when somebody stops it. */
class WithdrawnRetriesTests extends RolloutsTestCase {

    private static final TenantId ACME = TenantId.of("acme");
    private static final TenantId ZORG = TenantId.of("zorg");

    private final Gate gate = new Gate();
    private final AtomicInteger failures = new AtomicInteger(2);
    private Rollouts rollouts;
    private PlanId planId;

    @BeforeEach
    void retryBoth() throws Exception {
        Stage failing = Stage.named("A").step(ctx -> {
            if (failures.getAndDecrement() > 0) {
                throw new IllegalStateException("broken");
            }
            gate.pass();
        });
        rollouts = rollouts(failing, Stage.named("B"));
        planId = rollouts.start(plan("x", 1, Samples.change("acme"), Samples.change("zorg")))
                .planId();
        settled(rollouts, planId);
        rollouts.retry(planId, true);
        gate.awaitArrived(1);
    }

    private void assertThatZorgRests() {
        TaskInfo task = rollouts.task(ZORG);
        assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(task.wish()).isNull();
        assertThat(task.retryCount()).isZero();
        assertThat(rollouts.isRunning(ZORG)).isFalse();
    }

    @ParameterizedTest(name = "now: {0}")
    @ValueSource(booleans = {true, false})
    @Tag("R39")
    @Tag("R45")
    void theCancelOfAPlanWithdrawsWhatHasNotBegun(boolean now) throws Exception {
        OperationResult result = now ? rollouts.cancelNow(planId) : rollouts.cancel(planId);

        assertThat(result.accepted()).hasSize(2);
        assertThatZorgRests();
        gate.open();
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        assertThat(rollouts.task(ACME).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThatZorgRests();
    }

    @Test
    @Tag("R45")
    void theCancelOfATaskWithdrawsItsRetryAlone() throws Exception {
        rollouts.cancel(ZORG);

        assertThatZorgRests();
        gate.open();
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        assertThat(rollouts.task(ACME).status()).isEqualTo(TaskStatus.COMPLETED);
        assertThatZorgRests();
    }

    @Test
    @Tag("R53")
    @Tag("R54")
    void thePauseOfAPlanWithdrawsWhatHasNotBegunAndAResumeDoesNotBringItBack() throws Exception {
        assertThat(rollouts.pause(planId).accepted()).hasSize(2);

        gate.open();
        awaitStatus(rollouts, planId, PlanStatus.PAUSED);
        assertThat(rollouts.task(ACME).status()).isEqualTo(TaskStatus.PAUSED);
        assertThatZorgRests();
        rollouts.resume(planId);
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        assertThatZorgRests();
        rollouts.retry(planId, true);
        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
    }
}
