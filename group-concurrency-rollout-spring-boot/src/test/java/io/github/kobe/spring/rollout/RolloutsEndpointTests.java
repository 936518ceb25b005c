package io.github.kobe.spring.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.Occurrence;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutEvent;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.spring.actuate.EndpointServer;
import io.github.kobe.spring.testing.ApplicationServer;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.net.http.HttpResponse;
import java.security.Principal;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;

/** The endpoint of real applications with real web servers, over HTTP. */
@Tag("R135")
@ExtendWith(OutputCaptureExtension.class)
class RolloutsEndpointTests {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final AtomicInteger PLANS = new AtomicInteger();

    private static final Map<WebApplicationType, ApplicationServer> STARTED = new EnumMap<>(WebApplicationType.class);

    @BeforeAll
    static void start() {
        for (WebApplicationType type :
                new WebApplicationType[] {WebApplicationType.SERVLET, WebApplicationType.REACTIVE}) {
            STARTED.put(type, started(type, "management.endpoint.rollouts.access=unrestricted"));
        }
    }

    private static ApplicationServer started(WebApplicationType type, String... settings) {
        SpringApplicationBuilder application = new SpringApplicationBuilder(Application.class)
                .web(type)
                .properties(
                        "management.endpoints.web.exposure.include=rollouts", "group-concurrency.rollout.store=memory");
        return new ApplicationServer(application, Stream.of(settings));
    }

    @AfterAll
    static void stop() {
        STARTED.values().forEach(ApplicationServer::close);
    }

    // ---- reading

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void aPlanIsShownWithItsCountsAndTasksAndWithoutWhatIsSent(WebApplicationType type) throws Exception {
        PlanId planId = ended(type, "good", "bad");

        JsonNode plans = get(type, "").ok();
        JsonNode shown = get(type, "/" + planId).ok();

        assertThat(plans.at("/plans/0/planId").asText()).isEqualTo(planId.value());
        assertThat(plans.at("/plans/0/status").asText()).isEqualTo("PARTIAL_FAILED");
        assertThat(shown.at("/plan")).isEqualTo(plans.at("/plans/0"));
        assertThat(shown.at("/plan/tasks").toString()).isEqualTo("{\"COMPLETED\":1,\"FAILED\":1}");
        assertThat(shown.at("/plan/createdBy").asText()).isEqualTo("system");
        JsonNode failed = shown.at("/tasks/1");
        assertThat(failed.path("tenant").asText()).isEqualTo("bad-" + planId);
        assertThat(failed.path("status").asText()).isEqualTo("FAILED");
        assertThat(failed.at("/unit/name").asText()).isEqualTo("blue");
        assertThat(failed.at("/unit/version").asInt()).isEqualTo(42);
        assertThat(failed.at("/previous/version").asInt()).isEqualTo(41);
        assertThat(failed.path("stage").asText()).isEqualTo("Switch");
        assertThat(failed.path("completedStages").asInt()).isZero();
        assertThat(failed.path("totalStages").asInt()).isEqualTo(2);
        assertThat(failed.at("/failure/message").asText()).isEqualTo("not yet");
        assertThat(failed.path("endedAt").asText()).startsWith("20");
        assertThat(failed.path("wish").isNull()).isTrue();
        assertThat(shown.toString()).doesNotContain("secret");
    }

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void theEventsOfAPlanAreShownPageByPageAndThoseOfATenantAlone(WebApplicationType type) throws Exception {
        PlanId planId = ended(type, "good", "bad");
        String tenant = "bad-" + planId;

        JsonNode all = get(type, "/" + planId + "/events?limit=1000").ok();
        JsonNode first = get(type, "/" + planId + "/events?limit=2").ok();
        JsonNode second = get(type, "/" + planId + "/events?limit=2&after=" + first.path("next"))
                .ok();
        JsonNode ofTenant =
                get(type, "/" + planId + "/events?tenant=" + tenant).ok().path("events");
        JsonNode none =
                get(type, "/" + planId + "/events?after=" + all.path("next")).ok();

        assertThat(all.path("planId").asText()).isEqualTo(planId.value());
        assertThat(all.at("/events/0/type").asText()).isEqualTo("PlanEntered");
        assertThat(all.at("/events/0/status").asText()).isEqualTo("CREATED");
        assertThat(all.at("/events/0/delivery").asText()).isEqualTo("DELIVERED");
        assertThat(all.at("/events/0/taskId").isNull()).isTrue();
        assertThat(List.of(
                        first.at("/events/0"), first.at("/events/1"), second.at("/events/0"), second.at("/events/1")))
                .containsExactly(all.at("/events/0"), all.at("/events/1"), all.at("/events/2"), all.at("/events/3"));
        assertThat(ofTenant.findValuesAsText("tenant")).containsOnly(tenant);
        assertThat(ofTenant.findValuesAsText("type"))
                .containsExactly(
                        "TaskCreated", "TaskValidated", "TaskStarted", "StageStarted", "StageFailed", "TaskFailed");
        JsonNode failed = ofTenant.path(ofTenant.size() - 1);
        assertThat(failed.path("sequence").asInt()).isGreaterThan(5);
        assertThat(failed.path("message").asText()).isEqualTo("task failed: not yet");
        assertThat(failed.path("details").asText()).startsWith("TaskFailed[failure=");
        assertThat(failed.at("/failure/message").asText()).isEqualTo("not yet");
        assertThat(failed.path("timestamp").asText()).startsWith("20");
        assertThat(none.path("events").isEmpty()).isTrue();
        assertThat(none.path("next")).isEqualTo(all.path("next"));
        assertThat(all.toString()).doesNotContain("secret");
    }

    @Test
    void tasksAreFoundByTheirStateAndTenant() throws Exception {
        WebApplicationType type = WebApplicationType.SERVLET;
        PlanId planId = ended(type, "good", "bad", "good2");

        assertThat(tenants(get(type, "/" + planId + "?status=COMPLETED").ok()))
                .containsExactly("good-" + planId, "good2-" + planId);
        assertThat(tenants(get(type, "/" + planId + "?tenant=bad-" + planId).ok()))
                .containsExactly("bad-" + planId);
        JsonNode first = get(type, "/" + planId + "?limit=1").ok();
        assertThat(tenants(first)).containsExactly("good-" + planId);
        assertThat(first.path("truncated").asBoolean()).isTrue();
        assertThat(get(type, "?limit=1").ok().path("plans")).hasSize(1);
    }

    @Test
    void atMostAHundredTasksAreShown() throws Exception {
        WebApplicationType type = WebApplicationType.SERVLET;
        String[] many = new String[101];
        for (int i = 0; i < many.length; i++) {
            many[i] = "good" + i;
        }
        PlanId planId = ended(type, many);

        JsonNode shown = get(type, "/" + planId + "?limit=1000").ok();

        assertThat(shown.path("tasks")).hasSize(100);
        assertThat(shown.path("truncated").asBoolean()).isTrue();
        assertThat(shown.at("/plan/tasks/COMPLETED").asInt()).isEqualTo(101);
    }

    // ---- writing

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void aPlanIsPausedResumedRetriedAndTakenBack(WebApplicationType type, CapturedOutput output) throws Exception {
        Rollouts rollouts = rollouts(type);
        Gate gate = bean(type).held;
        PlanId planId = rollouts.start(plan("held", "bad")).planId();
        gate.awaitArrived(1);
        Deadline.until(
                "the other one has failed",
                () -> rollouts.plan(planId).tasks().toString().contains("FAILED=1"));

        JsonNode paused = post(type, planId, "{\"action\": \"pause\"}").ok();
        gate.open();
        Deadline.until("the plan is paused", () -> rollouts.plan(planId).status() == PlanStatus.PAUSED);
        JsonNode resumed = post(type, planId, "{\"action\": \"resume\"}").ok();
        end(type, planId, PlanStatus.PARTIAL_FAILED);
        JsonNode retried = post(type, planId, "{\"action\": \"retry\", \"fromCheckpoint\": true}")
                .ok();
        end(type, planId, PlanStatus.COMPLETED);
        JsonNode back = post(type, planId, "{\"action\": \"rollback\", \"tenant\": \"bad-" + planId + "\"}")
                .ok();
        Deadline.until(
                "one is taken back",
                () -> rollouts.plan(planId).tasks().toString().contains("ROLLED_BACK=1"));

        assertThat(paused.path("accepted").asInt()).isEqualTo(1);
        assertThat(paused.at("/plan/planId").asText()).isEqualTo(planId.value());
        assertThat(resumed.path("message").asText()).startsWith("resume accepted for");
        assertThat(retried.path("accepted").asInt()).isEqualTo(1);
        assertThat(retried.path("success").asBoolean()).isFalse();
        assertThat(retried.path("skipped")).hasSize(1);
        assertThat(back.path("accepted").asInt()).isEqualTo(1);
        assertThat(bean(type).audited)
                .extracting(AuditEvent::getType, AuditEvent::getData)
                .contains(
                        tuple(
                                "ROLLOUT_OPERATION",
                                Map.of("plan", planId.value(), "action", "retry", "fromCheckpoint", true)),
                        tuple(
                                "ROLLOUT_OPERATION",
                                Map.of("plan", planId.value(), "action", "rollback", "tenant", "bad-" + planId)));
        assertThat(output)
                .contains("Rollout {plan=" + planId + ", action=retry, fromCheckpoint=true}, by an unknown user");
    }

    @Test
    void aRollbackOfAPlanNamesTheTenantsThatKeepTheNewVersion() throws Exception {
        WebApplicationType type = WebApplicationType.SERVLET;
        PlanId planId = ended(type, "good", "unknown");

        JsonNode back = post(type, planId, "{\"action\": \"rollback\"}").ok();
        end(type, planId, PlanStatus.PARTIAL_FAILED);

        assertThat(back.path("notRolledBack")).hasSize(1);
        assertThat(back.at("/notRolledBack/0").asText()).isEqualTo("unknown-" + planId);
        assertThat(back.path("message").asText()).endsWith("not rolled back are the tenants unknown-" + planId);
    }

    @Test
    void aPlanIsStartedCancelledAndGivenUp() throws Exception {
        WebApplicationType type = WebApplicationType.SERVLET;
        PlanId first = rollouts(type).create(plan("good")).planId();
        assertThat(post(type, first, "{\"action\": \"start\"}")
                        .ok()
                        .at("/plan/status")
                        .asText())
                .isEqualTo("RUNNING");
        end(type, first, PlanStatus.COMPLETED);

        PlanId second = rollouts(type).create(plan("good")).planId();
        post(type, second, "{\"action\": \"cancel\"}").ok();
        end(type, second, PlanStatus.CANCELLED);

        PlanId now = rollouts(type).create(plan("good")).planId();
        assertThat(post(type, now, "{\"action\": \"cancelNow\"}")
                        .ok()
                        .path("message")
                        .asText())
                .isEqualTo("cancel now accepted for 1 of 1 tasks");
        end(type, now, PlanStatus.CANCELLED);

        PlanId limited = rollouts(type).create(plan("good")).planId();
        assertThat(post(type, limited, "{\"action\": \"changeConcurrency\", \"maxConcurrency\": 3}")
                        .ok()
                        .at("/plan/maxConcurrency")
                        .asInt())
                .isEqualTo(3);

        PlanId third = ended(type, "bad");
        assertThat(post(type, third, "{\"action\": \"giveUp\"}")
                        .ok()
                        .at("/plan/status")
                        .asText())
                .isEqualTo("FAILED");
    }

    @Test
    @Tag("R131")
    @Tag("R138")
    void theNextWaveWaitsUntilSomebodyApproves() throws Exception {
        WebApplicationType type = WebApplicationType.SERVLET;
        String planId = "plan-" + PLANS.incrementAndGet();
        PlanId plan = rollouts(type)
                .start(RolloutPlan.named(planId)
                        .add(TenantChange.of("first-" + planId, DeployUnit.of(7, 42, "blue"), "{}"))
                        .add(TenantChange.of("second-" + planId, DeployUnit.of(7, 42, "blue"), "{}"))
                        .waves(1)
                        .approval(Duration.ofHours(1))
                        .build())
                .planId();
        Deadline.until("the gate is there", () -> rollouts(type).plan(plan).gate() != null);

        JsonNode waiting = get(type, "/" + plan).ok().path("plan");
        Object approved = STARTED.get(type)
                .bean(RolloutsEndpoint.class)
                .operate(new Ann(), new String[] {plan.value()}, "approve", null, null, "1", null);
        end(type, plan, PlanStatus.COMPLETED);

        assertThat(waiting.path("wave").asInt()).isEqualTo(1);
        assertThat(waiting.path("waves").asInt()).isEqualTo(2);
        assertThat(waiting.path("needsApproval").asBoolean()).isTrue();
        assertThat(waiting.at("/gate/approvedBy").isNull()).isTrue();
        assertThat(approved)
                .isInstanceOfSatisfying(
                        RolloutsReport.Operation.class,
                        done -> assertThat(done.message()).isEqualTo("approve accepted"));
        Deadline.until(
                "the approval is told",
                () -> bean(type).heard.contains(plan + ": " + new Occurrence.GateApproved(1, "ann")));
        assertThat(bean(type).audited).extracting(AuditEvent::getPrincipal).contains("ann");
    }

    /** Who is logged in. */
    private static final class Ann implements SecurityContext {

        @Override
        public Principal getPrincipal() {
            return () -> "ann";
        }

        @Override
        public boolean isUserInRole(String role) {
            return false;
        }
    }

    @Test
    @Tag("R139")
    void aPlanThatIsReadyCanBePreviewed() throws Exception {
        WebApplicationType type = WebApplicationType.REACTIVE;
        PlanId planId = rollouts(type).create(plan("good", "unknown")).planId();

        JsonNode preview = get(type, "/" + planId + "?preview=true").ok();

        assertThat(preview.path("startable").asBoolean()).isTrue();
        assertThat(preview.path("waves").toString()).isEqualTo("[2]");
        assertThat(preview.at("/tenants/0/tenant").asText()).isEqualTo("good-" + planId);
        assertThat(preview.at("/tenants/0/wave").asInt()).isEqualTo(1);
        assertThat(preview.at("/tenants/0/stages").toString()).isEqualTo("[\"Switch\",\"Look\"]");
        assertThat(preview.at("/tenants/0/previous/version").asInt()).isEqualTo(41);
        assertThat(preview.at("/tenants/1/previous").isNull()).isTrue();
        assertThat(preview.toString()).doesNotContain("secret");
        get(type, "/" + planId + "?preview=maybe").assertProblem(400, "preview", "maybe", "true or false");
    }

    // ---- refusals

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        {}                                                  | 400 | action         |       | one of start, pause, resume, cancel, cancelNow, rollback, rollbackFailed, retry, giveUp, approve, changeConcurrency
        {"action": "stop"}                                  | 400 | action         | stop  | one of start, pause, resume, cancel, cancelNow, rollback, rollbackFailed, retry, giveUp, approve, changeConcurrency
        {"action": "start", "tenant": "x"}                  | 400 | tenant         | x     | none, or one of the actions pause, resume, cancel, cancelNow, rollback, retry
        {"action": "pause", "fromCheckpoint": true}         | 400 | fromCheckpoint | true  | none
        {"action": "retry", "fromCheckpoint": "maybe"}      | 400 | fromCheckpoint | maybe | true or false
        {"action": "pause", "tennant": "x"}                 | 400 | tennant        | x     | one of action, fromCheckpoint, maxConcurrency, tenant, wave
        {"action": "pause", "tenant": "nobody"}             | 404 | tenant         | nobody | a tenant of the plan
        {"action": "start"}                                 | 409 | action         | start | a plan that is READY
        {"action": "approve"}                               | 400 | wave           |       | 1 to 2147483647
        {"action": "pause", "wave": 1}                      | 400 | wave           | 1     | none
        {"action": "approve", "wave": 1}                    | 409 | action         | approve | a plan whose next wave waits for an approval
        {"action": "retry"}                                 | 409 | action         | retry | a plan that is RUNNING, PAUSED or PARTIAL_FAILED, with tasks that have failed
        {"action": "rollbackFailed"}                        | 409 | action         | rollbackFailed | a plan that is RUNNING, PAUSED or PARTIAL_FAILED, with tasks that have failed
        {"action": "changeConcurrency"}                     | 400 | maxConcurrency |       | 1 to 2147483647
        {"action": "changeConcurrency", "maxConcurrency": 0} | 400 | maxConcurrency | 0    | 1 to 2147483647
        {"action": "pause", "maxConcurrency": 2}            | 400 | maxConcurrency | 2     | none
        {"action": "cancel", "tenant": "good-%s"}           | 409 | action         | cancel | a task that is PENDING, RUNNING or PAUSED
        {"action": "rollback", "tenant": "unknown-%s"}      | 409 | action         | rollback | a task of which it is known what was before
        """)
    @Tag("R49")
    void whatCannotBeDoneIsAnsweredWithTheReason(
            String body, int status, String parameter, String value, String allowed) throws Exception {
        WebApplicationType type = WebApplicationType.SERVLET;
        PlanId planId = ended(type, "good", "unknown");

        post(type, planId, body.replace("%s", planId.value())).assertProblem(status, parameter, value, allowed);
        assertThat(rollouts(type).plan(planId).status()).isEqualTo(PlanStatus.COMPLETED);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        /plan-nobody                | 404 | plan    | plan-nobody | the id of a plan
        /%s?limit=0                 | 400 | limit   | 0           | 1 to 2147483647
        ?limit=few                  | 400 | limit   | few         | 1 to 2147483647
        ?state=FAILED               | 400 | state   | FAILED      | one of limit
        /%s?state=FAILED            | 400 | state   | FAILED      | one of after, limit, preview, status, tenant
        /%s?after=1                 | 400 | after   | 1           | none
        /%s/tasks                   | 404 | part    | tasks       | events
        /plan-nobody/events         | 404 | plan    | plan-nobody | the id of a plan
        /%s/events?after=-1         | 400 | after   | -1          | 0 to 9223372036854775807
        /%s/events?limit=1001       | 400 | limit   | 1001        | 1 to 1000
        /%s/events?limit=0          | 400 | limit   | 0           | 1 to 1000
        /%s/events?from=1           | 400 | from    | 1           | one of after, limit, preview, status, tenant
        /%s/events?status=FAILED    | 400 | status  | FAILED      | none
        /%s/events?preview=true     | 400 | preview | true        | none
        """)
    void whatCannotBeShownIsAnsweredWithTheReason(
            String path, int status, String parameter, String value, String allowed) throws Exception {
        WebApplicationType type = WebApplicationType.REACTIVE;
        PlanId planId = ended(type, "good");

        get(type, path.replace("%s", planId.value())).assertProblem(status, parameter, value, allowed);
        get(type, "/" + planId + "?status=DONE").assertStatus(400);
        post(type, PlanId.of("plan-nobody"), "{\"action\": \"pause\"}")
                .assertProblem(404, "plan", "plan-nobody", "the id of a plan");
    }

    /** Spring Boot would have a field or a parameter of that name replace what the path says. */
    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void nothingButThePathSaysWhichPlanIsMeant(WebApplicationType type) throws Exception {
        PlanId asked = rollouts(type).create(plan("good")).planId();
        PlanId other = rollouts(type).create(plan("good")).planId();
        String given = "?planInPath=" + other;
        String shown = "one of after, limit, preview, status, tenant";

        post(type, asked, "{\"action\": \"cancelNow\", \"planInPath\": \"" + other + "\"}")
                .assertProblem(
                        400,
                        "planInPath",
                        other.value(),
                        "one of action, fromCheckpoint, maxConcurrency, tenant, wave");
        get(type, "/" + asked + given).assertProblem(400, "planInPath", other.value(), shown);
        get(type, "/" + asked + "/events" + given).assertProblem(400, "planInPath", other.value(), shown);
        get(type, "/" + asked + "/events?partInPath=tasks").assertProblem(400, "partInPath", "tasks", shown);
        get(type, "/").assertStatus(404);
        get(type, "/" + asked + "/events/1").assertProblem(404, "part", "events/1", "events");
        new Answer(send(STARTED.get(type), "POST", "/", "{\"action\": \"start\"}")).assertStatus(404);

        assertThat(rollouts(type).plan(asked).status()).isEqualTo(PlanStatus.READY);
        assertThat(rollouts(type).plan(other).status()).isEqualTo(PlanStatus.READY);
    }

    @Test
    void unlessItIsOpenedItIsReadOnly() throws Exception {
        try (ApplicationServer closed = started(WebApplicationType.SERVLET)) {
            PlanId planId = closed.bean(Rollouts.class).create(plan("good")).planId();

            new Answer(send(closed, "GET", "/" + planId, "")).ok();
            assertThat(send(closed, "POST", "/" + planId, "{\"action\": \"start\"}")
                            .statusCode())
                    .isEqualTo(405);
        }
    }

    // ---- the applications

    private static PlanId ended(WebApplicationType type, String... tenants) throws InterruptedException {
        PlanId planId = rollouts(type).start(plan(tenants)).planId();
        assertThat(rollouts(type).await(planId, Deadline.LONG).status().isSettled())
                .isTrue();
        return planId;
    }

    private static void end(WebApplicationType type, PlanId planId, PlanStatus status) throws InterruptedException {
        assertThat(rollouts(type).await(planId, Deadline.LONG).status()).isEqualTo(status);
    }

    private static RolloutPlan plan(String... tenants) {
        String planId = "plan-" + PLANS.incrementAndGet();
        RolloutPlan.Builder plan = RolloutPlan.named(planId);
        for (String tenant : tenants) {
            TenantChange change =
                    TenantChange.of(tenant + "-" + planId, DeployUnit.of(7, 42, "blue"), "{\"key\": \"secret\"}");
            plan.add(tenant.equals("unknown") ? change : change.previous(DeployUnit.of(7, 41, "green"), "secret"));
        }
        return plan.build();
    }

    private static Rollouts rollouts(WebApplicationType type) {
        return STARTED.get(type).bean(Rollouts.class);
    }

    private static Application bean(WebApplicationType type) {
        return STARTED.get(type).bean(Application.class);
    }

    private static List<String> tenants(JsonNode plan) {
        return plan.path("tasks").findValuesAsText("tenant");
    }

    private static Answer get(WebApplicationType type, String path) throws Exception {
        return new Answer(send(STARTED.get(type), "GET", path, ""));
    }

    private static Answer post(WebApplicationType type, PlanId planId, String body) throws Exception {
        return new Answer(send(STARTED.get(type), "POST", "/" + planId, body));
    }

    private static HttpResponse<String> send(ApplicationServer server, String method, String path, String body)
            throws Exception {
        return server.sendJson(method, server.at("/actuator/rollouts" + path), body);
    }

    private record Answer(HttpResponse<String> response) {

        JsonNode ok() throws Exception {
            assertStatus(200);
            return JSON.readTree(response.body());
        }

        void assertStatus(int status) {
            assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        }

        void assertProblem(int status, String parameter, String value, String allowed) throws Exception {
            assertStatus(status);
            new EndpointServer.Answer(response.statusCode(), JSON.readTree(response.body()))
                    .assertProblem(status, parameter, value, allowed);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        final Gate held = new Gate();
        final List<String> heard = new CopyOnWriteArrayList<>();
        final List<AuditEvent> audited = new CopyOnWriteArrayList<>();

        @Bean
        @Order(1)
        Stage turn() {
            return Stage.named("Switch").step(context -> {
                if (context.tenantId().value().startsWith("held")) {
                    held.pass();
                }
                if (context.tenantId().value().startsWith("bad") && context.attempt() == 1) {
                    throw new IllegalStateException("not yet");
                }
            });
        }

        @Bean
        @Order(2)
        Stage look() {
            return Stage.named("Look");
        }

        @EventListener
        void hear(RolloutEvent event) {
            heard.add(event.planId() + ": " + event.occurrence());
        }

        @EventListener
        void hear(AuditApplicationEvent event) {
            audited.add(event.getAuditEvent());
        }
    }
}
