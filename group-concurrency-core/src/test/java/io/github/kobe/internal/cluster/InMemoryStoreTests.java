package io.github.kobe.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.ClusterStore;
import io.github.kobe.cluster.Demand;
import io.github.kobe.cluster.Grant;
import io.github.kobe.cluster.Hint;
import io.github.kobe.cluster.NodeShare;
import io.github.kobe.cluster.Statement;
import io.github.kobe.cluster.Statement.Kind;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class InMemoryStoreTests {

    private final Scene scene = Scene.ofApplications();

    private List<NodeShare> lookAtAll() {
        return look(null);
    }

    private List<NodeShare> look(@Nullable String resource) {
        return scene.store()
                .look(resource)
                .toCompletableFuture()
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
    }

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
    void showsWhoHasAndWantsHowMuch() {
        StoreNode b = scene.opened("b");
        StoreNode a = scene.opened("a");
        scene.opened("c");
        b.says(0, 3, 4);
        scene.pass(700);
        a.says(0, 2, 4);

        assertThat(look("g:a"))
                .containsExactly(
                        new NodeShare("a", "node-a", 1, 2, Duration.ZERO),
                        new NodeShare("b", "node-b", 3, 3, Duration.ofMillis(700)));
        assertThat(look("g:other")).isEmpty();
    }

    @Test
    void showsAllNodesWithTheSumsOfWhatTheyHave() {
        StoreNode a = scene.opened("a");
        scene.opened("b");
        a.exchange(new Demand("g:x", 0, 2, 0, 4), new Demand("g:y", 0, 3, 0, 1));

        assertThat(lookAtAll())
                .containsExactly(
                        new NodeShare("a", "node-a", 3, 5, Duration.ZERO),
                        new NodeShare("b", "node-b", 0, 0, Duration.ZERO));
    }

    @Test
    void showsSumsAboveTheLargestNumberAsThat() {
        StoreNode a = scene.opened("a");
        int most = Integer.MAX_VALUE;
        a.exchange(new Demand("g:x", most, most, 0, 4), new Demand("g:y", 3, most, 0, 1));

        assertThat(lookAtAll()).containsExactly(new NodeShare("a", "node-a", most, most, Duration.ZERO));
    }

    @Test
    void showsNobodyWhoIsOverOrHasAndWantsNothing() {
        StoreNode a = scene.opened("a");
        StoreNode b = scene.opened("b");
        a.says(0, 1, 4);
        b.says(0, 1, 4);
        b.says(0, 0, 4);
        assertThat(look("g:a")).extracting(NodeShare::session).containsExactly("a");

        scene.live(15_000, b);
        assertThat(look("g:a")).isEmpty();
        assertThat(lookAtAll()).extracting(NodeShare::session).containsExactly("b");
    }

    @Test
    void showsNobodyBeforeTheFirstStatement() {
        assertThat(lookAtAll()).isEmpty();
    }

    @Test
    void aClosedStoreAnswersNobody() {
        StoreNode a = scene.opened("a");
        scene.store().close();
        scene.store().close();

        assertThatThrownBy(a::exchange)
                .isInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("The cluster store is closed");
        assertThatThrownBy(this::lookAtAll)
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
