package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.ConfigCodec;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.RolloutsBuilder;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Configurations that can't be read back for a while. */
@ParameterizedClass(name = "{0}")
@MethodSource("io.github.kobe.rollout.jdbc.TestDatabase$Product#ofThisDepth")
class ConfigCodecTests {

    private static final PlanId PLAN = PlanId.of("plan-x");
    private static final FailureInfo NO_KEY =
            new FailureInfo(FailureInfo.STORE, "the store failed with IllegalStateException");

    @Parameter
    private TestDatabase.Product product;

    private final List<String> done = new CopyOnWriteArrayList<>();
    private final Stage stage =
            Stage.named("A").step(ctx -> done.add("A")).rollback(ctx -> done.add("undo A, " + ctx.config()));
    private volatile boolean hasKey;
    private TestDatabase database;
    private GroupExecutor executor;

    @BeforeEach
    void openDatabase() {
        database = product.open();
        executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
    }

    @AfterEach
    void closeAll() {
        executor.close();
        database.close();
    }

    private Rollouts rollouts(UnaryOperator<RolloutsBuilder> setup) {
        JdbcRolloutStore store = JdbcRolloutStore.of(database.dataSource())
                .withPollingInterval(Duration.ofMillis(20))
                .withCodec(new Locked());
        return setup.apply(Rollouts.builder(executor).store(store).stages(stage))
                .build();
    }

    private TaskInfo settled(Rollouts rollouts, PlanStatus status) throws InterruptedException {
        assertThat(rollouts.await(PLAN, Deadline.LONG).status()).isEqualTo(status);
        return rollouts.tasks(PLAN).getFirst();
    }

    @Test
    @Tag("R122")
    void aTaskFailsWhoseConfigurationCantBeDecodedAndARetryTriesAgain() throws Exception {
        try (Rollouts rollouts = rollouts(builder -> builder)) {
            rollouts.start(Fleet.plan(PLAN.value(), 1, 1));

            TaskInfo task = settled(rollouts, PlanStatus.PARTIAL_FAILED);
            assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
            assertThat(task.failure()).isEqualTo(NO_KEY);
            assertThat(done).isEmpty();

            hasKey = true;
            rollouts.retry(PLAN, true);
            settled(rollouts, PlanStatus.COMPLETED);
            assertThat(done).containsExactly("A");
        }
    }

    @Test
    @Tag("R20")
    @Tag("R122")
    void aRollbackEndsToo() throws Exception {
        try (Rollouts rollouts = rollouts(builder -> builder)) {
            hasKey = true;
            rollouts.start(Fleet.plan(PLAN.value(), 1, 1));
            settled(rollouts, PlanStatus.COMPLETED);

            hasKey = false;
            rollouts.rollback(PLAN);
            TaskInfo task = settled(rollouts, PlanStatus.PARTIAL_FAILED);
            assertThat(task.status()).isEqualTo(TaskStatus.ROLLBACK_FAILED);
            assertThat(task.failure()).isEqualTo(NO_KEY);

            hasKey = true;
            rollouts.rollback(PLAN);
            assertThat(settled(rollouts, PlanStatus.ROLLED_BACK).status()).isEqualTo(TaskStatus.ROLLED_BACK);
            assertThat(done).containsExactly("A", "undo A, {\"version\":41}");
        }
    }

    @Test
    @Tag("R122")
    @Tag("R153")
    void nobodyLooksForThePreviousStateWithoutTheConfiguration() throws Exception {
        try (Rollouts rollouts = rollouts(builder -> builder.previous((context, health) -> {
            done.add("looked");
            return Optional.empty();
        }))) {
            rollouts.start(RolloutPlan.named(PLAN.value())
                    .add(TenantChange.of("acme", DeployUnit.of(7, 42, "blue"), "{}"))
                    .build());

            TaskInfo task = settled(rollouts, PlanStatus.PARTIAL_FAILED);
            assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
            assertThat(task.failure()).isEqualTo(new FailureInfo(FailureInfo.NO_PREVIOUS, NO_KEY.message()));
            assertThat(done).isEmpty();
        }
    }

    /** Needs a key to decode. */
    private final class Locked implements ConfigCodec {

        @Override
        public String encode(String config) {
            return config;
        }

        @Override
        public String decode(String kept) {
            if (!hasKey) {
                throw new IllegalStateException("no key for " + kept);
            }
            return kept;
        }
    }
}
