package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanInfo;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.RolloutStore;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Measures what rollouts cost, and prints it: times depend on the machine, so only what was done is asserted. */
@Tag("long")
@Timeout(1_800)
class CostTests {

    private static final int MANY = Integer.getInteger("tenants", 10_000);
    private static final int STAGES = 3;
    private static final int ROUNDS = 3;

    private static final Duration LONGEST = Duration.ofMinutes(10);

    private static final List<Stage> EMPTY =
            Fleet.STAGES.stream().map(Stage::named).toList();

    @Test
    void stagesOneAfterAnother() throws Exception {
        int tenants = MANY / 20;
        double[] memory = new double[ROUNDS];
        double[] database = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            memory[round] = nanosOfAPlan(RolloutStore.inMemory(), MANY, 1) / MANY / STAGES;
            try (TestDatabase postgres = TestDatabase.Product.POSTGRESQL.open()) {
                database[round] =
                        nanosOfAPlan(JdbcRolloutStore.of(postgres.dataSource()), tenants, 1) / tenants / STAGES;
            }
        }
        print("a stage, in memory", memory, 1e6, "ms");
        print("a stage, on PostgreSQL", database, 1e6, "ms");
    }

    /** {@return how long the plan took from its start on} */
    private static double nanosOfAPlan(RolloutStore store, int tenants, int maxConcurrency) throws Exception {
        try (GroupExecutor executor = executor();
                Rollouts rollouts =
                        Rollouts.builder(executor).store(store).stages(EMPTY).build()) {
            PlanId planId = rollouts.create(plan(tenants, maxConcurrency)).planId();
            return nanos(() -> {
                rollouts.start(planId);
                return completed(rollouts, planId, tenants);
            });
        }
    }

    private static RolloutPlan plan(int tenants, int maxConcurrency) {
        return Fleet.plan("plan-x", tenants, maxConcurrency);
    }

    private static GroupExecutor executor() {
        return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
    }

    private static PlanInfo completed(Rollouts rollouts, PlanId planId, int tenants) throws InterruptedException {
        PlanInfo plan = rollouts.await(planId, LONGEST);
        assertThat(plan.status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(rollouts.tasks(planId)).hasSize(tenants);
        return plan;
    }

    private static double nanos(Callable<?> work) throws Exception {
        long start = System.nanoTime();
        assertThat(work.call()).isNotNull();
        return System.nanoTime() - start;
    }

    @Test
    void manyTenants() throws Exception {
        double[] create = new double[ROUNDS];
        double[] start = new double[ROUNDS];
        double[] all = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            try (TestDatabase postgres = TestDatabase.Product.POSTGRESQL.open();
                    GroupExecutor executor = executor();
                    Rollouts rollouts = Rollouts.builder(executor)
                            .store(JdbcRolloutStore.of(postgres.dataSource()))
                            .stages(EMPTY)
                            .build()) {
                PlanId planId = PlanId.of("plan-x");
                create[round] = nanos(() -> rollouts.create(plan(MANY, 10)));
                start[round] = nanos(() -> rollouts.start(planId));
                all[round] = start[round] + nanos(() -> completed(rollouts, planId, MANY));
            }
        }
        print("creation of " + MANY + " tenants", create, 1e9, "s");
        print("start of " + MANY + " tenants", start, 1e9, "s");
        print("plan of " + MANY + " tenants with 3 empty stages, ten at a time", all, 1e9, "s");
    }

    @Test
    void aTakeoverAndItsHeap() throws Exception {
        double[] takeover = new double[ROUNDS];
        double[] heap = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            try (TestDatabase postgres = TestDatabase.Product.POSTGRESQL.open()) {
                Gate gate = new Gate();
                CountDownLatch again = new CountDownLatch(10);
                AtomicLong lost = new AtomicLong(Long.MAX_VALUE);
                AtomicLong token = new AtomicLong();
                List<Stage> stages = List.of(Stage.named("A").step(ctx -> {
                    token.set(ctx.fencingToken());
                    if (ctx.fencingToken() > lost.get()) {
                        again.countDown();
                    }
                    gate.pass();
                }));
                double before = usedHeap();
                Node doomed = new Node("n1", postgres.dataSource(), stages, event -> {});
                PlanId planId = doomed.rollouts().create(plan(MANY, 10)).planId();
                Deadline.until(
                        "created",
                        () -> doomed.store().findUnpublished(planId, 1).isEmpty());
                doomed.rollouts().start(planId);
                gate.awaitArrived(10);
                doomed.events().clear();
                heap[round] = usedHeap() - before;
                lost.set(token.get());
                try (doomed;
                        Detection detection = Detection.open();
                        Node heir = new Node("n2", postgres.dataSource(), stages, event -> {})) {
                    doomed.kill();
                    assertThat(again.await(1, TimeUnit.MINUTES)).isTrue();
                    takeover[round] = System.nanoTime() - detection.at();
                    assertThat(heir.isBusy()).isTrue();
                    gate.open();
                }
            }
        }
        print("takeover of " + MANY + " tenants, from its detection until ten run again", takeover, 1e9, "s");
        print("heap of a drive of " + MANY + " tenants", heap, 1e6, "MB");
    }

    /** When a node was first found to be lost. */
    private static final class Detection extends Handler implements AutoCloseable {

        private static final Logger STORE = Logger.getLogger("io.github.kobe.rollout.jdbc");

        private final AtomicLong at = new AtomicLong();

        static Detection open() {
            Detection detection = new Detection();
            STORE.addHandler(detection);
            return detection;
        }

        @Override
        public void publish(LogRecord entry) {
            if (entry.getMessage().contains("was lost with its node")) {
                at.compareAndSet(0, System.nanoTime());
            }
        }

        long at() {
            assertThat(at).doesNotHaveValue(0);
            return at.get();
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            STORE.removeHandler(this);
        }
    }

    private static double usedHeap() {
        for (int times = 0; times < 3; times++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static void print(String what, double[] rounds, double unit, String name) {
        double[] sorted = Arrays.stream(rounds).sorted().toArray();
        String all = DoubleStream.of(rounds)
                .mapToObj(each -> String.format(Locale.ROOT, "%.3f", each / unit))
                .reduce((one, other) -> one + " " + other)
                .orElse("");
        System.out.printf(
                Locale.ROOT,
                "COST %s: %.3f %s (rounds: %s; load %.1f)%n",
                what,
                sorted[sorted.length / 2] / unit,
                name,
                all,
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }
}
