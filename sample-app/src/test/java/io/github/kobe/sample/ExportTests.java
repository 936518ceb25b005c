package io.github.kobe.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Deadline;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("deep")
class ExportTests {

    private static RunningSample sample;

    @BeforeAll
    static void start() {
        sample = RunningSample.start("group-concurrency.groups[tenant:*].queue-threshold=1");
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
    void anExportIsAcceptedAtOnceAndItsStatusPolledUntilItsFileIsThere() {
        String tenant = sample.newTenant("");
        Reply accepted = sample.post("/tenants/" + tenant + "/exports");
        assertThat(accepted.status()).isEqualTo(202);
        String export = accepted.header("Location");

        sample.awaitHeld(1);
        assertStatus(export, "RUNNING", 0);
        assertThat(sample.get(export + "/file").status()).isEqualTo(409);
        sample.partner().release();
        sample.awaitHeld(1);
        assertStatus(export, "RUNNING", 1);
        sample.partner().open();
        Deadline.untilAsserted(() -> assertStatus(export, "DONE", 3));

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
        String other = sample.newTenant("");
        String tenant = sample.newTenant("");
        String first = sample.post("/tenants/" + tenant + "/exports").header("Location");
        String second = sample.post("/tenants/" + tenant + "/exports").header("Location");
        String ofAnother = sample.post("/tenants/" + other + "/exports").header("Location");

        sample.awaitHeld(2);
        assertStatus(first, "RUNNING", 0);
        assertStatus(second, "QUEUED", 0);
        assertStatus(ofAnother, "RUNNING", 0);

        sample.partner().open();
        List.of(first, second, ofAnother)
                .forEach(export -> Deadline.untilAsserted(() -> assertStatus(export, "DONE", 3)));
    }

    @Test
    void anExportAndReportsOfOneTenantShareItsLimit() {
        String tenant = sample.newTenant("");
        String export = sample.post("/tenants/" + tenant + "/exports").header("Location");
        sample.awaitHeld(1);
        CompletableFuture<Reply> report = sample.sendPost("/tenants/" + tenant + "/reports");
        sample.awaitQueued("tenant:" + tenant, 1);

        sample.partner().open();
        assertThat(report.join().status()).isEqualTo(201);
        Deadline.untilAsserted(() -> assertStatus(export, "DONE", 3));
        assertThat(sample.traffic(tenant).peak()).isEqualTo(1);
        assertThat(sample.traffic(tenant).served()).isEqualTo(4);
    }

    @Test
    void aRunningExportThatIsCancelledMakesRoomForTheNext() {
        String tenant = sample.newTenant("");
        String first = sample.post("/tenants/" + tenant + "/exports").header("Location");
        String second = sample.post("/tenants/" + tenant + "/exports").header("Location");
        sample.awaitHeld(1);

        assertThat(sample.delete(first).json().get("state").stringValue()).isEqualTo("CANCELLED");

        Deadline.untilAsserted(() -> assertStatus(second, "RUNNING", 0));
        sample.partner().open();
        Deadline.untilAsserted(() -> assertStatus(second, "DONE", 3));
        assertStatus(first, "CANCELLED", 0);
    }

    @Test
    void aQueuedExportThatIsCancelledNeverRuns() {
        String tenant = sample.newTenant("");
        String first = sample.post("/tenants/" + tenant + "/exports").header("Location");
        String second = sample.post("/tenants/" + tenant + "/exports").header("Location");
        sample.awaitHeld(1);

        sample.delete(second);
        sample.partner().open();
        Deadline.untilAsserted(() -> assertStatus(first, "DONE", 3));

        assertStatus(second, "CANCELLED", 0);
        assertThat(sample.partner().arrivals()).hasSize(3);
    }

    @Test
    void anExportWhoseReportIsRejectedTellsWhy() {
        String tenant = sample.newTenant("");
        CompletableFuture<Reply> running = sample.sendPost("/tenants/" + tenant + "/reports");
        sample.awaitHeld(1);
        CompletableFuture<Reply> waiting = sample.sendPost("/tenants/" + tenant + "/reports");
        sample.awaitQueued("tenant:" + tenant, 1);

        String export = sample.post("/tenants/" + tenant + "/exports").header("Location");

        Deadline.untilAsserted(() -> assertStatus(export, "FAILED", 0));
        assertThat(sample.get(export).json().get("problem").stringValue())
                .contains("tenant:" + tenant, "queue is full");
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
