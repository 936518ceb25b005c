package io.github.kobe.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupLimits;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupTask;
import io.github.kobe.Rate;
import io.github.kobe.TaskHandle;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the endpoint tells of rates, and how it changes them, over HTTP. */
class RateEndpointTests {

    private static EndpointServer server;
    private static GroupExecutor executor;
    private static GroupPolicy policy;

    @BeforeAll
    static void start() {
        server = new EndpointServer(
                "management.endpoint.groupexecutor.access=unrestricted",
                "group-concurrency.groups[partner:*].rate=60 per 1m burst 6",
                "group-concurrency.groups[partner:free].rate=unlimited",
                "group-concurrency.groups[llm:*].rates[0]=60 per 1m burst 6",
                "group-concurrency.groups[llm:*].rates[1]=tokens 90000 per 1m burst 12000 default-cost 1000 refund"
                        + " false",
                "group-concurrency.groups[hourly:*].rate.limit=2",
                "group-concurrency.groups[hourly:*].rate.per=1h",
                "group-concurrency.groups[hourly:*].queue-timeout=unlimited");
        executor = server.executor();
        policy = executor.policy();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void forgetTheGroups() throws Exception {
        executor.updatePolicy(policy);
        assertThat(executor.awaitQuiet(Deadline.LONG)).isTrue();
        executor.groupKeys().forEach(executor::evictGroup);
        Deadline.untilAsserted(() -> assertThat(executor.groupKeys()).isEmpty());
    }

    @Test
    @Tag("RA15")
    void aRateIsShownWithItsSourceAndHowFarItIsUsedUp() throws Exception {
        run("partner:a");

        JsonNode group = server.get("/partner:a?explain=true").body();

        assertThat(group.at("/limits/rate/value").asText()).isEqualTo("60 per 1m burst 6");
        assertThat(group.at("/limits/rate/source").asText()).isEqualTo("PATTERN");
        assertThat(group.at("/explanation/matches/0/limits/rate").asText()).isEqualTo("60 per 1m burst 6");
        assertThat(group.path("rates")).hasSize(1);
        JsonNode rate = group.path("rates").path(0);
        assertThat(rate.path("name").asText()).isEqualTo("requests");
        assertThat(rate.path("limit").asInt()).isEqualTo(60);
        assertThat(rate.path("per").asText()).isEqualTo("PT1M");
        assertThat(rate.path("burst").asInt()).isEqualTo(6);
        assertThat(rate.path("sustained").asInt()).isEqualTo(55);
        assertThat(rate.path("used").asInt(-1)).isBetween(0, 1);
        assertThat(rate.has("nextStart")).isTrue();
        assertThat(rate.path("nextStart").isNull()).isTrue();
    }

    @Test
    @Tag("RA6")
    @Tag("RA15")
    void severalRatesAreShownEachWithItsNameAndHowFarItIsUsedUp() throws Exception {
        executor.submit(new GroupTask<>("llm:a", "1", () -> null).withCost("tokens", 12_000))
                .await(Deadline.SECONDS, TimeUnit.SECONDS);

        JsonNode group = server.get("/llm:a?explain=true").body();

        String text = "requests 60 per 1m burst 6, tokens 90000 per 1m burst 12000 default-cost 1000 refund false";
        assertThat(group.at("/limits/rate/value").asText()).isEqualTo(text);
        assertThat(group.at("/explanation/matches/0/limits/rate").asText()).isEqualTo(text);
        assertThat(group.path("rates")).hasSize(2);
        JsonNode requests = group.path("rates").path(0);
        assertThat(requests.path("name").asText()).isEqualTo("requests");
        assertThat(requests.has("defaultCost")).isFalse();
        assertThat(requests.path("nextStart").isNull()).isTrue();
        JsonNode tokens = group.path("rates").path(1);
        assertThat(tokens.path("name").asText()).isEqualTo("tokens");
        assertThat(tokens.path("limit").asInt()).isEqualTo(90_000);
        assertThat(tokens.path("burst").asInt()).isEqualTo(12_000);
        assertThat(tokens.path("sustained").asInt()).isEqualTo(78_001);
        assertThat(tokens.path("defaultCost").asInt()).isEqualTo(1_000);
        assertThat(tokens.path("used").asInt()).isBetween(1, 12_000);
        assertThat(tokens.has("nextStart")).isTrue();
    }

    @Test
    @Tag("RA6")
    void aRateThatIsSetTakesThePlaceOfSeveral() throws Exception {
        JsonNode set = server.post("/llm:a", "{\"rate\": \"30 per 1s\"}").body();

        assertThat(set.at("/limits/rate/value").asText()).isEqualTo("30 per 1s burst 3");
        assertThat(set.path("rates")).hasSize(1);
        server.post("/llm:a", "{\"rate\": \"tokens 30 per 1s\"}")
                .assertProblem(
                        400,
                        "rate",
                        "tokens 30 per 1s",
                        "a rate such as \"60 per 1m\" or \"60 per 1m burst 6\", or \"unlimited\"");
    }

    @Test
    @Tag("RA3")
    void aGroupThatWaitsForItsRateFromInsideOthersNamesThem() throws Exception {
        run("hourly:a");
        run("hourly:a");
        List<Caller<String>> nested = new ArrayList<>();
        for (String outer : List.of("tenant:b", "tenant:a", "tenant:b")) {
            nested.add(Caller.start(() -> executor.call(outer, () -> executor.call("hourly:a", () -> "started"))));
        }
        Deadline.until("they wait", () -> executor.stats().queued() == 3);

        JsonNode group = server.get("/hourly:a?holders=true&explain=true").body();
        assertThat(group.path("waitsFor").asText()).isEqualTo("RATE");
        assertThat(group.path("waitsInside")).extracting(JsonNode::asText).containsExactly("tenant:a", "tenant:b");
        assertThat(group.path("waiters"))
                .extracting(waiter -> waiter.path("inside").path(0).asText())
                .containsExactlyInAnyOrder("tenant:b", "tenant:a", "tenant:b");
        assertThat(server.get("/tenant:a").body().has("waitsInside")).isFalse();

        nested.forEach(Caller::interrupt);
        for (Caller<String> caller : nested) {
            assertThatExceptionOfType(InterruptedException.class).isThrownBy(caller::result);
        }
        assertThat(server.get("/hourly:a").body().has("waitsInside")).isFalse();
    }

    @Test
    @Tag("RA15")
    void aGroupThatWaitsForItsRateTellsSoAndUntilWhen() throws Exception {
        run("hourly:a");
        run("hourly:a");
        TaskHandle<Object> waiting = executor.submit("hourly:a", "3", () -> null);

        JsonNode group = server.get("/hourly:a").body();
        assertThat(group.path("waitsFor").asText()).isEqualTo("RATE");
        assertThat(group.at("/rates/0/used").asInt()).isEqualTo(2);
        assertThat(Duration.parse(group.at("/rates/0/nextStart").asText()))
                .isBetween(Duration.ofMinutes(50), Duration.ofHours(1));
        assertThat(server.get("").body().at("/groups/hourly:a/waitsFor").asText())
                .isEqualTo("RATE");
        assertThat(waiting.cancel(false)).isTrue();
    }

    @Test
    @Tag("RA5")
    @Tag("RA15")
    void aRateOverAllGroupsIsShownWithHowFarItIsUsedUpAndUntilWhen() throws Exception {
        Rate two = Rate.of(2, Duration.ofHours(1)).withBurst(2);
        executor.updatePolicy(policy.toBuilder().globalRate(two).build());
        TaskHandle<Object> waiting = executor.submit("hourly:a", "1", () -> null); // what comes later begins empty

        JsonNode all = server.get("").body();

        JsonNode rate = all.at("/global/rate");
        assertThat(rate.path("name").asText()).isEqualTo("requests");
        assertThat(rate.path("limit").asInt()).isEqualTo(2);
        assertThat(rate.path("per").asText()).isEqualTo("PT1H");
        assertThat(rate.path("burst").asInt()).isEqualTo(2);
        assertThat(rate.path("sustained").asInt()).isEqualTo(1);
        assertThat(rate.path("used").asInt()).isEqualTo(2);
        assertThat(Duration.parse(rate.path("nextStart").asText()))
                .isBetween(Duration.ofMinutes(50), Duration.ofHours(2));
        assertThat(all.at("/groups/hourly:a/waitsFor").asText()).isEqualTo("RATE");
        assertThat(all.at("/groups/hourly:a/rates/0/used").asInt(-1)).isZero();
        assertThat(waiting.cancel(false)).isTrue();
        executor.updatePolicy(policy);
        assertThat(server.get("").body().path("global").has("rate")).isFalse();
    }

    @Test
    void aGroupWithoutARateTellsOfNone() throws Exception {
        run("a");
        run("partner:free");

        for (String key : new String[] {"a", "partner:free"}) {
            JsonNode group = server.get("/" + key).body();
            assertThat(group.path("limits").has("rate")).isTrue();
            assertThat(group.at("/limits/rate/value").isNull()).isTrue();
            assertThat(group.has("rates")).isFalse();
        }
        assertThat(server.get("/partner:free?explain=true")
                        .body()
                        .at("/explanation/matches/0/limits/rate")
                        .asText())
                .isEqualTo("unlimited");
    }

    @Test
    @Tag("RA11")
    void aRateIsSetLiftedAndReset() throws Exception {
        JsonNode set = server.post("/partner:a", "{\"rate\": \"30 per 1s\"}").body();
        assertThat(set.at("/limits/rate/value").asText()).isEqualTo("30 per 1s burst 3");
        assertThat(set.at("/limits/rate/source").asText()).isEqualTo("OVERRIDDEN");
        assertThat(executor.overrideOf("partner:a"))
                .contains(GroupLimits.unset().withRate(Rate.of(30, Duration.ofSeconds(1))));

        JsonNode more = server.post("", "{\"group\": \"partner:a\", \"maxConcurrency\": 3}")
                .body();
        assertThat(more.at("/limits/rate/value").asText()).isEqualTo("30 per 1s burst 3");

        JsonNode lifted = server.post("/partner:a", "{\"rate\": \"unlimited\", \"period\": \"30m\"}")
                .body();
        assertThat(lifted.at("/limits/rate/value").isNull()).isTrue();
        assertThat(lifted.has("rates")).isFalse();
        assertThat(lifted.path("overrideEndsIn").asText()).startsWith("PT");

        JsonNode reset = server.post("/partner:a", "{\"action\": \"reset\"}").body();
        assertThat(reset.at("/limits/rate/value").asText()).isEqualTo("60 per 1m burst 6");
        assertThat(reset.at("/limits/rate/source").asText()).isEqualTo("PATTERN");
    }

    @Test
    void whatItShowsCanBeSetAgain() throws Exception {
        for (String rate : new String[] {
            "7 per 90s burst 2",
            "7 per 1d burst 1",
            "7 per 2h burst 1",
            "7 per 1500ms burst 7",
            "7 per PT1.0000005S burst 2"
        }) {
            JsonNode set = server.post("/a", "{\"rate\": \"" + rate + "\"}").body();
            assertThat(set.at("/limits/rate/value").asText()).isEqualTo(rate);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        60                  | a rate such as "60 per 1m" or "60 per 1m burst 6", or "unlimited"
        60 per 5            | a rate such as "60 per 1m" or "60 per 1m burst 6", or "unlimited"
        ``                  | a rate such as "60 per 1m" or "60 per 1m burst 6", or "unlimited"
        99999999999 per 1m  | a rate such as "60 per 1m" or "60 per 1m burst 6", or "unlimited"
        0 per 1m            | 1 to 1000000000
        2147483647 per 1m   | 1 to 1000000000
        60 per 32d          | 1 millisecond to 31 days
        60 per 1m burst 61  | 1 to the limit, 60
        """)
    void aBadRateIsRefusedWithWhatIsAllowed(String rate, String allowed) throws Exception {
        server.post("/partner:a", "{\"rate\": \"" + rate + "\"}").assertProblem(400, "rate", rate, allowed);
        assertThat(executor.overrideOf("partner:a")).isEmpty();
    }

    private static void run(String key) throws Exception {
        executor.submit(key, "1", () -> null).await(Deadline.SECONDS, TimeUnit.SECONDS);
    }
}
