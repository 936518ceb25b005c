package io.github.kobe.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.spring.jdbc.GroupDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** A connection pool with turns in front of it, beside the pool alone. */
final class LimitedConnections extends Workload {

    private static final int POOL = 10;
    private static final int THREADS = 300;
    private static final int TURNS = 10;
    private static final Duration QUERY = Duration.ofMillis(20);

    /** What is measured. */
    enum Aspect {
        /** What an idle pool costs more. */
        OPENING("D1", "what a turn adds to opening and closing a connection of an idle pool", "ns", Goal.atMost(150)) {
            @Override
            double of(DataSource pool, DataSource limited, int size) throws Exception {
                open(pool, size);
                open(limited, size);
                double added = 0;
                for (int turn = 0; turn < TURNS; turn++) {
                    added += open(limited, size) - open(pool, size);
                }
                return added / TURNS / size;
            }
        },
        /** How much gets through a busy one. */
        THROUGHPUT(
                "D2",
                "queries of 20 ms by 300 virtual threads of one group whose limit is the pool's size of 10",
                "× the pool's throughput",
                new Goal(true, 0.9, null)) {
            @Override
            double of(DataSource pool, DataSource limited, int size) throws Exception {
                return flood(pool, size) / flood(limited, size);
            }
        };

        private final String id;
        private final String title;
        private final String unit;

        @SuppressWarnings("ImmutableEnumChecker") // a record of a number
        private final Goal goal;

        Aspect(String id, String title, String unit, Goal goal) {
            this.id = id;
            this.title = title;
            this.unit = unit;
            this.goal = goal;
        }

        abstract double of(DataSource pool, DataSource limited, int size) throws Exception;
    }

    private final Aspect aspect;
    private final int size;

    LimitedConnections(Aspect aspect, int size) {
        super(aspect.id, aspect.title, aspect.unit, aspect.goal);
        this.aspect = aspect;
        this.size = size;
    }

    @Override
    List<Entrant> entrants() {
        return List.of(Entrant.OURS);
    }

    @Override
    Limits limits() {
        return Limits.perGroup(POOL);
    }

    @Override
    <H> double run(Contestant<H> contestant) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:");
        config.setMaximumPoolSize(POOL);
        try (HikariDataSource pool = new HikariDataSource(config);
                GroupExecutor turns = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                        .globalMaxInFlight(POOL)
                        .defaultMaxConcurrencyPerGroup(POOL)
                        .build())) {
            return aspect.of(pool, GroupDataSource.limit(pool, turns, () -> "tenant"), size);
        }
    }

    private static double open(DataSource dataSource, int times) throws SQLException {
        int opened = 0;
        long start = System.nanoTime();
        for (int i = 0; i < times; i++) {
            try (Connection connection = dataSource.getConnection()) {
                opened += connection == null ? 0 : 1;
            }
        }
        double nanos = nanosSince(start);
        check(times, opened);
        return nanos;
    }

    /** {@return how long all of them take} */
    private static double flood(DataSource dataSource, int queries) throws Exception {
        long start = System.nanoTime();
        List<Integer> done = inParallel(Thread.ofVirtual(), THREADS, thread -> () -> {
            int mine = 0;
            for (int i = thread; i < queries; i += THREADS) {
                try (Connection connection = dataSource.getConnection()) {
                    LockSupport.parkNanos(connection, QUERY.toNanos());
                    mine++;
                }
            }
            return mine;
        });
        double nanos = nanosSince(start);
        check(queries, done.stream().mapToInt(Integer::intValue).sum());
        return nanos;
    }
}
