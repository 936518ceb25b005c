package io.github.kobe.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class ActuatorTests {

    private static final String ENDPOINT = "/actuator/groupexecutor";

    private final RunningSample sample = RunningSample.start();

    @AfterEach
    void stop() {
        sample.close();
    }

    @Test
    void endpointAndMetersTellWhatRunsAndWaits() {
        sample.sendReports(4, "acme");
        sample.sendReports(2, "hooli");
        sample.sendReports(6, "vip-globex");
        sample.awaitHeld(6);
        sample.awaitQueued("tenant:acme", 3);
        sample.awaitQueued("tenant:hooli", 1);
        sample.awaitQueued("tenant:vip-globex", 2);

        JsonNode all = sample.get(ENDPOINT).json();
        assertThat(all.at("/global/running").intValue()).isEqualTo(6);
        assertThat(all.at("/global/queued").intValue()).isEqualTo(6);
        assertThat(all.at("/global/maxInFlight").intValue()).isEqualTo(10);
        assertThat(all.at("/groups/tenant:vip-globex/running").intValue()).isEqualTo(4);
        assertThat(all.at("/groups/tenant:vip-globex/rule").stringValue()).isEqualTo("tenant:vip-*");
        assertThat(all.at("/groups/tenant:acme/limits/maxConcurrency/value").intValue())
                .isEqualTo(1);
        assertThat(all.at("/groups/tenant:acme/limits/maxConcurrency/source").stringValue())
                .isEqualTo("PATTERN");
        assertThat(metric("running", "tenant:*")).isEqualTo(2);
        assertThat(metric("queued", "tenant:*")).isEqualTo(4);
        assertThat(metric("running", "tenant:vip-*")).isEqualTo(4);
        assertThat(metric("queued", "tenant:vip-*")).isEqualTo(2);
        assertThat(metric("permits.max", "db-read")).isEqualTo(8);
        assertThat(metric("permits.available", "db-write")).isEqualTo(2);
    }

    @Test
    void endpointAndMetersAgreeWithWhatWasSent() {
        List<CompletableFuture<Reply>> replies = new ArrayList<>(sample.sendReports(11, "acme"));
        sample.awaitQueued("tenant:acme", 10);
        replies.addAll(sample.sendReports(5, "acme"));
        replies.addAll(sample.sendReports(7, "vip-globex"));
        replies.addAll(sample.sendReports(3, "nobody"));
        Waiting.until(() -> replies.stream().filter(CompletableFuture::isDone).count() == 5 + 3);
        sample.partner().open();
        List<Integer> answers =
                replies.stream().map(reply -> reply.join().status()).toList();
        assertThat(answers).filteredOn(status -> status == 201).hasSize(18);
        assertThat(answers).filteredOn(status -> status == 429).hasSize(5);
        assertThat(answers).filteredOn(status -> status == 404).hasSize(3);

        assertTotals("tenant:acme", 16, 11, 0, 5);
        assertTotals("tenant:vip-globex", 7, 7, 0, 0);
        assertTotals("tenant:nobody", 3, 0, 3, 0);
        assertTotals("db-read", 21, 21, 0, 0);
        assertTotals("db-write", 18, 18, 0, 0);
        assertThat(sample.get(ENDPOINT).json().at("/totals/submitted").intValue())
                .isEqualTo(16 + 7 + 3 + 21 + 18);

        assertThat(metric("submitted", "tenant:*")).isEqualTo(16 + 3);
        assertThat(metric("completed", "tenant:*&tag=outcome:success")).isEqualTo(11);
        assertThat(metric("completed", "tenant:*&tag=outcome:failed")).isEqualTo(3);
        assertThat(metric("rejected", "tenant:*&tag=reason:group_queue_full")).isEqualTo(5);
        assertThat(metric("rejected", "tenant:*")).isEqualTo(5);
        assertThat(metric("wait", "tenant:*")).isEqualTo(14);
        assertThat(metric("execution", "tenant:*")).isEqualTo(14);
        assertThat(metric("submitted", "tenant:vip-*")).isEqualTo(7);
        assertThat(metric("completed", "tenant:vip-*&tag=outcome:success")).isEqualTo(7);
        assertThat(metric("completed", "db-read&tag=outcome:success")).isEqualTo(21);
        assertThat(metric("completed", "db-write&tag=outcome:success")).isEqualTo(18);
    }

    @Test
    void aLimitThatIsRaisedThroughTheEndpointHoldsAtOnceUntilItIsReset() {
        List<CompletableFuture<Reply>> replies = sample.sendReports(5, "acme");
        sample.awaitHeld(1);
        sample.awaitQueued("tenant:acme", 4);

        Reply raised = sample.post(ENDPOINT, """
            {"group": "tenant:acme", "maxConcurrency": 3}\
            """);

        assertThat(raised.status()).isEqualTo(200);
        assertThat(raised.json().at("/limits/maxConcurrency/source").stringValue())
                .isEqualTo("OVERRIDDEN");
        sample.awaitHeld(3);
        sample.awaitQueued("tenant:acme", 2);
        sample.post(ENDPOINT, """
            {"group": "tenant:acme", "action": "reset"}\
            """);
        assertThat(sample.group("tenant:acme")
                        .at("/limits/maxConcurrency/value")
                        .intValue())
                .isEqualTo(1);
        sample.partner().open();
        assertThat(replies)
                .allSatisfy(reply -> assertThat(reply.join().status()).isEqualTo(201));
        assertThat(sample.traffic("acme").peak()).isEqualTo(3);
    }

    @Test
    void aTenantThatIsPausedThroughTheEndpointGoesOnWhenItIsResumed() {
        sample.post(ENDPOINT, """
            {"group": "tenant:acme", "action": "pause"}\
            """);
        CompletableFuture<Reply> report = sample.sendPost("/tenants/acme/reports");
        sample.awaitQueued("tenant:acme", 1);
        assertThat(sample.group("tenant:acme").get("paused").booleanValue()).isTrue();
        assertThat(sample.partner().arrivals()).isEmpty();

        sample.post(ENDPOINT, """
            {"group": "tenant:acme", "action": "resume"}\
            """);

        sample.awaitHeld(1);
        sample.partner().open();
        assertThat(report.join().status()).isEqualTo(201);
    }

    private void assertTotals(String key, int submitted, int succeeded, int failed, int rejected) {
        JsonNode totals = sample.group(key).get("totals");
        assertThat(totals.get("submitted").intValue()).as(key).isEqualTo(submitted);
        assertThat(totals.get("succeeded").intValue()).as(key).isEqualTo(succeeded);
        assertThat(totals.get("failed").intValue()).as(key).isEqualTo(failed);
        assertThat(totals.at("/rejected/GROUP_QUEUE_FULL").intValue()).as(key).isEqualTo(rejected);
    }

    /** The first value of a meter, for one value of the tag "group". */
    private double metric(String name, String group) {
        return sample.get("/actuator/metrics/group.executor." + name + "?tag=group:" + group)
                .json()
                .at("/measurements/0/value")
                .doubleValue();
    }
}
