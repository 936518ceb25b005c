package io.github.kobe.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.actuate.EndpointServer.Answer;
import io.github.kobe.testing.Deadline;
import org.junit.jupiter.api.Test;

/** Over HTTP, since the classes of Spring Boot's health are others on each Boot. */
class GroupConcurrencyHealthTests {

    private static EndpointServer server(String... further) {
        String[] settings = new String[further.length + 3];
        settings[0] = "management.endpoints.web.exposure.include=health";
        settings[1] = "management.endpoint.health.show-details=always";
        settings[2] = "management.endpoint.health.probes.enabled=true";
        System.arraycopy(further, 0, settings, 3, further.length);
        return new EndpointServer(settings);
    }

    private static Answer ours(EndpointServer server) throws Exception {
        return server.ask("/actuator/health/groupConcurrency");
    }

    private static void queueTwo(EndpointServer server) {
        GroupExecutor executor = server.executor();
        executor.pause("b");
        executor.pause("a");
        executor.submit("a", () -> null);
        executor.submit("a", () -> null);
    }

    @Test
    void withoutSettingsItIsUpWhateverWaitsAndTellsWhatDoes() throws Exception {
        try (EndpointServer server = server("group-concurrency.shutdown.await-termination-period=0s")) {
            queueTwo(server);

            Answer answer = ours(server);

            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body().path("status").asText()).isEqualTo("UP");
            JsonNode details = answer.body().path("details").path("groupExecutor");
            assertThat(details.path("queued").asInt()).isEqualTo(2);
            assertThat(details.path("paused").asInt()).isEqualTo(2);
            assertThat(details.path("oldestWait").asText()).startsWith("PT");
            assertThat(details).as("keys may be names").hasSize(3);
        }
    }

    @Test
    void itIsOutOfServiceOnlyPastAFullGlobalQueueAndInTheProbesOnlyIfListed() throws Exception {
        try (EndpointServer server =
                server("group-concurrency.shutdown.await-termination-period=0s", "group-concurrency.health.queue=2")) {
            queueTwo(server);
            assertThat(ours(server).status()).isEqualTo(200);

            server.executor().submit("a", () -> null);

            Answer answer = ours(server);
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.body().path("status").asText()).isEqualTo("OUT_OF_SERVICE");
            assertThat(server.ask("/actuator/health").status()).isEqualTo(503);
            assertThat(server.ask("/actuator/health/liveness").status()).isEqualTo(200);
            assertThat(server.ask("/actuator/health/readiness").status()).isEqualTo(200);
        }
    }

    @Test
    void itIsOutOfServicePastAnOldestWaitAndSoAreTheProbesThatListIt() throws Exception {
        try (EndpointServer server = server(
                "group-concurrency.shutdown.await-termination-period=0s",
                "group-concurrency.health.oldest-wait=1ms",
                "management.endpoint.health.group.readiness.include=readinessState,groupConcurrency")) {
            assertThat(ours(server).status()).isEqualTo(200);
            queueTwo(server);

            Deadline.untilAsserted(() -> assertThat(ours(server).status()).isEqualTo(503));
            assertThat(server.ask("/actuator/health/readiness").status()).isEqualTo(503);
            assertThat(server.ask("/actuator/health/liveness").status()).isEqualTo(200);
        }
    }

    @Test
    void asAnyOtherItCanBeSwitchedOff() throws Exception {
        try (EndpointServer server = server("management.health.group-concurrency.enabled=false")) {
            assertThat(ours(server).status()).isEqualTo(404);
            assertThat(server.ask("/actuator/health").status()).isEqualTo(200);
        }
    }
}
