package io.github.kobe.sample.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.sample.fleet.Receipt.Effect;
import io.github.kobe.testing.Deadline;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FleetTests {

    private final Fleet fleet = open();
    private final HttpClient http = HttpClient.newHttpClient();

    private static Fleet open() {
        try {
            return new Fleet(0, Duration.ZERO, Duration.ofMillis(50));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void end() {
        Deadline.close(http);
        fleet.close();
    }

    @Test
    void aServerRunsWhatItHasLoaded() throws Exception {
        switchTo(42, "acme-2", 1);

        assertThat(get(server("acme-2") + "/health")).isEqualTo("{\"version\": 42}");
        assertThat(fleet.receipts()).extracting(Receipt::effect).containsExactly(Effect.DONE, Effect.DONE);
        assertThat(get(fleet.url() + "/requests").lines())
                .containsExactly(
                        "1\tacme\tacme-2\tPUT /config\t42\tkey-42\t1\tDONE",
                        "2\tacme\tacme-2\tPOST /config/refresh\t42\tkey-42\t1\tDONE");
    }

    @Test
    void itActsOnlyOnceOnAKeyAndNeverForALowerToken() throws Exception {
        switchTo(42, "acme-1", 2);
        switchTo(42, "acme-1", 3);
        switchTo(41, "acme-1", 2);

        assertThat(get(server("acme-1") + "/health")).isEqualTo("{\"version\": 42}");
        assertThat(fleet.receipts())
                .extracting(Receipt::effect)
                .containsExactly(Effect.DONE, Effect.DONE, Effect.KNOWN, Effect.KNOWN, Effect.REFUSED, Effect.REFUSED);
    }

    @Test
    void oneThatLagsRunsItLater() throws Exception {
        switchTo(42, "hooli-2", 1);

        Deadline.untilAsserted(
                () -> assertThat(get(server("hooli-2") + "/health")).isEqualTo("{\"version\": 42}"));
    }

    @Test
    void oneThatIsWrongGoesOnWithWhatItHas() throws Exception {
        switchTo(42, "vip-globex-2", 1);

        assertThat(get(server("vip-globex-2") + "/health")).isEqualTo("{\"version\": 41}");
    }

    @Test
    void oneThatIsDownRefusesConnectionsUntilItIsMended() throws Exception {
        String url = server("vip-umbrella-2");
        assertThatThrownBy(() -> get(url + "/health")).isInstanceOf(ConnectException.class);

        send("POST", fleet.url() + "/servers/vip-umbrella-2?OK", "", "", 0);

        assertThat(get(url + "/health")).isEqualTo("{\"version\": 41}");
    }

    @Test
    void oneThatHangsNeverAnswers() {
        assertThatThrownBy(() -> switchTo(42, "wonka-2", 1)).isInstanceOf(HttpTimeoutException.class);
        Deadline.untilAsserted(
                () -> assertThat(fleet.receipts()).extracting(Receipt::effect).containsExactly(Effect.NONE));
    }

    @Test
    void itTellsItsTenantsAndServers() throws Exception {
        assertThat(get(fleet.url() + "/tenants"))
                .startsWith("[{\"tenant\": \"acme\", \"version\": 41, \"servers\": [\"" + server("acme-1") + "\", \""
                        + server("acme-2") + "\"]},");
        assertThat(get(fleet.url() + "/servers").lines())
                .hasSize(12)
                .contains("hooli-2         LAG    version 41  " + server("hooli-2"));
    }

    private String server(String name) {
        return fleet.servers().stream()
                .filter(server -> server.name().equals(name))
                .findFirst()
                .orElseThrow()
                .url();
    }

    private void switchTo(int version, String server, long token) throws IOException, InterruptedException {
        send("PUT", server(server) + "/config", "{\"version\": " + version + "}", "key-" + version, token);
        send("POST", server(server) + "/config/refresh", "", "key-" + version, token);
    }

    private String get(String url) throws IOException, InterruptedException {
        return send("GET", url, "", "", 0);
    }

    private String send(String method, String url, String body, String key, long token)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url))
                .timeout(url.contains(server("wonka-2")) ? Duration.ofSeconds(2) : Deadline.LONG)
                .method(method, BodyPublishers.ofString(body))
                .header("Rollout-Token", String.valueOf(token));
        if (!key.isEmpty()) {
            request.header("Idempotency-Key", key);
        }
        HttpResponse<String> reply = http.send(request.build(), BodyHandlers.ofString());
        return reply.body();
    }
}
