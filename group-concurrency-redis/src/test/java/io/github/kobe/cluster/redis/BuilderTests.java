package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.kobe.cluster.Statement.Kind;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a store is built, and what it says while there is no server. */
class BuilderTests {

    private static final RedisURI URI = RedisURI.create("redis://user:s3cr3t@localhost:1");

    @Test
    void aStoreWantsANamespace() {
        assertThatIllegalStateException()
                .isThrownBy(() -> RedisClusterStore.builder(URI).build())
                .withMessageStartingWith("namespace is not set");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t"})
    void aNamespaceIsMoreThanWhiteSpace(String blank) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisClusterStore.builder(URI).namespace(blank))
                .withMessage("namespace must be a text that is more than white space, was '" + blank + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a{b", "a}b", "{}"})
    void namesHaveNoCurlyBrackets(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisClusterStore.builder(URI).namespace(text))
                .withMessage("namespace must be at most 255 characters without '{' and '}', was '" + text + "'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisClusterStore.builder(URI).keyPrefix(text))
                .withMessage("keyPrefix must be at most 255 characters without '{' and '}', was '" + text + "'");
    }

    @Test
    void namesAreNoLongerThan255Characters() {
        RedisClusterStore.Builder builder =
                RedisClusterStore.builder(URI).namespace("x".repeat(255)).keyPrefix("x".repeat(255));

        assertThatIllegalArgumentException().isThrownBy(() -> builder.namespace("x".repeat(256)));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.keyPrefix("x".repeat(256)));
    }

    @Test
    void aSocketInTheFileSystemIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisClusterStore.builder(RedisURI.create("redis-socket://s3cr3t@/tmp/redis.sock")))
                .withMessageStartingWith("uri must name a host, was redis-socket:")
                .withMessageNotContaining("s3cr3t");
    }

    @Test
    void anAddressWithoutAHostIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> RedisClusterStore.builder(new RedisURI()));
    }

    @Test
    void aPrimaryThatSentinelWatchesHasAName() {
        RedisURI nameless = RedisURI.builder()
                .withSentinel("s3cr3t-host", 1, "s3cr3t")
                .withSentinelMasterId("x")
                .build();
        nameless.setSentinelMasterId("");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisClusterStore.builder(nameless))
                .withMessageStartingWith("uri must name the primary that Sentinel watches")
                .withMessageNotContaining("s3cr3t@");
    }

    @Test
    void whoSharesAndWhereIsShown() {
        RedisURI sentinels = RedisURI.create("redis-sentinel://s3cr3t@localhost:1,localhost:2#main");
        try (RedisClusterStore store =
                        RedisClusterStore.builder(URI).namespace("reports").build();
                RedisClusterStore watched = RedisClusterStore.builder(sentinels)
                        .namespace("reports")
                        .keyPrefix("x:")
                        .build()) {
            assertThat(store).hasToString("RedisClusterStore[localhost:1/gc:{reports}]");
            assertThat(watched).hasToString("RedisClusterStore[main of localhost:1,localhost:2/x:{reports}]");
        }
    }

    @Test
    void whileThereIsNoServerEachStatementFailsWithTheReason() {
        try (RedisClusterStore store =
                RedisClusterStore.builder(URI).namespace("reports").build()) {
            new Speaker(store, "a").speakUntilFailed(Kind.OPEN, "not connected to localhost:1: Connection refused");
            assertThat(store.warnings()).isEmpty();
        }
    }

    @Test
    void laterChangesOfTheAddressHaveNoEffect() {
        RedisURI uri = RedisURI.create("redis://localhost:1");
        RedisClusterStore.Builder builder = RedisClusterStore.builder(uri).namespace("reports");
        uri.setPort(2);

        try (RedisClusterStore store = builder.build()) {
            assertThat(store).hasToString("RedisClusterStore[localhost:1/gc:{reports}]");
        }
    }

    @Test
    void afterItsEndEachStageFails() {
        RedisClusterStore store =
                RedisClusterStore.builder(URI).namespace("reports").build();
        store.close();
        store.close();

        assertThat(new Speaker(store, "a").failure(Kind.OPEN)).isEqualTo("the store is closed");
        assertThat(store.look(null).toCompletableFuture()).isCompletedExceptionally();
    }
}
