package io.github.kobe.spring.rollout;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.github.kobe.GroupExecutor;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.TaskStatus;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.TenantId;
import io.github.kobe.spring.autoconfigure.GroupConcurrencyAutoConfiguration;
import io.github.kobe.spring.client.GroupClientHttpRequestInterceptor;
import io.github.kobe.spring.testing.BootAutoConfigurations;
import io.github.kobe.testing.BodyServer;
import io.github.kobe.testing.Deadline;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.RestClient;

/** The stages that there are without any of the application's own, sent by the client that it has set up. */
@Tag("R5")
class HttpSwitchTests {

    private static final String LET_THROUGH = "X-Set-Up";

    /** Paths below /STATUS/METHOD answer that method with a redirect. */
    private static final Pattern REDIRECT = Pattern.compile("/(30[0-9])/([A-Z]+)");

    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final List<String> authorized = new CopyOnWriteArrayList<>();
    private final List<String> redirected = new CopyOnWriteArrayList<>();
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    GroupConcurrencyAutoConfiguration.class, GroupConcurrencyRolloutAutoConfiguration.class))
            .withPropertyValues(
                    "group-concurrency.rollout.store=memory", "group-concurrency.rollout.health.max-attempts=1");
    private HttpServer instance;
    private HttpServer elsewhere;

    @BeforeEach
    void start() throws IOException {
        instance = server(this::answer);
        elsewhere = server(exchange -> {
            try (exchange) {
                redirected.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
                exchange.sendResponseHeaders(200, -1);
            }
        });
    }

    private static HttpServer server(HttpHandler handler) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", handler);
        server.start();
        return server;
    }

    private static String url(HttpServer server) {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            seen.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().getFirst(LET_THROUGH));
            authorized.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            Matcher asked = REDIRECT.matcher(exchange.getRequestURI().getPath());
            if (asked.lookingAt() && asked.group(2).equals(exchange.getRequestMethod())) {
                exchange.getResponseHeaders().set("Location", url(elsewhere) + "/login");
                exchange.sendResponseHeaders(Integer.parseInt(asked.group(1)), -1);
                return;
            }
            if (exchange.getRequestURI().getPath().startsWith("/busy/")) {
                exchange.getResponseHeaders().set("Retry-After", "7");
                exchange.sendResponseHeaders(503, -1);
                return;
            }
            byte[] body = "{\"version\": 42}".getBytes(UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @AfterEach
    void stop() {
        instance.stop(0);
        elsewhere.stop(0);
    }

    /** A request has a thread of its own, so with a permit of its own it would wait for that of its task. */
    @Test
    void aClientThatLimitsItsCallsSwitchesUnderTheSmallestGlobalLimit() {
        runner.withUserConfiguration(LimitedClient.class)
                .withPropertyValues(
                        "group-concurrency.global.max-in-flight=1",
                        "group-concurrency.rollout.http.timeout=10s",
                        "group-concurrency.rollout.http.header.authorization=Bearer 0123")
                .run(context -> {
                    Rollouts rollouts = context.getBean(Rollouts.class);
                    PlanId planId = rollouts.start(RolloutPlan.named("plan-1")
                                    .add(TenantChange.of("acme", DeployUnit.of(7, 42, "blue"), "{}")
                                            .endpoints(url(instance)))
                                    .build())
                            .planId();

                    assertThat(rollouts.await(planId, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
                    assertThat(seen).containsExactly("PUT /config yes", "POST /config/refresh yes", "GET /health yes");
                    assertThat(authorized).containsExactly("Bearer 0123", "Bearer 0123", "Bearer 0123");
                });
    }

    @Test
    void theApplicationsOwnClientSendsNothingToWhereAnInstanceRedirects() {
        runner.withUserConfiguration(LimitedClient.class).run(this::followsNoRedirect);
    }

    @Test
    void springBootsClientSendsNothingToWhereAnInstanceRedirectsThoughItIsSetToFollow() {
        runner.withConfiguration(
                        BootAutoConfigurations.named("HttpClientAutoConfiguration", "RestClientAutoConfiguration"))
                .withUserConfiguration(CountedClient.class)
                .withPropertyValues("spring.http.client.redirects=follow", "spring.http.clients.redirects=follow")
                .run(context -> {
                    followsNoRedirect(context);
                    assertThat(context.getBean(CountedClient.class).made)
                            .as("of the factory builder that is a bean")
                            .hasPositiveValue();
                });
    }

    @Test
    void withoutSpringBootsHttpClientNothingIsSentToWhereAnInstanceRedirectsEither() {
        runner.withClassLoader(new FilteredClassLoader("org.springframework.boot.http.client"))
                .withUserConfiguration(LimitedClient.class)
                .run(this::followsNoRedirect);
    }

    @Test
    void aClientThatCantBeKeptFromFollowingRedirectsFailsTheStart() {
        runner.withUserConfiguration(LimitedClient.class)
                .withBean(
                        ClientHttpRequestFactoryBuilder.class,
                        () -> ClientHttpRequestFactoryBuilder.of(() -> (uri, method) -> null))
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("redirect"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "simple"})
    void anAnswerThatDoesNotComeKeepsNoStage(String factory) {
        assertKeepsNoStage(factory, BodyServer.silent(), Duration.ofSeconds(1), "no answer in PT1S");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "simple"})
    void anAnswerWhoseBodyDoesNotEndKeepsNoStage(String factory) {
        assertKeepsNoStage(factory, BodyServer.endless(), Deadline.LONG, "the answer is longer than 65536 bytes");
    }

    private void assertKeepsNoStage(String factory, BodyServer server, Duration timeout, String reason) {
        ClientHttpRequestFactoryBuilder<?> requests = factory.equals("jdk")
                ? ClientHttpRequestFactoryBuilder.jdk()
                : ClientHttpRequestFactoryBuilder.simple();
        try (server) {
            runner.withUserConfiguration(LimitedClient.class)
                    .withBean(ClientHttpRequestFactoryBuilder.class, () -> requests)
                    .withPropertyValues("group-concurrency.rollout.http.timeout=" + timeout)
                    .run(context -> {
                        Rollouts rollouts = context.getBean(Rollouts.class);
                        PlanId planId = rollouts.start(RolloutPlan.named("plan-1")
                                        .add(TenantChange.of("acme", DeployUnit.of(7, 42, "blue"), "{}")
                                                .endpoints(server.url()))
                                        .build())
                                .planId();

                        assertThat(rollouts.await(planId, Deadline.LONG).status())
                                .isEqualTo(PlanStatus.PARTIAL_FAILED);
                        assertThat(failure(rollouts, "acme")).contains(server.url(), reason);
                        Deadline.until("the connections have ended", () -> server.open() == 0);
                    });
        }
    }

    @Test
    @Tag("R152")
    void anInstanceThatHasNoTimeNowSaysWhenItWill() {
        runner.withUserConfiguration(LimitedClient.class).run(context -> {
            Rollouts rollouts = context.getBean(Rollouts.class);
            PlanId planId = rollouts.start(RolloutPlan.named("plan-1")
                            .add(TenantChange.of("busy", DeployUnit.of(7, 42, "blue"), "{}")
                                    .endpoints(url(instance) + "/busy"))
                            .build())
                    .planId();

            rollouts.await(planId, Deadline.LONG);
            assertThat(failure(rollouts, "busy")).contains("RetryAfterException", "status 503; try again after PT7S");
        });
    }

    private static String failure(Rollouts rollouts, String tenant) {
        return String.valueOf(rollouts.task(TenantId.of(tenant)).failure());
    }

    private void followsNoRedirect(ApplicationContext context) throws InterruptedException {
        RolloutPlan.Builder plan = RolloutPlan.named("plan-1");
        for (int status : new int[] {302, 303, 307}) {
            for (String method : List.of("PUT", "POST", "GET")) {
                plan.add(TenantChange.of(status + method, DeployUnit.of(7, 42, "blue"), "{\"password\": \"x\"}")
                        .endpoints(url(instance) + "/" + status + "/" + method));
            }
        }
        Rollouts rollouts = context.getBean(Rollouts.class);
        PlanId planId = rollouts.start(plan.build()).planId();

        assertThat(rollouts.await(planId, Deadline.LONG).status()).isEqualTo(PlanStatus.PARTIAL_FAILED);
        assertThat(redirected).isEmpty();
        assertThat(rollouts.tasks(planId)).hasSize(9).allSatisfy(task -> {
            assertThat(task.status()).isEqualTo(TaskStatus.FAILED);
            String status = task.tenantId().value().substring(0, 3);
            assertThat(String.valueOf(task.failure())).contains("status " + status + "");
        });
    }

    /** Its factories are counted. */
    @Configuration(proxyBeanMethods = false)
    static class CountedClient {

        private final AtomicInteger made = new AtomicInteger();

        @Bean
        ClientHttpRequestFactoryBuilder<?> counted() {
            return ClientHttpRequestFactoryBuilder.jdk().withHttpClientCustomizer(client -> made.incrementAndGet());
        }
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
