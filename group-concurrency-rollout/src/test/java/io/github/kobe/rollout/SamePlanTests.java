package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever doesn't know whether a plan was started starts it again. */
class SamePlanTests extends RolloutsTestCase {

    private static final PlanId PLAN = PlanId.of("plan-x");

    private final Stage stage = Stage.named("A");

    private static RolloutPlan spec() {
        return plan("x", 2, Samples.change("acme").setting("a", "1"), Samples.change("zorg"));
    }

    private void assertStartedOnce(Rollouts rollouts) throws InterruptedException {
        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
        awaitTold(PLAN);
        assertThat(store.findPlans(9)).hasSize(1);
        List<TaskRecord> tasks = store.findByPlanId(PLAN);
        assertThat(tasks).hasSize(2);
        tasks.forEach(task -> assertEachEventOnce(task.id(), task.sequence()));
        assertEachEventOnce(PLAN, store.findPlan(PLAN).orElseThrow().sequence());
    }

    @ParameterizedTest(name = "before the commit: {0}")
    @ValueSource(booleans = {true, false})
    @Tag("R163")
    @Tag("R122")
    void whoeverIsKilledInAStartCallsAgain(boolean before) throws Exception {
        HaltingStore halting = new HaltingStore(store);
        try (GroupExecutor doomed =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build())) {
            Rollouts first = builder(doomed, halting).stages(stage).buildClosed();
            halting.haltAt(1, before);
            assertThatThrownBy(() -> first.start(spec())).isInstanceOf(HaltingStore.Halt.class);
            first.close();
        }
        assertThat(store.findPlan(PLAN).map(plan -> plan.status()).orElse(null))
                .as("all of it or nothing")
                .isEqualTo(before ? null : PlanStatus.RUNNING);

        Rollouts second = rollouts(stage);
        assertThat(second.by("somebody else").start(spec()).planId()).isEqualTo(PLAN);
        assertStartedOnce(second);
    }

    @Test
    @Tag("R163")
    void theLogTellsWhoStartsAPlanAndWhoWould() throws Exception {
        Rollouts rollouts = rollouts(stage);
        try (CapturedLog log = CapturedLog.open()) {
            rollouts.by("ann").create(spec());
            rollouts.by("ben").start(spec());
            settled(rollouts, PLAN);
            rollouts.by("cat").start(spec());

            assertThat(log.infos())
                    .filteredOn(text -> text.contains("start plan-x") || text.contains("starts plan-x"))
                    .containsExactly(
                            "ben starts plan-x", "cat would start plan-x, which is there already, and is COMPLETED");
        }
    }

    @Test
    @Tag("R163")
    void thePlanIsReturnedAsItIsInAnyState() throws Exception {
        Rollouts closed = rollouts(stage);
        closed.close();
        PlanInfo ready = closed.create(spec());
        assertThat(closed.create(spec())).isEqualTo(ready);
        assertThat(ready.status()).isEqualTo(PlanStatus.READY);
        PlanInfo running = closed.start(spec());
        assertThat(running.status()).isEqualTo(PlanStatus.RUNNING);
        assertThat(closed.start(spec())).isEqualTo(running);
        assertThat(closed.create(spec())).isEqualTo(running);

        Rollouts open = rollouts(stage);
        PlanInfo completed = settled(open, PLAN);
        assertThat(open.start(spec())).isEqualTo(completed);
        open.rollback(PLAN);
        assertThat(settled(open, PLAN)).isEqualTo(open.start(spec()));
        assertThat(open.plan(PLAN).status()).isEqualTo(PlanStatus.ROLLED_BACK);
    }

    @Test
    @Tag("R144")
    @Tag("R163")
    void aPlanThatWasChangedIsTheSameAsOneThatIsBuiltAsItIsNow() {
        Rollouts rollouts = rollouts(stage);
        rollouts.create(spec());
        rollouts.changeConcurrency(PLAN, 3);
        PlanInfo changed = rollouts.add(PLAN, List.of(Samples.change("hooli")));

        assertThatThrownBy(() -> rollouts.create(spec()))
                .isInstanceOf(TaskCreationException.class)
                .hasMessageContaining("its maxConcurrency is 3, not 2");
        TenantChange[] changes = Stream.concat(spec().changes().stream(), Stream.of(Samples.change("hooli")))
                .toArray(TenantChange[]::new);
        assertThat(rollouts.create(plan("x", 3, changes))).isEqualTo(changed);
    }

    @Test
    @Tag("R144")
    @Tag("R163")
    void aPlanThatHasGrownIsTheSameWithItsWavesInNumbersWithoutTheLast() {
        Rollouts rollouts = rollouts(stage);
        RolloutPlan.Builder first = RolloutPlan.named("plan-x").waves(WaveSize.percent(50));
        IntStream.range(0, 4).forEach(index -> first.add(Samples.change("t" + index)));
        rollouts.create(first.build());
        rollouts.changeConcurrency(PLAN, 3);
        assertThat(rollouts.create(first.build()).maxConcurrency()).isEqualTo(3);
        PlanInfo grown = rollouts.add(PLAN, List.of(Samples.change("t4"), Samples.change("t5")));

        first.add(Samples.change("t4")).add(Samples.change("t5"));
        assertThatThrownBy(() -> rollouts.create(first.build()))
                .isInstanceOf(TaskCreationException.class)
                .hasMessageContaining("its waves is [2, 4], not [3, 3]");
        assertThat(rollouts.create(first.waves(2).build())).isEqualTo(grown);
    }

    @Test
    @Tag("R139")
    @Tag("R163")
    void aPreviewTellsWhetherThePlanWouldBeStarted() throws Exception {
        Rollouts rollouts = rollouts(stage);
        rollouts.create(spec());
        assertThat(rollouts.preview(spec()).errors()).isEmpty();
        assertThat(rollouts.preview(with(spec(), 1, spec().changes())).errors())
                .containsExactly("there is a plan plan-x already, and its maxConcurrency is 2, not 1");

        rollouts.start(spec());
        settled(rollouts, PLAN);
        assertThat(rollouts.preview(spec()).errors())
                .containsExactly("there is a plan plan-x already, and it is COMPLETED");
    }

    @Test
    @Tag("R163")
    void aPlanThatWasInvalidIsRefusedAgainWithTheSameErrors() {
        Rollouts rollouts = rollouts(stage);
        RolloutPlan wrong = plan("x", Samples.change("acme").maxRetry(-1), Samples.change("acme"));
        assertThatThrownBy(() -> rollouts.start(wrong))
                .isInstanceOfSatisfying(
                        TaskCreationException.class,
                        first -> assertThatThrownBy(() -> rollouts.start(wrong))
                                .isInstanceOfSatisfying(
                                        TaskCreationException.class,
                                        again -> assertThat(again.errors()).isEqualTo(first.errors())));
        assertThat(rollouts.plan(PLAN).status()).isEqualTo(PlanStatus.FAILED);
    }

    @Test
    @Tag("R163")
    void anotherContentUnderTheSameIdIsRefusedWithWhatDiffersFirst() {
        Rollouts rollouts = rollouts(stage);
        RolloutPlan.Builder same = RolloutPlan.named("plan-x")
                .waves(1)
                .maxFailures(1)
                .bakeTime(Duration.ofMinutes(1))
                .approval(Duration.ofHours(1));
        spec().changes().forEach(same::add);
        rollouts.create(same.build());
        rollouts.create(same.build());

        refused(rollouts, same.build(), plan -> with(plan, 7, plan.changes()), "its maxConcurrency is 10, not 7");
        refused(
                rollouts,
                same.build(),
                plan -> with(plan, null, plan.changes().subList(0, 1)),
                "its number of tenants is 2, not 1");
        refused(
                rollouts,
                same.build(),
                plan -> with(plan, null, plan.changes().reversed()),
                "its tenant number 1 is acme, not zorg");
        refused(rollouts, same.waves(2).build(), plan -> plan, "its waves is [1, 1], not [2]");
        refused(rollouts, same.waves(1).maxFailures(2).build(), plan -> plan, "its maxFailures is 1, not 2");
        refused(
                rollouts,
                same.maxFailures(1).bakeTime(Duration.ZERO).build(),
                plan -> plan,
                "its bakeTime is PT1M, not PT0S");
        refused(
                rollouts,
                same.bakeTime(Duration.ofMinutes(1))
                        .approval(Duration.ofHours(2))
                        .build(),
                plan -> plan,
                "its time-out of approvals is PT1H, not PT2H");
        RolloutPlan again = same.approval(Duration.ofHours(1)).build();
        first(rollouts, again, change -> change.endpoints("http://h"), "its endpoints of tenant 'acme' is another");
        first(rollouts, again, change -> change.maxRetry(0), "its maxRetry of tenant 'acme' is 3, not 0");
        first(rollouts, again, change -> change.setting("a", "2"), "its settings of tenant 'acme' is another");
        first(
                rollouts,
                again,
                change -> change.previous(Samples.GREEN, "{}"),
                "its previous of tenant 'acme' is another");
        first(
                rollouts,
                again,
                change -> TenantChange.of("acme", change.unit(), "{\"password\":\"x\"}"),
                "its config of tenant 'acme' is another");
        first(
                rollouts,
                again,
                change -> TenantChange.of("acme", Samples.GREEN, change.config()),
                "its unit of tenant 'acme' is DeployUnit");
        assertThat(rollouts.create(again).status()).isEqualTo(PlanStatus.READY);
    }

    @Test
    @Tag("R150")
    @Tag("R163")
    void whatAnEndpointSaysOfItsUserIsInNoMessage() {
        Rollouts rollouts = rollouts(stage);
        rollouts.create(plan("x", Samples.change("acme").endpoints("http://ann:old-secret@h")));
        RolloutPlan other = plan("x", Samples.change("acme").endpoints("http://ann:new-secret@h"));

        for (Callable<PlanInfo> call :
                List.<Callable<PlanInfo>>of(() -> rollouts.create(other), () -> rollouts.start(other))) {
            assertThatThrownBy(call::call)
                    .hasMessageContaining("its endpoints of tenant 'acme'")
                    .hasMessageNotContaining("secret");
        }
        assertThat(rollouts.preview(other).errors())
                .singleElement()
                .asString()
                .contains("its endpoints of tenant 'acme'")
                .doesNotContain("secret");
    }

    private static RolloutPlan with(RolloutPlan plan, Integer maxConcurrency, List<TenantChange> changes) {
        return new RolloutPlan(
                plan.planId(),
                maxConcurrency,
                changes,
                plan.waves(),
                plan.maxFailures(),
                plan.onTooManyFailures(),
                plan.bakeTime(),
                plan.approvalTimeout(),
                plan.checkTimeout());
    }

    private static void first(
            Rollouts rollouts, RolloutPlan plan, UnaryOperator<TenantChange> change, String difference) {
        refused(
                rollouts,
                plan,
                same -> with(
                        same,
                        null,
                        List.of(
                                change.apply(same.changes().getFirst()),
                                same.changes().getLast())),
                difference);
    }

    private static void refused(
            Rollouts rollouts, RolloutPlan plan, UnaryOperator<RolloutPlan> change, String difference) {
        for (Callable<PlanInfo> call : List.<Callable<PlanInfo>>of(
                () -> rollouts.create(change.apply(plan)), () -> rollouts.start(change.apply(plan)))) {
            assertThatThrownBy(call::call)
                    .isInstanceOf(TaskCreationException.class)
                    .hasMessageContaining("there is a plan plan-x already, and " + difference)
                    .hasMessageNotContaining("password");
        }
    }

    @Test
    @Tag("R163")
    @Tag("R41")
    void nodesThatStartThePlanAtOnceHaveOnePlanAndAllGetIt() throws Exception {
        int callers = 4;
        Rollouts one = rollouts(stage);
        Rollouts other = rollouts(builder -> builder.stages(stage).node("n2"));
        CyclicBarrier barrier = new CyclicBarrier(callers);
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try {
            List<Future<PlanInfo>> starts = IntStream.range(0, callers)
                    .mapToObj(index -> threads.submit(() -> {
                        barrier.await(Deadline.SECONDS, TimeUnit.SECONDS);
                        return (index % 2 == 0 ? one : other).start(spec());
                    }))
                    .toList();
            for (Future<PlanInfo> start : starts) {
                assertThat(start.get(Deadline.SECONDS, TimeUnit.SECONDS).planId())
                        .isEqualTo(PLAN);
            }
        } finally {
            Deadline.close(threads);
        }
        assertStartedOnce(one);
    }
}
