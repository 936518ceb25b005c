package io.github.kobe.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.sample.fleet.Fleet;
import io.github.kobe.testing.Deadline;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("deep")
class RolloutTests {

    @TempDir
    private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    void aFleetIsBroughtToAVersionAndWhatFailsIsTakenBackOrTriedAgain() throws Exception {
        try (Fleet fleet = new Fleet(0, Duration.ZERO, Duration.ofMillis(50));
                RunningSample sample = RunningSample.start(
                        "spring.profiles.active=rollout",
                        "sample.rollout.fleet=" + fleet.url(),
                        "sample.rollout.folder=" + folder,
                        "group-concurrency.rollout.health.interval=50ms")) {
            assertThat(sample.post("/rollouts?plan=plan-42&version=42").status())
                    .isEqualTo(202);
            awaitTable(
                    sample,
                    "plan-42 PARTIAL_FAILED",
                    "acme          COMPLETED       3 of 3",
                    "hooli         COMPLETED       3 of 3",
                    "initech       COMPLETED       3 of 3",
                    "vip-globex    FAILED          2 of 3  not healthy: ",
                    "vip-umbrella  FAILED          0 of 3  ",
                    "wonka         FAILED          0 of 3  ");
            assertThat(sample.post("/rollouts?plan=plan-42&version=42").status())
                    .isEqualTo(409);

            operate(sample, "{\"action\": \"rollback\", \"tenant\": \"vip-globex\"}");
            awaitTable(sample, "vip-globex    ROLLED_BACK     ");
            mend(fleet, "vip-umbrella-2");
            mend(fleet, "wonka-2");
            operate(sample, "{\"action\": \"retry\", \"fromCheckpoint\": true}");
            awaitTable(sample, "vip-umbrella  COMPLETED       3 of 3", "wonka         COMPLETED       3 of 3");

            assertThat(get(fleet.url() + "/servers").lines())
                    .hasSize(12)
                    .allSatisfy(server ->
                            assertThat(server).contains(server.startsWith("vip-globex") ? "version 41" : "version 42"));
            Deadline.untilAsserted(() -> assertThat(eventsWithoutGap()).hasSize(7));
        }
    }

    @Test
    void whatCannotBeDoneIsRefusedWithAReason() {
        try (RunningSample sample = RunningSample.start(
                "spring.profiles.active=rollout",
                "sample.rollout.fleet=http://127.0.0.1:1",
                "sample.rollout.folder=" + folder)) {
            assertThat(sample.get("/rollouts/plan-1").status()).isEqualTo(404);
            assertThat(sample.get("/rollouts/1").status()).isEqualTo(400);
            Reply withoutFleet = sample.post("/rollouts?plan=plan-1&version=42");
            assertThat(withoutFleet.status()).isEqualTo(503);
            assertThat(withoutFleet.json().get("detail").stringValue()).contains("http://127.0.0.1:1/tenants");
        }
    }

    @Test
    @Tag("deep")
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void theDemonstrationSeesWhatIsPromisedAlthoughItKillsTheApplication() throws Exception {
        assertThat(Demonstration.run("rollout-demo.sh"))
                .contains("Killed with kill -9", "Is it as promised?")
                .doesNotContain("  NO   ");
    }

    /** Waits until the table of the plan has lines that begin so. */
    private static void awaitTable(RunningSample sample, String... lines) {
        Deadline.untilAsserted(() -> assertThat(
                        sample.get("/rollouts/plan-42").body().lines())
                .satisfies(table -> assertThat(Stream.of(lines))
                        .allSatisfy(line -> assertThat(table).anyMatch(of -> of.startsWith(line)))));
    }

    private static void operate(RunningSample sample, String json) {
        assertThat(sample.post("/actuator/rollouts/plan-42", json).status()).isEqualTo(200);
    }

    private void mend(Fleet fleet, String server) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(fleet.url() + "/servers/" + server + "?OK"))
                .POST(BodyPublishers.noBody())
                .build();
        assertThat(http.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
    }

    private String get(String url) throws IOException, InterruptedException {
        return http.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
                .body();
    }

    /** The number of the last event of each tenant and of the plan. */
    private Map<String, Long> eventsWithoutGap() throws IOException {
        Map<String, Long> last = new HashMap<>();
        for (String line : Files.readAllLines(folder.resolve("events"))) {
            String[] parts = line.split("\t", -1);
            assertThat(Long.parseLong(parts[2])).as(line).isEqualTo(last.merge(parts[1], 1L, Long::sum));
        }
        return last;
    }
}
