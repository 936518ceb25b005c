package io.github.kobe.rollout.internal.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.rollout.FailureReaction;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.TaskOperationException;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.WaveGate;
import io.github.kobe.rollout.WaveSize;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a gate makes of each command, with a bake time of 10 minutes and 60 more for an approval. */
class WaveRulesTests {

    private PlanRecord plan = atItsGate(Duration.ofHours(1), null);

    private Instant now = Samples.NOW;

    /** The state of the plan, its wave, and its gate: that waits, is approved, or isn't there. */
    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource({
        "0, RUNNING 1 waits",
        "approve, RUNNING 1 approved",
        "approve 9, RUNNING 1 approved",
        "approve 10, RUNNING 2 -",
        "approve approve, RUNNING 1 approved",
        "approve-other, refused",
        "approve approve-other, refused",
        "approve 10 approve, refused",
        "10 approve, RUNNING 2 -",
        "69, RUNNING 1 waits",
        "70, PAUSED 1 waits",
        "69 approve, RUNNING 2 -",
        "70 approve, PAUSED 1 approved",
        "70 approve resume, RUNNING 2 -",
        "70 resume, RUNNING 1 waits",
        "70 resume 59, RUNNING 1 waits",
        "70 resume 60, PAUSED 1 waits",
        "70 resume approve, RUNNING 2 -",
        "pause, PAUSED 1 waits",
        "pause 80, PAUSED 1 waits",
        "pause 80 resume, RUNNING 1 waits",
        "pause 5 resume 64, RUNNING 1 waits",
        "pause 5 resume 65, PAUSED 1 waits",
        "pause approve, PAUSED 1 approved",
        "pause approve 10, PAUSED 1 approved",
        "pause approve 10 resume, RUNNING 2 -",
        "approve pause resume, RUNNING 1 approved",
        "cancel, PAUSED 1 waits",
        "cancel approve, PAUSED 1 approved",
        "rollback 0, ROLLING_BACK 1 -",
        "rollback 100, ROLLING_BACK 1 -",
        "rollback 0 approve, refused",
        "retry, RUNNING 1 waits",
        "giveUp, refused",
        "busy, RUNNING 1 -",
        "approve busy 10 rest, RUNNING 1 waits",
        "busy approve, refused"
    })
    @Tag("R138")
    void eachCommandAtAGateLeadsWhereTheTableSays(String commands, String state) {
        assertThat(after(commands, gate -> gate.needsApproval() ? "waits" : "approved"))
                .isEqualTo(state);
    }

    /** With the same times for a check instead of an approval. */
    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource({
        "0, RUNNING 1 waits",
        "pass, RUNNING 1 checked",
        "pass 10, RUNNING 2 -",
        "10 pass, RUNNING 2 -",
        "69, RUNNING 1 waits",
        "70, PAUSED 1 waits",
        "70 resume, RUNNING 1 waits",
        "70 resume 59, RUNNING 1 waits",
        "70 resume 60, PAUSED 1 waits",
        "pass pause 80, PAUSED 1 checked",
        "pass pause 80 resume, RUNNING 2 -",
        "pass busy rest, RUNNING 1 waits",
        "approve, refused"
    })
    @Tag("R143")
    void eachCommandAtAGateWithACheckLeadsWhereTheTableSays(String commands, String state) {
        plan = atItsGate(null, Duration.ofHours(1));
        assertThat(after(commands, gate -> gate.needsCheck() ? "waits" : "checked"))
                .isEqualTo(state);
    }

    /** {@return a plan of two waves, of which the first is done} */
    private static PlanRecord atItsGate(@Nullable Duration approval, @Nullable Duration check) {
        Waves waves = new Waves(List.of(1, 1), null, FailureReaction.PAUSE, Duration.ofMinutes(10), approval, check);
        return Samples.plan(PlanStatus.RUNNING, waves).with(edit -> {
            edit.startedAt = Samples.NOW;
            edit.tally = Map.of(TaskStatus.COMPLETED, 1, TaskStatus.PENDING, 1);
            edit.progress = edit.progress.counting(1, 1, 0);
        });
    }

    private String after(String commands, Function<WaveGate, String> word) {
        try {
            apply(PlanRules.derive(plan, 0, now));
            for (String command : commands.split(" ", -1)) {
                apply(changed(command));
            }
        } catch (TaskOperationException e) {
            return "refused";
        }
        WaveGate gate = plan.progress().gate();
        return plan.status() + " " + (plan.progress().current() + 1) + " " + (gate == null ? "-" : word.apply(gate));
    }

    private void apply(PlanRules.Changed changed) {
        plan = changed.plan();
    }

    private PlanRules.Changed changed(String command) {
        return switch (command) {
            case "approve" -> PlanRules.approve(plan, 1, "ann", now);
            case "approve-other" -> PlanRules.approve(plan, 2, "ann", now);
            case "pass" -> PlanRules.passCheck(plan, now);
            case "pause" -> PlanRules.apply(plan, PlanCommand.PAUSE, now);
            case "resume" -> PlanRules.apply(plan, PlanCommand.RESUME, now);
            case "cancel" -> PlanRules.apply(plan, PlanCommand.CANCEL, now);
            case "rollback" -> PlanRules.apply(plan, PlanCommand.ROLL_BACK, now);
            case "retry" -> PlanRules.apply(plan, PlanCommand.RETRY, now);
            case "giveUp" -> PlanRules.apply(plan, PlanCommand.GIVE_UP, now);
            case "busy" -> working(1);
            case "rest" -> working(0);
            default -> {
                now = now.plus(Duration.ofMinutes(Long.parseLong(command)));
                yield PlanRules.derive(plan, 0, now);
            }
        };
    }

    /** The task of the first wave is at work again, or has ended again. */
    private PlanRules.Changed working(int running) {
        return PlanRules.derive(
                plan.with(edit -> edit.tally =
                        Map.of(TaskStatus.RUNNING, running, TaskStatus.COMPLETED, 1 - running, TaskStatus.PENDING, 1)),
                0,
                now);
    }

    @Test
    @Tag("R137")
    void whatTheSizesLeaveIsTheLastWaveAndWhatTheyAskForBeyondIsIgnored() {
        assertThat(sizes(200, WaveSize.tenants(1), WaveSize.tenants(10), WaveSize.tenants(100)))
                .containsExactly(1, 10, 100, 89);
        assertThat(sizes(20, WaveSize.tenants(1), WaveSize.tenants(10), WaveSize.tenants(100)))
                .containsExactly(1, 10, 9);
        assertThat(sizes(11, WaveSize.tenants(1), WaveSize.tenants(10), WaveSize.tenants(100)))
                .containsExactly(1, 10);
        assertThat(sizes(250, WaveSize.tenants(1), WaveSize.percent(10))).containsExactly(1, 25, 224);
        assertThat(sizes(7, WaveSize.percent(1), WaveSize.percent(50))).containsExactly(1, 4, 2);
        assertThat(sizes(7, WaveSize.percent(100))).containsExactly(7);
        assertThat(sizes(7)).containsExactly(7);
    }

    private static List<Integer> sizes(int tenants, WaveSize... sizes) {
        RolloutPlan.Builder plan = RolloutPlan.named("plan-x").waves(sizes);
        IntStream.range(0, tenants).forEach(index -> plan.add(Samples.change("t" + index)));
        Waves waves = Waves.of(plan.build());
        for (int wave = 0; wave < waves.count(); wave++) {
            assertThat(waves.waveOf(waves.end(wave) - 1)).isEqualTo(wave);
        }
        assertThat(waves.end(waves.count() - 1)).isEqualTo(tenants);
        return waves.sizes();
    }

    @Test
    @Tag("R137")
    void eachFailureAboveTheMostAsksForAPauseAndAResumeAcceptsThoseThatAreThere() {
        plan = Samples.plan(
                        PlanStatus.RUNNING,
                        new Waves(List.of(9), WaveSize.tenants(1), FailureReaction.PAUSE, Duration.ZERO, null, null))
                .with(edit -> edit.startedAt = Samples.NOW);
        assertThat(afterFailures(1)).isFalse();
        assertThat(afterFailures(2)).isTrue();
        assertThat(plan.status()).isEqualTo(PlanStatus.PAUSED);
        assertThat(afterFailures(3)).isTrue();
        apply(PlanRules.apply(plan, PlanCommand.RESUME, now));
        assertThat(afterFailures(3)).isFalse();
        assertThat(afterFailures(2)).as("one was tried again").isFalse();
        assertThat(afterFailures(3)).as("and failed again").isTrue();
        apply(PlanRules.apply(plan, PlanCommand.RESUME, now));
        assertThat(afterFailures(9)).as("nothing is left to begin").isFalse();
        assertThat(plan.status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
    }

    private boolean afterFailures(int failures) {
        apply(PlanRules.derive(
                plan.with(edit -> edit.tally = Map.of(TaskStatus.FAILED, failures, TaskStatus.PENDING, 9 - failures)),
                0,
                now));
        return plan.pauseAsked();
    }
}
