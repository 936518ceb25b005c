package io.github.kobe.spring.jdbc;

import static io.github.kobe.spring.jdbc.PooledApplication.TENANT;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Prints the figures of the page about connections: one tenant floods a pool of ten with 300 threads, and 50 threads take two
 * connections each. It asserts no figure.
 */
@Tag("once")
@Tag("deep")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class FloodedPoolTests {

    private static final int POOL = 10;
    private static final int THREADS = 300;
    private static final int QUESTIONS = 20;
    private static final Duration QUERY = Duration.ofMillis(20);
    /** For all questions, even if each of them waits for seconds. */
    private static final Duration LONGEST = Duration.ofMinutes(2);

    private static final Duration PAUSE = Duration.ofMillis(50);

    @AfterEach
    void nobody() {
        TENANT.remove();
    }

    @Test
    void aNeighbourWhileOneTenantFloods() throws Exception {
        System.out.printf("%-28s %12s %12s %16s%n", "", "median", "p95", "queries a second");
        try (HikariDataSource pool = pool()) {
            ask(pool); // until it has connections
            tell("the neighbour alone", ask(pool), 0);
            flood("the pool alone", pool);
        }
        floodWith("turns", Integer.MAX_VALUE);
        floodWith("turns, and at most 6 each", 6);
    }

    private static void floodWith(String name, int each) throws Exception {
        try (HikariDataSource pool = pool();
                GroupExecutor executor = executor(each)) {
            flood(name, GroupDataSource.limit(pool, executor, TENANT::get));
            assertThat(executor.stats().inFlight()).isZero();
        }
    }

    private static void flood(String name, DataSource dataSource) throws Exception {
        AtomicInteger queries = new AtomicInteger();
        Gate flooded = new Gate();
        Gate over = new Gate();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        Runnable[] request = new Runnable[1];
        request[0] = () -> {
            TENANT.set("acme");
            query(dataSource);
            if (queries.incrementAndGet() == THREADS) {
                flooded.open();
            }
            if (!over.isOpen()) {
                threads.execute(request[0]); // each request has a thread of its own
            }
        };
        for (int i = 0; i < THREADS; i++) {
            threads.execute(request[0]);
        }
        flooded.pass();
        int before = queries.get();
        long start = System.nanoTime();
        long[] nanos = ask(dataSource);
        double seconds = (System.nanoTime() - start) / 1e9;
        tell(name, nanos, (queries.get() - before + QUESTIONS) / seconds);
        over.open();
        Deadline.close(threads);
    }

    /** {@return how long each question of the neighbour took, who is on a virtual thread too} */
    private static long[] ask(DataSource dataSource) throws Exception {
        FutureTask<long[]> questions = new FutureTask<>(() -> questions(dataSource));
        Thread.ofVirtual().start(questions);
        return questions.get(LONGEST.toSeconds(), TimeUnit.SECONDS);
    }

    private static long[] questions(DataSource dataSource) {
        TENANT.set("hooli");
        long[] nanos = new long[QUESTIONS];
        for (int i = 0; i < QUESTIONS; i++) {
            long start = System.nanoTime();
            query(dataSource);
            nanos[i] = System.nanoTime() - start;
            LockSupport.parkNanos(PAUSE.toNanos());
        }
        return nanos;
    }

    private static void query(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            assertThat(connection.isClosed()).isFalse();
            LockSupport.parkNanos(QUERY.toNanos());
        } catch (SQLException failure) {
            throw new AssertionError(failure);
        }
    }

    private static void tell(String name, long[] nanos, double perSecond) {
        Arrays.sort(nanos);
        System.out.printf(
                "%-28s %9.0f ms %9.0f ms %16.0f%n",
                name, nanos[nanos.length / 2] / 1e6, nanos[nanos.length * 95 / 100] / 1e6, perSecond);
    }

    @Test
    void fiftyThreadsThatTakeASecondConnectionWhileTheyHaveOne() throws Exception {
        try (HikariDataSource pool = pool()) {
            pool.setConnectionTimeout(3_000);
            System.out.println(
                    "Of 50 threads with two connections each, failed: the pool alone " + failedOfNested(pool));
        }
        try (HikariDataSource pool = pool();
                GroupExecutor executor = executor(Integer.MAX_VALUE)) {
            int failed = failedOfNested(GroupDataSource.limit(pool, executor, TENANT::get));
            System.out.println("Of 50 threads with two connections each, failed: with turns " + failed);
            assertThat(failed).isZero();
        }
    }

    private static int failedOfNested(DataSource dataSource) throws Exception {
        AtomicInteger failed = new AtomicInteger();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        Callable<Void> nested = () -> {
            TENANT.set("acme");
            try (Connection outer = dataSource.getConnection()) {
                LockSupport.parkNanos(QUERY.toNanos());
                try (Connection inner = dataSource.getConnection()) {
                    assertThat(inner).isNotEqualTo(outer);
                    LockSupport.parkNanos(QUERY.toNanos());
                }
            } catch (SQLException timedOut) {
                failed.incrementAndGet();
            }
            return null;
        };
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            all.add(threads.submit(nested));
        }
        Deadline.close(threads);
        for (Future<?> one : all) {
            one.get();
        }
        return failed.get();
    }

    private static HikariDataSource pool() {
        return PooledApplication.pool("flooded", POOL);
    }

    private static GroupExecutor executor(int each) {
        return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .globalMaxInFlight(POOL - 1)
                .defaultMaxConcurrencyPerGroup(each)
                .build());
    }
}
