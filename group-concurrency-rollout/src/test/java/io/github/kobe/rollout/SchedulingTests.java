package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPermit;
import io.github.kobe.GroupPolicy;
import io.github.kobe.Rate;
import io.github.kobe.cluster.ClusterSettings;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.rollout.internal.rules.DriveState;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Depth;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchedulingTests extends RolloutsTestCase {

    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private static final int TENANTS = Depth.pick(1_000, 3_000, 10_000);

    /** Counts by itself who is inside. */
    private static final class Witness {
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();
        private final Map<TenantId, AtomicInteger> runs = new ConcurrentHashMap<>();
        private final AtomicInteger twiceAtOnce = new AtomicInteger();
        private final Map<TenantId, Thread> now = new ConcurrentHashMap<>();

        void enter(StageContext ctx) {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            if (now.put(ctx.tenantId(), Thread.currentThread()) != null) {
                twiceAtOnce.incrementAndGet();
            }
            runs.computeIfAbsent(ctx.tenantId(), id -> new AtomicInteger()).incrementAndGet();
        }

        void leave(StageContext ctx) {
            now.remove(ctx.tenantId());
            inside.decrementAndGet();
        }
    }

    private static Stage witnessed(String name, Witness witness) {
        return Stage.named(name)
                .step(witness::enter)
                .step(ctx -> LockSupport.parkNanos(50_000))
                .step(witness::leave);
    }

    @Test
    @Tag("R34")
    @Tag("R36")
    @Tag("R124")
    void manyTenantsAreChangedTenAtATime() throws Exception {
        int tenants = many(TENANTS, Depth.pick(100, 300, 10_000));
        Witness witness = new Witness();
        Rollouts rollouts = rollouts(witnessed("A", witness), witnessed("B", witness), witnessed("C", witness));
        TenantChange[] changes = IntStream.range(0, tenants)
                .mapToObj(index -> Samples.change("t" + index))
                .toArray(TenantChange[]::new);

        PlanId planId = rollouts.start(plan("x", changes)).planId();

        awaitThoseThatGoOn(rollouts, planId);
        assertThat(settled(rollouts, planId).tasks()).isEqualTo(Map.of(TaskStatus.COMPLETED, tenants));
        assertThat(witness.most).hasValueLessThanOrEqualTo(10).hasValueGreaterThan(1);
        assertThat(witness.twiceAtOnce).hasValue(0);
        assertThat(witness.runs).hasSize(tenants);
        assertThat(witness.runs.values()).allSatisfy(runs -> assertThat(runs).hasValue(3));
        Deadline.until("its group is gone", () -> executor.groupKeys().isEmpty());
    }

    /** Many tenants take long on a busy machine, but not for none of them to change. */
    private static void awaitThoseThatGoOn(Rollouts rollouts, PlanId planId) throws InterruptedException {
        PlanInfo plan = rollouts.plan(planId);
        Map<TaskStatus, Integer> before;
        do {
            before = plan.tasks();
            plan = rollouts.await(planId, Deadline.LONG);
        } while (!plan.status().isSettled() && !plan.tasks().equals(before));
    }

    @Test
    @Tag("R124")
    @Tag("R127")
    void whatWaitsForThePermitOfOthersDoesNotHoldUpTheEnd() throws Exception {
        try (GroupExecutor narrow = GroupExecutor.newVirtualThreadExecutor(
                GroupPolicy.builder().globalMaxInFlight(1).build())) {
            GroupPermit permit = narrow.acquire("others");
            Rollouts rollouts = builder(narrow, store)
                    .stages(Stage.named("A"))
                    .shutdownGrace(Deadline.LONG)
                    .build();
            PlanId planId = rollouts.start(plan("x", Samples.change("acme"))).planId();
            Deadline.until("it waits", () -> narrow.stats().queued() > 0);

            Thread closing = Thread.ofVirtual().start(rollouts::close);
            boolean isClosed = closing.join(Deadline.LONG.dividedBy(2));
            permit.close();
            assertThat(isClosed).isTrue();
            assertThat(onlyTask(rollouts, planId))
                    .satisfies(id -> assertThat(rollouts.task(id).status()).isEqualTo(TaskStatus.PENDING));
        }
    }

    @Test
    @Tag("R35")
    @Tag("R36")
    void oneAtATimeMeansInTheOrderOfThePlan() throws Exception {
        List<String> order = new CopyOnWriteArrayList<>();
        Rollouts rollouts =
                rollouts(Stage.named("A").step(ctx -> order.add(ctx.tenantId().value())));
        List<String> names =
                IntStream.range(0, 20).mapToObj(index -> "t" + (index * 7) % 20).toList();

        PlanId planId = rollouts.start(
                        plan("x", 1, names.stream().map(Samples::change).toArray(TenantChange[]::new)))
                .planId();
        settled(rollouts, planId);

        assertThat(order).isEqualTo(names);
    }

    @Test
    @Tag("R36")
    void anyEndLetsTheNextOneBegin() throws Exception {
        Gate first = new Gate();
        Gate others = new Gate();
        Rollouts rollouts = rollouts(Stage.named("A").step(ctx -> {
            if (ctx.tenantId().value().equals("a")) {
                first.pass();
                throw new IllegalStateException("broken");
            }
            others.pass();
        }));
        PlanId planId = rollouts.start(plan("x", 2, Samples.change("a"), Samples.change("b"), Samples.change("c")))
                .planId();
        first.awaitArrived(1);
        others.awaitArrived(1);
        assertThat(rollouts.plan(planId).tasks()).isEqualTo(Map.of(TaskStatus.RUNNING, 2, TaskStatus.PENDING, 1));

        first.open();
        others.awaitArrived(2);
        others.open();
        settled(rollouts, planId);
    }

    @Test
    @Tag("R124")
    void whatTheExecutorDoesntLetInStaysPendingAndComesLater() throws Exception {
        Gate busy = new Gate();
        try (GroupExecutor narrow = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                        .globalMaxInFlight(1)
                        .globalQueueThreshold(0)
                        .build());
                Rollouts rollouts = Rollouts.builder(narrow)
                        .store(store)
                        .stages(Stage.named("A"))
                        .build()) {
            narrow.submit("other", busy.then("done"));
            busy.awaitArrived(1);
            PlanId planId = rollouts.start(plan("x", Samples.change("a"))).planId();
            Deadline.until("rejected", () -> narrow.stats().totals().rejected() > 0);
            assertThat(rollouts.task(TenantId.of("a")).status()).isEqualTo(TaskStatus.PENDING);

            busy.open();
            assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        }
    }

    @Test
    @Tag("R124")
    void aPlanGoesOnWhateverRateGroupsHaveByDefault() throws Exception {
        GroupLimits slow = GroupLimits.unset()
                .withMaxConcurrency(1)
                .withRate(Rate.of(1, Duration.ofHours(1)).withBurst(1));
        try (GroupExecutor limited = GroupExecutor.newVirtualThreadExecutor(
                        GroupPolicy.builder().defaults(slow).build());
                Rollouts rollouts =
                        builder(limited, store).stages(Stage.named("A")).build()) {
            PlanId planId = rollouts.start(plan("x", Samples.change("a"), Samples.change("b")))
                    .planId();

            assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
        }
    }

    @ParameterizedTest(name = "but for rollouts: {0}")
    @ValueSource(booleans = {true, false})
    @Tag("R124")
    void aLimitOverAllInstancesHoldsUnlessThePolicyMakesAnExceptionForRollouts(boolean excepted) throws Exception {
        GroupPolicy.Builder policy = GroupPolicy.builder().defaultClusterMaxInFlightPerGroup(1);
        if (excepted) {
            policy.pattern("rollout:*", GroupLimits.unset().withClusterMaxInFlight(Integer.MAX_VALUE));
        }
        Witness witness = new Witness();
        Gate gate = new Gate();
        try (ClusterStore shared = ClusterStore.inMemory();
                GroupExecutor clustered =
                        GroupExecutor.newVirtualThreadExecutor(policy.build(), ClusterSettings.of(shared));
                Rollouts rollouts = builder(clustered, store)
                        .stages(Stage.named("A")
                                .step(witness::enter)
                                .step(ctx -> gate.pass())
                                .step(witness::leave))
                        .build()) {
            PlanId planId = rollouts.start(plan("x", 2, Samples.change("a"), Samples.change("b")))
                    .planId();
            gate.awaitArrived(excepted ? 2 : 1);
            gate.open();

            assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
            assertThat(witness.most).hasValue(excepted ? 2 : 1);
        }
    }

    @Test
    @Tag("R91")
    void progressMayBeReportedNever() throws Exception {
        Rollouts rollouts = rollouts(builder -> builder.stages(Stage.named("A")).progressInterval(FOR_EVER));
        PlanId planId = rollouts.start(plan("x", Samples.change("a"))).planId();

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    @Test
    @Tag("R143")
    void aCheckMayBeAskedOnlyOnce() throws Exception {
        Rollouts rollouts = rollouts(builder -> builder.stages(Stage.named("A"))
                .waveCheck((plan, wave) -> WaveCheck.Verdict.PASS)
                .waveCheckInterval(FOR_EVER));
        PlanId planId = rollouts.start(RolloutPlan.named("plan-x")
                        .add(Samples.change("a"))
                        .add(Samples.change("b"))
                        .waves(1)
                        .checked(Duration.ofHours(1))
                        .build())
                .planId();

        assertThat(settled(rollouts, planId).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    @Test
    @Tag("R120")
    void aDriveEndsWhenThereIsNothingToDoAndAnotherComesWhenThereIs() throws Exception {
        Rollouts rollouts = rollouts(Stage.named("A"));
        PlanId planId = rollouts.create(plan("x", Samples.change("a"))).planId();
        Deadline.until("over", () -> phase(planId) == DriveState.Phase.OVER);
        long before = number(planId);

        rollouts.start(planId);
        settled(rollouts, planId);

        assertThat(number(planId)).isEqualTo(before + 1);
        assertThat(phase(planId)).isEqualTo(DriveState.Phase.OVER);
        rollouts.rollback(planId);
        settled(rollouts, planId);
        assertThat(number(planId)).isEqualTo(before + 2);
    }

    private DriveState.Phase phase(PlanId planId) {
        return store.findPlan(planId).orElseThrow().drive().phase();
    }

    private long number(PlanId planId) {
        return store.findPlan(planId).orElseThrow().drive().number();
    }

    @Test
    @Tag("R82")
    @Tag("R90")
    @Tag("R124")
    void aDriveThatEndsTakesNeitherLimitsNorEventsFromTheNextOne() throws Exception {
        Gate ending = new Gate();
        Gate working = new Gate();
        AtomicReference<Thread> first = new AtomicReference<>();
        HaltingStore slow = new HaltingStore(store);
        Rollouts rollouts =
                rollouts(builder -> builder.store(slow).stages(Stage.named("A").step(ctx -> working.pass())));
        slow.afterCommits(() -> {
            boolean isOver =
                    store.findPlans(9).stream().anyMatch(plan -> plan.drive().phase() == DriveState.Phase.OVER);
            if (isOver && Thread.currentThread().isVirtual() && first.compareAndSet(null, Thread.currentThread())) {
                ending.passStubbornly();
            }
        });
        PlanId planId = rollouts.create(plan("x", 2, Samples.change("a"), Samples.change("b")))
                .planId();
        ending.awaitArrived(1);
        rollouts.start(planId);
        working.awaitArrived(2);

        ending.open();
        assertThat(first.get().join(Deadline.LONG)).isTrue();
        assertThat(executor.overrideOf("rollout:plan-x")).isPresent();
        working.open();
        settled(rollouts, planId);
        assertThat(events.stream().filter(event -> event.taskId() == null).map(RolloutEvent::sequenceId))
                .containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    @Tag("R48")
    void awaitTellsHowThingsAreWhenTheTimeIsUp() throws Exception {
        Gate gate = new Gate();
        Rollouts rollouts = rollouts(Stage.named("A").step(ctx -> gate.pass()));
        PlanId planId = rollouts.start(plan("x", Samples.change("a"))).planId();

        assertThat(rollouts.await(planId, Duration.ofMillis(1)).status()).isEqualTo(PlanStatus.RUNNING);
        gate.open();
        settled(rollouts, planId);
    }
}
