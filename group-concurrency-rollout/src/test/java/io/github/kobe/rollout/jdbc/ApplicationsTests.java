package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.RolloutsBuilder;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several applications, and several versions of one, on one database. */
@ParameterizedClass(name = "{0}")
@MethodSource("io.github.kobe.rollout.jdbc.TestDatabase$Product#ofThisDepth")
class ApplicationsTests {

    private static final PlanId PLAN = PlanId.of("plan-x");

    @Parameter
    private TestDatabase.Product product;

    private final List<GroupExecutor> executors = new ArrayList<>();
    private final Queue<String> seen = new ConcurrentLinkedQueue<>();
    private TestDatabase database;

    @BeforeEach
    void open() {
        database = product.open();
    }

    @AfterEach
    void close() {
        executors.forEach(GroupExecutor::close);
        database.close();
    }

    private JdbcRolloutStore store(String application) {
        return JdbcRolloutStore.of(database.dataSource())
                .withApplication(application)
                .withPollingInterval(Duration.ofMillis(50));
    }

    private RolloutsBuilder node(String application, Stage... stages) {
        GroupExecutor executor =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
        executors.add(executor);
        return Rollouts.builder(executor)
                .store(store(application))
                .stages(stages)
                .shutdownGrace(Duration.ZERO);
    }

    private PlanRecord planOf(String application) {
        return store(application).plans().findPlan(PLAN).orElseThrow();
    }

    @Test
    @Tag("R114")
    void applicationsOnOneDatabaseSeeNothingOfEachOther() throws Exception {
        Gate gate = new Gate();
        Stage slow = Stage.named("Bill").step(ctx -> {
            gate.pass();
            seen.add("billing " + ctx.tenantId());
        });
        Stage quick = Stage.named("Search").step(ctx -> seen.add("search " + ctx.tenantId()));
        try (Rollouts billing = node("billing", slow).build();
                Rollouts search = node("search", quick).build()) {
            billing.start(Fleet.plan(PLAN.value(), 1, 1));
            gate.awaitArrived(1);
            TenantId tenant = billing.tasks(PLAN).getFirst().tenantId();

            assertThat(search.plans()).isEmpty();
            assertThat(search.isRunning(tenant)).isFalse();
            search.start(Fleet.plan(PLAN.value(), 1, 1));
            assertThat(search.await(PLAN, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
            assertThat(search.purge(Duration.ZERO.minusSeconds(9))).isEqualTo(1);

            assertThat(billing.plan(PLAN).status()).isEqualTo(PlanStatus.RUNNING);
            assertThat(billing.isRunning(tenant)).isTrue();
            gate.open();
            assertThat(billing.await(PLAN, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
            assertThat(seen).containsExactly("search " + tenant, "billing " + tenant);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a\nb"})
    void thisIsNoNameOfAnApplication(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store(name))
                .withMessageContaining("application is '")
                .withMessageContaining("1 to 100 characters");
    }

    @Test
    @Tag("R129")
    void aNodeWithOtherStagesLeavesAPlanToThoseThatHaveThem() throws Exception {
        Stage before = Stage.named("Before").step(ctx -> seen.add("before"));
        Stage after = Stage.named("After").step(ctx -> seen.add("after"));
        try (Rollouts newer = node("a", after).build();
                Rollouts older = node("a", before).buildClosed()) {
            older.start(Fleet.plan(PLAN.value(), 1, 1));
            Deadline.until(
                    "the newer one has left it", () -> planOf("a").drive().strandedSince() != null);
            assertThat(newer.plan(PLAN).status()).isEqualTo(PlanStatus.RUNNING);

            older.open();

            // Each five seconds the one or the other comes first: the newer one may do so several times.
            assertThat(older.await(PLAN, Deadline.LONG.multipliedBy(2)).status())
                    .isEqualTo(PlanStatus.COMPLETED);
            assertThat(seen).containsExactly("before");
            assertThat(planOf("a").drive().strandedSince()).isNull();
        }
    }

    @Test
    @Tag("deep")
    @Tag("R129")
    void aPlanWhoseStagesNobodyHasFailsAfterAWhile() throws Exception {
        try (Rollouts newer = node("a", Stage.named("After"))
                        .waitForStages(Duration.ofMillis(1))
                        .build();
                Rollouts older = node("a", Stage.named("Before")).buildClosed()) {
            older.start(Fleet.plan(PLAN.value(), 1, 1));

            assertThat(newer.await(PLAN, Deadline.LONG).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
            TaskInfo task = newer.tasks(PLAN).getFirst();
            assertThat(task.failure()).isNotNull();
            assertThat(task.failure().errorType()).isEqualTo(FailureInfo.STAGES_CHANGED);
            assertThat(task.failure().message()).contains("[Before]", "[After]");
        }
    }

    @Test
    @Tag("deep")
    @Tag("R129")
    void aPlanMayWaitForEverForANodeWithItsStages() {
        try (Rollouts newer = node("a", Stage.named("After"))
                        .waitForStages(Duration.ofSeconds(Long.MAX_VALUE))
                        .build();
                Rollouts older = node("a", Stage.named("Before")).buildClosed()) {
            older.start(Fleet.plan(PLAN.value(), 1, 1));
            long first = planOf("a").drive().number();

            Deadline.until(
                    "the newer one has left it twice", () -> planOf("a").drive().number() > first + 1);
            assertThat(newer.plan(PLAN).status()).isEqualTo(PlanStatus.RUNNING);
        }
    }

    @Test
    @Tag("R129")
    void aRollbackThatWaitsForANodeWithItsStagesIsWaitedFor() throws Exception {
        try (Rollouts older = node("a", Stage.named("Before")).build()) {
            older.start(Fleet.plan(PLAN.value(), 1, 1));
            assertThat(older.await(PLAN, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
        }
        try (Rollouts newer = node("a", Stage.named("After")).build()) {
            newer.rollback(newer.tasks(PLAN).getFirst().tenantId());
            Deadline.until("it has left the plan", () -> planOf("a").drive().strandedSince() != null);
            Duration timeout = Duration.ofMillis(500);
            long start = System.nanoTime();

            newer.await(PLAN, timeout);

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(timeout);
        }
    }

    @Test
    @Tag("R136")
    void whatHasEndedLongAgoIsRemovedByItself() {
        try (Rollouts rollouts = node("a", Stage.named("A").step(ctx -> {
                    throw new IllegalStateException("no");
                }))
                .retention(Duration.ofMillis(50))
                .build()) {
            rollouts.start(Fleet.plan(PLAN.value(), 1, 1));
            Deadline.until("it is gone", () -> rollouts.plans().isEmpty());
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node("a").retention(Duration.ZERO))
                .withMessage("retention is PT0S; it must be more than zero");
    }
}
