package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.ConfigCodec;
import io.github.kobe.rollout.ConfigSnapshot;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.DeployVersion;
import io.github.kobe.rollout.FailureInfo;
import io.github.kobe.rollout.FailureReaction;
import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanNotFoundException;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.RolloutStore;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.TaskCreationException;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskNotFoundException;
import io.github.kobe.rollout.TaskOperationException;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.WaveGate;
import io.github.kobe.rollout.WaveSize;
import io.github.kobe.rollout.Wish;
import io.github.kobe.rollout.internal.rules.Change;
import io.github.kobe.rollout.internal.rules.DriveState;
import io.github.kobe.rollout.internal.rules.PlanRecord;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.internal.rules.Snapshot;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import io.github.kobe.rollout.internal.rules.TenantRecord;
import io.github.kobe.rollout.internal.rules.WaveProgress;
import io.github.kobe.rollout.internal.rules.Waves;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@ParameterizedClass(name = "{0}")
@MethodSource("io.github.kobe.rollout.jdbc.TestDatabase$Product#ofThisDepth")
class JdbcRolloutStoreTests {

    private static final PlanId PLAN = PlanId.of("plan-x");
    private static final Instant NOW = Instant.parse("2026-11-22T10:00:00.123456Z");
    private static final TaskId TASK = TaskId.of("task-plan-x-1-ab");
    private static final TenantId ACME = TenantId.of("acme");
    private static final DeployUnit BLUE = DeployUnit.of(7, 42, "blue");
    private static final List<String> CONFIGS = List.of("{}", "{\"a\":\"ü\"}", "old", "{\"version\":42}");
    private static final FailureInfo FAILURE = new FailureInfo("X", "it's \"broken\"\n<here>");

    @Parameter
    private TestDatabase.Product product;

    private TestDatabase database;
    private JdbcRolloutStore settings;
    private PlanStore store;

    @BeforeEach
    void open() {
        database = product.open();
        settings = JdbcRolloutStore.of(database.dataSource());
        store = settings.plans();
        store.transact(transaction -> {
            CONFIGS.forEach(transaction::keep);
            return PLAN;
        });
    }

    @AfterEach
    void close() {
        database.close();
    }

    private static PlanRecord plan(long epoch) {
        return plan(epoch, new WaveGate(NOW, NOW, NOW, "bob", NOW, true));
    }

    private static PlanRecord plan(long epoch, WaveGate gate) {
        return new PlanRecord(
                PLAN,
                3,
                new Waves(
                        List.of(1, 2),
                        WaveSize.percent(4),
                        FailureReaction.ROLLBACK,
                        Duration.ofMinutes(30),
                        Duration.ofHours(8),
                        Duration.ofHours(1)),
                PlanStatus.RUNNING,
                true,
                true,
                Map.of(TaskStatus.RUNNING, 2, TaskStatus.FAILED, 1),
                1,
                7,
                new WaveProgress(1, List.of(0, 2), List.of(1, 0), 5, gate),
                new DriveState(5, DriveState.Phase.DUE, NOW, "n1/1", NOW),
                NOW,
                "ann",
                NOW,
                NOW,
                9,
                epoch,
                4);
    }

    private static Snapshot snapshot(DeployUnit unit, String config) {
        return new Snapshot(unit, ConfigRows.idOf(config));
    }

    private static TaskRecord bare(long epoch) {
        return bare(TASK, TenantChange.of("acme", BLUE, "{}"), epoch);
    }

    private static TaskRecord bare(TaskId id, TenantChange change, long epoch) {
        return bare(id, 0, change, epoch);
    }

    private static TaskRecord bare(TaskId id, int position, TenantChange change, long epoch) {
        return new TaskRecord(
                id,
                PLAN,
                ACME,
                position,
                Change.of(change, ConfigRows.idOf(change.config())),
                List.of("A", "B"),
                TaskStatus.PENDING,
                BLUE,
                null,
                null,
                0,
                0,
                Set.of(),
                1,
                1,
                0,
                null,
                Set.of(),
                Map.of(),
                null,
                null,
                NOW,
                null,
                null,
                null,
                0,
                epoch,
                0);
    }

    private static TaskRecord full(Wish.Kind wish) {
        DeployUnit green = DeployUnit.of(7, 41, "green");
        TenantChange change = TenantChange.of("acme", BLUE, "{\"a\":\"ü\"}")
                .endpoints("http://h:1")
                .previous(green, "old")
                .setting("health.path", "/x");
        return new TaskRecord(
                TASK,
                PLAN,
                ACME,
                0,
                Change.of(change, ConfigRows.idOf(change.config())),
                List.of("A", "B"),
                TaskStatus.RUNNING,
                green,
                snapshot(green, "old"),
                DeployVersion.of(7, 41),
                1,
                2,
                Set.of("A"),
                2,
                3,
                4,
                false,
                Set.of("n1/1", "n2/2"),
                Map.of("k", "v"),
                NOW,
                FAILURE,
                NOW,
                NOW,
                NOW,
                new Wish(wish, "bob", true),
                6,
                0,
                8);
    }

    @Test
    @Tag("R114")
    void whatIsSavedIsFoundAsItWas() {
        TenantRecord tenant = new TenantRecord(ACME, TASK, List.of(TASK), TASK, snapshot(BLUE, "{\"version\":42}"), 9);
        store.transact(transaction -> {
            assertThat(transaction.plan(PLAN)).isEmpty();
            transaction.save(plan(0));
            transaction.save(bare(0));
            transaction.save(tenant);
            assertThat(transaction.plan(PLAN)).contains(plan(0));
            assertThat(transaction.tenant(ACME)).isEqualTo(tenant);
            return PLAN;
        });

        assertThat(store.findTenant(ACME)).isEqualTo(tenant);
        assertThat(store.findPlan(PLAN)).contains(plan(0));
        assertThat(store.findPlans(9)).containsExactly(plan(0));
        for (WaveGate gate : Arrays.asList(null, new WaveGate(NOW, NOW, null, null, null, false))) {
            store.transact(transaction -> {
                assertThat(transaction.plan(PLAN)).isPresent();
                transaction.save(plan(0, gate));
                return PLAN;
            });
            assertThat(store.findPlan(PLAN)).contains(plan(0, gate));
        }
        assertThat(store.findById(TASK)).contains(bare(0));
        for (Wish.Kind wish : Wish.Kind.values()) {
            store.transact(transaction -> {
                assertThat(transaction.task(TASK)).isPresent();
                transaction.save(full(wish));
                return TASK;
            });
            TaskRecord kept = store.findById(TASK).orElseThrow();
            assertThat(kept).usingRecursiveComparison().ignoringFields("change").isEqualTo(full(wish));
            assertThat(kept.change()).as("never changes").isEqualTo(bare(0).change());
        }
        assertThat(store.findByPlanId(PLAN)).hasSize(1);
        assertThat(store.findByTenantId(ACME, 9)).hasSize(1);
        assertThat(store.findWished(PLAN)).hasSize(1);
        assertThat(store.findTenant(TenantId.of("nobody"))).isEqualTo(TenantRecord.unknown(TenantId.of("nobody")));
    }

    @Test
    @Tag("R113")
    void withoutItsTablesItIsNotOpened() {
        dropTables();

        assertThatThrownBy(() -> store.open((planId, number) -> null, "n1"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageMatching("the tables of rollouts aren't in the database, .* to be run are"
                        + " (h2|postgresql)/V1__rollouts\\.sql, \\1/V2__\\w+\\.sql of io.github.kobe.rollout.jdbc");
    }

    @Test
    @Tag("R113")
    void whatCouldNotBeOpenedWithoutItsTablesIsOpenedOnceTheyAreThere() throws InterruptedException {
        dropTables();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().build());
                Rollouts rollouts = Rollouts.builder(executor)
                        .store(store)
                        .stages(Stage.named("A").step(ctx -> {}))
                        .buildClosed()) {
            assertThatThrownBy(rollouts::open).isInstanceOf(IllegalStateException.class);

            settings.createTables();
            rollouts.open();
            rollouts.start(Fleet.plan(PLAN.value(), 1, 1));

            assertThat(rollouts.await(PLAN, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
        }
    }

    private void dropTables() {
        JdbcTemplate template = new JdbcTemplate(database.dataSource());
        for (String table : List.of("plan", "task", "tenant", "event", "config", "execution")) {
            template.execute("drop table rollout_" + table);
        }
    }

    private static List<Occurrence> occurrences() {
        return List.of(
                new Occurrence.WaveStarted(1, 2, 3),
                new Occurrence.GateOpened(1, Duration.ofMinutes(1), null),
                new Occurrence.GateApproved(1, "ann"),
                new Occurrence.GateTimedOut(1),
                new Occurrence.GateChecked(1),
                new Occurrence.GateStopped(1, FAILURE),
                new Occurrence.TooManyFailures(2, 1, FailureReaction.PAUSE),
                new Occurrence.ConcurrencyChanged(3, "ann"),
                new Occurrence.TasksAdded(2, "ann"),
                new Occurrence.TaskCreated(),
                new Occurrence.TaskValidated(),
                new Occurrence.TaskValidationFailed(FAILURE),
                new Occurrence.TaskStarted(3),
                new Occurrence.TaskProgress(1, 3),
                new Occurrence.TaskCompleted(Duration.ofMillis(1_234), List.of("A")),
                new Occurrence.TaskFailed(FAILURE, List.of("A"), null),
                new Occurrence.TaskPaused("ann", "B"),
                new Occurrence.TaskResumed("ann", "B"),
                new Occurrence.TaskCancelled("ann", null, null),
                new Occurrence.TaskRecovered("n1", null),
                new Occurrence.TaskRetryStarted(true),
                new Occurrence.TaskRetryCompleted(false),
                new Occurrence.TaskRollingBack("asked", List.of("B", "A")),
                new Occurrence.TaskRolledBack(BLUE),
                new Occurrence.TaskRollbackFailed(FAILURE, List.of()),
                new Occurrence.StageStarted("A", 0),
                new Occurrence.StageCompleted("A", 0),
                new Occurrence.StageSkipped("A", 0),
                new Occurrence.StageRetrying("A", 1, new FailureInfo("X", "x"), Duration.ofSeconds(1)),
                new Occurrence.StageFailed("A", 0, FAILURE),
                new Occurrence.StageRollingBack("A"),
                new Occurrence.StageRolledBack("A"),
                new Occurrence.StageRollbackFailed("A", FAILURE));
    }

    private List<RolloutEvent> appended() {
        List<RolloutEvent> events = new ArrayList<>();
        Occurrence entered = new Occurrence.PlanEntered(PlanStatus.RUNNING);
        events.add(new RolloutEvent(PLAN, null, null, PlanStatus.RUNNING, NOW, "running", null, 1, entered));
        for (Occurrence occurrence : occurrences()) {
            events.add(new RolloutEvent(
                    PLAN,
                    TASK,
                    ACME,
                    TaskStatus.RUNNING,
                    NOW,
                    Json.typeOf(occurrence),
                    occurrence.failure(),
                    events.size(),
                    occurrence));
        }
        store.transact(transaction -> {
            transaction.save(plan(3));
            events.forEach(transaction::append);
            assertThat(transaction.hasUnpublished(PLAN)).isTrue();
            return PLAN;
        });
        return events;
    }

    @Test
    @Tag("R84")
    @Tag("R122")
    void eventsComeOutInOrderAndAsTheyWentIn() {
        assertThat(occurrences())
                .as("all but a plan's states and what is unknown")
                .hasSize(Occurrence.class.getPermittedSubclasses().length - 2);
        List<RolloutEvent> events = appended();

        assertThat(store.findUnpublished(PLAN, 1_000)).isEqualTo(events);
        assertThat(store.findUnpublished(PLAN, 2)).isEqualTo(events.subList(0, 2));
    }

    @Test
    @Tag("R91")
    @Tag("R121")
    @Tag("R122")
    void onlyTheDriveThatHasThePlanMarksEventsAndProgressIsDropped() {
        List<RolloutEvent> events = appended();

        store.markPublished(PLAN, 2, events);
        assertThat(store.findUnpublished(PLAN, 1_000)).isEqualTo(events);

        store.markPublished(PLAN, 3, events.subList(0, 4));
        assertThat(store.findUnpublished(PLAN, 1_000)).isEqualTo(events.subList(4, events.size()));
        store.markPublished(PLAN, 3, events.subList(4, events.size()));
        assertThat(store.findUnpublished(PLAN, 1_000)).isEmpty();
        assertThat(count("rollout_event")).isEqualTo(events.size() - 1);
    }

    private int count(String table) {
        return new JdbcTemplate(database.dataSource()).queryForObject("select count(*) from " + table, Integer.class);
    }

    @Test
    @Tag("R136")
    void aPlanIsRemovedWithAllThatIsItsOwn() {
        appended();
        store.transact(transaction -> {
            assertThat(transaction.plan(PLAN)).isPresent();
            transaction.save(bare(3));
            return PLAN;
        });
        store.transact(transaction -> {
            transaction.remove(PLAN);
            return PLAN;
        });

        assertThat(List.of(count("rollout_plan"), count("rollout_task"), count("rollout_event")))
                .containsOnly(0);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("R120")
    void whatTheCallersTransactionDoesNotCommitNeverHappened(End end) {
        JdbcTransactionManager manager = new JdbcTransactionManager(database.dataSource());
        PlanStore mine = settings.withTransactionManager(manager).plans();
        new TransactionTemplate(manager).executeWithoutResult(status -> {
            mine.transact(transaction -> {
                transaction.save(plan(0));
                transaction.schedule(PLAN, 1, store.now());
                return PLAN;
            });
            if (end == End.ROLLBACK) {
                status.setRollbackOnly();
            }
        });

        int expected = end == End.COMMIT ? 1 : 0;
        assertThat(count("rollout_plan")).isEqualTo(expected);
        assertThat(count("rollout_execution")).isEqualTo(expected);
    }

    private void withClosedRollouts(JdbcTransactionManager manager, Consumer<Rollouts> work) {
        withClosedRollouts(settings.withTransactionManager(manager), work);
    }

    private static void withClosedRollouts(RolloutStore where, Consumer<Rollouts> work) {
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().build());
                Rollouts rollouts = Rollouts.builder(executor)
                        .store(where)
                        .stages(Stage.named("A"))
                        .buildClosed()) {
            work.accept(rollouts);
        }
    }

    @Test
    @Tag("R49")
    @Tag("R120")
    void whatIsRefusedLeavesTheCallersTransactionAsItWas() {
        JdbcTransactionManager manager = new JdbcTransactionManager(database.dataSource());
        withClosedRollouts(manager, rollouts -> {
            new TransactionTemplate(manager).executeWithoutResult(status -> {
                rollouts.create(Fleet.plan(PLAN.value(), 3, 2));

                assertThatThrownBy(() -> rollouts.pause(PLAN)).isInstanceOf(TaskOperationException.class);
                assertThatThrownBy(() -> rollouts.rollback(PlanId.of("plan-y")))
                        .isInstanceOf(PlanNotFoundException.class);
                assertThatThrownBy(() -> rollouts.previous(TASK)).isInstanceOf(TaskNotFoundException.class);
                assertThatThrownBy(() -> rollouts.start(Fleet.plan(PLAN.value(), 3, 1)))
                        .isInstanceOf(TaskCreationException.class);
            });

            assertThat(rollouts.plan(PLAN).status()).isEqualTo(PlanStatus.READY);
        });
    }

    @Test
    @Tag("R48")
    void whatATaskHadBeforeCanBeReadWhereNothingMayBeWritten() {
        JdbcTransactionManager manager = new JdbcTransactionManager(database.dataSource());
        TransactionTemplate reading = new TransactionTemplate(manager);
        reading.setReadOnly(true);
        withClosedRollouts(manager, rollouts -> {
            TaskId taskId = createdOne(rollouts);

            assertThat(reading.<Optional<ConfigSnapshot>>execute(status -> rollouts.previous(taskId)))
                    .contains(new ConfigSnapshot(BLUE, "before"));
        });
    }

    private static TaskId createdOne(Rollouts rollouts) {
        rollouts.create(RolloutPlan.named(PLAN.value())
                .add(TenantChange.of("acme", BLUE, "new").previous(BLUE, "before"))
                .build());
        return rollouts.tasks(PLAN).getFirst().taskId();
    }

    @Test
    @Tag("R48")
    void whatATaskHadBeforeCanBeReadWhileAnotherTransactionHasTheTask() {
        JdbcTransactionManager manager = new JdbcTransactionManager(database.dataSource());
        withClosedRollouts(settings, rollouts -> {
            TaskId taskId = createdOne(rollouts);

            new TransactionTemplate(manager).executeWithoutResult(status -> {
                new JdbcTemplate(database.dataSource()).queryForList("select task_id from rollout_task for update");
                assertThat(CompletableFuture.supplyAsync(() -> rollouts.previous(taskId))
                                .orTimeout(Deadline.SECONDS, TimeUnit.SECONDS)
                                .join())
                        .contains(new ConfigSnapshot(BLUE, "before"));
            });
        });
    }

    @Test
    @Tag("R49")
    void whatATaskHadBeforeIsGoneWithATaskThatIsRemovedWhileItIsRead() {
        withClosedRollouts(removingAfter("findById"), rollouts -> {
            TaskId taskId = createdOne(rollouts);

            assertThatThrownBy(() -> rollouts.previous(taskId)).isInstanceOf(TaskNotFoundException.class);
        });
    }

    @Test
    @Tag("R139")
    void aPlanThatIsRemovedWhileAPreviewComparesItIsNotInTheWay() {
        withClosedRollouts(removingAfter("findByPlanId"), rollouts -> {
            RolloutPlan plan = Fleet.plan(PLAN.value(), 1, 1);
            rollouts.create(plan);

            assertThat(rollouts.preview(plan).errors()).isEmpty();
        });
    }

    /** {@return the store, from which the plan is removed after each call of that method} */
    private PlanStore removingAfter(String name) {
        return (PlanStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {PlanStore.class}, (proxy, method, arguments) -> {
                    Object found = method.invoke(store, arguments);
                    if (method.getName().equals(name)) {
                        store.transact(transaction -> {
                            transaction.remove(PLAN);
                            return PLAN;
                        });
                    }
                    return found;
                });
    }

    @Test
    @Tag("R163")
    void whoeverIsInATransactionOfAnotherDatabaseFindsThePlanThatSomebodyElseCreatesAtOnce() throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(2);
        try (TestDatabase another = TestDatabase.Product.H2.openWithoutTables()) {
            TransactionTemplate elsewhere = new TransactionTemplate(new JdbcTransactionManager(another.dataSource()));
            Callable<Boolean> creation = () -> elsewhere.execute(status -> isCreated(barrier));
            List<Caller<Boolean>> callers = List.of(Caller.start(creation), Caller.start(creation));

            assertThat(List.of(callers.getFirst().result(), callers.getLast().result()))
                    .containsExactlyInAnyOrder(true, false);
        }
    }

    /** {@return whether it wasn't there} Both look before one of them creates it. */
    private boolean isCreated(CyclicBarrier barrier) {
        return store.transact(transaction -> {
            if (transaction.plan(PLAN).isPresent()) {
                return false;
            }
            try {
                barrier.await(Deadline.SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                throw new AssertionError(e);
            }
            transaction.save(plan(0));
            return true;
        });
    }

    /** How the caller's transaction ends. */
    enum End {
        COMMIT,
        ROLLBACK
    }

    private void saveAPlan() {
        store.transact(transaction -> {
            transaction.save(plan(3));
            return PLAN;
        });
    }

    private static Optional<PlanRecord> atOnce(PlanStore store) {
        return store.transact(transaction -> transaction.planAtOnce(PLAN));
    }

    @Test
    @Tag("R121")
    void aPlanIsGivenAtOnceThoughAnotherTransactionHasLockedIt() {
        saveAPlan();
        assertThat(atOnce(store)).contains(plan(3));

        Optional<PlanRecord> meanwhile = store.transact(transaction -> {
            assertThat(transaction.plan(PLAN)).isPresent();
            return CompletableFuture.supplyAsync(() -> atOnce(store))
                    .orTimeout(Deadline.SECONDS, TimeUnit.SECONDS)
                    .join();
        });

        assertThat(meanwhile).contains(plan(3));
    }

    /** As the stand-by of another is. H2 has none. */
    @Test
    @Tag("R121")
    void aDatabaseThatCanOnlyBeReadGivesNoPlanAtOnce() {
        if (product == TestDatabase.Product.H2) {
            return;
        }
        saveAPlan();
        String url = database.url() + "&options=-c%20default_transaction_read_only=on";
        try (HikariDataSource dataSource = TestDatabase.pool(url)) {
            PlanStore standBy = JdbcRolloutStore.of(dataSource).plans();

            assertThat(standBy.findPlan(PLAN)).isPresent();
            assertThatThrownBy(() -> atOnce(standBy)).hasMessageContaining("read-only transaction");
        }
    }

    @Test
    @Tag("R121")
    void aWriteUnderAnEpochThatIsOverChangesNothing() {
        store.transact(transaction -> {
            transaction.save(plan(3));
            transaction.save(bare(3));
            return PLAN;
        });
        Tables tables = Tables.of(
                new Database(database.dataSource(), "default", new JdbcTransactionManager(database.dataSource())),
                ConfigCodec.none());

        assertThat(tables.tasks().update(List.of(full(Wish.Kind.PAUSE)), List.of(2L)))
                .containsExactly(0);
        assertThat(tables.plans().update(plan(2), 2)).isFalse();
        assertThat(store.findById(TASK)).contains(bare(3));
        assertThat(store.findPlan(PLAN)).contains(plan(3));
    }

    @Test
    @Tag("R118")
    void aWriteThatFailsIsToldWithoutTheConfiguration() {
        store.transact(transaction -> {
            transaction.save(plan(3));
            transaction.save(bare(3));
            return PLAN;
        });
        TenantChange secret = TenantChange.of("acme", BLUE, "{\"password\": \"secret\"}");
        TaskRecord atItsPlace = bare(TaskId.of(TASK.value() + "f"), secret, 0);

        assertThatThrownBy(() -> store.transact(transaction -> {
                    transaction.save(atItsPlace);
                    return PLAN;
                }))
                .isInstanceOf(DuplicateKeyException.class)
                .satisfies(e -> {
                    StringWriter trace = new StringWriter();
                    e.printStackTrace(new PrintWriter(trace));
                    assertThat(trace.toString()).contains("rollout_task").doesNotContain("secret");
                });
    }

    @Test
    void onlyWhatRunsIsLockedOfWhatIsUnfinished() {
        appended();
        TaskRecord waits = bare(TaskId.of(TASK.value() + "c"), 1, TenantChange.of("acme", BLUE, "{}"), 0);
        store.transact(transaction -> {
            transaction.save(waits);
            transaction.save(full(Wish.Kind.PAUSE));
            return PLAN;
        });
        AtomicReference<CompletableFuture<Optional<Wish>>> other = new AtomicReference<>();
        store.transact(transaction -> {
            assertThat(transaction.unfinished(PLAN)).extracting(TaskRecord::id).containsExactly(TASK, waits.id());
            assertThat(wishOf(waits.id()).join()).isEmpty();
            other.set(wishOf(TASK));
            transaction.save(full(Wish.Kind.ROLLBACK));
            return PLAN;
        });
        assertThat(other.get().join()).map(Wish::kind).contains(Wish.Kind.ROLLBACK);
    }

    /** {@return what another transaction reads, once it has the task} */
    private CompletableFuture<Optional<Wish>> wishOf(TaskId taskId) {
        return CompletableFuture.supplyAsync(
                        () -> store.<Optional<Wish>>transact(
                                transaction -> transaction.task(taskId).map(TaskRecord::wish)),
                        Thread::startVirtualThread)
                .orTimeout(Deadline.SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void whatIsSetWronglyIsRefused() {
        assertThatThrownBy(() -> settings.withPollingInterval(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("pollingInterval is PT0S; it must be more than zero");
        assertThatThrownBy(() -> settings.withHeartbeat(Duration.ofSeconds(-1), 4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("heartbeat is PT-1S");
        assertThatThrownBy(() -> settings.withHeartbeat(Duration.ofSeconds(1), 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("missedHeartbeats is 3; it must be at least 4");
        assertThatThrownBy(() -> Dialect.of("Oracle"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Oracle");
    }

    @Test
    void tablesThatAreThereAreLeftAlone() {
        appended();
        assertThat(settings.createTables()).isSameAs(settings);
        assertThat(count("rollout_plan")).isEqualTo(1);
    }
}
