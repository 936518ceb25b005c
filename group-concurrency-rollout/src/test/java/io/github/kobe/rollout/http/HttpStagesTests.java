package io.github.kobe.rollout.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.rollout.HealthCheckClient;
import io.github.kobe.rollout.HttpTransport;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.TaskCreationException;
import io.github.kobe.rollout.TaskInfo;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.http.Instance.Ill;
import io.github.kobe.testing.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpStagesTests extends HttpTestCase {

    @Test
    @Tag("R5")
    @Tag("R75")
    @Tag("R125")
    void aSwitchSendsHasLoadedAndSeesTheNewVersionEverywhere() throws Exception {
        Instance first = instance(Ill.WELL);
        Instance second = instance(Ill.WELL);

        TaskInfo task = ran(rollouts(builder -> builder), change(first, second));

        assertThat(task.status()).isEqualTo(TaskStatus.COMPLETED);
        assertThat(task.lastKnownGood()).isEqualTo(NEW.version());
        for (int index = 0; index < instances.size(); index++) {
            Instance instance = instances.get(index);
            assertThat(instance.requests()).containsExactly("PUT /config", "POST /config/refresh", "GET /health");
            assertThat(instance.loaded()).isEqualTo(NEW_CONFIG);
            assertThat(instance.keys())
                    .containsExactly(
                            task.taskId() + "/1/ConfigUpdate/1/" + (index + 1),
                            task.taskId() + "/1/Broadcast/1/" + (index + 1));
            assertThat(instance.tokens())
                    .allSatisfy(token -> assertThat(Long.parseLong(token)).isPositive());
        }
        assertThat(pauses).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {302, 303, 307})
    @Tag("R5")
    void nothingIsSentToWhereAnInstanceRedirects(int status) throws Exception {
        Instance elsewhere = instance(Ill.WELL);
        for (String request : List.of("PUT /config", "POST /config/refresh", "GET /health")) {
            Instance instance = instance(Ill.WELL);
            instance.redirect(request, status, elsewhere.url());

            TaskInfo task = ran(rollouts(builder -> builder.setting("health.max-attempts", "1")), change(instance));

            assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
            assertThat(String.valueOf(task.failure()))
                    .contains(instance.url(), "status " + status + "; redirects are not followed");
        }
        assertThat(elsewhere.requests()).isEmpty();
    }

    @Test
    @Tag("R65")
    @Tag("R66")
    void anInstanceThatLagsIsWaitedForAtTheInterval() throws Exception {
        TaskInfo task = ran(rollouts(builder -> builder), change(instance(Ill.WELL), instance(Ill.SLOW)));

        assertThat(task.status()).isEqualTo(TaskStatus.COMPLETED);
        assertThat(pauses).containsExactly(Duration.ofSeconds(3), Duration.ofSeconds(3));
    }

    @Test
    @Tag("R65")
    @Tag("R68")
    void oneWithTheWrongVersionFailsTheTaskAfterTenAttempts() throws Exception {
        Instance wrong = instance(Ill.WRONG);

        TaskInfo task = ran(rollouts(builder -> builder), change(instance(Ill.WELL), wrong));

        assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(task.stage()).isEqualTo("HealthCheck");
        assertThat(task.failure())
                .extracting(failure -> failure.message())
                .asString()
                .contains(wrong.url(), "version is 41 instead of 42");
        assertThat(wrong.requests())
                .filteredOn(request -> request.equals("GET /health"))
                .hasSize(10);
        assertThat(pauses).hasSize(9);
        assertThat(task.lastKnownGood()).isNull();
    }

    @Test
    @Tag("R66")
    @Tag("R68")
    @Tag("R97")
    void theTenantsSettingsSayHowItIsAsked() throws Exception {
        Instance instance = instance(Ill.WELL);
        instance.answerWith("{\"release\":\"%s\"}");
        TenantChange change = change(instance)
                .setting("health.path", "status")
                .setting("health.version-key", "release")
                .setting("health.interval", "7ms")
                .setting("health.max-attempts", "2");

        assertThat(ran(rollouts(builder -> builder.setting("health.max-attempts", "5")), change)
                        .status())
                .isEqualTo(TaskStatus.COMPLETED);
        assertThat(instance.requests()).endsWith("GET /status");

        instance.answerWith("{\"version\":%s}");
        assertThat(ran(rollouts(builder -> builder), change).failure())
                .extracting(failure -> failure.message())
                .asString()
                .contains("no field 'release'");
        assertThat(pauses).containsExactly(Duration.ofMillis(7));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"version\":%s}", "{\"version\":\"%s\"}", "{\"version\":%s.0}"})
    @Tag("R70")
    void aVersionIsTheSameAsTextAndAsNumber(String answer) throws Exception {
        Instance instance = instance(Ill.WELL);
        instance.answerWith(answer);

        assertThat(ran(rollouts(builder -> builder), change(instance)).status()).isEqualTo(TaskStatus.COMPLETED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"version\":\"v%s\"}", "%s", "<html>%s</html>", "", "{\"version\":null,\"x\":%s}"})
    @Tag("R68")
    @Tag("R69")
    void anythingElseIsNotHealthy(String answer) throws Exception {
        Instance instance = instance(Ill.WELL);
        instance.answerWith(answer);

        TaskInfo task = ran(rollouts(builder -> builder.setting("health.max-attempts", "1")), change(instance));
        assertThat(task.stage()).isEqualTo("HealthCheck");
        assertThat(pauses).isEmpty();
    }

    @Test
    @Tag("R5")
    void aFailureNamesTheInstanceThatCouldNotBeReached() throws Exception {
        Instance gone = instance(Ill.WELL);
        gone.close();

        TaskInfo task = ran(rollouts(builder -> builder), change(instance(Ill.WELL), gone));

        assertThat(task.stage()).isEqualTo("ConfigUpdate");
        assertThat(task.failure())
                .extracting(failure -> failure.message())
                .asString()
                .contains("PUT " + gone.url() + "/config", "ConnectException");
    }

    @Test
    @Tag("R69")
    void noAnswerInTimeIsAnAttemptThatFailed() throws Exception {
        Instance hanging = instance(Ill.HANGING);

        TaskInfo task = ran(
                rollouts(builder -> builder.setting("health.timeout", "20ms").setting("health.max-attempts", "2")),
                change(hanging));

        assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(task.failure())
                .extracting(failure -> failure.message())
                .asString()
                .contains("no answer in PT0.02S");
        assertThat(pauses).hasSize(1);
    }

    @Test
    @Tag("R69")
    void aDeadInstanceFailsTheUpdateAndOnesRefusalToo() throws Exception {
        Instance dead = instance(Ill.WELL);
        dead.close();
        TaskInfo task = ran(rollouts(builder -> builder), change(dead));
        assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(task.stage()).isEqualTo("ConfigUpdate");

        TaskInfo refused = ran(rollouts(builder -> builder), change(instance(Ill.REFUSING)));
        assertThat(refused.failure())
                .extracting(failure -> failure.message())
                .asString()
                .contains("PUT", "503");
    }

    @Test
    @Tag("R5")
    @Tag("R71")
    @Tag("R72")
    @Tag("R74")
    @Tag("R75")
    void aRollbackSendsTheSnapshotHasItLoadedAndSeesTheOldVersion() throws Exception {
        Instance instance = instance(Ill.WELL);
        Rollouts rollouts = rollouts(builder -> builder);
        TaskInfo task = ran(rollouts, change(instance));
        int before = instance.requests().size();

        rollouts.rollback(task.taskId());
        Deadline.until("rolled back", () -> rollouts.task(task.taskId()).status() == TaskStatus.ROLLED_BACK);

        assertThat(instance.requests().subList(before, instance.requests().size()))
                .containsExactly("PUT /config", "POST /config/refresh", "GET /health");
        assertThat(instance.loaded()).isEqualTo(OLD_CONFIG);
        assertThat(instance.keys())
                .endsWith(task.taskId() + "/2/ConfigUpdate/1/1", task.taskId() + "/2/ConfigUpdate/2/1");
        assertThat(rollouts.task(task.taskId()).lastKnownGood()).isEqualTo(OLD.version());
    }

    @Test
    @Tag("R74")
    void whereTheOldVersionDoesntComeBackTheRollbackHasFailed() throws Exception {
        Instance instance = instance(Ill.WELL);
        Rollouts rollouts = rollouts(builder -> builder);
        TaskInfo task = ran(rollouts, change(instance));
        instance.become(Ill.WRONG);

        rollouts.rollback(task.planId());
        assertThat(rollouts.await(task.planId(), Deadline.LONG).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        assertThat(rollouts.task(task.taskId()).status()).isEqualTo(TaskStatus.ROLLBACK_FAILED);
        assertThat(pauses).hasSize(9);

        instance.become(Ill.WELL);
        rollouts.rollback(task.taskId());
        Deadline.until(
                "failed again",
                () -> rollouts.task(task.taskId()).attempt() == 3
                        && rollouts.task(task.taskId()).status() == TaskStatus.ROLLBACK_FAILED);
    }

    @Test
    @Tag("R74")
    void withoutEndpointsThereIsNothingToVerify() throws Exception {
        Rollouts rollouts = rollouts(builder -> builder.stages(Stage.named("Own"))
                .verifier(HttpStages.configSwitch().verifier()));
        TaskInfo task = ran(rollouts, change(new String[0]));
        assertThat(task.status()).isEqualTo(TaskStatus.COMPLETED);

        rollouts.rollback(task.planId());
        assertThat(rollouts.await(task.planId(), Deadline.LONG).status()).isEqualTo(PlanStatus.ROLLED_BACK);
    }

    @Test
    @Tag("R5")
    void aTenantThatNobodySendsAnythingToIsRefused() {
        assertThatThrownBy(() -> ran(rollouts(builder -> builder), change(new String[0])))
                .isInstanceOf(TaskCreationException.class)
                .hasMessageContaining("tenant 'acme': it has no endpoints");
    }

    @Test
    @Tag("R5")
    void anEndpointOfAnotherSchemeIsRefused() {
        assertThatThrownBy(() -> ran(rollouts(builder -> builder), change("http://h1", "ftp://h2/x")))
                .isInstanceOf(TaskCreationException.class)
                .hasMessageContaining("tenant 'acme': endpoint is 'ftp://h2/x'; it must be one of http or https");
    }

    @Test
    @Tag("R67")
    @Tag("R109")
    void whereAnInstanceIsAskedFollowsFromItsUrlAndTheSettings() throws Exception {
        List<String> asked = new CopyOnWriteArrayList<>();
        HealthCheckClient client = url -> {
            asked.add(url);
            return Map.of("version", 42);
        };
        List<String> sent = new CopyOnWriteArrayList<>();
        HttpTransport accepting = call -> {
            sent.add(call.url().toString());
            return new HttpTransport.Answer(200, null, "");
        };
        List<TenantChange> changes = List.of(
                change("http://h1:8080/ready"),
                change("https://h2:8443/", "http://h3"),
                change("http://h4").setting("target-port", "9000"),
                change("http://h5:80?x=1", "http://[::1]:8081"),
                change("http://[2001:db8::1]?x=1")
                        .setting("target-port", "9000")
                        .setting("health.path", "/up?deep=yes"),
                change("http://u:p@h6/", "http://h7/a/b%2Fc/?x=%26"),
                change(new String[0]).setting("target-ip", "::1"),
                change(new String[0]).setting("target-ip", "10.0.0.7").setting("target-port", "81"),
                change(new String[0]).setting("target-domain", "acme.example").setting("target-ip", "10.0.0.7"));
        Rollouts rollouts = rollouts(builder -> builder.stages(HttpStages.configSwitch(accepting))
                .health(client)
                .setting("health.path", "/up"));
        for (TenantChange change : changes) {
            assertThat(ran(rollouts, change).status()).isEqualTo(TaskStatus.COMPLETED);
        }

        assertThat(asked)
                .containsExactlyInAnyOrder(
                        "http://h1:8080/ready",
                        "https://h2:8443/up",
                        "http://h3/up",
                        "http://h4:9000/up",
                        "http://h5:80/up?x=1",
                        "http://[::1]:8081/up",
                        "http://[2001:db8::1]:9000/up?deep=yes&x=1",
                        "http://u:p@h6/up",
                        "http://h7/a/b%2Fc/?x=%26",
                        "http://[::1]/up",
                        "http://10.0.0.7:81/up",
                        "http://acme.example/up");
        assertThat(sent)
                .filteredOn(url -> url.contains("/config") && !url.contains("/refresh"))
                .containsExactlyInAnyOrder(
                        "http://h1:8080/ready/config",
                        "https://h2:8443/config",
                        "http://h3/config",
                        "http://h4/config",
                        "http://h5:80/config?x=1",
                        "http://[::1]:8081/config",
                        "http://[2001:db8::1]/config?x=1",
                        "http://h6/config",
                        "http://h7/a/b%2Fc/config?x=%26");
        assertThat(sent).contains("http://h5:80/config/refresh?x=1");
    }

    @Test
    @Tag("R108")
    void aVerifierOfOnesOwnTakesTheirPlace() throws Exception {
        Instance instance = instance(Ill.WELL);
        Rollouts rollouts = rollouts(builder -> builder.verifier((context, health) -> {
            throw new IOException("not now");
        }));
        TaskInfo task = ran(rollouts, change(instance));

        rollouts.rollback(task.planId());
        assertThat(rollouts.await(task.planId(), Deadline.LONG).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        assertThat(rollouts.task(task.taskId()).failure())
                .extracting(failure -> failure.message())
                .asString()
                .contains("not now");
    }

    @Test
    @Tag("R115")
    void aSettingThatCantBeReadIsToldAtTheCreation() {
        Rollouts rollouts = rollouts(builder -> builder);
        RolloutPlan plan = RolloutPlan.named("plan-x")
                .add(change(new String[0]).setting("health.interval", "often"))
                .build();

        assertThatThrownBy(() -> rollouts.create(plan))
                .isInstanceOf(TaskCreationException.class)
                .hasMessageContaining("tenant 'acme': health.interval is 'often'");
    }
}
