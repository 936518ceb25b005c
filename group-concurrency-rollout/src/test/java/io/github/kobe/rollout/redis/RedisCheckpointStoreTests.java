package io.github.kobe.rollout.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.rollout.Checkpoint;
import io.github.kobe.rollout.TaskId;
import io.github.kobe.testing.CapturedLog;
import io.github.kobe.testing.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.core.StringRedisTemplate;

class RedisCheckpointStoreTests {

    private static final TaskId FIRST = TaskId.of("task-plan-x-1-aa");
    private static final TaskId SECOND = TaskId.of("task-plan-x-1-bb");
    private static final TaskId UNKNOWN = TaskId.of("task-plan-x-1-cc");

    private static Checkpoint checkpoint(TaskId taskId, int stages) {
        return new Checkpoint(
                taskId,
                stages - 1,
                List.of("Drain", "it's \"ü\"", "C").subList(0, stages),
                Instant.parse("2026-11-22T10:00:00.123456Z"),
                3,
                4,
                7,
                stages > 1,
                Map.of("key", "a\nb"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":", " ", "rollout", "rollout: "})
    @Tag("R61")
    void aNamespaceThatDoesNotEndInAColonIsRefused(String namespace) {
        RedisCheckpointStore store = RedisCheckpointStore.of(new StringRedisTemplate());
        assertThatThrownBy(() -> store.withNamespace(namespace))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("namespace is '" + namespace + "'; it must be some text that ends in ':'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT0.999S", "P365DT1S"})
    @Tag("R61")
    void aTimeToLiveOutOfItsRangeIsRefused(Duration ttl) {
        RedisCheckpointStore store = RedisCheckpointStore.of(new StringRedisTemplate());
        assertThatThrownBy(() -> store.withTtl(ttl))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ttl is " + ttl + "; it must be from PT1S to PT8760H");
    }

    private static boolean forgetCounts(RedisConnection connection) {
        connection.serverCommands().resetConfigStats();
        return true;
    }

    @Nested
    @Tag("deep")
    class WithRedis {

        private static TestRedis redis;
        private RedisCheckpointStore store;

        @BeforeAll
        static void open() {
            redis = TestRedis.open();
        }

        @AfterAll
        static void close() {
            redis.close();
        }

        @BeforeEach
        void empty() {
            redis.template().delete(redis.template().keys("*"));
            store = RedisCheckpointStore.of(redis.template());
        }

        @Test
        @Tag("R55")
        @Tag("R60")
        void whatIsSavedIsLoadedAsItWasUntilItIsRemoved() {
            store.save(checkpoint(FIRST, 1));
            store.save(checkpoint(FIRST, 2));
            store.save(checkpoint(SECOND, 3));

            assertThat(store.load(FIRST)).contains(checkpoint(FIRST, 2));
            assertThat(store.load(UNKNOWN)).isEmpty();
            store.remove(FIRST);
            store.remove(UNKNOWN);
            assertThat(store.load(FIRST)).isEmpty();
            assertThat(store.load(SECOND)).contains(checkpoint(SECOND, 3));
        }

        @Test
        @Tag("R60")
        void severalAreLoadedInOneGo() {
            store.save(checkpoint(FIRST, 1));
            store.save(checkpoint(SECOND, 2));

            redis.template().execute(RedisCheckpointStoreTests::forgetCounts, true);
            assertThat(store.loadMultiple(List.of(SECOND, UNKNOWN, FIRST)))
                    .containsExactly(checkpoint(SECOND, 2), checkpoint(FIRST, 1));
            assertThat(store.loadMultiple(List.of())).isEmpty();
            Properties commands = redis.template()
                    .execute(connection -> connection.serverCommands().info("commandstats"), true);
            assertThat(commands.getProperty("cmdstat_mget")).startsWith("calls=1,");
            assertThat(commands).doesNotContainKey("cmdstat_get");
        }

        @Test
        @Tag("R61")
        void theKeysAreInTheNamespaceAndDoNotStayForEver() {
            store.save(checkpoint(FIRST, 1));
            store.withNamespace("orders:").withTtl(Duration.ofMinutes(5)).save(checkpoint(SECOND, 1));

            assertThat(redis.template().keys("*"))
                    .containsExactlyInAnyOrder("rollout:checkpoint:" + FIRST, "orders:" + SECOND);
            assertThat(redis.template().getExpire("rollout:checkpoint:" + FIRST))
                    .isBetween(86_000L, 86_400L);
            assertThat(redis.template().getExpire("orders:" + SECOND)).isBetween(200L, 300L);
            assertThat(store.load(SECOND)).as("in another namespace").isEmpty();
        }

        @Test
        @Tag("R61")
        void whatIsTooOldIsGone() {
            store.withTtl(Duration.ofSeconds(3)).save(checkpoint(FIRST, 1));
            assertThat(store.load(FIRST)).isPresent();
            Deadline.until("gone", () -> store.load(FIRST).isEmpty());
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "null", "nonsense", "[]", "{}", "{\"run\":1,\"timestamp\":\"today\"}"})
        @Tag("R63")
        void whatIsNoCheckpointIsTakenForLostWithAWarning(String text) {
            redis.template().opsForValue().set("rollout:checkpoint:" + FIRST, text);
            try (CapturedLog log = CapturedLog.open()) {
                assertThat(store.load(FIRST)).isEmpty();
                assertThat(log.warnings())
                        .containsExactly("What Redis has under rollout:checkpoint:" + FIRST
                                + " is no checkpoint; it is taken for lost");
            }
        }
    }
}
