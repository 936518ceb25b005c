package io.github.kobe.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ExportTests {

    private final RunningSample sample = RunningSample.start("group-concurrency.groups[tenant:*].queue-threshold=1");

    @AfterEach
    void stop() {
        sample.close();
    }

    @Test
    void anExportIsAcceptedAtOnceAndItsStatusPolledUntilItsFileIsThere() {
        Reply accepted = sample.post("/tenants/acme/exports");
        assertThat(accepted.status()).isEqualTo(202);
        String export = accepted.header("Location");

        sample.awaitHeld(1);
        assertStatus(export, "RUNNING", 0);
        assertThat(sample.get(export + "/file").status()).isEqualTo(409);
        sample.partner().release();
        sample.awaitHeld(1);
        assertStatus(export, "RUNNING", 1);
        sample.partner().open();
        Waiting.untilAsserted(() -> assertStatus(export, "DONE", 3));

        Reply file = sample.get(export + "/file");
        assertThat(file.contentType()).startsWith("text/csv");
        assertThat(file.body()).isEqualTo("""
            period,total_usd
            2026-01,18937.50
            2026-02,18937.50
            2026-03,18937.50
            """);
    }

    @Test
    void aTenantsExportsRunOneAfterTheOther() {
        String first = sample.post("/tenants/acme/exports").header("Location");
        String second = sample.post("/tenants/acme/exports").header("Location");
        String ofAnother = sample.post("/tenants/hooli/exports").header("Location");

        sample.awaitHeld(2);
        assertStatus(first, "RUNNING", 0);
        assertStatus(second, "QUEUED", 0);
        assertStatus(ofAnother, "RUNNING", 0);

        sample.partner().open();
        List.of(first, second, ofAnother)
                .forEach(export -> Waiting.untilAsserted(() -> assertStatus(export, "DONE", 3)));
    }

    @Test
    void anExportAndReportsOfOneTenantShareItsLimit() {
        String export = sample.post("/tenants/acme/exports").header("Location");
        sample.awaitHeld(1);
        CompletableFuture<Reply> report = sample.sendPost("/tenants/acme/reports");
        sample.awaitQueued("tenant:acme", 1);

        sample.partner().open();
        assertThat(report.join().status()).isEqualTo(201);
        Waiting.untilAsserted(() -> assertStatus(export, "DONE", 3));
        assertThat(sample.traffic("acme").peak()).isEqualTo(1);
        assertThat(sample.traffic("acme").served()).isEqualTo(4);
    }

    @Test
    void aRunningExportThatIsCancelledMakesRoomForTheNext() {
        String first = sample.post("/tenants/acme/exports").header("Location");
        String second = sample.post("/tenants/acme/exports").header("Location");
        sample.awaitHeld(1);

        assertThat(sample.delete(first).json().get("state").stringValue()).isEqualTo("CANCELLED");

        Waiting.untilAsserted(() -> assertStatus(second, "RUNNING", 0));
        sample.partner().open();
        Waiting.untilAsserted(() -> assertStatus(second, "DONE", 3));
        assertStatus(first, "CANCELLED", 0);
    }

    @Test
    void aQueuedExportThatIsCancelledNeverRuns() {
        String first = sample.post("/tenants/acme/exports").header("Location");
        String second = sample.post("/tenants/acme/exports").header("Location");
        sample.awaitHeld(1);

        sample.delete(second);
        sample.partner().open();
        Waiting.untilAsserted(() -> assertStatus(first, "DONE", 3));

        assertStatus(second, "CANCELLED", 0);
        assertThat(sample.partner().arrivals()).hasSize(3);
    }

    @Test
    void anExportWhoseReportIsRejectedTellsWhy() {
        CompletableFuture<Reply> running = sample.sendPost("/tenants/acme/reports");
        sample.awaitHeld(1);
        CompletableFuture<Reply> waiting = sample.sendPost("/tenants/acme/reports");
        sample.awaitQueued("tenant:acme", 1);

        String export = sample.post("/tenants/acme/exports").header("Location");

        Waiting.untilAsserted(() -> assertStatus(export, "FAILED", 0));
        assertThat(sample.get(export).json().get("problem").stringValue()).contains("tenant:acme", "queue is full");
        sample.partner().open();
        assertThat(running.join().status()).isEqualTo(201);
        assertThat(waiting.join().status()).isEqualTo(201);
    }

    @Test
    void anUnknownExportIsAnsweredWith404() {
        assertThat(sample.get("/exports/17").status()).isEqualTo(404);
    }

    private void assertStatus(String export, String state, int built) {
        Reply reply = sample.get(export);
        assertThat(reply.json().get("state").stringValue()).isEqualTo(state);
        assertThat(reply.json().get("built").intValue()).isEqualTo(built);
        assertThat(reply.json().get("of").intValue()).isEqualTo(3);
    }
}
