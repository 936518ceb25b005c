package io.github.kobe.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Counts how many requests of others reach the partner between a quiet tenant's request and its turn. */
class FairnessTests {

    @Test
    void aFloodingTenantKeepsNothingFromAQuietOneWhileThereIsRoom() {
        try (RunningSample sample = RunningSample.start()) {
            List<CompletableFuture<Reply>> flood = sample.sendReports(11, "acme");
            sample.awaitHeld(1);
            sample.awaitQueued("tenant:acme", 10);

            CompletableFuture<Reply> quiet = sample.sendPost("/tenants/hooli/reports");
            Deadline.until("one of the quiet tenant", () -> sample.partner().held("hooli") == 1);
            sample.partner().release("hooli");

            assertThat(quiet.join().status()).isEqualTo(201);
            assertThat(sample.partner().arrivals()).containsExactly("acme", "hooli");
            assertThat(flood).noneMatch(CompletableFuture::isDone);
        }
    }

    @Test
    void aQuietTenantWaitsForAtMostOneTurnOfEachFloodingOne() {
        try (RunningSample sample = RunningSample.start("group-concurrency.global.max-in-flight=2")) {
            List<CompletableFuture<Reply>> flood = new ArrayList<>(sample.sendReports(40, "vip-globex"));
            sample.awaitHeld(2);
            sample.awaitQueued("tenant:vip-globex", 38);
            flood.addAll(sample.sendReports(10, "hooli"));
            flood.addAll(sample.sendReports(10, "initech"));
            sample.awaitQueued("tenant:hooli", 10);
            sample.awaitQueued("tenant:initech", 10);

            CompletableFuture<Reply> quiet = sample.sendPost("/tenants/acme/reports");
            sample.awaitQueued("tenant:acme", 1);
            int before = sample.partner().arrivals().size();
            while (!sample.partner().arrivals().contains("acme")) {
                releaseOneAndAwaitTheNext(sample);
            }
            List<String> meanwhile = sample.partner()
                    .arrivals()
                    .subList(before, sample.partner().arrivals().indexOf("acme"));

            // A turn is as long as the group's weight: 4 for a VIP, 1 for the others.
            assertThat(meanwhile).filteredOn("vip-globex"::equals).hasSizeLessThanOrEqualTo(4);
            assertThat(meanwhile).filteredOn("hooli"::equals).hasSizeLessThanOrEqualTo(1);
            assertThat(meanwhile).filteredOn("initech"::equals).hasSizeLessThanOrEqualTo(1);
            sample.partner().open();
            assertThat(quiet.join().status()).isEqualTo(201);
            assertThat(flood)
                    .allSatisfy(reply -> assertThat(reply.join().status()).isEqualTo(201));
        }
    }

    @Test
    void withoutLimitsTheQuietTenantWaitsBehindAllThatTheFloodingOneHasSent() {
        try (RunningSample sample = RunningSample.start("group-concurrency.annotation.enabled=false")) {
            List<CompletableFuture<Reply>> flood = sample.sendReports(30, "acme");
            Deadline.until("all of acme's", () -> sample.traffic("acme").now() == 30);
            sample.awaitHeld(10);

            CompletableFuture<Reply> quiet = sample.sendPost("/tenants/hooli/reports");
            Deadline.until("hooli's", () -> sample.traffic("hooli").now() == 1);
            for (int turn = 0; turn < 20; turn++) {
                releaseOneAndAwaitTheNext(sample);
            }

            assertThat(sample.partner().arrivals()).hasSize(30).containsOnly("acme");
            assertThat(quiet).isNotDone();
            sample.partner().open();
            assertThat(quiet.join().status()).isEqualTo(201);
            assertThat(flood)
                    .allSatisfy(reply -> assertThat(reply.join().status()).isEqualTo(201));
        }
    }

    private static void releaseOneAndAwaitTheNext(RunningSample sample) {
        int arrived = sample.partner().arrivals().size();
        sample.partner().release();
        Deadline.until("the next", () -> sample.partner().arrivals().size() == arrived + 1);
    }
}
