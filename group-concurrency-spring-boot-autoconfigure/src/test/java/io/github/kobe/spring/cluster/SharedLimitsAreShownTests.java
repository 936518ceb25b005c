package io.github.kobe.spring.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.kobe.GroupExecutor;
import io.github.kobe.TaskHandle;
import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.ClusterSettings;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.cluster.Hint;
import io.github.kobe.cluster.NodeShare;
import io.github.kobe.cluster.Statement;
import io.github.kobe.spring.testing.ApplicationServer;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.RequiredSearch;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What an operator sees of limits over all instances: endpoint, health and meters of a real application, over HTTP. */
@Tag("CL68")
@Timeout(120)
class SharedLimitsAreShownTests {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Server server = new Server("closed");
    private final GroupExecutor executor = server.bean(GroupExecutor.class);
    private final Gate gate = new Gate();

    @AfterEach
    void stop() throws Exception {
        gate.open();
        Deadline.within(() -> {
            server.close();
            return true;
        });
    }

    private void holdOne() {
        var held = executor.submit("tenant:a", "1", gate.then("held"));
        gate.awaitArrived(1);
        assertThat(held.isDone()).isFalse();
    }

    private void haveTheOtherWait() {
        GroupExecutor other = server.bean(Instances.class).other;
        var waiting = other.submit("tenant:a", "2", gate.then("waits"));
        assertThat(waiting.isDone()).isFalse();
        Deadline.until(
                "it has said so",
                () -> other.cluster().orElseThrow().look("tenant:a").toCompletableFuture().join().stream()
                                .mapToInt(NodeShare::wants)
                                .sum()
                        == 2);
    }

    @Test
    void theEndpointShowsHowTheExecutorStandsWithTheStore() throws Exception {
        JsonNode cluster = server.get("/actuator/groupexecutor").path("cluster");

        assertThat(cluster.path("state").asText()).isEqualTo("CONNECTED");
        assertThat(cluster.path("nodes").asInt()).isEqualTo(2);
        assertThat(cluster.path("onStoreLoss").asText()).isEqualTo("CLOSED");
        assertThat(cluster.path("alone").asBoolean()).isFalse();
        assertThat(cluster.path("lastAnswer").asText()).startsWith("PT");
        assertThat(cluster.path("reason").isNull()).isTrue();
        assertThat(cluster.path("learningLeft").isNull()).isTrue();
        assertThat(cluster.path("since").asText()).isNotEmpty();
    }

    @Test
    void theEndpointShowsAGroupsShareAndThatOfOthersIfAsked() throws Exception {
        holdOne();

        JsonNode group = server.get("/actuator/groupexecutor/tenant:a");
        assertThat(group.path("limits").path("clusterMaxInFlight").path("value").asInt())
                .isEqualTo(1);
        assertThat(group.path("cluster").path("state").asText()).isEqualTo("CONNECTED");
        assertThat(group.path("cluster").path("leased").asInt()).isEqualTo(1);
        assertThat(group.path("cluster").path("alone").isBoolean()).isTrue();
        assertThat(group.path("cluster").path("alone").asBoolean()).isFalse();
        assertThat(group.path("cluster").has("nodes")).isFalse();

        haveTheOtherWait();
        JsonNode asked =
                server.get("/actuator/groupexecutor/tenant:a?cluster=true").path("cluster");
        assertThat(asked.path("state").asText()).isEqualTo("CONNECTED");
        assertThat(asked.path("sum").asInt()).isEqualTo(1);
        assertThat(asked.path("nodes")).hasSize(2);
        assertThat(asked.path("nodes").get(0).path("node").asText()).isEqualTo("other");
        assertThat(asked.path("nodes").get(0).path("wants").asInt()).isEqualTo(1);
        assertThat(asked.path("nodes").get(1).path("node").asText()).isEqualTo("this");
        assertThat(asked.path("nodes").get(1).path("has").asInt()).isEqualTo(1);
    }

    @Test
    void aGroupThatNobodySharesShowsNone() throws Exception {
        executor.call("own", () -> "done");

        JsonNode group = server.get("/actuator/groupexecutor/own?cluster=true");
        assertThat(group.has("cluster")).isFalse();
        assertThat(group.path("limits").path("clusterMaxInFlight").path("value").isNull())
                .isTrue();
    }

    @Test
    @Tag("CL5")
    void theLimitOverAllInstancesCannotBeSetOnOne() throws Exception {
        HttpResponse<String> answer =
                server.post("/actuator/groupexecutor/tenant:a", "{\"clusterMaxInFlight\": \"7\"}");

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("clusterMaxInFlight", "can't be overridden on one of them");
    }

    @Test
    void healthAndEndpointTellWhyTheStoreIsLost() throws Exception {
        assertThat(Deadline.within(() -> executor.call("tenant:a", () -> "done")))
                .isEqualTo("done");
        JsonNode up = server.get("/actuator/health/groupConcurrency");
        assertThat(up.path("status").asText()).isEqualTo("UP");
        assertThat(up.at("/details/groupExecutor/cluster/state").asText()).isEqualTo("CONNECTED");
        assertThat(up.at("/details/groupExecutor/cluster/nodes").asInt()).isEqualTo(2);

        server.bean(Instances.class).away = true;
        Deadline.untilAsserted(() -> {
            JsonNode lost = server.get("/actuator/health/groupConcurrency");
            assertThat(lost.path("status").asText()).isEqualTo("OUT_OF_SERVICE");
            assertThat(lost.at("/details/groupExecutor/cluster/state").asText()).isEqualTo("LOST");
            assertThat(lost.at("/details/groupExecutor/cluster/reason").asText())
                    .isEqualTo("LOADING the store says so");
        });
        JsonNode asked =
                server.get("/actuator/groupexecutor/tenant:a?cluster=true").path("cluster");
        assertThat(asked.path("reason").asText()).isEqualTo("LOADING the store says so");
        assertThat(asked.path("state").asText()).isEqualTo("LOST");
        assertThat(asked.path("leased").isInt()).isTrue();
        assertThat(asked.path("leased").asInt()).isZero();
    }

    @Test
    @Tag("CL53")
    void aGroupTellsThatItGoesByTheNumbersOfThisInstanceAlone() throws Exception {
        try (Server local = new Server("local")) {
            GroupExecutor alone = local.bean(GroupExecutor.class);
            local.bean(Instances.class).away = true;
            Deadline.until("alone", () -> alone.cluster().orElseThrow().state().alone());
            assertThat(Deadline.within(() -> alone.call("tenant:a", () -> "done")))
                    .isEqualTo("done");

            JsonNode group =
                    local.get("/actuator/groupexecutor/tenant:a?cluster=true").path("cluster");
            assertThat(group.path("alone").asBoolean()).isTrue();
            assertThat(group.path("leased").asInt()).isEqualTo(2);
            assertThat(group.path("reason").asText()).isEqualTo("LOADING the store says so");
            assertThat(local.get("/actuator/groupexecutor")
                            .at("/groups/tenant:a/cluster/alone")
                            .asBoolean())
                    .isTrue();
        }
    }

    @Test
    void metersTellOfTheStoreAndOfWhatIsLeased() {
        holdOne();

        assertThat(meter("leased").tag("group", "tenant:*").gauge().value()).isEqualTo(1);
        assertThat(meter("unmet").tag("group", "tenant:*").gauge().value()).isZero();
        assertThat(meter("nodes").gauge().value()).isEqualTo(2);
        assertThat(meter("state").tag("state", "connected").gauge().value()).isEqualTo(1);
        assertThat(meter("state").tag("state", "lost").gauge().value()).isZero();
        assertThat(meter("lease.remaining").timeGauge().value()).isPositive();
        assertThat(meter("exchange").functionTimer().count()).isPositive();
        assertThat(meter("demands").functionCounter().count()).isPositive();
        assertThat(meter("failures").functionCounter().count()).isZero();
        assertThat(meter("hints").functionCounter().count()).isNotNegative();
    }

    @Test
    void whatLacksIsMeasuredWhereItLacks() {
        GroupExecutor other = server.bean(Instances.class).other;
        var held = other.submit("tenant:a", "1", gate.then("held"));
        gate.awaitArrived(1);
        var waiting = executor.submit("tenant:a", "2", () -> "done");

        Deadline.until(
                "one waits",
                () -> meter("unmet").tag("group", "tenant:*").gauge().value() == 1);
        assertThat(meter("leased").tag("group", "tenant:*").gauge().value()).isZero();
        assertThat(List.of(held, waiting)).noneMatch(TaskHandle::isDone);
    }

    private RequiredSearch meter(String name) {
        return server.bean(MeterRegistry.class).get("group.cluster." + name).tag("executor", "groupExecutor");
    }

    private static final class Server extends ApplicationServer {

        private Server(String onStoreLoss) {
            super(
                    new SpringApplicationBuilder(Application.class),
                    Stream.of(
                            "management.endpoints.web.exposure.include=groupexecutor,health",
                            "management.endpoint.groupexecutor.access=unrestricted",
                            "management.endpoint.health.show-details=always",
                            "spring.autoconfigure.exclude=io.github.kobe.spring.rollout.GroupConcurrencyRolloutAutoConfiguration",
                            "group-concurrency.metrics.group-tag=configured",
                            "group-concurrency.cluster.on-store-loss=" + onStoreLoss,
                            "group-concurrency.defaults.max-concurrency=2",
                            "group-concurrency.cluster.node-name=this",
                            "group-concurrency.cluster.lease=5s",
                            "group-concurrency.health.cluster-loss=0s",
                            "group-concurrency.groups[tenant:*].cluster-max-in-flight=1"));
        }

        private JsonNode get(String path) throws IOException, InterruptedException {
            return JSON.readTree(send(request(path)).body());
        }

        private HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
            return sendJson("POST", at(path), body);
        }
    }

    /** A store, and another instance at it. */
    private static final class Instances implements ClusterStore {

        private final ClusterStore store = ClusterStore.inMemory();
        private @Nullable GroupExecutor other;
        private volatile boolean away;

        private void join(GroupExecutor like) {
            other = GroupExecutor.newVirtualThreadExecutor(
                    like.policy().toBuilder().recorderFactory(null).build(),
                    ClusterSettings.of(store).withNodeName("other").withLease(Duration.ofSeconds(5)));
            Deadline.until(
                    "both are there", () -> like.cluster().orElseThrow().state().nodes() == 2);
        }

        @Override
        public CompletionStage<Answer> exchange(Statement statement) {
            return away ? lost() : store.exchange(statement);
        }

        @Override
        public Runnable onHint(Consumer<Hint> listener) {
            return store.onHint(listener);
        }

        @Override
        public CompletionStage<List<NodeShare>> look(@Nullable String resource) {
            return away ? lost() : store.look(resource);
        }

        private static <T> CompletionStage<T> lost() {
            return CompletableFuture.failedStage(new IllegalStateException("LOADING the store says so"));
        }

        @Override
        public void close() {
            GroupExecutor joined = other;
            if (joined != null) {
                joined.close();
            }
            store.close();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Instances instances() {
            return new Instances();
        }

        @Bean
        ApplicationRunner joins(Instances instances, GroupExecutor executor) {
            return arguments -> instances.join(executor);
        }
    }
}
