package io.github.kobe.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.actuate.EndpointServer.Changes;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.security.Principal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The endpoint of a real application with a real web server, over HTTP. */
@ExtendWith(OutputCaptureExtension.class)
class GroupExecutorEndpointTests {

    private static EndpointServer readable;
    private static EndpointServer open;

    private EndpointServer server;
    private GroupExecutor executor;

    @BeforeAll
    static void startBoth() {
        readable = new EndpointServer();
        open = new EndpointServer("management.endpoint.groupexecutor.access=unrestricted");
    }

    @AfterAll
    static void stopBoth() {
        readable.close();
        open.close();
    }

    /** The groups that a test has made would be shown to the next one. */
    @AfterEach
    void forgetTheGroups() throws Exception {
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        executor.groupKeys().forEach(executor::evictGroup);
        Deadline.untilAsserted(() -> assertThat(executor.groupKeys()).isEmpty());
    }

    @Test
    void allGroupsAreShownTheBusiestFirst() throws Exception {
        useReadable();
        long submitted = executor.stats().totals().submitted();
        long succeeded = executor.stats().totals().succeeded();
        Gate gate = new Gate();
        executor.submit("busy", "1", () -> pass(gate));
        executor.submit("busy", "2", () -> pass(gate));
        executor.submit("b", "1", () -> null).await(Deadline.SECONDS, TimeUnit.SECONDS);
        executor.submit("a", "1", () -> null).await(Deadline.SECONDS, TimeUnit.SECONDS);

        JsonNode all = server.get("").body();

        assertThat(fields(all.path("groups"))).containsExactly("busy", "a", "b");
        assertThat(all.path("groups").path("busy").path("running").asInt()).isEqualTo(1);
        assertThat(all.path("groups").path("busy").path("queued").asInt()).isEqualTo(1);
        assertThat(all.path("groups").path("busy").path("oldestWait").asText()).startsWith("PT");
        assertThat(all.path("global").path("running").asInt()).isEqualTo(1);
        assertThat(all.path("global").path("queued").asInt()).isEqualTo(1);
        assertThat(all.path("global").path("maxInFlight").asInt()).isEqualTo(50);
        assertThat(all.path("global").has("queueThreshold")).isTrue();
        assertThat(all.path("global").path("queueThreshold").isNull()).isTrue();
        assertThat(all.path("global").has("shutdown")).isFalse();
        assertThat(all.path("totals").path("submitted").asLong()).isEqualTo(submitted + 4);
        assertThat(all.path("totals").path("succeeded").asLong()).isEqualTo(succeeded + 2);
        assertThat(all.path("truncated").asBoolean()).isFalse();
        gate.open();
    }

    @Test
    @Tag("SH16")
    void aGroupTellsWhyItWaitsAndWhatItHolds() throws Exception {
        useReadable();
        Gate gate = new Gate();
        executor.submit("busy", "1", () -> pass(gate));
        gate.awaitArrived(1);
        assertThat(server.get("/busy").body().has("waitsFor")).isTrue();
        assertThat(server.get("/busy").body().path("waitsFor").isNull()).isTrue();
        executor.submit("busy", "2", () -> pass(gate));
        executor.setLimits("busy", GroupLimits.unset().withGuaranteed(1));

        JsonNode busy = server.get("/busy").body();

        assertThat(busy.path("waitsFor").asText()).isEqualTo("GROUP_LIMIT");
        assertThat(busy.path("held").asInt()).isEqualTo(1);
        assertThat(busy.path("level").asInt(-2)).isZero();
        GroupPolicy policy = executor.policy();
        executor.updatePolicy(policy.toBuilder().globalHeadroom(3).build());
        assertThat(server.get("").body().path("global").path("headroom").asInt())
                .isEqualTo(3);
        executor.updatePolicy(policy);
        executor.resetLimits("busy");
        gate.open();
    }

    @Test
    void theGroupsThatHaveRefusedMostComeFirstOnDemand() throws Exception {
        useReadable();
        for (String key : new String[] {"a", "b", "c"}) {
            executor.submit(key, "1", () -> null).await(Deadline.SECONDS, TimeUnit.SECONDS);
        }
        executor.setLimits("c", GroupLimits.unset().withQueueThreshold(0));
        executor.pause("c");
        assertThat(executor.submit("c", "2", () -> null).toCompletableFuture()).failsWithin(Deadline.LONG);
        executor.resume("c");
        executor.resetLimits("c");

        assertThat(fields(server.get("?sort=rejected").body().path("groups"))).containsExactly("c", "a", "b");
        assertThat(fields(server.get("?sort=load").body().path("groups"))).containsExactly("a", "b", "c");
        server.get("?sort=name").assertProblem(400, "sort", "name", "load, rejected or hold");
    }

    /** Tasks know since when they run, whoever else wants to know. */
    @Test
    void theGroupsThatHoldPermitsLongestComeFirstOnDemand() throws Exception {
        useReadable();
        Gate gate = new Gate();
        executor.submit("hung", "1", () -> pass(gate));
        gate.awaitArrived(1);
        Deadline.until("it holds a permit", () -> executor.longestHolds().containsKey("hung"));
        executor.submit("busy", "1", () -> pass(gate));
        executor.submit("busy", "2", () -> null);
        gate.awaitArrived(2);

        JsonNode groups = server.get("?sort=hold").body().path("groups");

        assertThat(fields(groups)).startsWith("hung", "busy");
        assertThat(Duration.parse(groups.path("hung").path("longestHold").asText()))
                .isGreaterThanOrEqualTo(
                        Duration.parse(groups.path("busy").path("longestHold").asText()));
        JsonNode byLoad = server.get("").body().path("groups");
        assertThat(fields(byLoad)).startsWith("busy", "hung");
        assertThat(byLoad.path("hung").has("longestHold")).isFalse();
        gate.open();
    }

    @Test
    void aBadPeriodIsRefused() throws Exception {
        useOpen();
        for (String period : new String[] {"soon", "5", "0s", "-1s"}) {
            server.post("", "{\"group\": \"a\", \"action\": \"pause\", \"period\": \"" + period + "\"}")
                    .assertProblem(400, "period", period, "a duration more than zero, such as 500ms, 30m or PT30M");
        }
        server.post("", "{\"group\": \"a\", \"action\": \"resume\", \"period\": \"5m\"}")
                .assertProblem(400, "action", "resume", "set or pause");
    }

    @Test
    void whatIsForAPeriodTellsWhenItEnds() throws Exception {
        useOpen();
        JsonNode paused = server.post("", "{\"group\": \"a\", \"action\": \"pause\", \"period\": \"30m\"}")
                .body();
        assertThat(paused.path("paused").asBoolean()).isTrue();
        assertThat(Duration.parse(paused.path("pauseEndsIn").asText()))
                .isBetween(Duration.ofMinutes(25), Duration.ofMinutes(30));

        JsonNode set = server.post("", "{\"group\": \"a\", \"maxConcurrency\": 7, \"period\": \"PT1H\"}")
                .body();
        assertThat(Duration.parse(set.path("overrideEndsIn").asText()))
                .isBetween(Duration.ofMinutes(55), Duration.ofHours(1));
        JsonNode endless = server.post("", "{\"group\": \"a\", \"weight\": 2}").body();
        assertThat(endless.path("overrideEndsIn").isNull()).isTrue();
        assertThat(endless.at("/limits/maxConcurrency/value").asInt()).isEqualTo(7);
        executor.resume("a");
        executor.resetLimits("a");
    }

    @Test
    void eachAnswerNamesItsInstance() throws Exception {
        useReadable();
        executor.submit("a", "1", () -> null).await(Deadline.SECONDS, TimeUnit.SECONDS);

        JsonNode all = server.get("").body();
        assertThat(all.path("instance").asText())
                .matches("[^/]+/" + ProcessHandle.current().pid());
        assertThat(all.path("groups").path("a").has("instance")).isFalse();
        assertThat(server.get("/a").body().path("instance")).isEqualTo(all.path("instance"));
    }

    @Test
    void theNumberOfGroupsIsLimited() throws Exception {
        useReadable();
        for (String key : new String[] {"a", "b", "c"}) {
            executor.submit(key, "1", () -> null).await(Deadline.SECONDS, TimeUnit.SECONDS);
        }

        JsonNode two = server.get("?limit=2").body();

        assertThat(fields(two.path("groups"))).containsExactly("a", "b");
        assertThat(two.path("truncated").asBoolean()).isTrue();
        server.get("?limit=0").assertProblem(400, "limit", "0", "1 to 2147483647");
        server.get("?limit=few").assertProblem(400, "limit", "few", "1 to 2147483647");
    }

    @Test
    void theGroupsAreShownPageByPage() throws Exception {
        useReadable();
        for (String key : new String[] {"a", "b", "c", "d", "e"}) {
            executor.submit(key, "1", () -> null).await(Deadline.SECONDS, TimeUnit.SECONDS);
        }

        JsonNode second = server.get("?offset=2&limit=2").body();
        assertThat(fields(second.path("groups"))).containsExactly("c", "d");
        assertThat(second.path("found").asInt()).isEqualTo(5);
        assertThat(second.path("truncated").asBoolean()).isTrue();
        JsonNode last = server.get("?offset=4&limit=2").body();
        assertThat(fields(last.path("groups"))).containsExactly("e");
        assertThat(last.path("found").asInt()).isEqualTo(5);
        assertThat(last.path("truncated").asBoolean()).isFalse();
        JsonNode after = server.get("?offset=2147483647&limit=2147483647").body();
        assertThat(after.path("groups")).isEmpty();
        assertThat(after.path("found").asInt()).isEqualTo(5);
        server.get("?offset=-1").assertProblem(400, "offset", "-1", "0 to 2147483647");
        server.get("?offset=few").assertProblem(400, "offset", "few", "0 to 2147483647");
    }

    @Test
    void groupsAreFoundByAPartOfTheirKeys() throws Exception {
        useReadable();
        for (String key : new String[] {"tenant:Acme", "tenant:acme/2", "tenant:hooli", "a.*c"}) {
            executor.submit(key, "1", () -> null).await(Deadline.SECONDS, TimeUnit.SECONDS);
        }

        JsonNode found = server.get("?search=aCME&limit=1").body();
        assertThat(fields(found.path("groups"))).containsExactly("tenant:Acme");
        assertThat(found.path("found").asInt()).isEqualTo(2);
        assertThat(found.path("truncated").asBoolean()).isTrue();
        assertThat(found.path("global").path("groups").asInt()).isEqualTo(4);
        assertThat(fields(server.get("?search=.*").body().path("groups"))).containsExactly("a.*c");
        assertThat(server.get("?search=").body().path("found").asInt()).isEqualTo(4);
        JsonNode none = server.get("?search=nobody").body();
        assertThat(none.path("groups")).isEmpty();
        assertThat(none.path("found").asInt()).isZero();
    }

    @Test
    void oneGroupIsShownWithEachLimitAndItsSource() throws Exception {
        useReadable();
        executor.submit("tenant:a", "1", () -> null).await(Deadline.SECONDS, TimeUnit.SECONDS);

        JsonNode group = server.get("/tenant:a").body();

        assertThat(group.path("group").asText()).isEqualTo("tenant:a");
        assertThat(group.path("rule").asText()).isEqualTo("tenant:*");
        assertThat(group.path("limits").path("maxConcurrency").path("value").asInt())
                .isEqualTo(4);
        assertThat(group.path("limits").path("maxConcurrency").path("source").asText())
                .isEqualTo("PATTERN");
        assertThat(group.path("limits").path("queueTimeout").path("value").asText())
                .isEqualTo("PT5S");
        assertThat(group.path("limits").path("queueTimeout").path("source").asText())
                .isEqualTo("DEFAULT");
        assertThat(group.path("limits").path("maxInFlight"))
                .isEqualTo(group.path("limits").path("maxConcurrency"));
        assertThat(group.path("limits").path("queueThreshold").path("value").isNull())
                .isTrue();
        assertThat(group.path("totals").path("succeeded").asInt()).isEqualTo(1);
        assertThat(group.path("totals").path("rejected").path("QUEUE_TIMEOUT").asInt(-1))
                .isZero();
    }

    @Test
    void whoHasThePermitsAndWhoWaitsIsToldWhenAskedFor() throws Exception {
        useReadable();
        Gate running = new Gate();
        Gate gate = new Gate();
        executor.submit("busy", "first", () -> {
            running.open();
            return pass(gate);
        });
        running.pass();
        executor.submit("busy", "second", () -> pass(gate));

        JsonNode group = server.get("/busy?holders=true").body();

        assertThat(group.path("holders")).hasSize(1);
        JsonNode holder = group.path("holders").get(0);
        assertThat(holder.path("taskId").asText()).isEqualTo("first");
        assertThat(holder.path("kind").asText()).isEqualTo("TASK");
        assertThat(holder.path("thread").asText()).isEqualTo("busy");
        assertThat(Instant.parse(holder.path("since").asText())).isBeforeOrEqualTo(Instant.now());
        assertThat(holder.path("lent").asBoolean(true)).isFalse();
        assertThat(group.path("waiters")).hasSize(1);
        assertThat(group.path("waiters").get(0).path("taskId").asText()).isEqualTo("second");
        assertThat(Duration.parse(group.path("waiters").get(0).path("waited").asText()))
                .isPositive();
        assertThat(server.get("/busy").body().has("holders")).isFalse();
        for (String anyGroups : new String[] {"", "?search=nobody"}) {
            JsonNode global = server.get(anyGroups).body().path("global");
            assertThat(Duration.parse(global.path("oldestWait").asText())).isPositive();
        }
        gate.open();
    }

    @Test
    void whereTheLimitsComeFromIsExplainedWhenAskedFor() throws Exception {
        useOpen();
        server.post("", "{\"group\":\"tenant:a\",\"queueThreshold\":\"unlimited\"}");

        JsonNode explanation = server.get("?group=tenant:a&explain=true").body().path("explanation");

        assertThat(explanation.path("override").toString()).isEqualTo("{\"queueThreshold\":\"unlimited\"}");
        assertThat(explanation.path("matches").toString())
                .isEqualTo("[{\"rule\":\"tenant:*\",\"used\":true,\"limits\":{\"maxConcurrency\":\"4\"}},"
                        + "{\"rule\":\"ten*\",\"used\":false,\"limits\":{\"weight\":\"2\"}}]");
        assertThat(explanation.path("resolver").asBoolean(true)).isFalse();
        assertThat(explanation.path("defaults").path("queueTimeout").asText()).isEqualTo("PT5S");
        assertThat(server.get("/tenant:a").body().has("explanation")).isFalse();
    }

    @Test
    void eachChangeIsToldInTheLogAndToTheAudit(CapturedOutput output) throws Exception {
        useOpen();
        Changes changes = server.bean(Changes.class);
        changes.events.clear();

        server.post("", "{\"group\":\"line\\nbreak\",\"maxConcurrency\":3,\"queueTimeout\":\"5s\"}");
        server.delete("?group=line%0Abreak");
        server.post("", "{\"group\":\"vip\",\"maxConcurrency\":0}");

        assertThat(output)
                .contains("Group 'line_break' of groupExecutor: set {maxConcurrency=3, queueTimeout=5s}, by an unknown"
                        + " user")
                .contains("Group 'line_break' of groupExecutor: evict, by an unknown user");
        assertThat(changes.events)
                .extracting(event -> event.getType() + event.getData())
                .containsExactly(
                        "GROUP_EXECUTOR_CHANGE{executor=groupExecutor, group=line\nbreak, action=set,"
                                + " limits={maxConcurrency=3, queueTimeout=5s}}",
                        "GROUP_EXECUTOR_CHANGE{executor=groupExecutor, group=line\nbreak, action=evict}");
    }

    @Test
    void theAuditHasTheNameOfWhoAsked() {
        List<Object> events = new ArrayList<>();
        GroupExecutor own =
                GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
        GroupExecutorEndpoint endpoint =
                new GroupExecutorEndpoint(() -> Map.of("own", own), "own", "instance", events::add);

        endpoint.change(new Operator(), "a", "pause", null, null, null, null, null, null, null, null, null, null);

        assertThat(events)
                .singleElement(InstanceOfAssertFactories.type(AuditApplicationEvent.class))
                .extracting(event -> event.getAuditEvent().getPrincipal())
                .isEqualTo("ops");
        useReadable();
    }

    private static final class Operator implements SecurityContext {

        @Override
        public Principal getPrincipal() {
            return () -> "ops";
        }

        @Override
        public boolean isUserInRole(String role) {
            return false;
        }
    }

    @Test
    void aKeyWithASlashGoesByQueryParameter() throws Exception {
        useReadable();
        executor.submit("a/b", "1", () -> null).await(Deadline.SECONDS, TimeUnit.SECONDS);

        assertThat(server.get("?group=a%2Fb").body().path("group").asText()).isEqualTo("a/b");
    }

    @Test
    void aConfiguredGroupIsThereBeforeItsFirstUse() throws Exception {
        useReadable();

        EndpointServer.Answer group = server.get("/vip");

        assertThat(group.status()).isEqualTo(200);
        JsonNode limits = group.body().path("limits");
        assertThat(limits.path("maxConcurrency").path("value").asInt()).isEqualTo(8);
        assertThat(limits.path("maxConcurrency").path("source").asText()).isEqualTo("CONFIGURED");
        assertThat(limits.path("queueTimeout").path("value").asText()).isEqualTo("PT5S");
        assertThat(limits.path("maxInFlight").path("value").asInt()).isEqualTo(8);

        executor.submit("vip", "1", () -> null).await(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(server.get("/vip").body().path("limits")).isEqualTo(limits);
    }

    @Test
    void anUnknownGroupIsNotFound() throws Exception {
        useReadable();
        server.get("/nobody")
                .assertProblem(
                        404, "group", "nobody", "a group that is in use, overridden, or configured by its exact key");
    }

    @Test
    void anUnknownExecutorIsRefused() throws Exception {
        useReadable();
        server.get("?executor=other").assertProblem(400, "executor", "other", "one of [groupExecutor]");
    }

    @Test
    @Tag("K11")
    void nothingCanBeChangedUnlessTheApplicationOpensIt() throws Exception {
        useReadable();
        assertThat(server.post("", "{\"group\":\"vip\",\"maxConcurrency\":3}").status())
                .isEqualTo(405);
        assertThat(server.delete("?group=vip").status()).isEqualTo(405);
        assertThat(executor.groupKeys()).isEmpty();
    }

    @Test
    void whatIsClosedForGoodStaysClosed() throws Exception {
        try (EndpointServer closed = new EndpointServer(
                "management.endpoint.groupexecutor.access=unrestricted",
                "management.endpoints.access.max-permitted=read-only")) {
            use(closed);
            assertThat(server.post("", "{\"group\":\"vip\",\"maxConcurrency\":3}")
                            .status())
                    .isEqualTo(405);
        }
    }

    @Test
    void limitsAreSetOneByOneAndResetTogether() throws Exception {
        useOpen();
        assertThat(server.post("", "{\"group\":\"vip\",\"maxConcurrency\":3}").status())
                .isEqualTo(200);
        JsonNode both = server.post("/vip", "{\"queueTimeout\":\"2s\",\"maxInFlight\":\"unlimited\"}")
                .body();
        assertThat(both.path("limits").path("maxConcurrency").path("value").asInt())
                .isEqualTo(3);
        assertThat(both.path("limits").path("queueTimeout").path("value").asText())
                .isEqualTo("PT2S");
        assertThat(both.path("limits").path("maxInFlight").path("source").asText())
                .isEqualTo("OVERRIDDEN");
        assertThat(both.path("limits").path("weight").path("source").asText()).isEqualTo("DEFAULT");
        assertThat(both.path("overriddenSince").asText()).matches("\\d{4}-.*Z");

        JsonNode reset =
                server.post("", "{\"group\":\"vip\",\"action\":\"reset\"}").body();

        assertThat(reset.path("limits").path("maxConcurrency").path("value").asInt())
                .isEqualTo(8);
        assertThat(reset.path("overriddenSince").isNull()).isTrue();
    }

    @Test
    void aGroupIsPausedResumedAndEvicted() throws Exception {
        useOpen();
        assertThat(server.post("", "{\"group\":\"a/b\",\"action\":\"pause\"}")
                        .body()
                        .path("paused")
                        .asBoolean())
                .isTrue();
        assertThat(executor.groupStats("a/b").orElseThrow().paused()).isTrue();
        assertThat(server.post("", "{\"group\":\"a/b\",\"action\":\"resume\"}")
                        .body()
                        .path("paused")
                        .asBoolean(true))
                .isFalse();

        server.post("/c", "{\"action\":\"pause\"}");
        assertThat(server.delete("/c").status()).isEqualTo(204);
        assertThat(server.get("/c").status()).isEqualTo(404);
        assertThat(server.delete("?group=nobody").status()).isEqualTo(404);
    }

    @Test
    void whatIsNotFoundIsNeitherResumedNorResetNorToldAsThat() throws Exception {
        useOpen();
        Changes changes = server.bean(Changes.class);
        changes.events.clear();

        for (String action : new String[] {"resume", "reset"}) {
            server.post("", "{\"group\":\"nobody\",\"action\":\"" + action + "\"}")
                    .assertProblem(
                            404,
                            "group",
                            "nobody",
                            "a group that is in use, overridden, or configured by its exact key");
        }

        assertThat(changes.events).isEmpty();
    }

    @Test
    void ifAChangeLeavesNoGroupTheAnswerIsEmpty() throws Exception {
        try (EndpointServer forgetful = new EndpointServer(
                "management.endpoint.groupexecutor.access=unrestricted", "group-concurrency.max-idle-groups=0")) {
            use(forgetful);
            server.post("/a", "{\"maxConcurrency\":3}");
            assertThat(server.post("/a", "{\"action\":\"reset\"}").status()).isEqualTo(204);
            server.post("/a", "{\"action\":\"pause\"}");
            assertThat(server.post("/a", "{\"action\":\"resume\"}").status()).isEqualTo(204);
            assertThat(server.get("/a").status()).isEqualTo(404);
        }
    }

    private static Object pass(Gate gate) throws InterruptedException {
        gate.pass();
        return null;
    }

    private void useReadable() {
        use(readable);
    }

    private void useOpen() {
        use(open);
    }

    private void use(EndpointServer used) {
        server = used;
        executor = used.executor();
    }

    private static Iterable<String> fields(JsonNode node) {
        return StreamSupport.stream(((Iterable<String>) node::fieldNames).spliterator(), false)
                .toList();
    }
}
