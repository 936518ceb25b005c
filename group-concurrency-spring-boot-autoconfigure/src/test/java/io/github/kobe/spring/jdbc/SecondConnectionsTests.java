package io.github.kobe.spring.jdbc;

import static io.github.kobe.spring.jdbc.LimitedPool.impatient;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariConfig;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Deadline;
import io.github.kobe.testing.Gate;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** J4: a thread that has a connection needs no turn for a second one. One group, which may have one; nobody waits. */
@Tag("J4")
class SecondConnectionsTests {

    private LimitedPool limited;

    @BeforeEach
    void open() {
        limited = LimitedPool.of(4, impatient(3, 1));
    }

    @AfterEach
    void nothingIsOut() throws Exception {
        limited.close();
    }

    private static void assertNoTurn(Caller<Connection> caller) {
        assertThatExceptionOfType(GroupConnectionException.class).isThrownBy(caller::result);
    }

    /** What another thread is told that asks for the same group. */
    private void assertThatTheGroupIsFull() {
        assertNoTurn(Caller.startPlatform(() -> limited.open("a")));
    }

    private void assertThatTheGroupIsFree() throws Exception {
        limited.openElsewhere("a").close();
    }

    // ---- on one thread

    @Test
    void aSecondOneTakesNoPermitWhateverGroupItIsOf() throws Exception {
        Connection outer = limited.open("a");
        Connection same = limited.open("a");
        same.close();
        Connection other = limited.open("b");
        other.close();
        Connection nobodys = limited.open(null);

        assertThat(limited.active()).isEqualTo(2);
        assertThat(limited.executor.stats().inFlight()).isEqualTo(1);
        assertThat(limited.inFlight("b")).isZero();
        assertThat(limited.dataSource.openWithoutGroup()).isZero();
        nobodys.close();
        outer.close();
    }

    @Test
    void insideOneOfNobodyTakesNoPermitEither() throws Exception {
        Connection outer = limited.open(null);
        Connection inner = limited.open("a");

        assertThat(limited.executor.stats().inFlight()).isZero();
        assertThat(limited.dataSource.openWithoutGroup()).isEqualTo(1);
        outer.close();
        assertThat(limited.dataSource.openWithoutGroup()).isEqualTo(1);
        inner.close();
        assertThat(limited.dataSource.openWithoutGroup()).isZero();
        assertThatTheGroupIsFree();
    }

    @Test
    void afterTheFirstIsClosedTheNextTakesAPermitAgain() throws Exception {
        limited.open("a").close();
        Connection other = limited.openElsewhere("a");

        assertThatExceptionOfType(GroupConnectionException.class).isThrownBy(() -> limited.open("a"));

        other.close();
    }

    @Test
    void ifTheFirstIsClosedFirstTheSecondKeepsThePermit() throws Exception {
        Connection first = limited.open("a");
        Connection second = limited.open("a");

        first.close();

        assertThatTheGroupIsFull();
        second.close();
        assertThatTheGroupIsFree();
    }

    @Test
    void handOverHandAThreadHasOnePermitForAsLongAsItHasAConnection() throws Exception {
        Connection last = limited.open("a");
        for (int i = 0; i < 100; i++) {
            Connection next = limited.open("a");
            last.close();
            last = next;
        }

        assertThatTheGroupIsFull();
        last.close();
        assertThatTheGroupIsFree();
    }

    @Test
    void aSecondOneThatThePoolRefusesLeavesTheFirstAlone() throws Exception {
        HikariConfig config = LimitedPool.config(1);
        config.setConnectionTimeout(250);
        try (LimitedPool small = LimitedPool.of(config, impatient(1, 1), pool -> pool)) {
            Connection first = small.open("a");

            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> small.open("a"))
                    .isNotInstanceOf(GroupConnectionException.class);

            assertThat(small.inFlight("a")).isEqualTo(1);
            first.close();
            assertThat(small.executor.groupStats("a").orElseThrow().totals().succeeded())
                    .isEqualTo(1);
        }
    }

    @Test
    void oneThatIsOpenedWhileThePoolOpensTheFirstIsASecond() throws Exception {
        LimitedPool[] recursive = new LimitedPool[1];
        boolean[] inside = new boolean[1];
        recursive[0] = LimitedPool.of(LimitedPool.config(3), impatient(2, 1), pool -> new DelegatingDataSource(pool) {
            @Override
            public Connection getConnection() throws SQLException {
                if (!inside[0]) {
                    inside[0] = true;
                    recursive[0].open("a").close();
                }
                return super.getConnection();
            }
        });
        try (LimitedPool opened = recursive[0]) {
            opened.open("a").close();

            assertThat(opened.executor.groupStats("a").orElseThrow().totals().submitted())
                    .isEqualTo(1);
        }
    }

    // ---- deeper

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void theFirstThirdOneIsLoggedWithTheStack(CapturedOutput output) throws Exception {
        for (int i = 0; i < 3; i++) {
            Connection first = limited.open("a");
            Connection second = limited.open("a");
            assertThat(output).doesNotContain(i == 0 ? "third" : "fourth");
            Connection third = limited.open("a");
            third.close();
            second.close();
            first.close();
        }

        assertThat(output)
                .containsOnlyOnce("takes a third connection while it has two")
                .containsOnlyOnce("Here the third connection is opened")
                .contains("theFirstThirdOneIsLoggedWithTheStack");
    }

    // ---- between threads

    @Test
    void aThreadWhoseConnectionWasClosedElsewhereHasNone() throws Exception {
        Connection first = limited.open("a");
        Caller.start(() -> {
                    first.close();
                    return 0;
                })
                .result();
        Connection other = limited.openElsewhere("a");

        assertThatExceptionOfType(GroupConnectionException.class).isThrownBy(() -> limited.open("a"));

        other.close();
    }

    @Test
    void aConnectionIsWithTheThreadThatUsesIt() throws Exception {
        Connection handed = limited.open("a");
        Gate gate = new Gate();
        Caller<Integer> user = Caller.startPlatform(() -> {
            handed.getAutoCommit();
            limited.open("a").close(); // a second one there
            gate.pass();
            handed.close();
            return 0;
        });
        gate.awaitArrived(1);

        assertThatExceptionOfType(GroupConnectionException.class)
                .as("a first one here")
                .isThrownBy(() -> limited.open("a"));

        gate.open();
        user.result();
        assertThatTheGroupIsFree();
    }

    @Test
    void aSecondOneThatMeetsTheEndOfTheFirstHasATurn() throws Exception {
        try (LimitedPool patient = LimitedPool.of(4, 1)) {
            for (int i = 0; i < 200; i++) {
                Connection first = patient.open("a");
                CyclicBarrier together = new CyclicBarrier(2);
                Caller<Boolean> closer = Caller.start(() -> {
                    together.await();
                    first.close();
                    return true;
                });
                together.await();
                Connection second = patient.open("a");
                assertThat(closer.result()).isTrue();

                assertThat(patient.inFlight("a")).isEqualTo(1);
                second.close();
                assertThat(patient.inFlight("a")).isZero();
            }
        }
    }

    @Test
    void oneThatComesBackIsWithItsFirstThreadAgainAndOnlyOnce() throws Exception {
        Connection travelling = limited.open("a");
        for (int i = 0; i < 10; i++) {
            Caller.start(travelling::getAutoCommit).result();
            travelling.getAutoCommit();
        }
        Connection second = limited.open("a");

        second.close();
        travelling.close();
        assertThatExceptionOfType(GroupConnectionException.class).isThrownBy(() -> {
            try (Connection other = limited.openElsewhere("a")) {
                assertThat(other.isClosed()).isFalse();
                limited.open("a").close();
            }
        });
    }

    @Test
    void toCloseOrAbortOneOrToLookAtItTakesItFromNobody() throws Exception {
        Connection mine = limited.open("a");
        Caller.start(() -> mine.isClosed() || mine.isWrapperFor(Runnable.class)).result();

        Connection second = limited.open("a");

        second.close();
        mine.close();
    }

    @Test
    void aThreadThatHasLostAConnectionTakesAPermitForTheNext() throws Exception {
        LimitedPool leaking = LimitedPool.of(4, impatient(3, 1));
        try {
            leaking.open("a");

            Deadline.until("it takes a permit, which there isn't", () -> {
                System.gc();
                try (Connection second = leaking.open("a")) {
                    return second.isClosed();
                } catch (GroupConnectionException noTurn) {
                    return true;
                } catch (SQLException other) {
                    throw new AssertionError(other);
                }
            });

            assertThat(leaking.inFlight("a")).isEqualTo(1);
            assertThat(leaking.executor.holders("a")).hasSize(1);
            leaking.open("b").close();
        } finally {
            leaking.abandon();
        }
    }

    @Test
    void aPooledThreadStartsEachTimeWithNone() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(1)) {
            for (int i = 0; i < 100; i++) {
                Connection taken = threads.submit(() -> limited.open("a")).get();
                if (i % 2 == 0) {
                    taken.close();
                } else {
                    threads.submit(() -> {
                                taken.close();
                                return 0;
                            })
                            .get();
                }
                assertThat(limited.inFlight("a")).isZero();
            }
        }
    }

    @Test
    void aThreadKeepsNoMoreThanWasOpenAtOnce() throws Exception {
        ThreadConnections known = new ThreadConnections();
        Thread here = Thread.currentThread();
        List<GroupConnection> kept = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            Turn turn = new Turn(new AtomicInteger());
            turn.begin(null);
            GroupConnection connection = new GroupConnection(turn, known, here);
            kept.add(connection);
            known.add(connection.lease, here);
            Caller.start(() -> {
                        connection.lease.fail(new SQLException());
                        return 0;
                    })
                    .result();
        }

        ThreadConnections.Entry newest = known.newest(here);

        assertThat(newest).isNull();
        assertThat(kept).hasSize(1_000);
    }

    @Test
    void aThreadKeepsFewOfThoseThatItHasLost() {
        ThreadConnections known = new ThreadConnections();
        Thread here = Thread.currentThread();
        List<WeakReference<Lease>> leases = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            leases.add(new WeakReference<>(lost(known, here)));
        }

        Deadline.until("it keeps few", () -> {
            System.gc();
            return known.newest(here) == null
                    && leases.stream().filter(lease -> !lease.refersTo(null)).count() == ThreadConnections.MOST_LOST;
        });
    }

    private static Lease lost(ThreadConnections known, Thread here) {
        Turn turn = new Turn(new AtomicInteger());
        turn.begin(null);
        Lease lease = new GroupConnection(turn, known, here).lease;
        known.add(lease, here);
        return lease;
    }
}
