package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** On a pool whose connections commit nothing by themselves, as applications with JPA often have it. */
@ParameterizedClass(name = "{0}")
@MethodSource("io.github.kobe.rollout.jdbc.TestDatabase$Product#ofThisDepth")
class AutoCommitTests {

    private static final PlanId PLAN = PlanId.of("plan-x");

    @Parameter
    private TestDatabase.Product product;

    private static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setAutoCommit(false);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    @Test
    @Tag("R114")
    void aPlanRunsAndIsRemovedThoughNothingIsCommittedByItself() throws Exception {
        try (TestDatabase database = product.openWithoutTables();
                HikariDataSource pool = pool(database.url());
                GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().build());
                Rollouts rollouts = Rollouts.builder(executor)
                        .store(JdbcRolloutStore.of(pool)
                                .withPollingInterval(Duration.ofMillis(50))
                                .createTables())
                        .stages(Stage.named("A"))
                        .build()) {
            rollouts.start(Fleet.plan(PLAN.value(), 1, 1));

            assertThat(rollouts.await(PLAN, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
            JdbcTemplate other = new JdbcTemplate(database.dataSource());
            Deadline.until(
                    "nothing is due",
                    () -> other.queryForList("select * from rollout_execution").isEmpty());
            assertThat(rollouts.purge(Duration.ZERO.minusSeconds(9))).isEqualTo(1);
            assertThat(other.queryForList("select * from rollout_plan")).isEmpty();
        }
    }
}
