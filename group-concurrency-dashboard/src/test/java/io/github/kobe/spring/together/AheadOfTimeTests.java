package io.github.kobe.spring.together;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.rollout.DeployUnit;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.RolloutPlan;
import io.github.kobe.rollout.RolloutStore;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.TenantChange;
import io.github.kobe.rollout.jdbc.JdbcRolloutStore;
import io.github.kobe.scope.Scopes;
import io.github.kobe.spring.together.AheadOfTimeApplication.Customer;
import io.github.kobe.spring.together.AheadOfTimeApplication.Order;
import io.github.kobe.testing.Deadline;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.catalina.webresources.TomcatURLStreamHandlerFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringApplicationRunListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.SpringProperties;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;

/**
 * Has Spring write the code that stands for the application's configuration, as a native image and an application that
 * starts ahead-of-time compiled have it, and starts the application from that code alone. Beside other work that takes long.
 */
@Tag("deep")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class AheadOfTimeTests {

    private static final String[] SETTINGS = {
        "--server.port=0",
        "--management.endpoints.web.exposure.include=groupexecutor,groupscopes,metrics,rollouts",
        "--management.endpoint.rollouts.access=read-only",
        "--management.endpoints.access.default=none",
        "--management.endpoint.groupexecutor.access=unrestricted",
        "--management.endpoint.groupscopes.access=read-only",
        "--management.endpoint.metrics.access=read-only",
        "--group-concurrency.scope.default-timeout=1m",
        "--group-concurrency.client.honour-retry-after=5m",
        "--group-concurrency.global.max-in-flight=50",
        "--group-concurrency.groups.vip.max-concurrency=8",
        "--group-concurrency.groups[tenant:*].max-concurrency=4"
    };

    @Test
    @CompileWithForkedClassLoader
    void anApplicationCompiledAheadOfTimeLimitsShowsAndCountsAsAnyOther() {
        startedFromGeneratedCode((context, client) -> {
            GroupExecutor executor = context.getBean(GroupExecutor.class);

            assertThat(client.get("/reports/a")).isEqualTo("report on a");

            JsonNode group = client.json("/actuator/groupexecutor/tenant:a");
            assertThat(group.at("/limits/maxConcurrency/value").asInt()).isEqualTo(4);
            assertThat(group.at("/totals/succeeded").asInt()).isEqualTo(1);
            assertThat(client.json("/actuator/metrics/group.executor.submitted?tag=group:tenant:*")
                            .at("/measurements/0/value")
                            .asInt())
                    .isEqualTo(1);

            try (var scope = context.getBean(Scopes.class).open(change -> change.withName("page"))) {
                assertThat(scope.settings().timeout()).contains(Duration.ofMinutes(1));
                assertThat(client.json("/actuator/groupscopes")
                                .at("/scopes/0/name")
                                .asText())
                        .isEqualTo("page");
                assertThat(client.json("/actuator/metrics/group.scope.active?tag=scope:page")
                                .at("/measurements/0/value")
                                .asInt())
                        .isEqualTo(1);
            }

            assertThat(context.getBeanNamesForType(BeanPostProcessor.class))
                    .anyMatch(name -> name.endsWith(".PausableExecutors"));

            executor.setLimits(
                    "tenant:b", GroupLimits.unset().withMaxConcurrency(1).withQueueThreshold(0));
            executor.pause("tenant:b");
            assertThat(client.get("/reports/b")).isEqualTo("no report: GROUP_QUEUE_FULL");

            AheadOfTimeApplication.Reports reports = context.getBean(AheadOfTimeApplication.Reports.class);
            assertThat(reports.deliver(new Order(new Customer("Ada"))))
                    .succeedsWithin(Deadline.SECONDS, TimeUnit.SECONDS);
            assertThat(executor.groupKeys()).contains("customer:ada");

            checkThatItRollsOutFromItsDatabase(context, client);
        });
    }

    private static void checkThatItRollsOutFromItsDatabase(ConfigurableApplicationContext context, Client client) {
        Rollouts rollouts = context.getBean(Rollouts.class);
        PlanId planId = rollouts.start(RolloutPlan.named("plan-1")
                        .add(TenantChange.of("acme", DeployUnit.of(7, 42, "blue"), "{}"))
                        .build())
                .planId();
        Deadline.until("it is completed", () -> rollouts.plan(planId).status() == PlanStatus.COMPLETED);

        assertThat(context.getBean(RolloutStore.class)).isInstanceOf(JdbcRolloutStore.class);
        JsonNode plan = client.json("/actuator/rollouts/plan-1");
        assertThat(plan.at("/plan/tasks/COMPLETED").asInt()).isEqualTo(1);
        assertThat(plan.at("/tasks/0/tenant").asText()).isEqualTo("acme");
        Deadline.until(
                "it is counted",
                () -> client.json("/actuator/metrics/rollout.task.completed?tag=plan:plan-1")
                                .at("/measurements/0/value")
                                .asInt()
                        == 1);
    }

    private static void startedFromGeneratedCode(BiConsumer<ConfigurableApplicationContext, Client> use) {
        TestGenerationContext generation = new TestGenerationContext(AheadOfTimeApplication.class);
        try (GenericApplicationContext prepared = prepared()) {
            new ApplicationContextAotGenerator().processAheadOfTime(prepared, generation);
        }
        generation.writeGeneratedContent();
        // The JVM takes one factory only, and this test has a Tomcat of its own class loader.
        TomcatURLStreamHandlerFactory.disable();
        TestCompiler.forSystem().with(generation).compile(compiled -> {
            SpringProperties.setFlag("spring.aot.enabled");
            try (ConfigurableApplicationContext context = application().run(SETTINGS);
                    Client client = new Client(context.getEnvironment().getRequiredProperty("local.server.port"))) {
                use.accept(context, client);
            } finally {
                SpringProperties.setProperty("spring.aot.enabled", null);
            }
        });
    }

    /** {@return the application's context, with all that is in it before it is refreshed} */
    private static GenericApplicationContext prepared() {
        try {
            SpringApplication.withHook(
                    application -> new SpringApplicationRunListener() {
                        @Override
                        public void contextLoaded(ConfigurableApplicationContext context) {
                            throw new SpringApplication.AbandonedRunException(context);
                        }
                    },
                    () -> application().run(SETTINGS));
        } catch (SpringApplication.AbandonedRunException abandoned) {
            return (GenericApplicationContext) abandoned.getApplicationContext();
        }
        throw new AssertionError("the application was not to start");
    }

    private static SpringApplication application() {
        SpringApplication application = new SpringApplication(AheadOfTimeApplication.class);
        application.setMainApplicationClass(AheadOfTimeApplication.class);
        return application;
    }

    private record Client(HttpClient http, String port) implements AutoCloseable {

        Client(String port) {
            this(HttpClient.newHttpClient(), port);
        }

        String get(String path) {
            try {
                URI address = URI.create("http://localhost:" + port + path);
                return http.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString())
                        .body();
            } catch (IOException | InterruptedException failure) {
                throw new AssertionError(failure);
            }
        }

        JsonNode json(String path) {
            try {
                return new ObjectMapper().readTree(get(path));
            } catch (IOException failure) {
                throw new AssertionError(failure);
            }
        }

        @Override
        public void close() {
            Deadline.close(http);
        }
    }
}
