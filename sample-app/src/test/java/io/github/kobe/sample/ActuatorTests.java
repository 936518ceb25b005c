package io.github.kobe.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class ActuatorTests {

    private static final String ENDPOINT = "/actuator/groupexecutor";

    private static RunningSample sample;

    @BeforeAll
    static void start() {
        sample = RunningSample.start();
    }

    @AfterEach
    void settle() throws InterruptedException {
        sample.settle();
    }

    @AfterAll
    static void stop() {
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
        awaitMetric(sample, "running", "tenant:*", 2);
        awaitMetric(sample, "queued", "tenant:*", 4);
        awaitMetric(sample, "running", "tenant:vip-*", 4);
        awaitMetric(sample, "queued", "tenant:vip-*", 2);
        awaitMetric(sample, "max.permits", "db-read", 8);
        awaitMetric(sample, "available.permits", "db-write", 2);
    }

    @Test
    void endpointAndMetersAgreeWithWhatWasSent() {
        try (RunningSample fresh = RunningSample.start()) {
            List<CompletableFuture<Reply>> replies = new ArrayList<>(fresh.sendReports(11, "acme"));
            fresh.awaitQueued("tenant:acme", 10);
            replies.addAll(fresh.sendReports(5, "acme"));
            replies.addAll(fresh.sendReports(7, "vip-globex"));
            replies.addAll(fresh.sendReports(3, "nobody"));
            Deadline.until(
                    "all but the accepted are answered",
                    () -> replies.stream().filter(CompletableFuture::isDone).count() == 5 + 3);
            fresh.partner().open();
            List<Integer> answers =
                    replies.stream().map(reply -> reply.join().status()).toList();
            assertThat(answers).filteredOn(status -> status == 201).hasSize(18);
            assertThat(answers).filteredOn(status -> status == 429).hasSize(5);
            assertThat(answers).filteredOn(status -> status == 404).hasSize(3);

            assertTotals(fresh, "tenant:acme", 16, 11, 0, 5);
            assertTotals(fresh, "tenant:vip-globex", 7, 7, 0, 0);
            assertTotals(fresh, "tenant:nobody", 3, 0, 3, 0);
            assertTotals(fresh, "db-read", 21, 21, 0, 0);
            assertTotals(fresh, "db-write", 18, 18, 0, 0);
            assertThat(fresh.get(ENDPOINT).json().at("/totals/submitted").intValue())
                    .isEqualTo(16 + 7 + 3 + 21 + 18);

            awaitMetric(fresh, "submitted", "tenant:*", 16 + 3);
            awaitMetric(fresh, "completed", "tenant:*&tag=outcome:success", 11);
            awaitMetric(fresh, "completed", "tenant:*&tag=outcome:failed", 3);
            awaitMetric(fresh, "rejected", "tenant:*&tag=reason:group_queue_full", 5);
            awaitMetric(fresh, "rejected", "tenant:*", 5);
            // Those that waited: ten of acme, and of the three for nobody those that found another.
            assertThat(metric(fresh, "wait", "tenant:*")).isBetween(10.0, 12.0);
            awaitMetric(fresh, "execution", "tenant:*", 14);
            awaitMetric(fresh, "submitted", "tenant:vip-*", 7);
            awaitMetric(fresh, "completed", "tenant:vip-*&tag=outcome:success", 7);
            awaitMetric(fresh, "completed", "db-read&tag=outcome:success", 21);
            awaitMetric(fresh, "completed", "db-write&tag=outcome:success", 18);
        }
    }

    @Test
    void aLimitThatIsRaisedThroughTheEndpointHoldsAtOnceUntilItIsReset() {
        String tenant = sample.newTenant("");
        List<CompletableFuture<Reply>> replies = sample.sendReports(5, tenant);
        sample.awaitHeld(1);
        sample.awaitQueued("tenant:" + tenant, 4);

        Reply raised = sample.post(ENDPOINT, """
            {"group": "tenant:%s", "maxConcurrency": 3}\
            """.formatted(tenant));

        assertThat(raised.status()).isEqualTo(200);
        assertThat(raised.json().at("/limits/maxConcurrency/source").stringValue())
                .isEqualTo("OVERRIDDEN");
        sample.awaitHeld(3);
        sample.awaitQueued("tenant:" + tenant, 2);
        sample.post(ENDPOINT, """
            {"group": "tenant:%s", "action": "reset"}\
            """.formatted(tenant));
        assertThat(sample.group("tenant:" + tenant)
                        .at("/limits/maxConcurrency/value")
                        .intValue())
                .isEqualTo(1);
        sample.partner().open();
        assertThat(replies)
                .allSatisfy(reply -> assertThat(reply.join().status()).isEqualTo(201));
        assertThat(sample.traffic(tenant).peak()).isEqualTo(3);
    }

    @Test
    void aTenantThatIsPausedThroughTheEndpointGoesOnWhenItIsResumed() {
        String tenant = sample.newTenant("");
        sample.post(ENDPOINT, """
            {"group": "tenant:%s", "action": "pause"}\
            """.formatted(tenant));
        CompletableFuture<Reply> report = sample.sendPost("/tenants/" + tenant + "/reports");
        sample.awaitQueued("tenant:" + tenant, 1);
        assertThat(sample.group("tenant:" + tenant).get("paused").booleanValue())
                .isTrue();
        assertThat(sample.partner().arrivals()).isEmpty();

        sample.post(ENDPOINT, """
            {"group": "tenant:%s", "action": "resume"}\
            """.formatted(tenant));

        sample.awaitHeld(1);
        sample.partner().open();
        assertThat(report.join().status()).isEqualTo(201);
    }

    private static void assertTotals(
            RunningSample asked, String key, int submitted, int succeeded, int failed, int rejected) {
        JsonNode totals = asked.group(key).get("totals");
        assertThat(totals.get("submitted").intValue()).as(key).isEqualTo(submitted);
        assertThat(totals.get("succeeded").intValue()).as(key).isEqualTo(succeeded);
        assertThat(totals.get("failed").intValue()).as(key).isEqualTo(failed);
        assertThat(totals.at("/rejected/GROUP_QUEUE_FULL").intValue()).as(key).isEqualTo(rejected);
    }

    /** A number is up to a second old. */
    private static void awaitMetric(RunningSample sample, String name, String tag, double value) {
        Deadline.until(
                name + " of " + tag + " is " + value, () -> Double.compare(metric(sample, name, tag), value) == 0);
    }

    /** The first value of a meter, for one value of the tag "group". */
    private static double metric(RunningSample asked, String name, String group) {
        return asked.get("/actuator/metrics/group.executor." + name + "?tag=group:" + group)
                .json()
                .at("/measurements/0/value")
                .doubleValue();
    }
}
