package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.Checkpoint;
import io.github.kobe.rollout.CheckpointStore;
import io.github.kobe.rollout.ConfigCodec;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.RolloutsBuilder;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A drive that waits for something else than its database for longer than its lease, while a stage runs. */
@ParameterizedClass(name = "{0}")
@MethodSource("io.github.kobe.rollout.jdbc.TestDatabase$Product#ofThisDepth")
class LongWaitsTests {

    private static final PlanId PLAN = PlanId.of("plan-x");

    /** So that a node isn't taken for lost that only waits for its turn on a busy machine. */
    private static final Duration HEARTBEAT = Duration.ofMillis(750);

    /** Longer than a node may be silent. */
    private static final Duration WAIT = HEARTBEAT.multipliedBy(Node.MISSED);

    @Parameter
    private TestDatabase.Product product;

    private final List<String> done = new CopyOnWriteArrayList<>();
    private final Gate gate = new Gate();

    /** By the name of a method of the store, what it throws. */
    private final Map<String, RuntimeException> failures = new ConcurrentHashMap<>();

    /** How often a plan was looked at. */
    private final AtomicInteger looks = new AtomicInteger();

    private final List<TaskId> removed = new CopyOnWriteArrayList<>();

    /** Where the first tenant waits before all that a test is about. */
    private final Gate first = new Gate();

    private final List<Stage> stages =
            List.of(Stage.named("A").step(ctx -> first.pass()), Stage.named("B").step(ctx -> {
                done.add(ctx.tenantId() + " begins");
                try {
                    gate.pass();
                    done.add(ctx.tenantId() + " ends");
                } catch (InterruptedException e) {
                    done.add(ctx.tenantId() + " is interrupted");
                    throw e;
                }
            }));

    private TestDatabase database;
    private GroupExecutor executor;
    private Rollouts rollouts;
    private volatile Duration decoding = Duration.ZERO;

    @BeforeEach
    void openDatabase() {
        database = product.open();
        executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
    }

    @AfterEach
    void closeAll() {
        gate.open();
        rollouts.close();
        executor.close();
        database.close();
    }

    private void start(int tenants, UnaryOperator<RolloutsBuilder> setup) {
        JdbcRolloutStore store = JdbcRolloutStore.of(database.dataSource())
                .withPollingInterval(Duration.ofMillis(50))
                .withHeartbeat(HEARTBEAT, Node.MISSED)
                .withCodec(new SlowCodec());
        rollouts = setup.apply(Rollouts.builder(executor)
                        .store(failing(store.plans()))
                        .stages(stages)
                        .progressInterval(Duration.ofMillis(50)))
                .build();
        rollouts.start(Fleet.plan(PLAN.value(), tenants, 1));
        first.awaitArrived(1);
    }

    /** Waits until the stage runs that a test is about. */
    private void begin() {
        first.open();
        gate.awaitArrived(1);
    }

    private Caller<PlanId> close() {
        return Caller.start(() -> {
            rollouts.close();
            return PLAN;
        });
    }

    private static void pass(Duration time) {
        long start = System.nanoTime();
        Deadline.until(time + " are over", () -> System.nanoTime() - start >= time.toNanos());
    }

    private void assertNotInterrupted(String tenant) {
        assertThat(done).containsExactly(tenant + " begins");
        gate.open();
        Deadline.until("it ends", () -> done.size() >= 2);
        assertThat(done).startsWith(tenant + " begins", tenant + " ends");
    }

    @Test
    @Tag("R127")
    void aStopGivesStagesTheirTimeHoweverLongThatIs() throws Exception {
        start(1, builder -> builder.shutdownGrace(Deadline.LONG));
        begin();
        Caller<PlanId> closing = close();

        pass(WAIT);

        assertNotInterrupted("t0");
        closing.result();
        assertThat(rollouts.tasks(PLAN).getFirst().status()).isEqualTo(TaskStatus.COMPLETED);
    }

    @Test
    @Tag("R50")
    @Tag("R121")
    void aTransactionThatHoldsThePlanCutsNothingOff() throws Exception {
        start(1, builder -> builder);
        begin();
        JdbcTransactionManager manager = new JdbcTransactionManager(database.dataSource());
        new TransactionTemplate(manager).executeWithoutResult(status -> {
            rollouts.changeConcurrency(PLAN, 5);
            pass(WAIT);
        });

        assertNotInterrupted("t0");
        assertThat(rollouts.await(PLAN, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    @Test
    @Tag("deep")
    @Tag("R50")
    @Tag("R163")
    void whoComparesALargePlanWithOneThatIsThereCutsNothingOff() {
        int tenants = 20;
        start(tenants, builder -> builder);
        begin();
        decoding = WAIT.dividedBy(tenants);

        assertThat(rollouts.start(Fleet.plan(PLAN.value(), tenants, 1)).status())
                .isEqualTo(PlanStatus.RUNNING);

        decoding = Duration.ZERO;
        assertNotInterrupted("t0");
    }

    /** The drive removes the checkpoint of the first tenant, and never comes back, while the second has its stage. */
    private void hang() {
        start(3, builder -> builder.checkpoints(new SlowCheckpoints()).shutdownGrace(Duration.ofMillis(100)));
        TenantId paused = TenantId.of("t0");
        rollouts.pause(paused);
        begin();
        rollouts.cancel(paused);
        Deadline.until("it is removed", () -> !removed.isEmpty());
    }

    @Test
    @Tag("R50")
    @Tag("R106")
    void aCheckpointStoreThatHangsCutsNothingOff() {
        hang();

        pass(WAIT);

        assertNotInterrupted("t1");
    }

    @Test
    @Tag("R59")
    void noCheckpointIsRemovedOfWhoHasNotBegun() throws Exception {
        start(2, builder -> builder.checkpoints(new SlowCheckpoints()));
        begin();

        rollouts.cancel(TenantId.of("t1"));

        Deadline.until("it is cancelled", () -> rollouts.task(TenantId.of("t1")).status() == TaskStatus.CANCELLED);
        gate.open();
        rollouts.await(PLAN, Deadline.LONG);
        assertThat(removed).containsExactly(rollouts.task(TenantId.of("t0")).taskId());
    }

    @Test
    @Tag("R121")
    void whoHasLostThePlanEndsItsStagesThoughItsDriveHangs() {
        hang();

        new JdbcTemplate(database.dataSource()).update("update rollout_plan set epoch = epoch + 1");

        Deadline.until("it is interrupted", () -> done.size() == 2);
        assertThat(done).containsExactly("t1 begins", "t1 is interrupted");
    }

    @Test
    @Tag("R127")
    void aStopEndsItsStagesThoughItsDriveHangs() throws Exception {
        hang();

        Caller<PlanId> closing = close();

        Deadline.until("it is interrupted", () -> done.size() == 2);
        assertThat(done).containsExactly("t1 begins", "t1 is interrupted");
        gate.open();
        closing.result();
    }

    @Test
    @Tag("R122")
    @Tag("R127")
    void aRefusedRowEndsNoStageThatAStopGivesTime() throws Exception {
        start(1, builder -> builder.shutdownGrace(Deadline.LONG));
        begin();
        Caller<PlanId> closing = close();
        Deadline.until("closing waits", () -> closing.thread().getState() == Thread.State.TIMED_WAITING);
        awaitLooks(); // the first of them may have begun before the stop

        failures.put("findWished", new IllegalStateException("a row can't be read"));
        Rollouts.builder(executor)
                .store(JdbcRolloutStore.of(database.dataSource()))
                .stages(stages)
                .buildClosed()
                .cancel(PLAN);
        awaitLooks();

        assertNotInterrupted("t0");
        closing.result();
    }

    private void awaitLooks() {
        int before = looks.get();
        Deadline.until("it has looked twice", () -> looks.get() >= before + 2);
    }

    @Test
    @Tag("R121")
    void whoCanOnlyReadEndsItsStages() {
        start(1, builder -> builder);
        begin();

        SQLException readsOnly = new SQLException("it is the stand-by of another", "25006");
        failures.put("transact", new DataAccessResourceFailureException("it only reads", readsOnly));

        Deadline.until("it is interrupted", () -> done.size() == 2);
        assertThat(done).containsExactly("t0 begins", "t0 is interrupted");
    }

    /** The same store, but for what fails. */
    private PlanStore failing(PlanStore store) {
        return (PlanStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {PlanStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("findPlan")) {
                        looks.incrementAndGet();
                    }
                    RuntimeException failure = failures.get(method.getName());
                    if (failure != null) {
                        throw failure;
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Takes so long to decode. */
    private final class SlowCodec implements ConfigCodec {

        @Override
        public String encode(String config) {
            return config;
        }

        @Override
        public String decode(String kept) {
            pass(decoding);
            return kept;
        }
    }

    /** Removes nothing until the gate opens. */
    private final class SlowCheckpoints implements CheckpointStore {

        @Override
        public void save(Checkpoint checkpoint) {}

        @Override
        public Optional<Checkpoint> load(TaskId taskId) {
            return Optional.empty();
        }

        @Override
        public void remove(TaskId taskId) {
            removed.add(taskId);
            gate.passStubbornly();
        }
    }
}
