package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.Demand;
import io.github.kobe.cluster.Statement.Kind;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.RedisServer;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A primary that Sentinel watches, and its replica. */
@Tag("deep")
@Tag("lettuce")
@Tag("CL64")
@Timeout(120)
class SentinelTests {

    private final RedisServer primary = RedisServer.start();
    private final RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1 " + primary.port());
    private final RedisServer sentinel;
    private final RedisClusterStore store;
    private final Speaker a;

    SentinelTests() throws IOException {
        sentinel = RedisServer.sentinel("""
            sentinel monitor main 127.0.0.1 %d 1
            sentinel down-after-milliseconds main 500
            sentinel failover-timeout main 3000
            """.formatted(primary.port()));
        int nobody = RedisServer.freePort();
        store = RedisClusterStore.builder(RedisURI.create(
                        "redis-sentinel://localhost:%d,localhost:%d#main".formatted(nobody, sentinel.port())))
                .namespace("tests")
                .build();
        a = new Speaker(store, "a");
    }

    @BeforeEach
    void awaitReplica() {
        primary.awaitReplica();
        sentinel.awaitWatches(replica);
        a.speakUntilAnswered(Kind.OPEN);
        Deadline.until(
                "the key at the replica",
                () -> replica.cli("EXISTS", "gc:{tests}").equals("1"));
    }

    @AfterEach
    void close() {
        store.close();
        sentinel.close();
        replica.close();
        primary.close();
    }

    @Test
    void theReplicaOfAPrimaryThatDiesIsTheStoreAndLearns() throws Exception {
        long before = a.epoch();
        primary.kill();

        a.speakUntilFailed(Kind.EXCHANGE, "not connected to main of localhost:");
        a.speakUntilAnswered(Kind.EXCHANGE);

        assertThat(a.epoch()).isGreaterThan(before);
        replica.awaitRole("master");
    }

    @Test
    void aFailoverThatSomebodyAsksForIsFollowed() {
        long before = a.epoch();
        sentinel.cli("SENTINEL", "FAILOVER", "main");

        replica.awaitRole("master");
        primary.awaitRole("slave");
        Deadline.until("its answer", () -> a.failure(Kind.EXCHANGE) == null && a.epoch() > before);
        Answer answer = a.say(Kind.EXCHANGE, new Demand("g:a", 1, 1, 0, 1));
        assertThat(answer.learning()).isPositive();
        assertThat(replica.cli("HGET", "gc:{tests}", "g:a")).isNotEmpty();
    }
}
