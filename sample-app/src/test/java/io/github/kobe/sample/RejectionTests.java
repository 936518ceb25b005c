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

class RejectionTests {

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
    void aRequestForWhichTheTenantsQueueHasNoRoomIsAnsweredWith429() {
        String tenant = sample.newTenant("");
        List<CompletableFuture<Reply>> accepted = sample.sendReports(11, tenant);
        sample.awaitQueued("tenant:" + tenant, 10);

        Reply rejected = sample.post("/tenants/" + tenant + "/reports");

        assertRejected(rejected, 429, "GROUP_QUEUE_FULL");
        assertThat(rejected.header("Retry-After")).matches("[1-3]");
        sample.partner().open();
        assertThat(accepted)
                .allSatisfy(reply -> assertThat(reply.join().status()).isEqualTo(201));
    }

    @Test
    void aFloodIsAnsweredToTheLastRequestWithAReportOrA429() {
        String tenant = sample.newTenant("");
        List<CompletableFuture<Reply>> flood = sample.sendReports(100, tenant);
        Deadline.until(
                "all but the accepted are answered",
                () -> flood.stream().filter(CompletableFuture::isDone).count() == 89);
        sample.partner().open();

        List<Reply> replies = flood.stream().map(CompletableFuture::join).toList();

        assertThat(replies).filteredOn(reply -> reply.status() == 201).hasSize(11);
        assertThat(replies)
                .filteredOn(reply -> reply.status() != 201)
                .hasSize(89)
                .allSatisfy(reply -> assertRejected(reply, 429, "GROUP_QUEUE_FULL"));
        assertThat(sample.traffic(tenant).served()).isEqualTo(11);
    }

    @Test
    void aRequestThatWaitedTooLongIsAnsweredWith429() {
        try (RunningSample hasty = RunningSample.start("group-concurrency.groups[tenant:*].queue-timeout=100ms")) {
            CompletableFuture<Reply> first = hasty.sendPost("/tenants/acme/reports");
            hasty.awaitHeld(1);

            assertRejected(hasty.post("/tenants/acme/reports"), 429, "QUEUE_TIMEOUT");

            hasty.partner().open();
            assertThat(first.join().status()).isEqualTo(201);
            assertThat(hasty.traffic("acme").served()).isEqualTo(1);
        }
    }

    @Test
    void aRequestForWhichAllQueuesTogetherHaveNoRoomIsAnsweredWith503() {
        try (RunningSample small = RunningSample.start("group-concurrency.global.queue-threshold=3")) {
            List<CompletableFuture<Reply>> accepted = new ArrayList<>(small.sendReports(4, "acme"));
            small.awaitQueued("tenant:acme", 3);
            accepted.add(small.sendPost("/tenants/hooli/reports"));
            small.awaitHeld(2);

            assertRejected(small.post("/tenants/hooli/reports"), 503, "GLOBAL_QUEUE_FULL");

            small.partner().open();
            assertThat(accepted)
                    .allSatisfy(reply -> assertThat(reply.join().status()).isEqualTo(201));
        }
    }

    @Test
    void anExportTooManyIsAnsweredWith429() {
        String tenant = sample.newTenant("");
        for (int i = 0; i < 3; i++) {
            assertThat(sample.post("/tenants/" + tenant + "/exports").status()).isEqualTo(202);
        }

        assertRejected(sample.post("/tenants/" + tenant + "/exports"), 429, "GROUP_QUEUE_FULL");
    }

    @Test
    void theCurrentReportIsTheStoredOneWhileTheTenantIsBusy() {
        String tenant = sample.newTenant("");
        CompletableFuture<Reply> first = sample.sendPost("/tenants/" + tenant + "/reports");
        sample.awaitHeld(1);
        assertRejected(sample.get("/tenants/" + tenant + "/reports/current"), 429, "QUEUE_TIMEOUT");
        sample.partner().release();
        JsonNode stored = first.join().json();

        CompletableFuture<Reply> second = sample.sendPost("/tenants/" + tenant + "/reports");
        sample.awaitHeld(1);
        Reply whileBusy = sample.get("/tenants/" + tenant + "/reports/current");
        sample.partner().open();
        assertThat(second.join().status()).isEqualTo(201);
        Reply whileFree = sample.get("/tenants/" + tenant + "/reports/current");

        assertThat(whileBusy.json()).isEqualTo(stored);
        assertThat(whileFree.json().get("id").longValue())
                .isGreaterThan(second.join().json().get("id").longValue());
    }

    @Test
    void aTenantWithoutOrdersIsAnsweredWith404() {
        assertThat(sample.post("/tenants/nobody/reports").status()).isEqualTo(404);
        assertThat(sample.post("/tenants/nobody/exports").status()).isEqualTo(404);
        assertThat(sample.partner().arrivals()).isEmpty();
    }

    /** The client isn't told whose group it was, nor how many wait. */
    private static void assertRejected(Reply reply, int status, String reason) {
        assertThat(reply.status()).isEqualTo(status);
        assertThat(reply.contentType()).isEqualTo("application/problem+json");
        JsonNode problem = reply.json();
        assertThat(problem.get("status").intValue()).isEqualTo(status);
        assertThat(problem.get("reason").stringValue()).isEqualTo(reason);
        assertThat(reply.body()).doesNotContain("tenant", "export", "queued");
    }
}
