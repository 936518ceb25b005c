package io.github.kobe.rollout;

import io.github.kobe.rollout.jdbc.JdbcRolloutStore;
import io.github.kobe.rollout.jdbc.TestDatabase;
import io.github.kobe.testing.Depth;
import java.time.Duration;
import java.util.List;

/** Where rollouts are kept in a test: what holds for one holds for all. */
enum StoreKind {
    MEMORY,
    H2,
    POSTGRESQL;

    /** A store, and what is to be closed with it. */
    record Opened(RolloutStore store, Runnable closing) implements AutoCloseable {

        @Override
        public void close() {
            closing.run();
        }
    }

    static List<StoreKind> ofThisDepth() {
        return Depth.current() == Depth.SHORT ? List.of(MEMORY, H2) : List.of(values());
    }

    Opened open() {
        return switch (this) {
            case MEMORY -> new Opened(RolloutStore.inMemory(), () -> {});
            case H2 -> opened(TestDatabase.Product.H2.open());
            case POSTGRESQL -> opened(TestDatabase.Product.POSTGRESQL.open());
        };
    }

    private static Opened opened(TestDatabase database) {
        return new Opened(impatient(JdbcRolloutStore.of(database.dataSource())), database::close);
    }

    /** Looks often, and takes nobody for dead. */
    private static JdbcRolloutStore impatient(JdbcRolloutStore store) {
        return store.withPollingInterval(Duration.ofMillis(20));
    }
}
