package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.StageContext;
import io.github.kobe.rollout.Step;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** A database that answers, but refuses to keep something of one tenant. */
@ParameterizedClass(name = "{0}")
@MethodSource("io.github.kobe.rollout.jdbc.TestDatabase$Product#ofThisDepth")
class RefusedRowsTests {

    private static final PlanId PLAN = PlanId.of("plan-x");
    private static final TenantId ONE = TenantId.of("t1");

    /** Its first stage can't be recorded. */
    private static final String STAGE_OF_ONE = "tenant_id <> 't1' or stages_done < 1";

    @Parameter
    private TestDatabase.Product product;

    private TestDatabase database;
    private JdbcTemplate tables;
    private Node node;

    @BeforeEach
    void openDatabase() {
        database = product.open();
        tables = new JdbcTemplate(database.dataSource());
    }

    @AfterEach
    void closeAll() {
        node.close();
        database.close();
    }

    private void start(Step step) {
        node = new Node(
                "n1",
                database.dataSource(),
                List.of(Stage.named("A").step(step), Stage.named("B").step(ctx -> {})),
                event -> {});
        node.rollouts().start(Fleet.plan(PLAN.value(), 3, 3));
    }

    private void refuse(String table, String condition) {
        tables.execute("alter table " + table + " add constraint refused check (" + condition + ")");
    }

    private static boolean isOne(StageContext ctx) {
        return ctx.tenantId().equals(ONE);
    }

    private void awaitOthers() {
        Deadline.until(
                "the others are completed",
                () -> node.rollouts().tasks(PLAN).stream()
                        .filter(task -> !task.tenantId().equals(ONE))
                        .allMatch(task -> task.status() == TaskStatus.COMPLETED));
    }

    private TaskInfo settledOne() throws InterruptedException {
        assertThat(node.rollouts().await(PLAN, Deadline.LONG).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        awaitOthers();
        return node.rollouts().task(ONE);
    }

    @Test
    @Tag("R81")
    @Tag("R122")
    void aControlCharacterFromATenantIsKeptAsASpace() throws Exception {
        if (product == TestDatabase.Product.H2) {
            refuse("rollout_event", "locate(char(0), message) = 0");
        }
        start(ctx -> {
            if (isOne(ctx)) {
                throw new IllegalStateException("version is \0 instead of 42");
            }
        });

        assertThat(settledOne().failure())
                .isEqualTo(new FailureInfo("IllegalStateException", "version is   instead of 42"));
    }

    @Test
    @Tag("R122")
    void whatCantBeWrittenFailsItsOwnTaskAloneAndLogsNoConfiguration() throws Exception {
        refuse("rollout_task", STAGE_OF_ONE);
        try (CapturedLog log = CapturedLog.open()) {
            start(ctx -> {});
            FailureInfo failure = Objects.requireNonNull(settledOne().failure());

            assertThat(failure.errorType()).isEqualTo(FailureInfo.STORE);
            assertThat(failure.message()).contains("SQLState 23");
            assertThat(log.warnings())
                    .anyMatch(warning -> warning.contains("SQLState 23"))
                    .noneMatch(warning -> warning.contains("version"));
            assertThat(log.thrown()).containsOnlyNulls();
        }
    }

    @Test
    @Tag("R122")
    void aTaskThatCantEvenFailWaitsUntilItCanAndTheOthersGoOn() throws Exception {
        refuse("rollout_task", "(" + STAGE_OF_ONE + ") and (tenant_id <> 't1' or status <> 'FAILED')");
        start(ctx -> {});
        awaitOthers();
        Deadline.untilAsserted(
                () -> assertThat(node.rollouts().task(ONE).status()).isEqualTo(TaskStatus.RUNNING));

        tables.execute("alter table rollout_task add constraint still_refused check (" + STAGE_OF_ONE + ")");
        tables.execute("alter table rollout_task drop constraint refused");

        assertThat(settledOne().failure()).extracting(FailureInfo::errorType).isEqualTo(FailureInfo.STORE);
    }
}
