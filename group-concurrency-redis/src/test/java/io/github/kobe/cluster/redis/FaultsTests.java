package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.Demand;
import io.github.kobe.cluster.Hint;
import io.github.kobe.cluster.Statement.Kind;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.RedisServer;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that dies, forgets, stands still, or can't be reached. */
@Tag("deep")
@Tag("lettuce")
@Tag("CL36")
@Tag("CL56")
@Tag("CL65")
@Timeout(120)
class FaultsTests {

    private static final Demand HAS_ONE = new Demand("g:a", 1, 1, 0, 1);

    private final RedisServer server = RedisServer.start();
    private final RedisClusterStore store = storeAt(server.port());
    private final Speaker a = new Speaker(store, "a");

    private static RedisClusterStore storeAt(int port) {
        return RedisClusterStore.builder(RedisURI.create("localhost", port))
                .namespace("tests")
                .build();
    }

    @AfterEach
    void close() {
        store.close();
        server.close();
    }

    @Test
    void aServerThatIsKilledAndComesBackBeginsAnEpoch() throws Exception {
        a.speakUntilAnswered(Kind.OPEN);
        long before = a.epoch();
        server.kill();
        a.speakUntilFailed(Kind.EXCHANGE, "not connected to localhost:" + server.port() + ": Connection refused");

        server.restart();

        a.speakUntilAnswered(Kind.EXCHANGE);
        assertThat(a.epoch()).isGreaterThan(before);
        Speaker b = new Speaker(store, "b");
        assertThat(b.say(Kind.OPEN).learning()).isPositive();
        assertThat(b.say(Kind.EXCHANGE, new Demand("g:a", 0, 1, 0, 1))
                        .grants()
                        .getFirst()
                        .counted())
                .isZero();
    }

    @Test
    void whatIsUnderWayWhenTheServerDiesFailsAtOnce() throws Exception {
        a.speakUntilAnswered(Kind.OPEN);
        server.freeze();
        var answer = a.send(Kind.EXCHANGE);
        server.kill();

        assertThat(answer)
                .failsWithin(Duration.ofMillis(1_500))
                .withThrowableThat()
                .withMessageContaining("not connected to localhost:" + server.port());
    }

    @Test
    void flushallIsNoticed() {
        a.speakUntilAnswered(Kind.OPEN);
        long before = a.epoch();
        server.cli("FLUSHALL");

        Answer answer = a.say(Kind.EXCHANGE, HAS_ONE);

        assertThat(answer.kind()).isEqualTo(Answer.Kind.GONE);
        assertThat(answer.epoch()).isGreaterThan(before);
        assertThat(answer.learning()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void aServerThatStandsStillIsGivenUpAfterTwoSecondsAndServesAgain() {
        a.speakUntilAnswered(Kind.OPEN);
        server.freeze();
        assertThat(a.failure(Kind.EXCHANGE)).isEqualTo("no answer from localhost:" + server.port() + " within 2 s");
        a.speakUntilFailed(Kind.EXCHANGE, "not connected to localhost:" + server.port() + ": nothing was answered");

        server.thaw();

        a.speakUntilAnswered(Kind.EXCHANGE);
    }

    @Test
    void aServerThatStandsStillKeepsNoStoreFromBeingBuilt() {
        server.freeze();
        try (RedisClusterStore late = storeAt(server.port())) {
            server.thaw();
            new Speaker(late, "late").speakUntilAnswered(Kind.OPEN);
        }
    }

    @Test
    void aPausedServerIsNoLoss() {
        a.speakUntilAnswered(Kind.OPEN);
        server.cli("CLIENT", "PAUSE", "3000", "ALL");
        assertThat(a.failure(Kind.EXCHANGE)).startsWith("no answer from");

        a.speakUntilAnswered(Kind.EXCHANGE);
        assertThat(a.say(Kind.EXCHANGE).kind()).isEqualTo(Answer.Kind.OK);
    }

    @Test
    void aServerThatHasForgottenTheScriptIsSentIt() {
        a.speakUntilAnswered(Kind.OPEN);
        server.cli("SCRIPT", "FLUSH");

        assertThat(a.say(Kind.EXCHANGE).kind()).isEqualTo(Answer.Kind.OK);
        assertThat(server.cli("INFO", "commandstats")).contains("cmdstat_eval:");
    }

    @Test
    void aConnectionOnWhichNothingComesIsReplaced() throws Exception {
        try (Proxy proxy = new Proxy(server.port());
                RedisClusterStore beyond = storeAt(proxy.port())) {
            Speaker b = new Speaker(beyond, "b");
            b.speakUntilAnswered(Kind.OPEN);
            int before = proxy.accepted();
            proxy.swallow(true);
            b.speakUntilFailed(Kind.EXCHANGE, "not connected");
            Deadline.until("another attempt", () -> proxy.accepted() > before);

            proxy.swallow(false);

            b.speakUntilAnswered(Kind.EXCHANGE);
        }
    }

    @Test
    void whoMayHaveMissedHintsIsToldToAskAgain() {
        Queue<Hint> told = new ConcurrentLinkedQueue<>();
        Runnable enough = store.onHint(told::add);
        a.speakUntilAnswered(Kind.OPEN);
        Deadline.until("a subscriber", () -> !server.cli("PUBSUB", "CHANNELS").isEmpty());
        assertThat(told).isEmpty();

        server.cli("CLIENT", "KILL", "TYPE", "pubsub");

        Deadline.until("a hint", () -> !told.isEmpty());
        assertThat(told).containsExactly(new Hint("a", List.of(Hint.UNMET)));
        enough.run();
    }

    /** The one for statements may lead to another server then. */
    @Test
    void aNewConnectionForStatementsBringsOneForHints() {
        Queue<Hint> told = new ConcurrentLinkedQueue<>();
        Runnable enough = store.onHint(told::add);
        a.speakUntilAnswered(Kind.OPEN);
        Deadline.until("a subscriber", () -> !server.cli("PUBSUB", "CHANNELS").isEmpty());

        server.cli("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");

        Deadline.until("a hint", () -> !told.isEmpty());
        assertThat(told).containsExactly(new Hint("a", List.of(Hint.UNMET)));
        enough.run();
    }

    @Test
    void aServerWithoutMemoryServesAllTheSame() {
        a.speakUntilAnswered(Kind.OPEN);
        server.cli("CONFIG", "SET", "maxmemory", "1");

        assertThat(a.say(Kind.EXCHANGE, HAS_ONE).kind()).isEqualTo(Answer.Kind.OK);
        assertThat(server.cli("SET", "x", "y")).startsWith("OOM");
    }

    @Test
    void aServerThatLacksReplicasGivesNoAnswer() {
        a.speakUntilAnswered(Kind.OPEN);
        server.cli("CONFIG", "SET", "min-replicas-to-write", "1");
        assertThat(a.failure(Kind.EXCHANGE)).startsWith("NOREPLICAS ");

        server.cli("CONFIG", "SET", "min-replicas-to-write", "0");
        assertThat(a.say(Kind.EXCHANGE).kind()).isEqualTo(Answer.Kind.OK);
    }

    @Test
    void aReplicaGivesNoAnswerUntilItIsThePrimary() {
        a.speakUntilAnswered(Kind.OPEN);
        try (RedisServer primary = RedisServer.start()) {
            server.cli("REPLICAOF", "localhost", Integer.toString(primary.port()));
            a.speakUntilFailed(Kind.EXCHANGE, "READONLY ");

            server.cli("REPLICAOF", "NO", "ONE");
            a.speakUntilAnswered(Kind.EXCHANGE);
        }
    }

    @Test
    void aReplicaThatIsAttachedBeginsAnEpochSinceItChangesTheServersIdentity() {
        a.speakUntilAnswered(Kind.OPEN);
        long before = a.epoch();
        try (RedisServer replica = RedisServer.start("--replicaof", "localhost " + server.port())) {
            server.awaitReplica();
            a.say(Kind.EXCHANGE);
            assertThat(a.epoch()).isGreaterThan(before);
            assertThat(replica.cli("EXISTS", "gc:{tests}")).isEqualTo("1");
        }
    }
}
