package io.github.kobe.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.GroupExecutor;
import io.github.kobe.sample.partner.TrafficCount;
import io.github.kobe.testing.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("deep")
class StopTests {

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final RunningSample sample = RunningSample.start("group-concurrency.groups[tenant:*].queue-threshold=100");

    @AfterEach
    void stop() {
        sample.close();
        Deadline.close(threads);
    }

    @Test
    void aStopAnswersEveryRequestThatRunsOrWaits() {
        List<CompletableFuture<Reply>> replies = new ArrayList<>(sample.sendReports(8, "acme"));
        replies.addAll(sample.sendReports(8, "vip-globex"));
        sample.awaitHeld(5);
        sample.awaitQueued("tenant:acme", 7);
        sample.awaitQueued("tenant:vip-globex", 4);

        CompletableFuture<Void> stopped = CompletableFuture.runAsync(sample::stop, threads);
        awaitRefusal();
        assertThat(replies).noneMatch(CompletableFuture::isDone);
        assertThat(stopped).isNotDone();
        sample.partner().open();

        assertThat(replies)
                .allSatisfy(reply -> assertThat(reply.join().status()).isEqualTo(201));
        assertThat(stopped).succeedsWithin(Deadline.LONG);
    }

    @Test
    void aStopFinishesEveryExportThatRunsOrWaits() {
        TrafficCount traffic = sample.bean(TrafficCount.class);
        GroupExecutor executor = sample.bean(GroupExecutor.class);
        for (String tenant : List.of("acme", "acme", "hooli")) {
            assertThat(sample.post("/tenants/" + tenant + "/exports").status()).isEqualTo(202);
        }
        sample.awaitHeld(2);

        CompletableFuture<Void> stopped = CompletableFuture.runAsync(sample::stop, threads);
        awaitRefusal();
        assertThat(stopped).isNotDone();
        sample.partner().open();

        assertThat(stopped).succeedsWithin(Deadline.LONG);
        assertThat(executor.groupStats("export:acme").orElseThrow().totals().succeeded())
                .isEqualTo(2);
        assertThat(executor.groupStats("export:hooli").orElseThrow().totals().succeeded())
                .isEqualTo(1);
        assertThat(executor.stats().totals().cancelled()).isZero();
        assertThat(traffic.total().served()).isEqualTo(9);
    }

    @Test
    void aStopUnderLoadLosesNoReportThatWasBuilt() {
        TrafficCount traffic = sample.bean(TrafficCount.class);
        GroupExecutor executor = sample.bean(GroupExecutor.class);
        sample.partner().open(2);
        List<CompletableFuture<List<Integer>>> clients = new ArrayList<>();
        for (String tenant : List.of("acme", "hooli", "initech", "vip-globex", "vip-umbrella")) {
            for (int client = 0; client < 8; client++) {
                clients.add(CompletableFuture.supplyAsync(() -> reportsUntilRefused(tenant), threads));
            }
        }
        Deadline.until("100 reports", () -> traffic.total().served() >= 100);

        sample.stop();

        List<Integer> answers =
                clients.stream().flatMap(client -> client.join().stream()).toList();
        assertThat(answers).containsOnly(201);
        assertThat(answers).hasSize((int) traffic.total().served());
        assertThat(executor.stats().totals().cancelled()).isZero();
        assertThat(executor.stats().totals().rejected()).isZero();
    }

    /** Asks for one report after the other until the web server takes no more requests; gives the answers. */
    private List<Integer> reportsUntilRefused(String tenant) {
        List<Integer> answers = new ArrayList<>();
        String path = "/tenants/" + tenant + "/reports";
        try {
            for (Reply reply = sample.post(path); !isOfTheWebServer(reply); reply = sample.post(path)) {
                answers.add(reply.status());
            }
        } catch (CompletionException noConnection) {
            // That is a refusal too.
        }
        return answers;
    }

    /**
     * {@return whether Tomcat itself has answered} If it is stopped just as it has read the first line of a request, it
     * doesn't read the headers any more, and then misses them. What the application says is JSON.
     */
    private static boolean isOfTheWebServer(Reply reply) {
        return reply.status() == 400 && reply.contentType().startsWith("text/html");
    }

    /** Waits until the web server takes no connection any more, which is the beginning of its stop. */
    private void awaitRefusal() {
        Deadline.untilAsserted(
                () -> assertThatThrownBy(() -> sample.get("/partner/traffic")).isInstanceOf(CompletionException.class));
    }
}
