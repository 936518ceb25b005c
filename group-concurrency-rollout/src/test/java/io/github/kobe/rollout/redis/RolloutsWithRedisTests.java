package io.github.kobe.rollout.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.Checkpoint;
import io.github.kobe.rollout.CheckpointException;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanInfo;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.StageContext;
import io.github.kobe.rollout.Step;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks in memory, their checkpoints in Redis. */
@Tag("deep")
class RolloutsWithRedisTests {

    private static final TenantId ACME = TenantId.of("acme");

    private final GroupExecutor executor =
            GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
    private final List<String> runs = new CopyOnWriteArrayList<>();
    private final AtomicInteger failures = new AtomicInteger();

    private TestRedis redis;
    private RedisCheckpointStore checkpoints;
    private Rollouts rollouts;

    @BeforeEach
    void open() {
        redis = TestRedis.open();
        checkpoints = RedisCheckpointStore.of(redis.template());
    }

    @AfterEach
    void close() {
        rollouts.close();
        executor.close();
        redis.close();
    }

    /** A, B and C, of which B fails as often as was set before it comes to what the test does within. */
    private PlanId start(Step within) {
        rollouts = Rollouts.builder(executor)
                .checkpoints(checkpoints)
                .stages(List.of("A", "B", "C").stream()
                        .map(name -> Stage.named(name).step(this::record).step(within))
                        .toList())
                .build();
        return rollouts.start(RolloutPlan.named("plan-x")
                        .add(TenantChange.of("acme", DeployUnit.of(7, 42, "blue"), "{}"))
                        .build())
                .planId();
    }

    private void record(StageContext ctx) {
        runs.add(ctx.stageName() + " " + ctx.attempt());
        ctx.data().put(ctx.stageName(), "done");
        if (ctx.stageName().equals("B") && failures.getAndDecrement() > 0) {
            throw new IllegalStateException("broken");
        }
    }

    private PlanInfo settled(PlanId planId) throws InterruptedException {
        PlanInfo plan = rollouts.await(planId, Deadline.LONG);
        assertThat(plan.status().isSettled()).as("settled: %s", plan).isTrue();
        return plan;
    }

    private TaskId task() {
        return rollouts.task(ACME).taskId();
    }

    @Test
    @Tag("R55")
    @Tag("R59")
    void aCheckpointIsThereAsLongAsSomethingCanGoOnFromIt() throws Exception {
        failures.set(1);
        PlanId planId = start(ctx -> {});
        assertThat(settled(planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        Checkpoint kept = rollouts.checkpoint(task()).orElseThrow();
        assertThat(kept.completedStageNames()).containsExactly("A");
        assertThat(kept.data()).isEqualTo(Map.of("A", "done"));

        rollouts.retry(planId, true);
        assertThat(settled(planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(runs).containsExactly("A 1", "B 1", "B 2", "C 2");
        assertThat(redis.template().keys("*")).isEmpty();
    }

    @Test
    @Tag("R64")
    void aTaskFailsIfRedisIsGoneAndGoesOnOnceItIsBack() throws Exception {
        Gate gate = new Gate();
        PlanId planId = start(ctx -> {
            if (ctx.stageName().equals("B") && ctx.attempt() == 1) {
                gate.pass();
            }
        });
        gate.awaitArrived(1);
        redis.stop();
        gate.open();

        assertThat(settled(planId).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        assertThat(rollouts.task(ACME).failure().errorType()).isEqualTo(CheckpointException.class.getSimpleName());
        assertThat(rollouts.task(ACME).failure().message()).startsWith("the checkpoint could not be saved");
        assertThat(rollouts.task(ACME).stage()).as("it isn't recorded as done").isEqualTo("B");

        redis.startAgain();
        Deadline.until("it answers again", this::answers);
        rollouts.retry(planId, true);
        assertThat(settled(planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(runs).containsExactly("A 1", "B 1", "B 2", "C 2");
    }

    private boolean answers() {
        try {
            checkpoints.load(task());
            return true;
        } catch (RuntimeException notYet) {
            return false;
        }
    }

    @Test
    @Tag("R63")
    void aCheckpointOfOtherStagesBeginsANewRunWithAWarning() throws Exception {
        failures.set(1);
        PlanId planId = start(ctx -> {});
        settled(planId);
        checkpoints.save(new Checkpoint(task(), 1, List.of("A", "X"), Instant.now(), 1, 1, 1, false, Map.of()));

        try (CapturedLog log = CapturedLog.open()) {
            rollouts.retry(planId, true);
            assertThat(settled(planId).status()).isEqualTo(PlanStatus.COMPLETED);
            assertThat(log.warnings()).anyMatch(line -> line.contains("starts over"));
        }
        assertThat(runs).containsExactly("A 1", "B 1", "A 2", "B 2", "C 2");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("R57")
    @Tag("R61")
    void withoutItsCheckpointATaskGoesOnFromWhatIsRecorded(boolean unreadable) throws Exception {
        failures.set(1);
        PlanId planId = start(ctx -> {});
        settled(planId);
        String key = "rollout:checkpoint:" + task();
        redis.template().delete(key);
        if (unreadable) {
            redis.template().opsForValue().set(key, "nonsense");
        }

        rollouts.retry(planId, true);
        assertThat(settled(planId).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(runs).containsExactly("A 1", "B 1", "B 2", "C 2");
    }
}
