package io.github.kobe.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.kobe.GroupExecutor;
import io.github.kobe.rollout.ConfigCodec;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanInfo;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.TaskCreationException;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.rollout.GroupConcurrencyRolloutAutoConfiguration;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Markdown;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Keeps what the docs say of rollouts in Spring true: an application, its calls and answers, and code. */
@Tag("R134")
@ExtendWith(OutputCaptureExtension.class)
class RolloutDocsTests {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Markdown PAGE = Markdown.page("docs/howto/spring-rollouts.md");
    private static final Pattern COMMAND =
            Pattern.compile("(?:sleep 1; )?curl -s(?: -X (?<method>POST))?(?: -H '[^']*')?(?: -d '(?<body>[^']*)')?"
                    + " localhost:8080(?<path>\\S*)(?: \\| grep -o '(?<grep>[^']*)')?(?: \\| sort -u)?");

    private static QuickStartApplication application;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        application = new QuickStartApplication(PAGE, folder);
    }

    @AfterAll
    static void stop() throws Exception {
        application.close();
    }

    @Test
    @Tag("R5")
    @Tag("R71")
    void theApplicationOfTheHowtoRollsOutAndTakesBack() throws InterruptedException {
        List<String> steps = PAGE.blocks("console").stream()
                .flatMap(Pattern.compile("(?m)^\\$ ")::splitAsStream)
                .filter(step -> !step.isBlank())
                .toList();
        assertThat(steps).hasSize(7);
        for (String step : steps) {
            Matcher command = COMMAND.matcher(step.lines().findFirst().orElseThrow());
            assertThat(command.matches()).as(step).isTrue();
            List<String> shown = step.lines().skip(1).map(String::strip).toList();
            if (command.group("method") == null) {
                Deadline.untilAsserted(() -> assertThat(answer(command)).isEqualTo(shown));
            } else {
                assertThat(answer(command)).isEqualTo(shown);
            }
        }
        PlanInfo end = application.bean(Rollouts.class).await(PlanId.of("plan-43"), Deadline.LONG);
        assertThat(end.status()).isEqualTo(PlanStatus.ROLLED_BACK);
    }

    private static List<String> answer(Matcher command) {
        String body =
                send(command.group("method") == null ? "GET" : "POST", command.group("path"), command.group("body"));
        return command.group("grep") == null
                ? body.lines().toList()
                : Pattern.compile(command.group("grep"))
                        .matcher(body)
                        .results()
                        .map(MatchResult::group)
                        .distinct()
                        .toList();
    }

    private static String send(String method, String path, String body) {
        try {
            HttpResponse<String> response =
                    application.send(method, path, body == null ? "" : body).get(Deadline.SECONDS, TimeUnit.SECONDS);
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            return response.body();
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    @Test
    @Tag("R135")
    void theAnswersOfTheEndpointAreAsThePageShowsThem() throws Exception {
        List<String> shown =
                Markdown.page("docs/reference/rollouts-endpoint.md").blocks("json");
        Rollouts rollouts = application.bean(Rollouts.class);
        PlanId planId = rollouts.start(RolloutPlan.named("plan-shown")
                        .add(TenantChange.of("refused", DeployUnit.of(7, 43, "blue"), "{}")
                                .previous(DeployUnit.of(7, 42, "blue"), "{}")
                                .endpoints("http://localhost:1"))
                        .add(TenantChange.of("accepted", DeployUnit.of(7, 43, "blue"), "{\"version\": 43}")
                                .endpoints(application.url("/instances/accepted")))
                        .build())
                .planId();
        rollouts.await(planId, Deadline.LONG);

        JsonNode plans = JSON.readTree(send("GET", "/actuator/rollouts?limit=1", null));
        JsonNode plan = JSON.readTree(send("GET", "/actuator/rollouts/plan-shown", null));
        JsonNode events = JSON.readTree(send("GET", "/actuator/rollouts/plan-shown/events?tenant=refused", null));
        JsonNode done = JSON.readTree(send("POST", "/actuator/rollouts/plan-shown", "{\"action\": \"retry\"}"));

        JsonNode shownPlans = JSON.readTree(shown.get(0));
        assertThat(kinds(plans)).isEqualTo(kinds(shownPlans));
        assertThat(kinds(plans.at("/plans/0"))).isEqualTo(kinds(shownPlans.at("/plans/0")));
        assertThat(plans.at("/plans/0/tasks")).isEqualTo(shownPlans.at("/plans/0/tasks"));
        JsonNode shownPlan = JSON.readTree(shown.get(1));
        assertThat(kinds(plan)).isEqualTo(kinds(shownPlan));
        assertThat(kinds(plan.path("plan"))).isEqualTo(kinds(shownPlan.path("plan")));
        assertThat(kinds(plan.at("/tasks/0"))).isEqualTo(kinds(shownPlan.at("/tasks/0")));
        for (String part : List.of("unit", "previous", "failure")) {
            assertThat(kinds(plan.at("/tasks/0/" + part))).isEqualTo(kinds(shownPlan.at("/tasks/0/" + part)));
        }
        JsonNode shownEvents = JSON.readTree(shown.get(2));
        assertThat(kinds(events)).isEqualTo(kinds(shownEvents));
        JsonNode failed = events.path("events").path(events.path("events").size() - 1);
        assertThat(failed.path("type").asText()).isEqualTo("TaskFailed");
        assertThat(kinds(failed)).isEqualTo(kinds(shownEvents.at("/events/0")));
        JsonNode shownDone = JSON.readTree(shown.get(4));
        assertThat(kinds(done)).isEqualTo(kinds(shownDone));
        assertThat(done.path("message")).isEqualTo(shownDone.path("message"));
        assertThat(kinds(done.path("skipped").iterator().next()))
                .isEqualTo(kinds(shownDone.path("skipped").iterator().next()));

        rollouts.create(RolloutPlan.named("plan-44")
                .add(TenantChange.of("refused", DeployUnit.of(7, 43, "blue"), "{}")
                        .previous(DeployUnit.of(7, 42, "blue"), "{}")
                        .endpoints("http://localhost:1"))
                .build());
        JsonNode preview = JSON.readTree(send("GET", "/actuator/rollouts/plan-44?preview=true", ""));
        JsonNode shownPreview = JSON.readTree(shown.get(3));
        assertThat(kinds(preview)).isEqualTo(kinds(shownPreview));
        assertThat(kinds(preview.at("/tenants/0"))).isEqualTo(kinds(shownPreview.at("/tenants/0")));

        rollouts.await(planId, Deadline.LONG);
        HttpResponse<String> refusal = application
                .send("POST", "/actuator/rollouts/plan-shown", "{\"action\": \"start\"}")
                .get(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(refusal.statusCode()).isEqualTo(409);
        assertThat(JSON.readTree(refusal.body().replace("plan-shown", "plan-43")))
                .isEqualTo(JSON.readTree(shown.get(5)));
    }

    /** {@return the fields of an object, and what each is} */
    private static Map<String, String> kinds(JsonNode object) {
        Map<String, String> kinds = new TreeMap<>();
        object.fieldNames()
                .forEachRemaining(
                        name -> kinds.put(name, object.path(name).getNodeType().toString()));
        return kinds;
    }

    // ---- code

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyRolloutAutoConfiguration.class));

    @Test
    void theListenerOfTheHowtoHearsOfTenantsThatFailed(CapturedOutput output) {
        runner.withUserConfiguration(FailedTenants.class)
                .withPropertyValues("group-concurrency.rollout.store=memory")
                .withBean(
                        Stage.class,
                        () -> Stage.named("Drain").step(ctx -> {
                            throw new IllegalStateException("no such tenant");
                        }))
                .run(context -> {
                    end(context.getBean(Rollouts.class), "bad", PlanStatus.PARTIAL_FAILED);
                    Deadline.untilAsserted(
                            () -> assertThat(output).contains("bad of plan-bad: task failed: no such tenant"));
                });
    }

    @Test
    void theStoreOfTheHowtoIsInTheDatabaseThatItNames() {
        runner.withUserConfiguration(OperationsStore.class)
                .withBean(Stage.class, () -> Stage.named("Nothing"))
                .withBean(ConfigCodec.class, ConfigCodec::none)
                .withBean("orders", DataSource.class, () -> database("howto-orders"))
                .withBean("operations", DataSource.class, () -> database("howto-operations"))
                .run(context -> {
                    end(context.getBean(Rollouts.class), "acme", PlanStatus.COMPLETED);
                    assertThat(new JdbcTemplate(context.getBean("operations", DataSource.class))
                                    .queryForObject("select count(*) from rollout_plan", Integer.class))
                            .isEqualTo(1);
                    assertThat(context).hasSingleBean(GroupExecutor.class);
                });
    }

    @Test
    @Tag("R151")
    void thePolicyOfTheHowtoLetsPlansCallInstancesAlone() {
        runner.withUserConfiguration(KnownInstances.class)
                .withPropertyValues("group-concurrency.rollout.store=memory")
                .run(context -> {
                    Rollouts rollouts = context.getBean(Rollouts.class);
                    RolloutPlan plan = RolloutPlan.named("plan-x")
                            .add(TenantChange.of("acme", DeployUnit.of(7, 42, "blue"), "{}")
                                    .endpoints("http://acme-1.instances.example.com", "http://169.254.169.254"))
                            .build();
                    assertThatExceptionOfType(TaskCreationException.class)
                            .isThrownBy(() -> rollouts.create(plan))
                            .satisfies(refusal -> assertThat(refusal.errors())
                                    .containsExactly("tenant 'acme': endpoint http://169.254.169.254 is refused: only"
                                            + " hosts below instances.example.com are called"));
                });
    }

    private static DataSource database(String name) {
        return new DriverManagerDataSource("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
    }

    private static void end(Rollouts rollouts, String tenant, PlanStatus status) throws InterruptedException {
        PlanInfo plan = rollouts.start(RolloutPlan.named("plan-" + tenant)
                .add(TenantChange.of(tenant, DeployUnit.of(7, 42, "blue"), "{}"))
                .build());
        assertThat(rollouts.await(plan.planId(), Deadline.LONG).status()).isEqualTo(status);
    }
}
