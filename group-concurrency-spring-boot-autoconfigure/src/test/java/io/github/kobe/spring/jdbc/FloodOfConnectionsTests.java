package io.github.kobe.spring.jdbc;

import static io.github.kobe.spring.jdbc.LimitedPool.policy;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import io.github.kobe.testing.Caller;
import io.github.kobe.testing.Depth;
import io.github.kobe.testing.Gate;
import java.sql.Connection;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many threads that want connections of one pool. */
class FloodOfConnectionsTests {

    private static final int FLOOD = 300;

    @Test
    @Tag("J1")
    void aNeighbourIsServedNextHoweverManyOfAnotherTenantWait() throws Exception {
        try (LimitedPool limited = LimitedPool.of(3, policy(2, 2))) {
            List<Connection> held = List.of(limited.openElsewhere("a"), limited.openElsewhere("a"));
            List<String> served = new CopyOnWriteArrayList<>();
            Gate gate = new Gate();
            List<Caller<Integer>> callers = new ArrayList<>();
            for (int i = 0; i < FLOOD; i++) {
                callers.add(Caller.start(() -> serve(limited, "a", served, gate)));
            }
            limited.awaitQueued("a", FLOOD);
            for (int i = 0; i < 2; i++) {
                callers.add(Caller.start(() -> serve(limited, "b", served, gate)));
            }
            limited.awaitQueued("b", 2);

            held.getFirst().close();
            gate.awaitArrived(1);
            assertThat(served).containsExactly("b");

            held.getLast().close();
            gate.awaitArrived(2);
            assertThat(served).as("then who has less").containsExactly("b", "a");

            gate.open();
            for (Caller<Integer> caller : callers) {
                caller.result();
            }
            assertThat(served).hasSize(FLOOD + 2);
        }
    }

    private static int serve(LimitedPool limited, String tenant, List<String> served, Gate gate) throws Exception {
        try (Connection connection = limited.open(tenant)) {
            served.add(tenant);
            assertThat(connection.createStatement().execute("select 1")).isTrue();
            gate.pass();
        }
        return 0;
    }

    @Test
    @Tag("J1")
    void atNoInstantHasATenantMoreThanItsShare() throws Exception {
        int all = 9;
        int share = 4;
        Map<String, AtomicInteger> inUse = new ConcurrentHashMap<>();
        for (String tenant : List.of("a", "b", "c", "d")) {
            inUse.put(tenant, new AtomicInteger());
        }
        AtomicInteger together = new AtomicInteger();
        try (LimitedPool limited = LimitedPool.of(all + 1, policy(all, share))) {
            List<Caller<Integer>> callers = new ArrayList<>();
            for (int i = 0; i < FLOOD; i++) {
                String tenant = i % 10 == 0 ? List.of("b", "c", "d").get(i / 10 % 3) : "a";
                callers.add(Caller.start(() -> {
                    for (int round = 0; round < 5; round++) {
                        try (Connection connection = limited.open(tenant)) {
                            assertThat(inUse.get(tenant).incrementAndGet()).isBetween(1, share);
                            assertThat(together.incrementAndGet()).isBetween(1, all);
                            assertThat(connection.createStatement().execute("select 1"))
                                    .isTrue();
                            together.decrementAndGet();
                            inUse.get(tenant).decrementAndGet();
                        }
                    }
                    return 0;
                }));
            }
            for (Caller<Integer> caller : callers) {
                caller.result();
            }
        }
    }

    // ---- two on each thread

    @Test
    @Tag("J4")
    void aStormOfThreadsWithTwoConnectionsEachEnds() throws Exception {
        int rounds = Depth.pick(20, 100, 300);
        HikariConfig config = LimitedPool.config(10);
        try (LimitedPool limited = LimitedPool.of(config, policy(9, 9), pool -> pool)) {
            List<Caller<Integer>> callers = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                String tenant = "t" + i % 5;
                callers.add(Caller.start(() -> {
                    for (int round = 0; round < rounds; round++) {
                        try (Connection outer = limited.open(tenant)) {
                            assertThat(outer.createStatement().execute("select 1"))
                                    .isTrue();
                            try (Connection inner = limited.open(tenant)) {
                                assertThat(outer).isNotSameAs(inner);
                            }
                        }
                    }
                    return rounds;
                }));
            }
            for (Caller<Integer> caller : callers) {
                assertThat(caller.result()).isEqualTo(rounds);
            }
        }
    }

    @Test
    @Tag("J4")
    void withoutAReserveThreadsWithOneConnectionEachWaitForOneAnother() throws Exception {
        int size = 3;
        HikariConfig config = LimitedPool.config(size);
        config.setConnectionTimeout(2_000);
        try (LimitedPool limited = LimitedPool.of(config, policy(size, size), pool -> pool)) {
            CyclicBarrier together = new CyclicBarrier(size);
            List<Caller<Boolean>> callers = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                callers.add(Caller.start(() -> {
                    try (Connection outer = limited.open("a")) {
                        together.await();
                        try (Connection inner = limited.open("a")) {
                            return inner.isClosed() || outer.isClosed();
                        } catch (SQLTransientConnectionException ofThePool) {
                            return true;
                        } finally {
                            together.await();
                        }
                    }
                }));
            }
            for (Caller<Boolean> caller : callers) {
                assertThat(caller.result()).isTrue();
            }
        }
    }
}
