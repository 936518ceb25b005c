package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.testing.Gate;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PreviewTests extends RolloutsTestCase {

    private static final List<String> STAGES = List.of("A", "B");

    private final Gate gate = new Gate();

    private Rollouts rollouts() {
        return rollouts(Stage.named("A").confirmsHealth(), Stage.named("B").step(ctx -> {
            if (ctx.tenantId().value().equals("held")) {
                gate.pass();
            }
        }));
    }

    @Test
    @Tag("R139")
    void aPreviewTellsWhatAStartWouldDoAndChangesNothing() throws Exception {
        Rollouts rollouts = rollouts();
        settled(
                rollouts,
                rollouts.start(plan("known", Samples.changeWithoutSnapshot("known")))
                        .planId());
        PlanId other = rollouts.start(plan("other", Samples.change("held"))).planId();
        gate.awaitArrived(1);
        List<PlanInfo> plans = rollouts.plans();
        RolloutPlan plan = RolloutPlan.named("plan-x")
                .add(Samples.change("a"))
                .add(Samples.changeWithoutSnapshot("known"))
                .add(Samples.changeWithoutSnapshot("new"))
                .add(Samples.change("held"))
                .waves(WaveSize.percent(25), WaveSize.tenants(2))
                .build();

        PlanPreview preview = rollouts.preview(plan);

        assertThat(preview.isStartable()).isTrue();
        assertThat(preview)
                .isEqualTo(new PlanPreview(
                        "plan-x",
                        10,
                        List.of(),
                        ConflictPolicy.REJECT,
                        List.of(
                                List.of(free("a", Samples.GREEN)),
                                List.of(free("known", Samples.BLUE), free("new", null)),
                                List.of(new TenantPreview(
                                        "held",
                                        STAGES,
                                        List.of(),
                                        List.of(onlyTask(rollouts, other)),
                                        Samples.GREEN)))));
        assertThat(rollouts.plans()).isEqualTo(plans);
        rollouts.create(plan);
        assertThat(rollouts.preview(PlanId.of("plan-x"))).isEqualTo(preview);
        gate.open();
        settled(rollouts, other);
    }

    private static TenantPreview free(String tenant, DeployUnit previous) {
        return new TenantPreview(tenant, STAGES, List.of(), List.of(), previous);
    }

    @Test
    @Tag("R139")
    void aPreviewTellsAllThatIsWrong() throws Exception {
        Rollouts rollouts = rollouts();

        PlanPreview preview = rollouts.preview(RolloutPlan.named("nonsense")
                .add(Samples.change("a").maxRetry(-1))
                .add(Samples.change("b"))
                .add(Samples.change("b"))
                .maxConcurrency(0)
                .build());

        assertThat(preview.isStartable()).isFalse();
        assertThat(preview.errors()).hasSize(4);
        assertThat(preview.waves()).singleElement().satisfies(wave -> {
            assertThat(wave).extracting(tenant -> tenant.errors().size()).containsExactly(1, 0, 1);
            assertThat(wave.get(1).stages()).isEqualTo(STAGES);
        });
        assertThat(rollouts.plans()).isEmpty();
    }

    @Test
    @Tag("R137")
    @Tag("R138")
    @Tag("R139")
    void wavesThatMakeNoSenseAreWrong() {
        RolloutPlan.Builder plan = RolloutPlan.named("plan-x").add(Samples.change("a"));

        assertThat(rollouts()
                        .preview(plan.bakeTime(Duration.ofSeconds(1)).build())
                        .errors())
                .containsExactly("bakeTime and approval are between waves, and the plan has none");
        assertThat(rollouts()
                        .preview(plan.waves(WaveSize.tenants(0), WaveSize.percent(101))
                                .maxFailures(-1)
                                .bakeTime(Duration.ofSeconds(-1))
                                .approval(Duration.ZERO)
                                .build())
                        .errors())
                .containsExactly(
                        "maxFailures is -1; it must be at least 0, or a percentage from 1 to 100",
                        "the size of a wave is 0; it must be at least 1, or a percentage from 1 to 100",
                        "the size of a wave is 101%; it must be at least 1, or a percentage from 1 to 100",
                        "bakeTime is PT-1S; it must be from zero to PT8760H",
                        "the time-out of approvals is PT0S; it must be more than zero, up to PT8760H");
    }

    @Test
    @Tag("R139")
    void onlyAPlanThatIsReadyIsStarted() throws Exception {
        Rollouts rollouts = rollouts();
        PlanId planId = rollouts.start(plan("x", Samples.change("a"))).planId();
        settled(rollouts, planId);

        PlanPreview preview = rollouts.preview(planId);
        assertThat(preview.errors())
                .singleElement()
                .satisfies(error -> assertThat(error).contains("COMPLETED"));
        assertThat(preview.waves())
                .singleElement()
                .satisfies(wave -> assertThat(wave).isEmpty());
        assertThatThrownBy(() -> rollouts.preview(PlanId.of("plan-nowhere"))).isInstanceOf(PlanNotFoundException.class);
    }
}
