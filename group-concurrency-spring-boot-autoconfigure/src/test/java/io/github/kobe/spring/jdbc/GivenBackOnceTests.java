package io.github.kobe.spring.jdbc;

import static io.github.kobe.spring.jdbc.LimitedPool.impatient;
import static io.github.kobe.spring.jdbc.LimitedPool.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** J2: the permit of a connection returns exactly once. */
@Tag("J2")
class GivenBackOnceTests {

    /** Has one that fails, as it is told. */
    private static final class Failing extends DelegatingDataSource {

        private final Throwable failure;

        Failing(DataSource target, Throwable failure) {
            super(target);
            this.failure = failure;
        }

        @Override
        public Connection getConnection() throws SQLException {
            switch (failure) {
                case SQLException e -> throw e;
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                default -> throw new AssertionError(failure);
            }
        }
    }

    @Test
    void aCloseGivesItBackOnAnyThread() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, 1)) {
            Connection here = limited.open("a");
            assertThat(here.isClosed()).isFalse();
            here.close();
            assertThat(here.isClosed()).isTrue();

            Connection elsewhere = limited.open("a");
            Caller.start(() -> {
                        elsewhere.close();
                        return 0;
                    })
                    .result();

            assertThat(elsewhere.isClosed()).isTrue();
            assertThat(limited.inFlight("a")).isZero();
        }
    }

    @Test
    void aSecondCloseGivesNothingBack() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, 2)) {
            Connection other = limited.openElsewhere("a");
            Connection closed = limited.openElsewhere("a");
            closed.close();

            closed.close();
            closed.abort(Runnable::run);

            assertThat(limited.inFlight("a")).isEqualTo(1);
            assertThat(limited.active()).isEqualTo(1);
            other.close();
        }
    }

    @Test
    void ofManyThreadsThatCloseItOneGivesItBack() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, 2)) {
            Connection other = limited.openElsewhere("a");
            for (int i = 0; i < 100; i++) {
                Connection connection = limited.openElsewhere("a");
                CyclicBarrier together = new CyclicBarrier(3);
                List<Caller<Integer>> closers = new ArrayList<>();
                for (int j = 0; j < 3; j++) {
                    closers.add(Caller.start(() -> {
                        together.await();
                        connection.close();
                        return 0;
                    }));
                }
                for (Caller<Integer> closer : closers) {
                    closer.result();
                }
                assertThat(limited.inFlight("a")).isEqualTo(1);
                assertThat(limited.active()).isEqualTo(1);
            }
            other.close();
        }
    }

    @Test
    void aCloseThatMeetsAUseOnAnotherThreadGivesItBackOnce() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, impatient(2, 1))) {
            for (int i = 0; i < 200; i++) {
                Connection connection = limited.openElsewhere("a");
                CyclicBarrier together = new CyclicBarrier(2);
                Caller<Connection> user = Caller.start(() -> {
                    together.await();
                    try {
                        connection.setAutoCommit(true);
                    } catch (SQLException closed) {
                        assertThat(connection.isClosed()).isTrue();
                    }
                    together.await();
                    return limited.open("a");
                });
                together.await();
                connection.close();
                together.await();

                Connection next = user.result();
                assertThat(limited.inFlight("a")).isEqualTo(1);
                next.close();
            }
        }
    }

    @Test
    void anAbortGivesItBackAndTheCloseAfterItOnlyTheConnection() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, impatient(2, 1))) {
            Connection aborted = limited.openElsewhere("a");

            aborted.abort(Runnable::run);

            assertThat(limited.inFlight("a")).isZero();
            Connection next = limited.openElsewhere("a");
            aborted.close();
            assertThat(limited.inFlight("a")).isEqualTo(1);
            assertThat(limited.active()).isEqualTo(1);
            next.close();
        }
    }

    @Test
    void anAbortThatFailsGivesNothingBack() throws Exception {
        try (LimitedPool limited =
                LimitedPool.of(LimitedPool.config(3), policy(2, 1), pool -> new DelegatingDataSource(pool) {
                    @Override
                    public Connection getConnection() throws SQLException {
                        return BrokenConnections.withoutAbort(super.getConnection());
                    }
                })) {
            Connection connection = limited.open("a");

            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> connection.abort(Runnable::run))
                    .withMessage("not now");

            assertThat(limited.inFlight("a")).isEqualTo(1);
            connection.close();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {SQLException.class, IllegalStateException.class, StackOverflowError.class})
    void whateverThePoolThrowsGivesItBackAndCountsAsFailed(Class<? extends Throwable> type) throws Exception {
        Throwable failure = type.getConstructor().newInstance();
        try (LimitedPool limited =
                LimitedPool.of(LimitedPool.config(3), policy(2, 1), pool -> new Failing(pool, failure))) {
            for (int i = 1; i <= 3; i++) {
                assertThatThrownBy(() -> limited.open("a")).isSameAs(failure);
                assertThatThrownBy(() -> limited.open(null)).isSameAs(failure);

                assertThat(limited.executor
                                .groupStats("a")
                                .orElseThrow()
                                .totals()
                                .failed())
                        .isEqualTo(i);
            }
        }
    }

    @Test
    void aPoolThatGivesNothingGivesItBack() throws Exception {
        try (LimitedPool limited =
                LimitedPool.of(LimitedPool.config(3), policy(2, 1), pool -> new DelegatingDataSource(pool) {
                    @Override
                    public Connection getConnection() {
                        return null;
                    }
                })) {
            assertThatThrownBy(() -> limited.open("a"))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("The pool has given null");
        }
    }

    @Test
    void oneThatHasDiedGivesItBackWhenItIsClosed() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, 1)) {
            Connection dead = limited.open("a");
            dead.setAutoCommit(false);
            dead.createStatement().execute("create table t (id int)");
            try (Statement other = limited.pool.getConnection().createStatement()) {
                other.execute("shutdown immediately");
            }

            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> dead.createStatement().execute("select 1"));
            assertThat(limited.inFlight("a")).isEqualTo(1);
            closeQuietly(dead);

            assertThat(limited.inFlight("a")).isZero();
            limited.pool.close();
        }
    }

    /** Whether the pool says that it couldn't roll back is its own business. */
    private static void closeQuietly(Connection dead) {
        try {
            dead.close();
        } catch (SQLException gone) {
            assertThat(gone.getMessage()).isNotNull();
        }
    }

    @Test
    void aCloseThatFailsGivesItBack() throws Exception {
        try (LimitedPool limited =
                LimitedPool.of(LimitedPool.config(3), policy(2, 1), pool -> new DelegatingDataSource(pool) {
                    @Override
                    public Connection getConnection() throws SQLException {
                        return BrokenConnections.failingAfterClose(super.getConnection());
                    }
                })) {
            Connection connection = limited.open("a");

            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(connection::close)
                    .withMessage("it is closed, but");

            assertThat(limited.inFlight("a")).isZero();
            connection.close();
        }
    }

    @Test
    void oneThatWasClosedByWayOfItsStatementGivesItBackWhenItsThreadOpensTheNext() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, impatient(2, 1))) {
            try (Statement statement = limited.open("a").createStatement()) {
                statement.getConnection().close();
            }
            assertThat(limited.active()).isZero();
            assertThat(limited.inFlight("a")).isEqualTo(1);

            limited.open("a").close();

            assertThat(limited.inFlight("a")).isZero();
        }
    }

    @Test
    void oneThatWasLostAndIsClosedByWayOfItsStatementGivesItBackTooWhenItsThreadOpensTheNext() throws Exception {
        try (LimitedPool limited = LimitedPool.of(4, impatient(3, 3))) {
            Statement statement = limited.open("a").createStatement();
            Deadline.until("the thread has it no more", () -> {
                System.gc();
                try (Connection next = limited.open("a")) {
                    return !next.isClosed() && limited.inFlight("a") == 2;
                } catch (SQLException failure) {
                    throw new AssertionError(failure);
                }
            });
            limited.open("a").close();
            assertThat(limited.inFlight("a")).isEqualTo(1);

            statement.getConnection().close();
            limited.open("a").close();

            assertThat(limited.inFlight("a")).isZero();
        }
    }

    @Test
    void aConnectionThatIsClosedRefusesWork() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, 1)) {
            Connection closed = limited.open("a");
            closed.close();

            assertThatExceptionOfType(SQLException.class).isThrownBy(closed::createStatement);
            assertThat(limited.inFlight("a")).isZero();
        }
    }
}
