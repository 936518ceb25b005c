package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.rollout.ConfigCodec;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.internal.rules.Snapshot;
import io.github.kobe.rollout.internal.rules.StoreTransaction;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** Tables of the first version, with a plan in them whose node was killed, are brought up to this one. */
@Tag("R114")
@ParameterizedClass(name = "{0}")
@MethodSource("io.github.kobe.rollout.jdbc.TestDatabase$Product#ofThisDepth")
class SchemaTests {

    private static final PlanId PLAN = PlanId.of("plan-old");
    private static final String NEW = "{\"version\": 42,\n \"path\": \"C:\\\\ü/'x'\"}";
    private static final String OLD = "{\"version\": 41, \"it's\": \"\t\"}";

    @Parameter
    private TestDatabase.Product product;

    private TestDatabase database;
    private JdbcTemplate template;

    @BeforeEach
    void open() {
        database = product.openWithoutTables();
        template = new JdbcTemplate(database.dataSource());
        String script = product == TestDatabase.Product.H2 ? "h2/V1__rollouts.sql" : "postgresql/V1__rollouts.sql";
        new ResourceDatabasePopulator(new ClassPathResource(script, JdbcRolloutStore.class))
                .execute(database.dataSource());
    }

    @AfterEach
    void close() {
        database.close();
    }

    /** What a node of the first version has left, in the middle of the second of two stages. */
    private void leavePlan() {
        template.update("insert into rollout_plan (plan_id, status, max_concurrency, waves, pause_asked, rolling_back,"
                + " tally, owed, wave, waiting, failures_allowed, drive_number, drive_phase, created_at, created_by,"
                + " started_at, sequence, epoch) values ('plan-old', 'RUNNING', 10,"
                + " '{\"sizes\":[1],\"maxFailures\":12,\"bakeTime\":\"PT0S\"}', false, false, '{\"RUNNING\":1}', 0, 0,"
                + " '[0]', 0, 3, 'RUNNING', current_timestamp, 'ann', current_timestamp, 4, 3)");
        template.update(
                "insert into rollout_task (task_id, plan_id, tenant_id, position, change_body, stage_names,"
                    + " created_at, status, unit, previous, last_known_good, stages_done, stages_started, settled,"
                    + " run, attempt, retries, recoveries, data, started_at, sequence, epoch) values"
                    + " ('task-plan-old-1-a', 'plan-old', 'acme', 0, ?, '[\"A\",\"B\"]', current_timestamp, 'RUNNING',"
                    + " ?, ?, null, 1, 2, '[]', 1, 1, 0, 0, '{}', current_timestamp, 5, 3)",
                Json.write(TenantChange.of("acme", DeployUnit.of(7, 42, "it's \"blue\""), NEW)
                        .endpoints("http://h:1", "http://h:2")
                        .setting("health.path", "/x")
                        .previous(DeployUnit.of(7, 41, "green"), OLD)),
                Json.write(DeployUnit.of(7, 42, "it's \"blue\"")),
                Json.write(new Before(DeployUnit.of(7, 41, "green"), OLD)));
        template.update(
                "insert into rollout_tenant (tenant_id, claim, last_task, last_known_good) values ('acme',"
                        + " 'task-plan-old-1-a', 'task-plan-old-1-a', ?)",
                Json.write(new Before(DeployUnit.of(7, 41, "green"), OLD)));
        template.update("insert into rollout_execution (task_name, task_instance, execution_time, picked, picked_by,"
                + " last_heartbeat, version) values ('rollout-drive', 'plan-old/3', current_timestamp, true, 'gone',"
                + " current_timestamp - interval '1' hour, 1)");
    }

    /** In which form configurations were kept. */
    private record Before(DeployUnit unit, String config) {}

    @Test
    void aPlanOfTheFirstVersionGoesOnAndIsRolledBackToWhatItsTenantHad() throws Exception {
        leavePlan();
        assertThatThrownBy(() -> JdbcRolloutStore.of(database.dataSource()).requireTables())
                .hasMessageContaining("V2__applications_and_configurations.sql")
                .hasMessageNotContaining("V1__");

        JdbcRolloutStore.of(database.dataSource()).createTables().requireTables();

        Queue<String> seen = new ConcurrentLinkedQueue<>();
        List<Stage> stages = List.of(
                Stage.named("A").step(ctx -> seen.add("A again")).rollback(ctx -> seen.add("undo A")),
                Stage.named("B")
                        .step(ctx -> seen.add(ctx.config()
                                + ctx.change().endpoints()
                                + ctx.settings().find("health.path").orElse("")
                                + (ctx.fencingToken() > 3)))
                        .rollback(ctx ->
                                seen.add(ctx.config() + ctx.target().unit().name())));
        try (Node node = new Node("n1", database.dataSource(), stages, event -> {})) {
            assertThat(node.rollouts().await(PLAN, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
            assertThat(node.rollouts().plan(PLAN).maxFailures()).isEqualTo(12);
            TaskInfo task = node.rollouts().task(TenantId.of("acme"));
            assertThat(node.rollouts().previous(task.taskId()).orElseThrow().config())
                    .isEqualTo(OLD);
            node.rollouts().rollback(PLAN);
            assertThat(node.rollouts().await(PLAN, Deadline.LONG).status()).isEqualTo(PlanStatus.ROLLED_BACK);
        }
        assertThat(seen).containsExactly(NEW + "[http://h:1, http://h:2]/xtrue", OLD + "green", "undo A");
    }

    @Test
    void scriptsThatHaveRunDoNotRunAgain() {
        JdbcRolloutStore store = JdbcRolloutStore.of(database.dataSource());
        store.createTables();
        store.createTables();
        store.requireTables();
    }

    private static TaskStatus completed(Node node, String plan, TenantChange change) throws InterruptedException {
        PlanId planId = node.rollouts()
                .start(RolloutPlan.named(plan).add(change).build())
                .planId();
        node.rollouts().await(planId, Deadline.LONG);
        return node.rollouts().tasks(planId).getFirst().status();
    }

    private Integer kept() {
        return template.queryForObject("select count(*) from rollout_config", Integer.class);
    }

    /** Whatever was changed and removed: those that tasks or tenants name, and no others. */
    @Test
    @Tag("R136")
    void aConfigurationIsKeptOnceAndAsLongAsSomebodyNamesIt() throws Exception {
        JdbcRolloutStore.of(database.dataSource()).createTables();
        List<Stage> stages = List.of(Stage.named("A").confirmsHealth());
        try (Node node = new Node("n1", database.dataSource(), stages, event -> {})) {
            TenantChange first = TenantChange.of("acme", DeployUnit.of(7, 41, "green"), OLD);
            assertThat(completed(node, "plan-a", first)).isEqualTo(TaskStatus.COMPLETED);
            assertThat(completed(node, "plan-b", TenantChange.of("other", DeployUnit.of(7, 41, "green"), OLD)))
                    .isEqualTo(TaskStatus.COMPLETED);
            assertThat(kept()).isEqualTo(1);
            assertThat(completed(node, "plan-c", TenantChange.of("acme", DeployUnit.of(7, 42, "blue"), NEW)))
                    .isEqualTo(TaskStatus.COMPLETED);
            assertThat(kept()).isEqualTo(2);

            Deadline.until("all are removed", () -> {
                node.rollouts().purge(Duration.ZERO);
                return node.rollouts().plans().isEmpty();
            });

            assertThat(kept())
                    .as("acme has the new one, and another the old one")
                    .isEqualTo(2);
            assertThat(completed(node, "plan-d", TenantChange.of("other", DeployUnit.of(7, 42, "blue"), NEW)))
                    .isEqualTo(TaskStatus.COMPLETED);
            Deadline.until("all are removed", () -> {
                node.rollouts().purge(Duration.ZERO);
                return node.rollouts().plans().isEmpty();
            });
            assertThat(kept()).isEqualTo(1);
        }
    }

    /** Somebody removes a plan with a configuration that somebody else is about to name. */
    @Test
    void aConfigurationThatIsNamedAgainWhileItIsRemovedIsThere() throws Exception {
        JdbcRolloutStore store = JdbcRolloutStore.of(database.dataSource()).createTables();
        TenantId acme = TenantId.of("acme");
        store.plans().transact(transaction -> confirm(transaction, acme, OLD));
        for (int round = 0; round < 50; round++) {
            Thread leaving = Thread.ofVirtual()
                    .start(() -> store.plans().transact(transaction -> confirm(transaction, acme, NEW)));
            TenantId other = TenantId.of("other" + round);
            store.plans().transact(transaction -> confirm(transaction, other, OLD));
            assertThat(leaving.join(Deadline.LONG)).isTrue();
            String configId = store.plans().findTenant(other).lastKnownGood().configId();
            assertThat(store.plans().<String>transact(transaction -> transaction.config(configId)))
                    .isEqualTo(OLD);
            store.plans().transact(transaction -> confirm(transaction, acme, OLD));
            store.plans().transact(transaction -> confirm(transaction, other, NEW));
        }
    }

    private static TenantId confirm(StoreTransaction transaction, TenantId tenantId, String config) {
        Snapshot good = new Snapshot(DeployUnit.of(7, 41, "green"), transaction.keep(config));
        transaction.save(transaction.tenant(tenantId).confirmed(good));
        return tenantId;
    }

    @Test
    void aCodecDecidesWhatIsKept() throws Exception {
        JdbcRolloutStore plain = JdbcRolloutStore.of(database.dataSource()).createTables();
        JdbcRolloutStore coded = plain.withCodec(new Reversed());
        TenantId acme = TenantId.of("acme");
        coded.plans().transact(transaction -> confirm(transaction, acme, "secret"));

        String configId = coded.plans().findTenant(acme).lastKnownGood().configId();

        assertThat(coded.plans().<String>transact(transaction -> transaction.config(configId)))
                .isEqualTo("secret");
        assertThat(template.queryForList("select body from rollout_config", String.class))
                .containsExactly("terces");
    }

    private static final class Reversed implements ConfigCodec {

        @Override
        public String encode(String config) {
            return new StringBuilder(config).reverse().toString();
        }

        @Override
        public String decode(String kept) {
            return encode(kept);
        }
    }
}
