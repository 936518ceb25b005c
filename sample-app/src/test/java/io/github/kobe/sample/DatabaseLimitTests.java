package io.github.kobe.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DatabaseLimitTests {

    private final GatedDatabase database = new GatedDatabase();
    private final RunningSample sample =
            RunningSample.startWith(fresh -> fresh.getBeanFactory().addBeanPostProcessor(database));

    @AfterEach
    void stop() {
        database.open();
        sample.close();
    }

    @Test
    void eightReadsReachTheDatabaseAtOnceAndTheOthersWait() {
        database.shut();
        List<CompletableFuture<Reply>> replies = Stream.generate(() -> sample.sendGet("/tenants/acme/reports"))
                .limit(20)
                .toList();

        Waiting.until(() -> database.waiting() == 8);
        sample.awaitQueued("db-read", 12);
        assertThat(database.waiting()).isEqualTo(8);

        database.open();
        assertThat(replies)
                .allSatisfy(reply -> assertThat(reply.join().status()).isEqualTo(200));
    }

    @Test
    void twoWritesReachTheDatabaseAtOnceAndTheOthersWait() {
        List<CompletableFuture<Reply>> replies = new ArrayList<>(sample.sendReports(4, "vip-globex"));
        replies.addAll(sample.sendReports(4, "vip-umbrella"));
        sample.awaitHeld(8);
        database.shut();
        sample.partner().open();

        Waiting.until(() -> database.waiting() == 2);
        sample.awaitQueued("db-write", 6);
        assertThat(database.waiting()).isEqualTo(2);

        database.open();
        assertThat(replies)
                .allSatisfy(reply -> assertThat(reply.join().status()).isEqualTo(201));
    }
}
