package io.github.kobe.spring.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Markdown;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The shortest way to a rollout, word for word as the page shows it. The two addresses on the page are reached by a proxy,
 * which answers for the instances.
 */
@Tag("R5")
@Tag("R134")
class ShortRolloutTests {

    private static final Markdown PAGE = Markdown.page("docs/howto/spring-rollouts.md");

    /** The page's parts stand in it as statements, and as members. */
    private static final String APPLICATION = """
        // src/main/java/com/example/brief/BriefApplication.java
        package com.example.brief;

        import io.github.kobe.rollout.*;
        import java.net.*;
        import java.net.http.HttpClient;
        import java.time.Duration;
        import java.util.*;
        import java.util.concurrent.*;
        import org.springframework.boot.autoconfigure.SpringBootApplication;
        import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
        import org.springframework.context.annotation.Bean;
        import org.springframework.core.annotation.Order;
        import org.springframework.web.client.RestClient;

        @SpringBootApplication
        public class BriefApplication {

            @Bean
            RestClient.Builder clients() {
                return RestClient.builder();
            }

            @Bean
            ClientHttpRequestFactoryBuilder<?> requests() {
                ProxySelector proxy = ProxySelector.of(new InetSocketAddress("localhost", PORT));
                return ClientHttpRequestFactoryBuilder.jdk()
                        .withHttpClientCustomizer(client -> client.version(HttpClient.Version.HTTP_1_1).proxy(proxy));
            }

            @Bean
            Callable<PlanStatus> rollout(Rollouts rollouts) {
                String configJson = "{\\"version\\": 42}";
                return () -> {
                    STATEMENTS
                    return rollouts.plan(plan.planId()).status();
                };
            }

            @Bean
            Balancer balancer() {
                return new Balancer();
            }

            public static class Balancer extends CopyOnWriteArrayList<String> {

                void drain(TenantId tenant, String key) {
                    add("drain " + tenant);
                }

                void undrain(TenantId tenant) {
                    add("undrain " + tenant);
                }
            }

            MEMBERS
        }
        """;

    @TempDir
    private Path folder;

    private final Map<String, String> sent = new ConcurrentHashMap<>();
    private final Map<String, String> loaded = new ConcurrentHashMap<>();
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private HttpServer proxy;

    @BeforeEach
    void start() throws IOException {
        proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        proxy.createContext("/", this::answer);
        proxy.start();
    }

    @AfterEach
    void stop() {
        proxy.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String instance = exchange.getRequestURI().getAuthority();
            String request =
                    exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath();
            seen.add(instance + " " + request);
            if (request.equals("PUT /config")) {
                sent.put(instance, new String(exchange.getRequestBody().readAllBytes(), UTF_8));
            } else if (request.equals("POST /config/refresh")) {
                loaded.put(instance, sent.get(instance));
            }
            byte[] body = loaded.getOrDefault(instance, "{}").getBytes(UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private QuickStartApplication application(String members) throws Exception {
        String settings = PAGE.section("In short");
        settings = settings.substring(settings.indexOf("```yaml"), settings.indexOf("```java"));
        String source = APPLICATION
                .replace("PORT", String.valueOf(proxy.getAddress().getPort()))
                .replace("STATEMENTS", PAGE.blocks("java part").get(0))
                .replace("MEMBERS", members);
        return new QuickStartApplication(
                new Markdown(PAGE.file(), settings + "```java application\n" + source + "```\n"), folder);
    }

    @Test
    void itSwitchesTheConfigurationOfBothInstances() throws Exception {
        try (QuickStartApplication application = application("")) {
            assertThat(application.bean(Callable.class).call()).isEqualTo(PlanStatus.COMPLETED);

            assertThat(loaded)
                    .isEqualTo(Map.of("10.0.0.1:8080", "{\"version\": 42}", "10.0.0.2:8080", "{\"version\": 42}"));
            assertThat(seen.subList(0, 2))
                    .containsExactlyInAnyOrder("10.0.0.1:8080 PUT /config", "10.0.0.2:8080 PUT /config");
            assertThat(seen).hasSize(6);
            assertThat(application
                            .get("/actuator/rollouts/plan-2026-11-22")
                            .get(Deadline.SECONDS, TimeUnit.SECONDS)
                            .body())
                    .contains("\"maxConcurrency\":10", "\"status\":\"COMPLETED\"");
        }
    }

    @Test
    void aStageOfItsOwnIsABean() throws Exception {
        try (QuickStartApplication application =
                application(PAGE.blocks("java part").get(1))) {
            assertThat(application.bean(Callable.class).call()).isEqualTo(PlanStatus.COMPLETED);

            assertThat((List<?>) application.bean(CopyOnWriteArrayList.class)).isEqualTo(List.of("drain acme"));
            assertThat(seen).isEmpty();
        }
    }
}
