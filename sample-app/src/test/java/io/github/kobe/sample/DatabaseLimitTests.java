package io.github.kobe.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class DatabaseLimitTests {

    private static final GatedDatabase DATABASE = new GatedDatabase();

    private static RunningSample sample;

    @BeforeAll
    static void start() {
        sample = RunningSample.startWith(fresh -> fresh.getBeanFactory().addBeanPostProcessor(DATABASE));
    }

    @AfterEach
    void settle() throws InterruptedException {
        DATABASE.open();
        sample.settle();
    }

    @AfterAll
    static void stop() {
        sample.close();
    }

    @Test
    void eightReadsReachTheDatabaseAtOnceAndTheOthersWait() {
        DATABASE.shut();
        List<CompletableFuture<Reply>> replies = Stream.generate(() -> sample.sendGet("/tenants/acme/reports"))
                .limit(20)
                .toList();

        Deadline.until("8 at the database", () -> DATABASE.waiting() == 8);
        sample.awaitQueued("db-read", 12);
        assertThat(DATABASE.waiting()).isEqualTo(8);

        DATABASE.open();
        assertThat(replies)
                .allSatisfy(reply -> assertThat(reply.join().status()).isEqualTo(200));
    }

    @Test
    void twoWritesReachTheDatabaseAtOnceAndTheOthersWait() {
        List<CompletableFuture<Reply>> replies = new ArrayList<>(sample.sendReports(4, "vip-globex"));
        replies.addAll(sample.sendReports(4, "vip-umbrella"));
        sample.awaitHeld(8);
        DATABASE.shut();
        sample.partner().open();

        Deadline.until("2 at the database", () -> DATABASE.waiting() == 2);
        sample.awaitQueued("db-write", 6);
        assertThat(DATABASE.waiting()).isEqualTo(2);

        DATABASE.open();
        assertThat(replies)
                .allSatisfy(reply -> assertThat(reply.join().status()).isEqualTo(201));
    }
}
