package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.Demand;
import io.github.kobe.cluster.Statement.Kind;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.RedisServer;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

/** Users, what they may do, and what Redis is set to. */
@Tag("deep")
@Tag("lettuce")
@Tag("CL56")
@Tag("CL66")
@Timeout(120)
class AccessTests {

    /** That of the docs, for Redis 7.0. */
    private static final String ACL =
            "~gc:* &gc:* -@all +evalsha +eval +hget +hset +hmget +hdel +hscan +time +info +publish"
                    + " +subscribe +unsubscribe +ping +hello +auth +client|setname";

    private static final String SECRET = "s3cr3t";

    private final RedisServer server = RedisServer.start();

    @AfterEach
    void close() {
        server.close();
    }

    private void user(String rules) {
        String[] words = ("ACL SETUSER app reset on >" + SECRET + " " + rules).split(" ", -1);
        assertThat(server.cli(words)).isEqualTo("OK");
    }

    private RedisClusterStore storeOf(String password) {
        RedisURI uri = RedisURI.builder()
                .withHost("localhost")
                .withPort(server.port())
                .withAuthentication("app", password.toCharArray())
                .build();
        return RedisClusterStore.builder(uri).namespace("tests").build();
    }

    @Test
    void theUserOfTheDocsMayDoAllThatIsNeeded() {
        user(ACL);
        try (RedisClusterStore store = storeOf(SECRET)) {
            Speaker a = new Speaker(store, "a");
            a.speakUntilAnswered(Kind.OPEN);
            new Speaker(store, "b").say(Kind.OPEN);
            assertThat(a.say(Kind.EXCHANGE, new Demand("g:a", 1, 1, 0, 1)).kind())
                    .isEqualTo(Answer.Kind.OK);
            assertThat(a.say(Kind.CLOSE).kind()).isEqualTo(Answer.Kind.OK);
            assertThat(store.look(null).toCompletableFuture()).succeedsWithin(Deadline.LONG);
            assertThat(store.look("g:a").toCompletableFuture()).succeedsWithin(Deadline.LONG);

            Deadline.until(
                    "a subscriber", () -> !server.cli("PUBSUB", "CHANNELS").isEmpty());
            assertThat(store.warnings()).isEmpty();
            assertThat(server.cli("ACL", "LOG")).doesNotContain("publish");
        }
    }

    @Test
    void whoMayNotPublishIsWarnedAndServed() {
        user(ACL.replace(" +publish", ""));
        try (RedisClusterStore store = storeOf(SECRET)) {
            Speaker a = new Speaker(store, "a");
            Speaker b = new Speaker(store, "b");
            a.speakUntilAnswered(Kind.OPEN);
            b.say(Kind.OPEN);

            assertThat(b.say(Kind.CLOSE).kind()).isEqualTo(Answer.Kind.OK);
            Deadline.untilAsserted(() -> assertThat(store.warnings()).hasSize(1).allMatch(w -> w.contains("PUBLISH")));
            assertThat(a.say(Kind.EXCHANGE).hints()).containsExactly("*");
        }
    }

    @Test
    void whoMayNotSubscribeIsWarnedAndServed() {
        user(ACL.replace(" +subscribe", ""));
        try (RedisClusterStore store = storeOf(SECRET)) {
            Speaker a = new Speaker(store, "a");
            a.speakUntilAnswered(Kind.OPEN);

            Deadline.untilAsserted(
                    () -> assertThat(store.warnings()).hasSize(1).allMatch(w -> w.contains("SUBSCRIBE")));
            assertThat(a.say(Kind.EXCHANGE).kind()).isEqualTo(Answer.Kind.OK);
        }
    }

    @Test
    void whoMayNotDoWhatIsNeededIsToldSoAndServedOnceHeMay() {
        user(ACL.replace(" +hset", ""));
        try (RedisClusterStore store = storeOf(SECRET)) {
            Speaker a = new Speaker(store, "a");
            a.speakUntilFailed(Kind.OPEN, "ERR The user executing the script can't run this command");

            user(ACL);
            a.speakUntilAnswered(Kind.OPEN);
        }
    }

    @Test
    void whereScriptsMayNotCallInfoNoStoreIsBuilt() {
        user(ACL.replace(" +info", ""));

        assertThatExceptionOfType(RedisStoreException.class)
                .isThrownBy(() -> storeOf(SECRET))
                .withMessageStartingWith("NOINFO localhost:" + server.port() + " can't be where instances share limits")
                .withMessageContaining("ERR The user executing the script can't run this command")
                .withMessageContaining("Give the user of the store the right +info.")
                .withMessageNotContaining(SECRET);
        Deadline.untilAsserted(() -> assertThat(server.cli("CLIENT", "LIST")).doesNotContain("user=app"));
    }

    @Test
    void whoMayCallInfoNoMoreIsToldSoAndServedOnceHeMay() {
        user(ACL);
        try (RedisClusterStore store = storeOf(SECRET)) {
            Speaker a = new Speaker(store, "a");
            a.speakUntilAnswered(Kind.OPEN);

            server.cli("ACL", "SETUSER", "app", "-info");
            a.speakUntilFailed(Kind.OPEN, "ERR The user executing the script can't run this command");
            server.cli("ACL", "SETUSER", "app", "+info");
            a.speakUntilAnswered(Kind.EXCHANGE);
        }
    }

    @Test
    void aWrongPasswordIsNamedAndShownNowhere() {
        user(ACL);
        try (RedisClusterStore store = storeOf("wr0ng")) {
            Speaker a = new Speaker(store, "a");
            a.speakUntilFailed(Kind.OPEN, "WRONGPASS ");
            assertThat(a.failure(Kind.OPEN)).doesNotContain("wr0ng");
            assertThat(store.toString()).doesNotContain("wr0ng").contains("localhost:" + server.port());

            server.cli("ACL", "SETUSER", "app", ">wr0ng");
            a.speakUntilAnswered(Kind.OPEN);
        }
    }

    @Test
    void credentialsAreAskedForAtEachConnect() {
        user(ACL);
        AtomicReference<String> password = new AtomicReference<>("old");
        RedisURI uri = RedisURI.create("localhost", server.port());
        uri.setCredentialsProvider(() -> Mono.fromSupplier(
                () -> RedisCredentials.just("app", password.get().toCharArray())));
        try (RedisClusterStore store =
                RedisClusterStore.builder(uri).namespace("tests").build()) {
            Speaker a = new Speaker(store, "a");
            a.speakUntilFailed(Kind.OPEN, "WRONGPASS ");

            password.set(SECRET);
            a.speakUntilAnswered(Kind.OPEN);
        }
    }

    @Test
    void keysThatMayBeEvictedAreWarnedOf() {
        server.cli("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
        try (RedisClusterStore store = RedisClusterStore.builder(RedisURI.create("localhost", server.port()))
                .namespace("tests")
                .build()) {
            Deadline.untilAsserted(
                    () -> assertThat(store.warnings()).hasSize(1).allMatch(warning -> warning.contains("allkeys-lru")));
        }
    }

    @Test
    void replicasThatGuardNothingAreWarnedOf() {
        try (RedisServer replica = RedisServer.start("--replicaof", "localhost " + server.port())) {
            server.awaitReplica();
            try (RedisClusterStore store = storeOfAnybody()) {
                Deadline.untilAsserted(() -> assertThat(store.warnings())
                        .hasSize(1)
                        .allMatch(warning -> warning.contains("min-replicas-to-write")));
            }
            server.cli("CONFIG", "SET", "min-replicas-to-write", "1");
            try (RedisClusterStore store = storeOfAnybody()) {
                new Speaker(store, "a").speakUntilAnswered(Kind.OPEN);
                assertThat(store.warnings()).isEmpty();
            }
            assertThat(replica.cli("PING")).isEqualTo("PONG");
        }
    }

    private RedisClusterStore storeOfAnybody() {
        return RedisClusterStore.builder(RedisURI.create("localhost", server.port()))
                .namespace("tests")
                .build();
    }
}
