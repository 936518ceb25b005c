package io.github.kobe.spring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.GroupExecutorBuilder;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Where the page is served, with what, and how it finds the endpoints from there. */
@Tag("deep")
class PageAddressesTests {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** With no settings of a test's own. */
    private static final Map<WebApplicationType, PageServer> PLAIN = new EnumMap<>(WebApplicationType.class);

    @BeforeAll
    static void start() {
        for (WebApplicationType type :
                new WebApplicationType[] {WebApplicationType.SERVLET, WebApplicationType.REACTIVE}) {
            PLAIN.put(type, new PageServer(type));
        }
    }

    @AfterAll
    static void stop() {
        PLAIN.values().forEach(PageServer::close);
        PLAIN.clear();
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void eachFileIsServedWithWhatItIs(WebApplicationType type) throws Exception {
        Map<String, String> types = Map.of(
                "css", "text/css",
                "html", "text/html",
                "js", "text/javascript",
                "json", "application/json",
                "svg", "image/svg+xml",
                "LICENSE", "text/plain");
        PageServer server = PLAIN.get(type);
        for (String name : DashboardPage.FILES) {
            HttpResponse<String> file = server.get("/group-concurrency/" + name);

            assertThat(file.statusCode()).as(name).isEqualTo(200);
            assertThat(file.headers().firstValue("Content-Type").orElseThrow())
                    .as(name)
                    .startsWith(types.get(name.substring(name.lastIndexOf('.') + 1)));
            assertThat(file.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
            assertThat(file.headers().firstValue("Content-Security-Policy").orElseThrow())
                    .contains("default-src 'none'", "script-src 'self'", "style-src 'self'")
                    .doesNotContain("unsafe");
            assertThat(file.body()).as(name).isNotEmpty();
        }
        HttpResponse<String> page = server.get("/group-concurrency/");
        assertThat(page.body())
                .isEqualTo(server.get("/group-concurrency/index.html").body());
        String tag = page.headers().firstValue("ETag").orElseThrow();
        assertThat(page.headers().firstValue("Cache-Control")).hasValue("no-cache");
        for (String known : new String[] {tag, "W/" + tag, "\"other\", " + tag}) {
            assertThat(server.get("/group-concurrency/", "If-None-Match", known).statusCode())
                    .as(known)
                    .isEqualTo(304);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void nothingElseIsServed(WebApplicationType type) throws Exception {
        PageServer server = PLAIN.get(type);
        HttpResponse<String> withoutSlash = server.get("/group-concurrency");
        assertThat(withoutSlash.statusCode()).isEqualTo(302);
        assertThat(withoutSlash.headers().firstValue("Location")).hasValue("group-concurrency/");
        assertThat(server.get("/group-concurrency/nothing.js").statusCode()).isEqualTo(404);
        assertThat(server.get("/group-concurrency/package-info.class").statusCode())
                .isEqualTo(404);
        assertThat(server.get("/group-concurrency/%2e%2e/PageFile.class").statusCode())
                .isIn(400, 404);
        assertThat(server.post("/group-concurrency/").statusCode()).isEqualTo(405);
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void itFindsTheEndpointsWhereverBothAre(WebApplicationType type) throws Exception {
        String[] settings = {
            "group-concurrency.dashboard.path=/ops/live.page",
            "management.endpoints.web.base-path=/manage/it",
            "management.endpoints.web.path-mapping.groupexecutor=groups",
            "management.endpoints.web.exposure.include=groupexecutor,groupscopes",
            "management.endpoint.groupexecutor.access=unrestricted",
            "server.servlet.context-path=/app",
            "spring.mvc.servlet.path=/mvc",
            "spring.webflux.base-path=/app"
        };
        try (PageServer server = new PageServer(type, settings)) {
            JsonNode found = settings(server, server.address().resolve("/app/ops/live.page/"));

            assertThat(found.path("executors")).hasSize(1);
            assertThat(found.at("/groups/writable").asBoolean()).isTrue();
            assertThat(found.at("/scopes/writable").asBoolean()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void whereTheEndpointsHaveAPortItIsThere(WebApplicationType type) throws Exception {
        String[] settings = {
            "management.server.port=0",
            "management.server.base-path=/inner",
            "server.servlet.context-path=/app",
            "spring.webflux.base-path=/app"
        };
        try (PageServer server = new PageServer(type, settings)) {
            assertThat(server.get("/app/group-concurrency/").statusCode()).isEqualTo(404);
            JsonNode found = settings(server, server.managementAddress().resolve("/inner/group-concurrency/"));

            assertThat(found.at("/groups/writable").asBoolean()).isFalse();
            assertThat(found.path("scopes").isNull()).isTrue();
        }
    }

    /** {@return what the page is told at an address, from which it reaches each endpoint that it is told of} */
    private static JsonNode settings(PageServer server, URI page) throws Exception {
        assertThat(server.get(page).body()).contains("main.js");
        JsonNode settings =
                JSON.readTree(server.get(page.resolve("settings.json")).body());
        for (String endpoint : new String[] {"groups", "scopes"}) {
            if (settings.path(endpoint).isObject()) {
                URI address =
                        page.resolve(settings.path(endpoint).path("address").asText());
                assertThat(server.get(address).statusCode()).as(endpoint).isEqualTo(200);
            }
        }
        assertThat(settings.path("groups").isObject()).isTrue();
        return settings;
    }

    @Test
    void theExecutorThatIsMeantWithoutANameIsTheFirst() throws Exception {
        try (PageServer server = new PageServer(TwoExecutors.class, WebApplicationType.SERVLET)) {
            JsonNode settings =
                    JSON.readTree(server.get("/group-concurrency/settings.json").body());

            assertThat(settings.path("executors"))
                    .extracting(JsonNode::asText)
                    .containsExactly("groupExecutor", "another");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void rulesForRequestsLeaveItAlone(WebApplicationType type) throws Exception {
        String[] settings = {
            "group-concurrency.web.filter.enabled=true",
            "group-concurrency.web.filter.rules[0].key-source=header",
            "group-concurrency.web.filter.rules[0].name=X-Tenant"
        };
        try (PageServer server = new PageServer(type, settings)) {
            assertThat(server.get("/group-concurrency/").statusCode()).isEqualTo(200);
            assertThat(server.get("/group-concurrency/main.js").statusCode()).isEqualTo(200);
            assertThat(server.get("/anything").statusCode()).isEqualTo(400);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class TwoExecutors {

        @Bean(defaultCandidate = false)
        GroupExecutor another(GroupExecutorBuilder builder) {
            return builder.build("another", GroupPolicy.builder().build());
        }
    }
}
