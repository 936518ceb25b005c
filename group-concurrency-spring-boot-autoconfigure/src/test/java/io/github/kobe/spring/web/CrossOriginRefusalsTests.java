package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupPermit;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.cors.reactive.CorsWebFilter;
import org.springframework.web.filter.CorsFilter;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** What a browser's script of another origin may read of a request that the filter refuses. */
class CrossOriginRefusalsTests {

    private static final String ALLOWED = "http://friend.example";
    private static final String FILTERED = "http://filtered.example";

    private static WebServer start(Class<?> application, WebApplicationType type) {
        return new WebServer(
                application,
                type,
                "group-concurrency.web.filter.enabled=true",
                "group-concurrency.web.filter.rules[0].key-source=header",
                "group-concurrency.web.filter.rules[0].name=X-Tenant",
                "group-concurrency.groups[http:full].queue-threshold=0",
                "group-concurrency.groups[http:hasty].queue-timeout=50ms",
                "server.servlet.context-path=/app",
                "spring.webflux.base-path=/app");
    }

    private static HttpResponse<String> get(WebServer server, String path, String origin, String tenant)
            throws Exception {
        return server.get("/app" + path, "Origin", origin, "X-Tenant", tenant);
    }

    /** {@return what an answer says to a browser, by names in lower case} */
    private static Map<String, List<String>> crossOriginHeaders(HttpResponse<String> answer) {
        Map<String, List<String>> headers = new TreeMap<>();
        answer.headers().map().forEach((name, values) -> {
            String lower = name.toLowerCase(Locale.ROOT);
            if (lower.startsWith("access-control-") || lower.equals("vary")) {
                headers.put(lower, values);
            }
        });
        return headers;
    }

    private static void assertRefused(HttpResponse<String> refusal, int status, Map<String, List<String>> expected) {
        assertThat(refusal.statusCode()).isEqualTo(status);
        assertThat(refusal.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(crossOriginHeaders(refusal)).isEqualTo(expected);
    }

    private static void assertRefusedAsAnswered(WebServer server, String origin, String... paths) throws Exception {
        AtomicInteger calls = server.bean(Endpoints.class).calls;
        List<GroupPermit> all = List.of(
                server.executor().acquire("http:full"), server.executor().acquire("http:hasty"));
        try {
            for (String path : paths) {
                HttpResponse<String> answer = get(server, path, origin, "free");
                assertThat(answer.statusCode()).isEqualTo(200);
                Map<String, List<String>> headers = crossOriginHeaders(answer);
                assertThat(headers.get("access-control-allow-origin")).containsExactly(origin);
                int before = calls.get();

                assertRefused(get(server, path, origin, " "), 400, headers);
                assertRefused(get(server, path, origin, "full"), 429, headers);
                assertRefused(get(server, path, origin, "hasty"), 429, headers);

                assertThat(calls).hasValue(before);
            }
        } finally {
            all.forEach(GroupPermit::close);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void aRefusalHasTheCorsHeadersThatTheHandlersAnswerHas(WebApplicationType type) throws Exception {
        try (WebServer server = start(Application.class, type)) {
            assertRefusedAsAnswered(server, ALLOWED, "/annotated", "/global", "/global/annotated");

            Map<String, List<String>> headers = crossOriginHeaders(get(server, "/annotated", ALLOWED, "free"));
            assertThat(headers.get("access-control-expose-headers")).containsExactly("Retry-After");
            server.executor().shutdown();
            assertRefused(get(server, "/annotated", ALLOWED, "free"), 503, headers);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void whoeverIsNotAllowedGetsNoCorsHeader(WebApplicationType type) throws Exception {
        try (WebServer server = start(Application.class, type)) {
            String own = server.address().toString();
            for (String[] asked : new String[][] {
                {"/annotated", "http://foe.example"},
                {"/global", "http://foe.example"},
                {"/plain", ALLOWED},
                {"/annotated", own},
                {"/nowhere", ALLOWED},
                {"/annotated/by-post", ALLOWED}
            }) {
                HttpResponse<String> refusal = get(server, asked[0], asked[1], " ");

                assertThat(refusal.statusCode()).isEqualTo(400);
                assertThat(refusal.body()).contains("\"status\":400");
                assertThat(crossOriginHeaders(refusal))
                        .as("%s from %s", (Object[]) asked)
                        .doesNotContainKeys("access-control-allow-origin", "access-control-expose-headers");
            }
            assertThat(crossOriginHeaders(server.get("/app/annotated"))).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void whatACorsFilterHasWrittenStaysAsItIs(WebApplicationType type) throws Exception {
        try (WebServer server = start(FilteredApplication.class, type)) {
            assertRefusedAsAnswered(server, FILTERED, "/annotated", "/global", "/plain");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Endpoints.class, ServletSettings.class, ReactiveSettings.class})
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @Import({Application.class, ServletFilter.class, ReactiveFilter.class})
    static class FilteredApplication {}

    @RestController
    static class Endpoints {

        final AtomicInteger calls = new AtomicInteger();

        private String called() {
            calls.incrementAndGet();
            return "done";
        }

        @CrossOrigin(
                origins = {ALLOWED, FILTERED},
                exposedHeaders = "Retry-After",
                allowCredentials = "true")
        @GetMapping("/annotated")
        String annotated() {
            return called();
        }

        @CrossOrigin(origins = ALLOWED)
        @PostMapping("/annotated/by-post")
        String byPost() {
            return called();
        }

        @GetMapping("/global")
        String global() {
            return called();
        }

        @CrossOrigin(exposedHeaders = "Retry-After")
        @GetMapping("/global/annotated")
        String globalAndAnnotated() {
            return called();
        }

        @GetMapping("/plain")
        String plain() {
            return called();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static class ServletSettings implements WebMvcConfigurer {

        @Override
        public void addCorsMappings(CorsRegistry registry) {
            registry.addMapping("/global/**").allowedOrigins(ALLOWED, FILTERED).exposedHeaders("X-Page");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static class ReactiveSettings implements WebFluxConfigurer {

        @Override
        public void addCorsMappings(org.springframework.web.reactive.config.CorsRegistry registry) {
            registry.addMapping("/global/**").allowedOrigins(ALLOWED, FILTERED).exposedHeaders("X-Page");
        }
    }

    private static CorsConfiguration filtered() {
        CorsConfiguration configuration = new CorsConfiguration();
        configuration.addAllowedOrigin(FILTERED);
        configuration.addExposedHeader("X-Filtered");
        return configuration;
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static class ServletFilter {

        @Bean
        CorsFilter corsFilter() {
            UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
            source.registerCorsConfiguration("/**", filtered());
            return new CorsFilter(source);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static class ReactiveFilter {

        @Bean
        CorsWebFilter corsFilter() {
            return new CorsWebFilter(exchange -> filtered());
        }
    }
}
