package io.github.kobe.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.actuate.EndpointServer.Answer;
import java.lang.management.ManagementFactory;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys of an attacker's choice in the answers of a real Tomcat, and doors that must stay shut. */
class HostileKeysTests {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static EndpointServer server;

    @BeforeAll
    static void start() {
        server = new EndpointServer("management.endpoint.groupexecutor.access=unrestricted");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    static List<String> keys() {
        return List.of(
                "line\r\nbreak",
                "\n{\"forged\":true}",
                "\",\"forged\":{\"running\":1},\"",
                "back\\slash\\",
                "\u0000\u0001\u001b[31m\u007f\u0085",
                "\u2028\u2029\u202e",
                "<script>alert('x')</script>&amp;",
                "key \ud83d\ude00 \u00e4\u4e2d",
                "a/b/../c?d=e&f#g;h%2f",
                "limit",
                "{0} ${java.home} #{1+1}",
                "k".repeat(2_000));
    }

    @ParameterizedTest
    @MethodSource("keys")
    void anyKeyComesBackAsItWas(String key) throws Exception {
        server.executor().call(key, () -> "used");

        Answer one = server.get("?group=" + URLEncoder.encode(key, StandardCharsets.UTF_8));
        assertThat(one.status()).isEqualTo(200);
        assertThat(one.body().get("group").textValue()).isEqualTo(key);
        Answer all = server.get("?limit=1000");
        assertThat(all.body().get("groups").has(key)).isTrue();
        assertThat(all.body().get("groups").has("forged")).isFalse();
        assertThat(all.body().fieldNames())
                .toIterable()
                .containsExactlyInAnyOrder("instance", "global", "groups", "totals", "found", "truncated");
        Answer set = server.post("", JSON.writeValueAsString(Map.of("group", key, "maxConcurrency", 3)));
        assertThat(set.status()).isEqualTo(200);
        assertThat(set.body().get("group").textValue()).isEqualTo(key);
        assertThat(server.executor()
                        .groupStats(key)
                        .orElseThrow()
                        .maxConcurrency()
                        .value())
                .isEqualTo(3);
        server.executor().evictGroup(key);
    }

    @ParameterizedTest
    @ValueSource(strings = {"servlet", "reactive"})
    void aKeyInThePathComesBackAsItWas(String web) throws Exception {
        try (EndpointServer asked = new EndpointServer(
                "management.endpoint.groupexecutor.access=unrestricted", "spring.main.web-application-type=" + web)) {
            for (String key : List.of("100%", "%41", "a+b", "\ud83d\ude00 \u00e4\u4e2d", "limit", "{*key}", "a&b#c")) {
                asked.executor().call(key, () -> "used");
                String path =
                        "/" + URLEncoder.encode(key, StandardCharsets.UTF_8).replace("+", "%20");

                assertThat(asked.get(path).body().path("group").textValue()).isEqualTo(key);
                assertThat(asked.post(path, "{\"weight\":3}")
                                .body()
                                .path("group")
                                .textValue())
                        .isEqualTo(key);
                assertThat(asked.delete(path).status()).isEqualTo(204);
                assertThat(asked.executor().groupKeys()).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("keys")
    void aRefusalRepeatsWhatWasAskedForAsItWas(String key) throws Exception {
        Answer answer = server.get("?group=" + URLEncoder.encode("no " + key, StandardCharsets.UTF_8));

        answer.assertProblem(
                404, "group", "no " + key, "a group that is in use, overridden, or configured by its exact key");
    }

    /** No UTF-8 has them, but JSON's escapes and a program's strings do. */
    @Test
    void halfASurrogatePairDoesNotBreakTheAnswers() throws Exception {
        GroupExecutor executor = server.executor();
        for (String key : List.of("high \ud800", "\udc00 low", "\udc00\ud800")) {
            executor.call(key, () -> "used");

            Answer all = server.get("?limit=1000");

            assertThat(all.status()).isEqualTo(200);
            String shown = key.replaceAll("\\p{Cs}", "\ufffd");
            assertThat(all.body().get("groups").get(shown).get("group").textValue())
                    .isEqualTo(shown);
            executor.evictGroup(key);
        }
        assertThat(server.post("", "{\"group\":\"\\ud800\",\"action\":\"pause\"}")
                        .status())
                .isEqualTo(200);
        assertThat(server.get("?limit=1000").status()).isEqualTo(200);
        assertThat(server.post("", "{\"group\":\"\\ud800\",\"action\":\"resume\"}")
                        .status())
                .isEqualTo(200);
        assertThat(server.post("", "{\"group\":\"a\",\"action\":\"\\ud800\"}").status())
                .isEqualTo(400);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
        '',                                                                                           405
        management.endpoints.access.default=read-only,                                              405
        management.endpoints.access.max-permitted=read-only management.endpoint.groupexecutor.access=unrestricted, 405
        management.endpoints.access.max-permitted=read-only management.endpoints.access.default=unrestricted,      405
        management.endpoints.access.max-permitted=none management.endpoint.groupexecutor.access=unrestricted,      404
        management.endpoint.groupexecutor.access=none,                                              404
        """)
    void writingIsClosedUnlessItIsOpened(String settings, int status) throws Exception {
        String[] all = settings.isBlank() ? new String[0] : settings.split(" ");
        try (EndpointServer closed = new EndpointServer(all)) {
            closed.executor().call("vip", () -> "used");

            assertThat(closed.post("", "{\"group\":\"vip\",\"maxConcurrency\":1}")
                            .status())
                    .isEqualTo(status);
            assertThat(closed.post("/vip", "{\"action\":\"pause\"}").status()).isEqualTo(status);
            assertThat(closed.delete("?group=vip").status()).isEqualTo(status);
            assertThat(closed.delete("/vip").status()).isEqualTo(status);
            assertThat(closed.executor()
                            .groupStats("vip")
                            .orElseThrow()
                            .maxConcurrency()
                            .value())
                    .isEqualTo(8);
            assertThat(closed.executor().groupStats("vip").orElseThrow().paused())
                    .isFalse();
        }
    }

    /** It is an endpoint of the web only: JMX has no operations of it, whatever is exposed there. */
    @Test
    void thereIsNoWayInThroughJmx() throws Exception {
        try (EndpointServer open = new EndpointServer(
                "spring.jmx.enabled=true",
                "management.endpoints.jmx.exposure.include=*",
                "management.endpoint.groupexecutor.access=unrestricted")) {
            List<String> endpoints = ManagementFactory.getPlatformMBeanServer()
                    .queryNames(new ObjectName("org.springframework.boot:type=Endpoint,*"), null)
                    .stream()
                    .map(name -> name.getKeyProperty("name"))
                    .toList();

            assertThat(open.get("").status()).isEqualTo(200);
            assertThat(endpoints).contains("Health").noneMatch(name -> name.equalsIgnoreCase("groupexecutor"));
        }
    }
}
