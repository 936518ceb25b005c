package io.github.kobe.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.scope.GroupScope;
import io.github.kobe.scope.Joiner;
import io.github.kobe.scope.Scopes;
import io.github.kobe.spring.testing.ApplicationServer;
import io.github.kobe.spring.testing.NeededAutoConfigurations;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The endpoint of real applications with real web servers, over HTTP, and over JMX. */
class GroupScopesEndpointTests {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String DOMAIN = "io.github.kobe.scopes-of-this-test";

    private static final Map<WebApplicationType, ApplicationServer> STARTED = new EnumMap<>(WebApplicationType.class);

    @BeforeAll
    static void start() {
        for (WebApplicationType type :
                new WebApplicationType[] {WebApplicationType.SERVLET, WebApplicationType.REACTIVE}) {
            STARTED.put(
                    type,
                    new ApplicationServer(
                            new SpringApplicationBuilder(Application.class).web(type),
                            Stream.of(
                                    NeededAutoConfigurations.SETTING + "=ACTUATOR",
                                    "spring.jmx.enabled=true",
                                    "spring.jmx.unique-names=true",
                                    "management.endpoints.jmx.domain=" + DOMAIN + "." + type,
                                    "management.endpoints.jmx.exposure.include=groupscopes",
                                    "management.endpoints.web.exposure.include=groupscopes",
                                    "spring.autoconfigure.exclude=io.github.kobe.spring.rollout.GroupConcurrencyRolloutAutoConfiguration",
                                    "group-concurrency.groups.page.max-concurrency=1")));
        }
    }

    @AfterAll
    static void stop() {
        STARTED.values().forEach(ApplicationServer::close);
    }

    @AfterEach
    void nothingIsLeftOpen() {
        STARTED.values()
                .forEach(server -> assertThat(server.bean(Scopes.class).live()).isEmpty());
    }

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void aTreeIsShownWithWhatRunsAndWhatWaitsForWhom(WebApplicationType type) throws Exception {
        Scopes scopes = STARTED.get(type).bean(Scopes.class);
        GroupExecutor executor = STARTED.get(type).bean(GroupExecutor.class);
        Gate gate = new Gate();
        Instant before = Instant.now();
        Caller<String> owner = Caller.startPlatform(() -> {
            try (var scope = scopes.open(
                    Joiner.<String>awaitAll(), change -> change.withName("page").withTimeout(Duration.ofMinutes(5)))) {
                scope.fork("page", gate.then("first"));
                Deadline.until(
                        "the first runs",
                        () -> executor.groupStats("page").orElseThrow().running() == 1);
                scope.fork("page", () -> "second");
                scope.fork("other", () -> {
                    try (GroupScope<String, ?, RuntimeException> inner = scopes.open(
                            Joiner.<String>awaitAll(),
                            change -> change.withName("part").withoutTimeout())) {
                        inner.fork("part", gate.then("inner"));
                        inner.join();
                    }
                    return "third";
                });
                scope.join();
                return "joined";
            }
        });
        try {
            gate.awaitArrived(2);
            Deadline.until(
                    "the owner waits",
                    () -> scopes.live().stream()
                            .allMatch(scope -> scope.owner().name().equals("JOINING")
                                    && scope.forks().size() == 3
                                    && !scope.forks().get(2).scopes().isEmpty()));

            Answer answer = get(type, "");

            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body().path("truncated").asBoolean()).isFalse();
            JsonNode page = answer.body().path("scopes").path(0);
            assertThat(page.path("name").asText()).isEqualTo("page");
            assertThat(page.path("parent").isNull()).isTrue();
            assertThat(page.at("/owner/thread").asText()).isEqualTo("caller");
            assertThat(page.at("/owner/phase").asText()).isEqualTo("JOINING");
            assertThat(Instant.parse(page.path("openedAt").asText())).isBetween(before, Instant.now());
            assertThat(Duration.between(
                            Instant.parse(page.path("openedAt").asText()),
                            Instant.parse(page.path("deadline").asText())))
                    .isBetween(Duration.ofSeconds(299), Duration.ofSeconds(301));
            assertThat(page.path("cancelled").asBoolean()).isFalse();
            assertThat(page.path("unfinished").asInt()).isEqualTo(3);
            assertThat(page.at("/totals/started").asInt()).isEqualTo(2);

            assertThat(page.at("/forks/0/phase").asText()).isEqualTo("RUNNING");
            assertThat(page.at("/forks/0/name").asText()).isEqualTo("task-1");
            assertThat(page.at("/forks/0/thread").asText()).isNotBlank();
            assertThat(page.at("/forks/1/phase").asText()).isEqualTo("QUEUED");
            assertThat(page.at("/forks/1/group").asText()).isEqualTo("page");
            assertThat(page.at("/forks/1/thread").isNull()).isTrue();
            assertThat(page.at("/holders/page/0/thread").asText())
                    .isEqualTo(page.at("/forks/0/thread").asText());

            JsonNode part = page.at("/forks/2/scopes/0");
            assertThat(part.path("name").asText()).isEqualTo("part");
            assertThat(part.path("parent").asLong()).isEqualTo(page.path("id").asLong());
            assertThat(part.at("/forks/0/group").asText()).isEqualTo("part");
        } finally {
            gate.open();
        }
        assertThat(owner.result()).isEqualTo("joined");
        assertThat(get(type, "").body())
                .isEqualTo(JSON.createObjectNode()
                        .put("instance", InstanceName.own())
                        .<ObjectNode>set("scopes", JSON.createArrayNode())
                        .put("truncated", false));
    }

    @Test
    void noMoreScopesAreShownThanAskedForThoseInsideOthersIncluded() throws Exception {
        Scopes scopes = scopes();
        try (var outer = scopes.open(change -> change.withName("outer"));
                var inner = scopes.open(change -> change.withName("inner"));
                var innermost = scopes.open(change -> change.withName("innermost"))) {
            assertThat(List.of(outer, inner, innermost)).noneMatch(GroupScope::isCancelled);

            assertThat(get("?limit=3").body().path("truncated").asBoolean()).isFalse();
            JsonNode two = get("?limit=2").body();
            assertThat(two.path("truncated").asBoolean()).isTrue();
            assertThat(two.at("/scopes/0/scopes/0/name").asText()).isEqualTo("inner");
            assertThat(two.at("/scopes/0/scopes/0/scopes")).isEmpty();
            JsonNode one = get("?limit=1").body();
            assertThat(one.path("truncated").asBoolean()).isTrue();
            assertThat(one.at("/scopes/0/name").asText()).isEqualTo("outer");
            assertThat(one.at("/scopes/0/scopes")).isEmpty();
        }
    }

    /** Encoders and decoders of JSON refuse what is nested too deep. */
    @Test
    void scopesThatAreNestedDeepAreCutAndTheAnswerSaysSo() throws Exception {
        Scopes scopes = scopes();
        List<GroupScope<?, ?, ?>> nested = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            nested.add(scopes.open());
        }
        try {
            Answer answer = get("?limit=2000");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body().path("truncated").asBoolean()).isTrue();
        } finally {
            nested.reversed().forEach(GroupScope::close);
        }
    }

    @Test
    void theOldestTreesAreShownFirst() throws Exception {
        Scopes scopes = scopes();
        Gate gate = new Gate();
        Caller<?> first = opening(scopes, "first", gate);
        gate.awaitArrived(1);
        Caller<?> second = opening(scopes, "second", gate);
        gate.awaitArrived(2);
        try {
            JsonNode one = get("?limit=1").body();
            assertThat(one.at("/scopes/0/name").asText()).isEqualTo("first");
            assertThat(one.path("scopes")).hasSize(1);
            assertThat(one.path("truncated").asBoolean()).isTrue();
        } finally {
            gate.open();
        }
        first.result();
        second.result();
    }

    private static Caller<?> opening(Scopes scopes, String name, Gate gate) {
        return Caller.start(() -> {
            try (var scope = scopes.open(change -> change.withName(name))) {
                gate.pass();
                return scope.isCancelled();
            }
        });
    }

    @Test
    void aNameOfAnyCharactersLeavesTheAnswerReadable() throws Exception {
        try (var scope = scopes().open(change -> change.withName("a\"\n\ud800<b>"))) {
            assertThat(scope.isCancelled()).isFalse();
            assertThat(get("").body().at("/scopes/0/name").asText()).isEqualTo("a\"\n\ufffd<b>");
        }
    }

    @Test
    void aFurtherExecutorIsShownByItsName() throws Exception {
        GroupExecutor nightly = server().bean("nightly", GroupExecutor.class);
        try (var scope = Scopes.of(nightly).open(change -> change.withName("night"))) {
            assertThat(scope.isCancelled()).isFalse();
            assertThat(get("").body().path("scopes")).isEmpty();
            assertThat(get("?executor=nightly").body().at("/scopes/0/name").asText())
                    .isEqualTo("night");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void badRequestsAreAnsweredWithTheReason(WebApplicationType type) throws Exception {
        String[][] bad = {
            {"?limit=0", "limit", "0", "1 to 2147483647"},
            {"?limit=-1", "limit", "-1", "1 to 2147483647"},
            {"?limit=many", "limit", "many", "1 to 2147483647"},
            {"?limit=", "limit", "", "1 to 2147483647"},
            {"?limit=99999999999", "limit", "99999999999", "1 to 2147483647"},
            {"?limti=1", "limti", "1", "one of executor, limit"},
            {"?limit=1&limit=2", "limit", "[1, 2]", "one value"},
            {"?executor=none", "executor", "none", "one of [nightly, groupExecutor]"},
        };
        for (String[] request : bad) {
            Answer answer = get(type, request[0]);
            assertThat(answer.status()).as(request[0]).isEqualTo(400);
            JsonNode problem = answer.body();
            assertThat(problem.path("parameter").asText()).isEqualTo(request[1]);
            assertThat(problem.path("value").asText()).isEqualTo(request[2]);
            assertThat(problem.path("allowed").asText()).contains(request[3]);
            assertThat(problem.path("error").asText()).isNotBlank();
        }
    }

    @Test
    void nothingCanBeChanged() throws Exception {
        for (String method : new String[] {"POST", "PUT", "DELETE"}) {
            assertThat(send(WebApplicationType.SERVLET, method, "").status()).isEqualTo(405);
        }
    }

    @Test
    void overJmxItTellsTheSame() throws Exception {
        try (var scope = scopes().open(change -> change.withName("page"))) {
            assertThat(scope.isCancelled()).isFalse();
            Object answer = overJmx(null);
            assertThat(JSON.valueToTree(answer).at("/scopes/0/name").asText()).isEqualTo("page");
        }
    }

    @Test
    void overJmxABadLimitIsRefusedWithWhatIsAllowed() throws Exception {
        assertThatException()
                .isThrownBy(() -> overJmx("0"))
                .withMessageContaining("limit must be a whole number, at least 1; allowed: 1 to 2147483647");
    }

    private static Object overJmx(String limit) throws JMException {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName endpoints = new ObjectName(DOMAIN + ".SERVLET:type=Endpoint,name=Groupscopes,*");
        ObjectName endpoint = server.queryNames(endpoints, null).iterator().next();
        String text = String.class.getName();
        return server.invoke(endpoint, "scopes", new Object[] {limit, null}, new String[] {text, text});
    }

    private static ApplicationServer server() {
        return STARTED.get(WebApplicationType.SERVLET);
    }

    private static Scopes scopes() {
        return server().bean(Scopes.class);
    }

    private static Answer get(String query) throws IOException, InterruptedException {
        return get(WebApplicationType.SERVLET, query);
    }

    private static Answer get(WebApplicationType type, String query) throws IOException, InterruptedException {
        return send(type, "GET", query);
    }

    private static Answer send(WebApplicationType type, String method, String query)
            throws IOException, InterruptedException {
        ApplicationServer server = STARTED.get(type);
        HttpResponse<String> response = server.sendJson(method, server.at("/actuator/groupscopes" + query), "");
        return new Answer(response.statusCode(), JSON.readTree(response.body()));
    }

    private record Answer(int status, JsonNode body) {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean(defaultCandidate = false)
        GroupExecutor nightly() {
            return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
        }
    }
}
