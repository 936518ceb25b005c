package io.github.kobe.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.rollout.internal.rules.Samples;
import io.github.kobe.rollout.internal.rules.Snapshot;
import io.github.kobe.rollout.internal.rules.TaskCommand;
import io.github.kobe.rollout.internal.rules.TaskRecord;
import io.github.kobe.rollout.internal.rules.TenantRecord;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ValuesTests {

    @Test
    @Tag("R98")
    void aTaskKnowsItsPlanByTheMiddlePartOfItsId() {
        PlanId planId = PlanId.of("plan-a-1");
        TaskId taskId = Samples.taskId(planId);

        assertThat(TaskId.of(taskId.value())).isEqualTo(taskId);
        assertThat(taskId.belongsToPlan(planId)).isTrue();
        assertThat(taskId.belongsToPlan(PlanId.of("plan-a"))).isFalse();
        assertThat(TaskId.ofTrusted("x").belongsToPlan(planId)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "plan-", "a", "task-x", "plan-a b", "plan-é", "Plan-1"})
    @Tag("R99")
    void thisIsNoPlanId(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PlanId.of(text))
                .withMessage(
                        "planId is '" + text + "'; it must begin with 'plan-', as 'plan-2026-11-22' does. After that"
                                + " it needs 1 to 95 letters, digits, dots, underscores or hyphens");
        assertThat(PlanId.ofTrusted(text).value()).isEqualTo(text);
    }

    @Test
    @Tag("R99")
    void thisIsAPlanIdAndTheLongestIs() {
        String longest = "plan-" + "x".repeat(95);

        assertThat(PlanId.of("plan-2026-11-22").value()).isEqualTo("plan-2026-11-22");
        assertThat(PlanId.of(longest).value()).isEqualTo(longest);
        assertThatIllegalArgumentException().isThrownBy(() -> PlanId.of(longest + "x"));
    }

    @Test
    @Tag("R100")
    void aTenantIsNotBlank() {
        assertThatIllegalArgumentException().isThrownBy(() -> TenantId.of(" "));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TenantId.of("ac\0me"))
                .withMessageContaining("'ac me'");
        assertThat(TenantId.of("acme")).hasToString("acme");
        assertThat(TenantId.ofTrusted(" ").value()).isEqualTo(" ");
    }

    @Test
    @Tag("R81")
    @Tag("R117")
    void textsFromOutsideHaveNoControlCharacters() {
        String text = "a\0b\nc\u001bd\u0085e";

        assertThat(new FailureInfo(text, text)).isEqualTo(new FailureInfo("a b c d e", "a b c d e"));
        assertThat(FailureInfo.of(new IllegalStateException(text)).message()).isEqualTo("a b c d e");
        assertThat(Wish.of(Wish.Kind.PAUSE, text).by()).isEqualTo("a b c d e");
        assertThat(new RolloutEvent(
                                Samples.PLAN,
                                null,
                                null,
                                PlanStatus.RUNNING,
                                Samples.NOW,
                                text,
                                null,
                                1,
                                new Occurrence.PlanEntered(PlanStatus.RUNNING))
                        .message())
                .isEqualTo("a b c d e");
    }

    @Test
    @Tag("R101")
    void versionsOfOneUnitAreCompared() {
        DeployVersion second = DeployVersion.of(7, 2);

        assertThat(second.isNewerThan(null)).isTrue();
        assertThat(second.isNewerThan(DeployVersion.of(7, 1))).isTrue();
        assertThat(second.isNewerThan(second)).isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> second.isNewerThan(DeployVersion.of(8, 1)));
        assertThatIllegalArgumentException().isThrownBy(() -> DeployVersion.of(0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> DeployVersion.of(1, -1));
        assertThatIllegalArgumentException().isThrownBy(() -> DeployUnit.of(1, 1, " "));
        assertThat(DeployVersion.ofTrusted(0, -1).unitId()).isZero();
    }

    @Test
    @Tag("R102")
    void anEndpointIsAUrl() {
        NetworkEndpoint plain = NetworkEndpoint.of("http://10.0.0.1:8080/base");

        assertThat(plain.isHttp()).isTrue();
        assertThat(plain.isSecure()).isFalse();
        assertThat(plain.host()).isEqualTo("10.0.0.1");
        assertThat(plain.port()).isEqualTo(8080);
        assertThat(plain.path()).isEqualTo("/base");
        assertThat(NetworkEndpoint.of("https://h/").port()).isEqualTo(443);
        assertThat(NetworkEndpoint.of("https://h/").isSecure()).isTrue();
        assertThat(NetworkEndpoint.of("https://h/").path()).isEmpty();
        assertThat(NetworkEndpoint.of("http://h").port()).isEqualTo(80);
        assertThat(NetworkEndpoint.of("redis://h").port()).isEqualTo(-1);
        for (String wrong : List.of("", "h:80", "http://", "http://a b", "/x")) {
            assertThatIllegalArgumentException().isThrownBy(() -> NetworkEndpoint.of(wrong));
            assertThat(NetworkEndpoint.ofTrusted(wrong).url()).isEqualTo(wrong);
        }
    }

    @Test
    @Tag("R103")
    void valuesDontChange() {
        List<TenantChange> changes = new ArrayList<>(List.of(Samples.change("a")));
        RolloutPlan plan = new RolloutPlan("plan-x", null, changes);
        changes.clear();

        assertThat(plan.changes()).hasSize(1);
        TenantChange change = Samples.change("a");
        assertThat(change.endpoints("http://h").maxRetry(1).setting("a", "b")).isNotEqualTo(change);
        assertThat(change).isEqualTo(Samples.change("a"));
    }

    @Test
    @Tag("R8")
    void aPlanNeedsATenant() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RolloutPlan.named("plan-x").build())
                .withMessage("plan 'plan-x' changes no tenant; it must change at least one");
    }

    @Test
    @Tag("R97")
    void eachSettingByItselfIsTheTenantsElseThatOfAllElseTheDefault() {
        RolloutSettings settings =
                new RolloutSettings(Map.of("a", "1"), Map.of("a", "2", "b", "3s", "c", "x", "d", "0"));

        assertThat(settings.count("a", 9)).isEqualTo(1);
        assertThat(settings.duration("b", Duration.ZERO)).isEqualTo(Duration.ofSeconds(3));
        assertThat(settings.text("z", "none")).isEqualTo("none");
        assertThat(settings.count("z", 9)).isEqualTo(9);
        for (String wrong : List.of("c", "d")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> settings.count(wrong, 9))
                    .withMessageContaining(wrong + " is '");
        }
        RolloutSettings forms = new RolloutSettings(
                Map.of(),
                Map.of("a", "5ms", "b", "2m", "c", "1h", "d", "PT4S", "e", "9000000000000000h", "f", "8761h"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings.duration("c", Duration.ZERO))
                .withMessageContaining("c is 'x'; it must be a duration of more than zero, up to 365 days");
        for (String tooLong : List.of("e", "f")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> forms.duration(tooLong, Duration.ZERO))
                    .withMessageContaining("it must be a duration of more than zero, up to 365 days");
        }
        assertThat(forms.duration("a", Duration.ZERO)).isEqualTo(Duration.ofMillis(5));
        assertThat(forms.duration("b", Duration.ZERO)).isEqualTo(Duration.ofMinutes(2));
        assertThat(forms.duration("c", Duration.ZERO)).isEqualTo(Duration.ofHours(1));
        assertThat(forms.duration("d", Duration.ZERO)).isEqualTo(Duration.ofSeconds(4));
    }

    @Test
    @Tag("R117")
    void aFailureIsTheNameAndTheMessageOfWhatWasThrown() {
        assertThat(FailureInfo.of(new IllegalStateException("no")))
                .isEqualTo(new FailureInfo("IllegalStateException", "no"));
        assertThat(FailureInfo.of(new IllegalStateException()).message()).isEqualTo("java.lang.IllegalStateException");
        assertThat(new FailureInfo("X", "x".repeat(3_000)).message()).hasSize(2_000);
    }

    @Test
    @Tag("R118")
    void nothingThatHasAConfigurationShowsItAsText() {
        TenantChange change = TenantChange.of("acme", Samples.BLUE, "{\"password\": \"secret\"}")
                .previous(Samples.GREEN, "the old secret")
                .endpoints("http://ann:secret@h")
                .setting("http.header.X-Api-Key", "secret");
        TaskRecord task = Samples.created(Samples.taskId(Samples.PLAN), change, List.of("A"));
        TenantRecord tenant =
                TenantRecord.unknown(TenantId.of("acme")).confirmed(new Snapshot(change.unit(), change.config()));
        HttpTransport.Call call = new HttpTransport.Call(
                "PUT", URI.create("http://h/config"), Map.of("Authorization", "secret"), change.config());

        assertThat(List.of(
                        change,
                        change.target(),
                        task,
                        task.info(),
                        tenant,
                        new TaskCommand.Begin(new Snapshot(change.unit(), change.config())),
                        new RolloutPlan("plan-x", 1, List.of(change)),
                        call,
                        new HttpTransport.Answer(200, null, "secret")))
                .allSatisfy(value -> assertThat(value.toString()).doesNotContain("secret"));
        assertThat(change.toString()).contains("acme", "blue", "config=22 characters");
        assertThat(change.target()).hasToString("ConfigSnapshot[unit=" + Samples.BLUE + ", config=22 characters]");
        assertThat(call)
                .hasToString("Call[method=PUT, url=http://h/config, headers=[Authorization], body=22 characters]");
    }
}
