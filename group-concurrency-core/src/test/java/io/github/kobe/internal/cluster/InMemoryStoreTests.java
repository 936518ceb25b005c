package io.github.kobe.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.cluster.Demand;
import io.github.kobe.cluster.Grant;
import io.github.kobe.cluster.Hint;
import io.github.kobe.cluster.Statement;
import io.github.kobe.cluster.Statement.Kind;
import io.github.kobe.cluster.StoreNode;
import io.github.kobe.testing.CapturedLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class InMemoryStoreTests {

    private final MemoryScene scene = new MemoryScene(false);

    @Test
    void theOneOfApplicationsGrantsFromTheFirstStatementOn() {
        try (ClusterStore store = ClusterStore.inMemory()) {
            store.exchange(statement(Kind.OPEN, 1));
            Answer answer = store.exchange(statement(Kind.EXCHANGE, 2, new Demand("g:a", 0, 2, 0, 3)))
                    .toCompletableFuture()
                    .orTimeout(10, TimeUnit.SECONDS)
                    .join();

            assertThat(answer.grants()).containsExactly(new Grant(2, 2, Duration.ZERO, 3));
        }
    }

    private static Statement statement(Kind kind, long sequence, Demand... demands) {
        return statement("s", kind, sequence, demands);
    }

    private static Statement statement(String session, Kind kind, long sequence, Demand... demands) {
        return new Statement(
                kind,
                session,
                0,
                sequence,
                0,
                Duration.ZERO,
                "node",
                Duration.ofSeconds(15),
                Statement.FORM,
                false,
                List.of(demands));
    }

    @Test
    void itLearnsNothingIfItIsOfAnApplication() {
        assertThat(scene.opened("a").says(0, 3, 3).counted()).isEqualTo(3);
    }

    @Test
    void heartbeatsSweepThirtyTwoFieldsInTurn() {
        StoreNode a = scene.opened("a");
        StoreNode b = scene.opened("b");
        StoreNode c = scene.opened("c");
        for (int i = 0; i < 40; i++) {
            c.exchange(new Demand("g:" + i, 0, 1, 0, 1));
            a.exchange(new Demand("g:" + i, 0, 1, 0, 1));
            a.exchange(new Demand("g:" + i, 0, 0, 0, 1));
        }
        c.close();
        scene.pass(1_000);
        b.exchange();
        assertThat(scene.resources()).hasSize(40);
        b.heartbeat();
        assertThat(scene.resources()).hasSize(8);
        b.heartbeat();
        assertThat(scene.resources()).isEmpty();
    }

    @Test
    void whatADeadNodeHadIsDroppedWhereItIsRead() {
        StoreNode a = scene.opened("a");
        StoreNode b = scene.opened("b");
        a.says(0, 1, 1);
        for (int i = 0; i < 10; i++) {
            scene.pass(1_500);
            b.exchange();
        }
        b.says(0, 1, 1);

        assertThat(scene.sessionsAt(StoreNode.KEY)).containsExactly("b");
    }

    @Test
    void allTimesArePartsOfTheLease() {
        assertThat(new Times(15_000))
                .returns(3_000L, Times::gap)
                .returns(500L, Times::jump)
                .returns(6_000L, Times::mostOfGap)
                .returns(2_000L, Times::timeout)
                .returns(10_000L, Times::forgotten)
                .returns(4_000L, Times::silence);
        assertThat(new Times(5_000)).returns(1_000L, Times::gap).returns(3_333L, Times::forgotten);
    }

    @Test
    void aClosedStoreAnswersNobody() {
        StoreNode a = scene.opened("a");
        scene.store().close();
        scene.store().close();

        assertThatThrownBy(a::exchange)
                .isInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("The cluster store is closed");
        assertThatThrownBy(() -> scene.look(null))
                .isInstanceOf(CompletionException.class)
                .hasRootCauseMessage("The cluster store is closed");
    }

    @Test
    void everyListenerIsToldOfEveryHint() {
        List<Hint> told = new ArrayList<>();
        scene.store().onHint(told::add);
        scene.opened("a").says(0, 1, 1);
        scene.opened("b").says(0, 1, 1);

        assertThat(told).containsExactly(new Hint("a", List.of("g:a")));
        assertThat(scene.hints()).isEqualTo(told);
    }

    @Test
    void whoWantsNoMoreHintsIsToldNone() {
        List<Hint> told = new ArrayList<>();
        List<Hint> toldStill = new ArrayList<>();
        Runnable enough = scene.store().onHint(told::add);
        scene.store().onHint(toldStill::add);
        scene.opened("a").says(0, 1, 1);
        enough.run();
        enough.run();
        scene.opened("b").says(0, 1, 1);

        assertThat(told).isEmpty();
        assertThat(toldStill).hasSize(1);
    }

    @Test
    void aListenerThatFailsIsLoggedOnceAndHarmsNobody() {
        List<Hint> told = new ArrayList<>();
        scene.store().onHint(hint -> {
            throw new AssertionError("broken");
        });
        scene.store().onHint(told::add);
        StoreNode a = scene.opened("a");
        StoreNode b = scene.opened("b");
        a.says(0, 1, 1);
        try (CapturedLog log = CapturedLog.open()) {
            b.says(0, 1, 1);
            a.close();

            assertThat(told).hasSize(2);
            assertThat(log.warnings()).hasSize(1);
        }
    }

    /** Hints are delivered outside the lock, or a listener that speaks to the store, or waits for who does, would stop all. */
    @Test
    void aListenerMaySpeakToTheStoreFromAnotherThread() throws Exception {
        StoreNode a = scene.opened("a");
        StoreNode b = scene.opened("b");
        a.says(0, 1, 1);
        List<Object> answered = new ArrayList<>();
        try (ExecutorService others = Executors.newSingleThreadExecutor()) {
            scene.store().onHint(hint -> {
                try {
                    answered.add(others.submit(() -> a.says(1, 1, 1)).get(10, TimeUnit.SECONDS));
                } catch (Exception failed) {
                    answered.add(failed);
                }
            });
            b.says(0, 1, 1);
        }

        assertThat(answered).hasSize(1).allMatch(Grant.class::isInstance);
    }

    @Test
    void oneStatementIsCarriedOutAfterTheOther() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicLong calls = new AtomicLong();
        InMemoryStore store = new InMemoryStore(
                new Server() {
                    @Override
                    public long millis() {
                        if (calls.incrementAndGet() == 1) {
                            inside.countDown();
                            awaitIt(goOn);
                        }
                        return 0;
                    }

                    @Override
                    public Identity identity() {
                        return new Identity("run", "replication");
                    }
                },
                false);
        Thread first = Thread.startVirtualThread(() -> store.exchange(statement("a", Kind.OPEN, 1)));
        awaitIt(inside);
        Thread second = Thread.startVirtualThread(() -> store.exchange(statement("b", Kind.OPEN, 1)));
        Awaitility.await()
                .atMost(10, TimeUnit.SECONDS)
                .until(() -> EnumSet.of(Thread.State.WAITING, Thread.State.TERMINATED)
                        .contains(second.getState()));

        assertThat(calls).hasValue(1);
        goOn.countDown();
        assertThat(first.join(Duration.ofSeconds(10))).isTrue();
        assertThat(second.join(Duration.ofSeconds(10))).isTrue();
        assertThat(calls).hasValue(2);
    }

    private static void awaitIt(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    @Test
    void manyThreadsAreNeverGrantedMoreThanTheLimit() throws Exception {
        int limit = 3;
        AtomicLong out = new AtomicLong();
        AtomicLong most = new AtomicLong();
        try (ClusterStore store = ClusterStore.inMemory();
                ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                String session = "s" + i;
                all.add(threads.submit(() -> takeAndGiveBack(store, session, limit, out, most)));
            }
            for (Future<?> each : all) {
                each.get(30, TimeUnit.SECONDS);
            }
        }

        assertThat(most).hasPositiveValue().hasValueLessThanOrEqualTo(limit);
    }

    private static void takeAndGiveBack(
            ClusterStore store, String session, int limit, AtomicLong out, AtomicLong most) {
        long sequence = 1;
        store.exchange(statement(session, Kind.OPEN, sequence));
        for (int round = 0; round < 500; round++) {
            int wanted = 1 + round % limit;
            Grant grant = say(store, statement(session, Kind.EXCHANGE, ++sequence, demand(0, wanted, limit)));
            most.accumulateAndGet(out.addAndGet(grant.counted()), Math::max);
            out.addAndGet(-grant.counted());
            say(store, statement(session, Kind.EXCHANGE, ++sequence, demand(0, 0, limit)));
        }
    }

    private static Demand demand(int has, int want, int limit) {
        return new Demand("g:a", has, want, 0, limit);
    }

    private static Grant say(ClusterStore store, Statement statement) {
        return store.exchange(statement)
                .toCompletableFuture()
                .orTimeout(10, TimeUnit.SECONDS)
                .join()
                .grants()
                .getFirst();
    }
}
