package io.github.kobe.sample;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.sample.flood.LongFlood;
import io.github.kobe.testing.Deadline;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("deep")
class LongFloodTests {

    private static final List<String> NEIGHBOURS = List.of("hooli", "initech", "vip-globex", "vip-umbrella");
    private static final String LONG = "spring.profiles.active=long";
    private static final String UNLIMITED = "group-concurrency.annotation.enabled=false";
    private static final int DOCUMENTS = 80;
    private static final String NUMBER = " +[1-9]\\d*";
    private static final String NONE = " +0";
    private static final String SECONDS = " +\\d+\\.\\d s";

    @Test
    void anExportAloneHoldsAllButTheHeadroomAndTheNeighboursAreServedBesideIt() {
        try (RunningSample sample = RunningSample.start(LONG, "sample.partner.archive-slower-by=0s")) {
            CompletableFuture<Reply> export = startExport(sample);
            assertThat(sample.group("export:acme").get("held").intValue()).isEqualTo(36);

            List<CompletableFuture<Reply>> reports = NEIGHBOURS.stream()
                    .map(neighbour -> sample.sendPost("/tenants/" + neighbour + "/reports"))
                    .toList();
            sample.awaitHeld(40);
            NEIGHBOURS.forEach(neighbour -> sample.partner().release(neighbour));

            assertThat(reports)
                    .allSatisfy(report -> assertThat(report.join().status()).isEqualTo(201));
            assertThat(sample.partner().held("acme")).isEqualTo(36);
            assertThat(sample.traffic("acme").served()).isZero();
            assertThat(export).isNotDone();
            sample.partner().open();
            assertThat(export.join().json().get("documents").intValue()).isEqualTo(DOCUMENTS);
            assertThat(sample.traffic("acme").peak()).isEqualTo(36);
        }
    }

    @Test
    void aDocumentThatIsDoneMakesRoomForTheReportOfANeighbourFirst() {
        try (RunningSample sample = RunningSample.start(LONG, "sample.partner.archive-slower-by=0s")) {
            CompletableFuture<Reply> export = startExport(sample);
            List<CompletableFuture<Reply>> reports = NEIGHBOURS.stream()
                    .flatMap(neighbour -> sample.sendReports(2, neighbour).stream())
                    .toList();
            sample.awaitHeld(40);
            awaitAllQueued(sample, DOCUMENTS - 36 + 4);

            for (int document = 1; document <= 4; document++) {
                sample.partner().release("acme");
                sample.awaitHeld(40);
                assertThat(sample.partner().held("acme")).isEqualTo(36 - document);
            }

            assertThat(NEIGHBOURS)
                    .allSatisfy(neighbour ->
                            assertThat(sample.partner().held(neighbour)).isEqualTo(2));
            sample.partner().open();
            assertThat(reports)
                    .allSatisfy(report -> assertThat(report.join().status()).isEqualTo(201));
            assertThat(export.join().status()).isEqualTo(200);
        }
    }

    @Test
    void withoutLimitsTheNeighboursWaitBehindTheDocuments() {
        try (RunningSample sample = RunningSample.start(LONG, UNLIMITED, "sample.partner.archive-slower-by=0s")) {
            CompletableFuture<Reply> export = sample.sendPost("/tenants/acme/archive?documents=" + DOCUMENTS);
            Deadline.until("all documents", () -> sample.traffic("acme").now() == DOCUMENTS);
            CompletableFuture<Reply> report = sample.sendPost("/tenants/hooli/reports");
            Deadline.until("the report", () -> sample.traffic("hooli").now() == 1);

            // Some that have arrived may not be in line yet, so the last of them may stand behind the report.
            for (int documents = 41; documents <= DOCUMENTS - 20; documents++) {
                sample.partner().release();
                int arrived = documents;
                Deadline.until("the next", () -> sample.partner().arrivals().size() == arrived);
            }

            assertThat(sample.partner().arrivals()).containsOnly("acme");
            assertThat(report).isNotDone();
            sample.partner().open();
            assertThat(report.join().status()).isEqualTo(201);
            assertThat(export.join().status()).isEqualTo(200);
        }
    }

    @Test
    void itTellsHowTheNeighboursFaredAndWhatTheExportHeld() throws Exception {
        List<String> told = flood();

        assertThat(told).hasSize(19).startsWith("The neighbours alone:");
        assertThat(told.get(7)).isEqualTo("While acme exports 80 documents:");
        assertNeighboursAreAllAnswered(told);
        assertThat(told.get(14)).startsWith("acme's export ");
        assertThat(told.get(15)).matches("alone" + SECONDS + NUMBER + NUMBER + " +40");
        assertThat(told.get(16)).matches("beside the neighbours" + SECONDS + NUMBER + NUMBER + " +40");
    }

    @Test
    void withoutLimitsItTellsOfNothingHeld() throws Exception {
        List<String> told = flood(UNLIMITED);

        assertNeighboursAreAllAnswered(told);
        assertThat(told.get(15)).matches("alone" + SECONDS + " +- +- +-");
    }

    @Test
    void itSaysWhichSampleItNeeds() {
        try (RunningSample sample = RunningSample.start()) {
            sample.partner().open();
            LongFlood flood = new LongFlood(sample.address(), 1, Duration.ofSeconds(1));

            assertThatThrownBy(() -> flood.tell(System.out))
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll("has no archive", "-Dspring-boot.run.profiles=long");
        }
        LongFlood nowhere = new LongFlood("http://127.0.0.1:1", 1, Duration.ofSeconds(1));
        assertThatThrownBy(() -> nowhere.tell(System.out))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("No sample answers");
    }

    /** Waits until the export has all that it gets. */
    private static CompletableFuture<Reply> startExport(RunningSample sample) {
        CompletableFuture<Reply> export = sample.sendPost("/tenants/acme/archive?documents=" + DOCUMENTS);
        sample.awaitHeld(36);
        sample.awaitQueued("export:acme", DOCUMENTS - 36);
        return export;
    }

    private static void awaitAllQueued(RunningSample sample, int queued) {
        Deadline.until(
                queued + " in all queues",
                () -> sample.bean(GroupExecutor.class).stats().queued() == queued);
    }

    private static void assertNeighboursAreAllAnswered(List<String> told) {
        for (String neighbour : NEIGHBOURS) {
            assertThat(told)
                    .filteredOn(line -> line.startsWith(neighbour))
                    .hasSize(2)
                    .allMatch(line -> line.matches(neighbour + NUMBER + NONE + NONE + ".*"));
        }
    }

    private static List<String> flood(String... settings) throws IOException, InterruptedException {
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        String[] all = Stream.concat(Stream.of(LONG, "sample.partner.archive-slower-by=500ms"), Stream.of(settings))
                .toArray(String[]::new);
        try (RunningSample sample = RunningSample.start(all)) {
            sample.partner().open(20);
            new LongFlood(sample.address(), DOCUMENTS, Duration.ofMillis(600)).tell(new PrintStream(told, true, UTF_8));
        }
        return told.toString(UTF_8).lines().toList();
    }
}
