package io.github.kobe.rollout;

import io.github.kobe.rollout.internal.memory.MemoryStore;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.rollout.jdbc.JdbcRolloutStore;
import io.github.kobe.rollout.jdbc.TestDatabase;
import io.github.kobe.rollout.redis.RedisCheckpointStore;
import io.github.kobe.rollout.redis.TestRedis;
import io.github.kobe.testing.Depth;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where rollouts are kept in a test: what holds for one holds for all. */
enum StoreKind {
    MEMORY,
    H2,
    POSTGRESQL,
    /** The checkpoints in Redis, the rest in H2. */
    H2_AND_REDIS;

    /** A store, perhaps another one for the checkpoints, and what is to be closed with it. */
    record Opened(PlanStore store, @Nullable CheckpointStore checkpoints, Runnable closing) implements AutoCloseable {

        @Override
        public void close() {
            closing.run();
        }
    }

    static List<StoreKind> ofThisDepth() {
        return Depth.current() == Depth.SHORT ? List.of(MEMORY, H2) : List.of(MEMORY, H2, POSTGRESQL);
    }

    Opened open() {
        return switch (this) {
            case MEMORY -> new Opened(new MemoryStore(InstantSource.system()), null, () -> {});
            case H2 -> opened(TestDatabase.Product.H2.open());
            case POSTGRESQL -> opened(TestDatabase.Product.POSTGRESQL.open());
            case H2_AND_REDIS -> withRedis(TestDatabase.Product.H2.open());
        };
    }

    private static Opened opened(TestDatabase database) {
        return new Opened(impatient(JdbcRolloutStore.of(database.dataSource())), null, database::close);
    }

    private static Opened withRedis(TestDatabase database) {
        TestRedis redis = TestRedis.open();
        return new Opened(
                impatient(JdbcRolloutStore.of(database.dataSource())),
                RedisCheckpointStore.of(redis.template()),
                () -> {
                    redis.close();
                    database.close();
                });
    }

    /** Looks often, and takes nobody for dead. */
    private static PlanStore impatient(JdbcRolloutStore store) {
        return store.withPollingInterval(Duration.ofMillis(20)).plans();
    }
}
