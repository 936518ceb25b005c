package io.github.kobe.spring.rollout;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.kobe.GroupExecutor;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.client.GroupClientHttpRequestInterceptor;
import io.github.kobe.testing.Deadline;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.RestClient;

/** The stages that there are without any of the application's own, sent by the client that it has set up. */
@Tag("boot")
@Tag("R5")
class HttpSwitchTests {

    private static final String LET_THROUGH = "X-Set-Up";

    private final List<String> seen = new CopyOnWriteArrayList<>();
    private HttpServer instance;

    @BeforeEach
    void start() throws IOException {
        instance = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        instance.createContext("/", this::answer);
        instance.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            seen.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().getFirst(LET_THROUGH));
            byte[] body = "{\"version\": 42}".getBytes(UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @AfterEach
    void stop() {
        instance.stop(0);
    }

    /** A request has a thread of its own, so with a permit of its own it would wait for that of its task. */
    @Test
    void aClientThatLimitsItsCallsSwitchesUnderTheSmallestGlobalLimit() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        GroupConcurrencyAutoConfiguration.class, GroupConcurrencyRolloutAutoConfiguration.class))
                .withUserConfiguration(LimitedClient.class)
                .withPropertyValues(
                        "group-concurrency.max-in-flight=1",
                        "group-concurrency.rollout.store=memory",
                        "group-concurrency.rollout.http.timeout=2s",
                        "group-concurrency.rollout.health.max-attempts=1")
                .run(context -> {
                    Rollouts rollouts = context.getBean(Rollouts.class);
                    PlanId planId = rollouts.start(RolloutPlan.named("plan-1")
                                    .add(TenantChange.of("acme", DeployUnit.of(7, 42, "blue"), "{}")
                                            .endpoints("http://127.0.0.1:"
                                                    + instance.getAddress().getPort()))
                                    .build())
                            .planId();

                    assertThat(rollouts.await(planId, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
                    assertThat(seen).containsExactly("PUT /config yes", "POST /config/refresh yes", "GET /health yes");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class LimitedClient {

        @Bean
        RestClient.Builder builder(GroupExecutor executor) {
            return RestClient.builder()
                    .defaultHeader(LET_THROUGH, "yes")
                    .requestInterceptor(GroupClientHttpRequestInterceptor.byHost(executor, "partner:"));
        }
    }
}
