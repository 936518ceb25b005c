package io.github.kobe.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class RejectionTests {

    @Test
    void aRequestForWhichTheTenantsQueueHasNoRoomIsAnsweredWith429() {
        try (RunningSample sample = RunningSample.start()) {
            List<CompletableFuture<Reply>> accepted = sample.sendReports(11, "acme");
            sample.awaitQueued("tenant:acme", 10);

            Reply rejected = sample.post("/tenants/acme/reports");

            assertRejected(rejected, "tenant:acme", "GROUP_QUEUE_FULL", 10);
            assertThat(rejected.header("Retry-After")).isEqualTo("1");
            sample.partner().open();
            assertThat(accepted)
                    .allSatisfy(reply -> assertThat(reply.join().status()).isEqualTo(201));
        }
    }

    @Test
    void aFloodIsAnsweredToTheLastRequestWithAReportOrA429() {
        try (RunningSample sample = RunningSample.start()) {
            List<CompletableFuture<Reply>> flood = sample.sendReports(100, "acme");
            Waiting.until(() -> flood.stream().filter(CompletableFuture::isDone).count() == 89);
            sample.partner().open();

            List<Reply> replies = flood.stream().map(CompletableFuture::join).toList();

            assertThat(replies).filteredOn(reply -> reply.status() == 201).hasSize(11);
            assertThat(replies)
                    .filteredOn(reply -> reply.status() != 201)
                    .hasSize(89)
                    .allSatisfy(reply -> assertRejected(reply, "tenant:acme", "GROUP_QUEUE_FULL", 10));
            assertThat(sample.traffic("acme").served()).isEqualTo(11);
        }
    }

    @Test
    void aRequestThatWaitedTooLongIsAnsweredWith429() {
        try (RunningSample sample = RunningSample.start("group-concurrency.groups[tenant:*].queue-timeout=100ms")) {
            CompletableFuture<Reply> first = sample.sendPost("/tenants/acme/reports");
            sample.awaitHeld(1);

            assertRejected(sample.post("/tenants/acme/reports"), "tenant:acme", "QUEUE_TIMEOUT", 0);

            sample.partner().open();
            assertThat(first.join().status()).isEqualTo(201);
            assertThat(sample.traffic("acme").served()).isEqualTo(1);
        }
    }

    @Test
    void aRequestForWhichAllQueuesTogetherHaveNoRoomIsAnsweredWith429() {
        try (RunningSample sample = RunningSample.start("group-concurrency.queue-threshold=3")) {
            List<CompletableFuture<Reply>> accepted = new ArrayList<>(sample.sendReports(4, "acme"));
            sample.awaitQueued("tenant:acme", 3);
            accepted.add(sample.sendPost("/tenants/hooli/reports"));
            sample.awaitHeld(2);

            assertRejected(sample.post("/tenants/hooli/reports"), "tenant:hooli", "GLOBAL_QUEUE_FULL", 3);

            sample.partner().open();
            assertThat(accepted)
                    .allSatisfy(reply -> assertThat(reply.join().status()).isEqualTo(201));
        }
    }

    @Test
    void anExportTooManyIsAnsweredWith429() {
        try (RunningSample sample = RunningSample.start()) {
            for (int i = 0; i < 3; i++) {
                assertThat(sample.post("/tenants/acme/exports").status()).isEqualTo(202);
            }

            assertRejected(sample.post("/tenants/acme/exports"), "export:acme", "GROUP_QUEUE_FULL", 2);
        }
    }

    @Test
    void theCurrentReportIsTheStoredOneWhileTheTenantIsBusy() {
        try (RunningSample sample = RunningSample.start()) {
            CompletableFuture<Reply> first = sample.sendPost("/tenants/acme/reports");
            sample.awaitHeld(1);
            assertRejected(sample.get("/tenants/acme/reports/current"), "tenant:acme", "QUEUE_TIMEOUT", 0);
            sample.partner().release();
            JsonNode stored = first.join().json();

            CompletableFuture<Reply> second = sample.sendPost("/tenants/acme/reports");
            sample.awaitHeld(1);
            Reply whileBusy = sample.get("/tenants/acme/reports/current");
            sample.partner().open();
            assertThat(second.join().status()).isEqualTo(201);
            Reply whileFree = sample.get("/tenants/acme/reports/current");

            assertThat(whileBusy.json()).isEqualTo(stored);
            assertThat(whileFree.json().get("id").longValue())
                    .isGreaterThan(second.join().json().get("id").longValue());
        }
    }

    @Test
    void aTenantWithoutOrdersIsAnsweredWith404() {
        try (RunningSample sample = RunningSample.start()) {
            assertThat(sample.post("/tenants/nobody/reports").status()).isEqualTo(404);
            assertThat(sample.post("/tenants/nobody/exports").status()).isEqualTo(404);
            assertThat(sample.partner().arrivals()).isEmpty();
        }
    }

    private static void assertRejected(Reply reply, String group, String reason, int queued) {
        assertThat(reply.status()).isEqualTo(429);
        assertThat(reply.contentType()).isEqualTo("application/problem+json");
        JsonNode problem = reply.json();
        assertThat(problem.get("status").intValue()).isEqualTo(429);
        assertThat(problem.get("title").stringValue()).isEqualTo("Too Many Requests");
        assertThat(problem.get("group").stringValue()).isEqualTo(group);
        assertThat(problem.get("reason").stringValue()).isEqualTo(reason);
        assertThat(problem.get("queued").intValue()).isEqualTo(queued);
        assertThat(problem.get("detail").stringValue()).contains(group);
    }
}
