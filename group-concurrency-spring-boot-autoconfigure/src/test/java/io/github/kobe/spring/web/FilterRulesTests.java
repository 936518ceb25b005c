package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskTotals;
import io.github.kobe.spring.testing.NeededAutoConfigurations;
import io.github.kobe.testing.Deadline;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.Serial;
import java.net.URI;
import java.net.http.HttpResponse;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** The rules of the filter, which are the same for servlets and for WebFlux. */
class FilterRulesTests {

    private static final String[] SETTINGS = {
        NeededAutoConfigurations.SETTING + "=ACTUATOR",
        "group-concurrency.web.filter.enabled=true",
        "group-concurrency.web.filter.rules[0].paths=/tenants/{tenant}/**",
        "group-concurrency.web.filter.rules[0].key-source=path",
        "group-concurrency.web.filter.rules[0].name=tenant",
        "group-concurrency.web.filter.rules[0].prefix=tenant:",
        "group-concurrency.web.filter.rules[1].paths=/pass/**",
        "group-concurrency.web.filter.rules[1].key-source=header",
        "group-concurrency.web.filter.rules[1].name=X-Tenant",
        "group-concurrency.web.filter.rules[1].missing-key=pass",
        "group-concurrency.web.filter.rules[2].paths=/grouped/**,/also-grouped",
        "group-concurrency.web.filter.rules[2].key-source=header",
        "group-concurrency.web.filter.rules[2].name=X-Tenant",
        "group-concurrency.web.filter.rules[2].missing-key=nobody",
        "group-concurrency.web.filter.rules[3].paths=/known/**",
        "group-concurrency.web.filter.rules[3].key-source=header",
        "group-concurrency.web.filter.rules[3].name=X-Tenant",
        "group-concurrency.web.filter.rules[3].known-keys-only=true",
        "group-concurrency.web.filter.rules[4].paths=/own/**",
        "group-concurrency.web.filter.rules[5].paths=/users/**",
        "group-concurrency.web.filter.rules[5].key-source=principal",
        "group-concurrency.web.filter.rules[6].key-source=header",
        "group-concurrency.web.filter.rules[6].name=X-Tenant",
        "group-concurrency.groups[http:known].max-concurrency=2",
        "group-concurrency.groups[http:*].max-concurrency=3",
        "management.endpoints.web.exposure.include=health"
    };

    @RegisterExtension
    static final WebServers SERVERS = new WebServers(Application.class, SETTINGS);

    /** {@return an application that has endpoints, and one rule that takes the key from a header} */
    private static WebServer limitedByTenant(Class<?> application, WebApplicationType type, String... settings) {
        List<String> all = new ArrayList<>(List.of(
                "group-concurrency.web.filter.rules[0].key-source=header",
                "group-concurrency.web.filter.rules[0].name=X-Tenant"));
        Collections.addAll(all, settings);
        return filtered(application, type, all.toArray(String[]::new));
    }

    /** {@return an application that has endpoints, and the filter} */
    private static WebServer filtered(Class<?> application, WebApplicationType type, String... settings) {
        List<String> all = new ArrayList<>(
                List.of(NeededAutoConfigurations.SETTING + "=ACTUATOR", "group-concurrency.web.filter.enabled=true"));
        Collections.addAll(all, settings);
        return new WebServer(application, type, all.toArray(String[]::new));
    }

    /** {@return the answer, and the groups in which it was limited} */
    private static Set<String> groupsOf(WebServer server, int status, String path, String... headers) throws Exception {
        server.executor().groupKeys().forEach(server.executor()::evictGroup);
        HttpResponse<String> answer = server.get(path, headers);
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(server.executor().awaitQuiet(Deadline.LONG)).isTrue();
        Set<String> limited = new TreeSet<>(server.executor().groupKeys());
        limited.removeIf(
                key -> server.executor().groupStats(key).orElseThrow().totals().submitted() == 0);
        return limited;
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void theFirstRuleThatHasThePathDecides(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);
        String[] tenant = {"X-Tenant", "a"};

        assertThat(groupsOf(server, 200, "/tenants/%E7%A7%9F%E6%88%B7/reports", tenant))
                .containsExactly("tenant:租户");
        assertThat(groupsOf(server, 200, "/tenants/b", tenant)).containsExactly("tenant:b");
        assertThat(groupsOf(server, 200, "/pass/1", tenant)).containsExactly("http:a");
        assertThat(groupsOf(server, 200, "/also-grouped", tenant)).containsExactly("http:a");
        assertThat(groupsOf(server, 200, "/own/1", "X-Api-Key", "k")).containsExactly("api-key:k");
        assertThat(groupsOf(server, 200, "/users/1", "X-User", "ann")).containsExactly("http:ann");
        assertThat(groupsOf(server, 200, "/anything/else", tenant)).containsExactly("http:a");
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void aRequestWithoutAKeyIsRefusedPassesOrHasAGroup(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);

        assertThat(groupsOf(server, 400, "/anything/else")).isEmpty();
        assertThat(groupsOf(server, 400, "/anything/else", "X-Tenant", " ")).isEmpty();
        assertThat(groupsOf(server, 200, "/pass/1")).isEmpty();
        assertThat(groupsOf(server, 200, "/grouped/1")).containsExactly("nobody");
        assertThat(groupsOf(server, 200, "/own/1")).isEmpty();
        assertThat(groupsOf(server, 200, "/users/1")).isEmpty();

        HttpResponse<String> refusal = server.get("/anything/else");
        assertThat(refusal.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(refusal.headers().firstValue("Retry-After")).isEmpty();
        assertThat(refusal.body())
                .isEqualTo("{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,\"detail\":\"The key"
                        + " that requests are limited by is missing or too long.\"}");
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void aKeyThatIsTooLongIsRefused(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);
        int longest = server.executor().policy().maxKeyLength() - "http:".length();

        assertThat(groupsOf(server, 200, "/pass/1", "X-Tenant", "x".repeat(longest)))
                .hasSize(1);
        assertThat(groupsOf(server, 400, "/pass/1", "X-Tenant", "x".repeat(longest + 1)))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void aRequestCountsByItsStatus(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);

        assertOutcome(server, 200, "/anything", 1, 0);
        assertOutcome(server, 500, "/fails", 0, 1);
        assertOutcome(server, 500, "/fails-later", 0, 1);
        assertOutcome(server, 503, "/answers/503", 0, 1);
        assertOutcome(server, 404, "/answers/404", 1, 0);
        assertOutcome(server, 404, "/throws/404", 1, 0);
        assertOutcome(server, 502, "/throws/502", 0, 1);
        assertOutcome(server, 404, "/throws-annotated/404", 1, 0);
        assertOutcome(server, 503, "/throws-annotated/503", 0, 1);
        assertOutcome(server, 429, "/rejected", 1, 0);
    }

    private static void assertOutcome(WebServer server, int status, String path, int succeeded, int failed)
            throws Exception {
        assertThat(groupsOf(server, status, path, "X-Tenant", "counted")).containsExactly("http:counted");
        TaskTotals totals =
                server.executor().groupStats("http:counted").orElseThrow().totals();
        assertThat(totals.succeeded()).as(path).isEqualTo(succeeded);
        assertThat(totals.failed()).as(path).isEqualTo(failed);
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void unknownKeysShareOneGroupWhereOnlyKnownOnesHaveTheirOwn(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);

        assertThat(groupsOf(server, 200, "/known/1", "X-Tenant", "known")).containsExactly("http:known");
        assertThat(groupsOf(server, 200, "/known/1", "X-Tenant", "made-up-1")).containsExactly("http:_unknown");
        assertThat(groupsOf(server, 200, "/known/1", "X-Tenant", "made-up-2")).containsExactly("http:_unknown");
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void managementAndPreflightsAndErrorsAreLeftAlone(WebApplicationType type) throws Exception {
        WebServer server = SERVERS.of(type);

        assertThat(groupsOf(server, 200, "/actuator/health")).isEmpty();
        assertThat(groupsOf(server, 200, "/actuator/health", "X-Tenant", "a")).isEmpty();
        assertThat(groupsOf(server, 400, "/actuatorial")).isEmpty();
        assertThat(groupsOf(server, 500, "/fails", "X-Tenant", "a")).containsExactly("http:a");
        assertThat(server.executor().groupStats("http:a").orElseThrow().totals().submitted())
                .isEqualTo(1);

        HttpResponse<String> preflight = server.preflight("/anything/else");
        assertThat(preflight.statusCode()).isNotEqualTo(400);
        assertThat(server.executor().groupStats("http:a").orElseThrow().totals().submitted())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void theManagementPathsAreThoseOfTheSettings(WebApplicationType type) throws Exception {
        String[] settings = {
            "management.endpoints.web.base-path=/manage/it",
            "server.servlet.context-path=/app",
            "spring.mvc.servlet.path=/mvc",
            "spring.webflux.base-path=/app/mvc"
        };
        try (WebServer server = limitedByTenant(Application.class, type, settings)) {
            assertThat(server.get("/app/mvc/manage/it/health").statusCode()).isEqualTo(200);
            assertThat(server.get("/app/mvc/actuator/health").statusCode()).isEqualTo(400);
            assertThat(server.get("/app/mvc/manage").statusCode()).isEqualTo(400);
        }
    }

    @Test
    void theWholePathIsThatOfAServletWithAPrefixOfItsOwn() throws Exception {
        String onlyPaths = "group-concurrency.web.filter.rules[0].paths=/legacy/**";
        try (WebServer server = limitedByTenant(WithAServlet.class, WebApplicationType.SERVLET, onlyPaths)) {
            assertThat(server.get("/legacy/any").statusCode()).isEqualTo(400);
            assertThat(server.get("/legacy/actuator/health").statusCode()).isEqualTo(400);
            assertThat(groupsOf(server, 200, "/legacy/any", "X-Tenant", "a")).containsExactly("http:a");
        }
    }

    /** Tomcat resolves them before it looks for the servlet; Spring MVC's servlet then goes by the path as it was sent. */
    @Test
    void noPathWithDotSegmentsPasses() throws Exception {
        String[] settings = {
            "group-concurrency.web.filter.rules[0].paths=/events/**",
            "group-concurrency.web.filter.rules[0].limit=false",
            "group-concurrency.web.filter.rules[1].paths=/public/**",
            "group-concurrency.web.filter.rules[1].key-source=header",
            "group-concurrency.web.filter.rules[1].name=X-Tenant",
            "group-concurrency.web.filter.rules[1].prefix=public:",
            "group-concurrency.web.filter.rules[1].missing-key=pass",
            "group-concurrency.web.filter.rules[2].paths=/**",
            "group-concurrency.web.filter.rules[2].key-source=header",
            "group-concurrency.web.filter.rules[2].name=X-Tenant"
        };
        try (WebServer server = filtered(WithAServlet.class, WebApplicationType.SERVLET, settings)) {
            for (String path : List.of(
                    "/actuator/../legacy/any",
                    "/actuator/..;x=1/legacy/any",
                    "/actuator/%2e%2E/legacy/any",
                    "/actuator/./../legacy/any",
                    "/events/../legacy/any",
                    "/public/../legacy/any")) {
                assertThat(server.get(path).statusCode()).as(path).isEqualTo(400);
                assertThat(groupsOf(server, 200, path, "X-Tenant", "a"))
                        .as(path)
                        .containsExactly(path.startsWith("/public/") ? "public:a" : "http:a");
            }
        }
    }

    @ParameterizedTest
    @Tag("deep")
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void onAPortOfItsOwnManagementHasNoPathsHere(WebApplicationType type) throws Exception {
        try (WebServer server = limitedByTenant(Application.class, type, "management.server.port=0")) {
            assertThat(server.get("/actuator/health").statusCode()).isEqualTo(400);
        }
    }

    @ParameterizedTest
    @Tag("deep")
    @CsvSource({"SERVLET, ''", "SERVLET, 0", "REACTIVE, ''", "REACTIVE, 0"})
    void probesAndAdditionalPathsOfHealthAreNeverLimited(WebApplicationType type, String managementPort)
            throws Exception {
        String[] settings = {
            "management.server.port=" + managementPort,
            "management.endpoint.health.probes.enabled=true",
            "management.endpoint.health.probes.add-additional-paths=true",
            "management.endpoint.health.group.own.include=ping",
            "management.endpoint.health.group.own.additional-path=server:/healthz",
            "management.endpoint.health.group.managed.include=ping",
            "management.endpoint.health.group.managed.additional-path=management:/managed",
            "server.servlet.context-path=/app",
            "spring.mvc.servlet.path=/mvc",
            "spring.webflux.base-path=/app/mvc"
        };
        try (WebServer server = limitedByTenant(Application.class, type, settings)) {
            for (String path : List.of("/livez", "/readyz", "/healthz")) {
                assertThat(groupsOf(server, 200, "/app/mvc" + path)).as(path).isEmpty();
                assertThat(groupsOf(server, 200, "/app/mvc" + path, "X-Tenant", "a"))
                        .as(path)
                        .isEmpty();
                assertThat(server.get("/app/mvc" + path + "-not").statusCode()).isEqualTo(400);
            }
            assertThat(server.get("/app/mvc/managed").statusCode())
                    .as("no probe on the application's port")
                    .isEqualTo(400);
            if (!managementPort.isEmpty()) {
                for (String path : List.of("/managed", "/actuator/health")) {
                    URI probe = URI.create(server.managementAddress() + path);
                    assertThat(server.sendJson("GET", probe, "").statusCode())
                            .as(path)
                            .isEqualTo(200);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void endpointsWithoutAPathOfTheirOwnAreLeftAloneOneByOne(WebApplicationType type) throws Exception {
        String[] settings = {
            "management.endpoint.health.probes.enabled=true",
            "management.endpoints.web.base-path=/",
            "management.endpoints.web.path-mapping.health=probes"
        };
        try (WebServer server = limitedByTenant(Application.class, type, settings)) {
            assertThat(server.get("/probes/liveness").statusCode()).isEqualTo(200);
            assertThat(server.get("/health").statusCode()).isEqualTo(400);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class WithAServlet {

        @Bean
        ServletRegistrationBean<HttpServlet> legacy() {
            return new ServletRegistrationBean<>(new LegacyServlet(), "/legacy/*");
        }
    }

    static final class LegacyServlet extends HttpServlet {

        @Serial
        private static final long serialVersionUID = 1L;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().write("legacy");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Endpoints.class, ServletParts.class, ReactiveParts.class})
    static class Application {}

    @RestController
    static class Endpoints {

        @GetMapping("/**")
        String any() {
            return "done";
        }

        @GetMapping("/fails")
        String fails() {
            throw new IllegalStateException("on purpose");
        }

        @GetMapping("/fails-later")
        CompletableFuture<String> failsLater() {
            return CompletableFuture.supplyAsync(this::fails, Thread::startVirtualThread);
        }

        @GetMapping("/answers/{status}")
        ResponseEntity<String> answers(@PathVariable int status) {
            return ResponseEntity.status(status).body("done");
        }

        @GetMapping("/throws/{status}")
        String throwing(@PathVariable int status) {
            throw new ResponseStatusException(HttpStatusCode.valueOf(status));
        }

        @GetMapping("/throws-annotated/404")
        String throwingNotFound() {
            throw new NoSuchReport();
        }

        @GetMapping("/throws-annotated/503")
        String throwingUnavailable() {
            throw new NoReportsNow();
        }

        @GetMapping("/rejected")
        String rejected() {
            throw new RejectedTaskException("a", "", RejectionReason.GROUP_QUEUE_FULL, -1, -1);
        }
    }

    @ResponseStatus(HttpStatus.NOT_FOUND)
    static class NoSuchReport extends RuntimeException {

        @Serial
        private static final long serialVersionUID = 1L;
    }

    @ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
    static class NoReportsNow extends RuntimeException {

        @Serial
        private static final long serialVersionUID = 1L;
    }

    @Configuration(proxyBeanMethods = false)
    static class ServletParts {

        @Bean
        RequestGroupKey byApiKey() {
            return request -> {
                String apiKey = request.getHeader("X-Api-Key");
                return apiKey == null ? null : "api-key:" + apiKey;
            };
        }

        @Bean
        Filter users() {
            return (request, response, chain) -> chain.doFilter(
                    new HttpServletRequestWrapper((HttpServletRequest) request) {
                        @Override
                        public Principal getUserPrincipal() {
                            String user = getHeader("X-User");
                            return user == null ? null : () -> user;
                        }
                    },
                    response);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ReactiveParts {

        @Bean
        ExchangeGroupKey byApiKeyOfExchange() {
            return exchange -> Mono.justOrEmpty(
                            exchange.getRequest().getHeaders().getFirst("X-Api-Key"))
                    .map(apiKey -> "api-key:" + apiKey);
        }

        @Bean
        WebFilter usersOfExchanges() {
            return (exchange, chain) -> {
                String user = exchange.getRequest().getHeaders().getFirst("X-User");
                Principal principal = () -> user;
                return chain.filter(
                        user == null
                                ? exchange
                                : exchange.mutate()
                                        .principal(Mono.just(principal))
                                        .build());
            };
        }
    }
}
