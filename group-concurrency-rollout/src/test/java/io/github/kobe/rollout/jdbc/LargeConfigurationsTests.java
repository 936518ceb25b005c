package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanInfo;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.testing.ChildProcess;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;

/** A plan whose configurations are much larger than the heap of the node that drives it. */
@Tag("deep")
class LargeConfigurationsTests {

    private static final PlanId PLAN = PlanId.of("plan-large");
    private static final int TENANTS = Depth.pick(200, 200, 1_000);
    private static final int CHARACTERS = 200_000;
    private static final String HEAP = Depth.pick("-Xmx32m", "-Xmx32m", "-Xmx64m");
    private static final List<Stage> STAGES = List.of(
            Stage.named("A").step(ctx -> assertThat(ctx.config()).hasSize(CHARACTERS)),
            Stage.named("B").step(ctx -> assertThat(ctx.previous()).isPresent()),
            Stage.named("C").step(ctx -> {}).confirmsHealth());

    private static final long MOST_TIMES = 3; // halves: 1.5 times

    /** Nothing that a database could compress. */
    private static String config(Random random) {
        byte[] bytes = new byte[CHARACTERS / 4 * 3];
        random.nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static long written(JdbcTemplate template) {
        Long bytes = template.queryForObject("select pg_current_wal_lsn() - '0/0'::pg_lsn", Long.class);
        return bytes == null ? 0 : bytes;
    }

    /** The node that drives it. */
    static final class Driver {

        private Driver() {}

        public static void main(String[] arguments) throws Exception {
            try (HikariDataSource dataSource = TestDatabase.pool(arguments[0]);
                    GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                            GroupPolicy.builder().build());
                    Rollouts rollouts = Rollouts.builder(executor)
                            .store(JdbcRolloutStore.of(dataSource))
                            .stages(STAGES)
                            .build()) {
                PlanInfo plan = rollouts.await(PLAN, Duration.ofMinutes(8));
                rollouts.tasks(PLAN).forEach(task -> assertThat(task.status()).isEqualTo(TaskStatus.COMPLETED));
                if (plan.status() != PlanStatus.COMPLETED) {
                    throw new IllegalStateException(plan.toString());
                }
            }
        }
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    @Tag("R61")
    void aConfigurationIsWrittenOnceAndReadByItsTaskAlone() throws Exception {
        Random random = new Random(1);
        try (TestDatabase database = TestDatabase.Product.POSTGRESQL.open();
                GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().build());
                Rollouts rollouts = Rollouts.builder(executor)
                        .store(JdbcRolloutStore.of(database.dataSource()))
                        .stages(STAGES)
                        .buildClosed()) {
            JdbcTemplate template = new JdbcTemplate(database.dataSource());
            long before = written(template);
            RolloutPlan.Builder plan = RolloutPlan.named(PLAN.value());
            DeployUnit green = DeployUnit.of(7, 41, "green");
            for (int tenant = 0; tenant < TENANTS; tenant++) {
                plan.add(TenantChange.of("t" + tenant, DeployUnit.of(7, 42, "blue"), config(random))
                        .previous(green, config(random)));
            }
            rollouts.start(plan.build());

            ChildProcess.java(List.of(HEAP), Driver.class, List.of(database.url()))
                    .succeed(Deadline.LONG.multipliedBy(8));

            assertThat(rollouts.plan(PLAN).tasks()).isEqualTo(Map.of(TaskStatus.COMPLETED, TENANTS));
            assertThat(2 * (written(template) - before)).isLessThanOrEqualTo(MOST_TIMES * 2L * TENANTS * CHARACTERS);
        }
    }
}
