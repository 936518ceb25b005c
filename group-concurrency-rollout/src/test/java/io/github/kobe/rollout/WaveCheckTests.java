package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.rollout.WaveCheck.Verdict;
import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WaveCheckTests extends RolloutsTestCase {

    private static final Duration LONG = Duration.ofHours(1);
    private static final PlanId PLAN = PlanId.of("plan-x");

    /** What the check answers, one after the other, and then that it doesn't know. */
    private final BlockingQueue<Verdict> answers = new LinkedBlockingQueue<>();

    private final List<String> asked = new CopyOnWriteArrayList<>();

    private Verdict check(PlanInfo plan, int wave) {
        asked.add(plan.planId() + " after wave " + wave + ", and "
                + executor.stats().running() + " run");
        Verdict answer = answers.poll();
        return answer == null ? Verdict.WAIT : answer;
    }

    private Rollouts checked(WaveCheck check) {
        return rollouts(builder -> builder.stages(Stage.named("A").rollback(ctx -> {}))
                .waveCheck(check)
                .waveCheckInterval(Duration.ofMillis(5)));
    }

    private static RolloutPlan.Builder plan() {
        return RolloutPlan.named(PLAN.value())
                .add(Samples.change("acme"))
                .add(Samples.change("zorg"))
                .waves(1);
    }

    private List<Occurrence> toldOfGates() {
        awaitTold(PLAN);
        return events.stream()
                .filter(event -> event.taskId() == null)
                .distinct()
                .map(RolloutEvent::occurrence)
                .filter(occurrence -> !(occurrence instanceof Occurrence.PlanEntered))
                .toList();
    }

    @Test
    @Tag("R143")
    void theNextWaveBeginsOnceTheCheckPassesWhichIsAskedAgainUntilThen() throws Exception {
        answers.addAll(List.of(Verdict.WAIT, Verdict.WAIT, Verdict.PASS));
        Rollouts rollouts = checked(this::check);

        rollouts.start(plan().checked(LONG).build());

        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(asked)
                .containsExactly(
                        "plan-x after wave 1, and 0 run",
                        "plan-x after wave 1, and 0 run",
                        "plan-x after wave 1, and 0 run");
        assertThat(toldOfGates())
                .containsExactly(
                        new Occurrence.WaveStarted(1, 2, 1),
                        new Occurrence.GateOpened(1, Duration.ZERO, null),
                        new Occurrence.GateChecked(1),
                        new Occurrence.WaveStarted(2, 2, 1));
    }

    /** The drive reads the plan once or twice while it waits for the answer. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Tag("R143")
    void aCheckThatHasPassedIsNotAskedAgainByWhoHasReadThePlanBefore(int read) throws Exception {
        HaltingStore slow = new HaltingStore(store);
        Gate gate = new Gate();
        AtomicReference<Thread> asking = new AtomicReference<>();
        AtomicInteger reads = new AtomicInteger();
        slow.afterPlanRead(() -> {
            Thread check = asking.get();
            if (check != null && reads.incrementAndGet() == read) {
                gate.open();
                Deadline.until("it has answered", () -> !check.isAlive());
            }
        });
        Rollouts rollouts = rollouts(builder -> builder.store(slow)
                .stages(Stage.named("A"))
                .waveCheckInterval(Duration.ofNanos(1))
                .waveCheck((plan, wave) -> {
                    asked.add("wave " + wave);
                    asking.compareAndSet(null, Thread.currentThread());
                    gate.pass();
                    return Verdict.PASS;
                }));
        rollouts.start(plan().checked(LONG).build());

        Deadline.until(
                "all are changed", () -> store.findPlan(PLAN).orElseThrow().isAtRest());
        assertThat(asked).containsExactly("wave 1");
    }

    @Test
    @Tag("R143")
    void itIsAskedAfterTheBakeTimeAndAnApprovalIsNeededBesides() throws Exception {
        answers.add(Verdict.PASS);
        Rollouts rollouts = checked(this::check);
        rollouts.start(plan().bakeTime(Duration.ofMillis(50))
                .approval(LONG)
                .checked(LONG)
                .build());
        Deadline.until(
                "it is checked",
                () -> rollouts.plan(PLAN).gate() != null
                        && rollouts.plan(PLAN).gate().isChecked());
        WaveGate gate = rollouts.plan(PLAN).gate();
        assertThat(gate.needsApproval()).isTrue();
        assertThat(gate.checkExpiresAt()).isEqualTo(gate.bakedAt().plus(LONG));

        rollouts.approve(PLAN, 1);

        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    @Test
    @Tag("R143")
    void whatItStopsIsPausedWithItsReasonAndAskedAgainAfterAResume() throws Exception {
        answers.add(Verdict.stop("errors at 4\u0000%"));
        Rollouts rollouts = checked(this::check);
        rollouts.start(plan().checked(LONG).build());
        awaitStatus(rollouts, PLAN, PlanStatus.PAUSED);
        assertThat(toldOfGates())
                .endsWith(new Occurrence.GateStopped(1, new FailureInfo("CHECK_STOPPED", "errors at 4 %")));
        assertThat(asked).hasSize(1);
        answers.add(Verdict.PASS);

        rollouts.resume(PLAN);

        assertThat(settled(rollouts, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    @Test
    @Tag("R143")
    void whatItStopsIsRolledBackIfThatIsThePlansReaction() throws Exception {
        answers.add(Verdict.stop("errors"));
        Rollouts rollouts = checked(this::check);
        rollouts.start(plan().checked(LONG)
                .maxFailures(0)
                .onTooManyFailures(FailureReaction.ROLLBACK)
                .build());

        PlanInfo plan = settled(rollouts, PLAN);

        assertThat(plan.status()).isEqualTo(PlanStatus.ROLLED_BACK);
        assertThat(plan.tasks()).isEqualTo(Map.of(TaskStatus.ROLLED_BACK, 1, TaskStatus.CANCELLED, 1));
    }

    @Test
    @Tag("R143")
    void aCheckThatFailsIsAskedAgainUntilItsTimeIsOver() throws Exception {
        Rollouts rollouts = checked((plan, wave) -> {
            asked.add("asked");
            throw new IllegalStateException("no metrics");
        });
        rollouts.start(plan().checked(Duration.ofSeconds(2)).build());

        awaitStatus(rollouts, PLAN, PlanStatus.PAUSED);

        assertThat(asked).hasSizeGreaterThan(1);
        assertThat(toldOfGates()).endsWith(new Occurrence.GateTimedOut(1));
    }

    @Test
    @Tag("R143")
    void aCheckWithoutAnAnswerIsAskedAgainLaterLikeOneThatFails() {
        Rollouts rollouts = rollouts(builder -> builder.stages(Stage.named("A"))
                .waveCheck((plan, wave) -> {
                    asked.add("asked");
                    return null;
                })
                .waveCheckInterval(LONG));
        rollouts.start(plan().checked(LONG).build());

        Deadline.until("the next drive is due later", () -> {
            Instant at = store.findPlan(PLAN).orElseThrow().drive().at();
            return at != null && at.isAfter(store.now().plus(Deadline.LONG));
        });
        assertThat(asked).hasSize(1);
        assertThat(store.findPlan(PLAN).orElseThrow().epoch()).isOne();
    }

    @Test
    @Tag("R120")
    @Tag("R143")
    void itIsAskedByTheNextNodeAndNotByOneWithoutACheck() throws Exception {
        Rollouts first = checked(this::check);
        first.start(plan().checked(LONG).build());
        Deadline.until("asked", () -> !asked.isEmpty());
        first.close();
        long epoch = store.findPlan(PLAN).orElseThrow().epoch();
        Rollouts without =
                rollouts(builder -> builder.stages(Stage.named("A")).waveCheckInterval(Duration.ofMillis(5)));
        Deadline.until(
                "it has looked twice", () -> store.findPlan(PLAN).orElseThrow().epoch() >= epoch + 2);
        assertThat(without.plan(PLAN).wave()).isOne();
        without.close();
        answers.add(Verdict.PASS);

        Rollouts second = checked(this::check);

        assertThat(settled(second, PLAN).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    @Test
    @Tag("R143")
    void aCheckThatHangsKeepsNobodyFromCancellingAndIsInterruptedThen() throws Exception {
        Gate never = new Gate();
        Rollouts rollouts = checked((plan, wave) -> {
            never.pass();
            return Verdict.PASS;
        });
        rollouts.start(plan().checked(LONG).build());
        never.awaitArrived(1);

        rollouts.cancel(PLAN);

        assertThat(settled(rollouts, PLAN).tasks()).isEqualTo(Map.of(TaskStatus.COMPLETED, 1, TaskStatus.CANCELLED, 1));
    }

    @Test
    @Tag("R138")
    @Tag("R143")
    void anAnswerThatComesAfterItsGateHasClosedDoesNotOpenTheNextOne() {
        TenantId acme = TenantId.of("acme");
        Gate answering = new Gate();
        Stage failing = Stage.named("A").step(ctx -> {
            if (ctx.tenantId().equals(acme) && ctx.attempt() == 1) {
                throw new IllegalStateException("broken");
            }
        });
        Rollouts rollouts = rollouts(builder -> builder.stages(failing)
                .waveCheckInterval(Duration.ofMillis(5))
                .waveCheck((plan, wave) -> {
                    asked.add("wave " + wave);
                    if (asked.size() > 1) {
                        return Verdict.WAIT;
                    }
                    answering.passStubbornly();
                    return Verdict.PASS;
                }));
        rollouts.start(plan().checked(LONG).build());
        answering.awaitArrived(1);
        Instant first = rollouts.plan(PLAN).gate().since();

        rollouts.retry(acme, true);
        Deadline.until("the gate has begun anew", () -> {
            WaveGate gate = rollouts.plan(PLAN).gate();
            return gate != null && !gate.since().equals(first);
        });
        answering.open();

        Deadline.until("it is asked about the new gate", () -> asked.size() > 1);
        assertThat(rollouts.task(acme).status()).isEqualTo(TaskStatus.COMPLETED);
        assertThat(rollouts.plan(PLAN).gate().isChecked()).isFalse();
        assertThat(rollouts.task(TenantId.of("zorg")).status()).isEqualTo(TaskStatus.PENDING);
    }

    @Test
    @Tag("R8")
    @Tag("R143")
    void aPlanThatIsCheckedNeedsWavesATimeAndSomebodyWhoChecks() {
        Rollouts rollouts = rollouts(Stage.named("A"));
        assertThatThrownBy(() -> rollouts.create(plan().checked(LONG).build()))
                .hasMessageContaining("these rollouts have no waveCheck");
        assertThatThrownBy(() -> rollouts.create(plan().checked(Duration.ZERO).build()))
                .hasMessageContaining("the time-out of checks is PT0S");
        assertThatThrownBy(() -> rollouts.create(RolloutPlan.named("plan-y")
                        .add(Samples.change("acme"))
                        .checked(LONG)
                        .build()))
                .hasMessageContaining("checks are between waves, and the plan has none");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Rollouts.builder(executor).waveCheckInterval(Duration.ZERO))
                .withMessageContaining("waveCheckInterval is PT0S");
    }
}
