package io.github.kobe.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupPermit;
import io.github.kobe.testing.Depth;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Nodes with real engines while everything goes wrong at random: never is more out than there may be, but for what a node runs that
 * was away too long; and once all is well again, all of it can be had.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a test looks at what runs
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class RandomClusterTests {

    private static final int RUNS = Depth.pick(8, 100, 10_000);
    private static final Duration TROUBLE = Duration.ofMinutes(2);
    private static final List<String> KEYS = List.of("one", "three", "eight");

    @Test
    void neverIsMoreOutThanThereMayBeAndNothingIsLost() {
        long started = 0;
        for (long seed = Depth.seed(), last = seed + RUNS; seed < last; seed++) {
            long tried = seed;
            try {
                started += new Run(seed).play();
            } catch (AssertionError | RuntimeException failed) {
                throw new AssertionError("seed " + tried + ": " + failed.getMessage(), failed);
            }
        }
        assertThat(started / RUNS).as("how much has started in a run").isGreaterThan(300);
    }

    private static final class Run {

        private final SimulatedCluster cluster;
        private final Random random;
        private final int size;
        private final Deque<Memory> remembered = new ArrayDeque<>();
        private boolean quiet;
        private int started;

        private Run(long seed) {
            cluster = new SimulatedCluster(seed);
            random = cluster.random;
            size = 3 + random.nextInt(3);
            cluster.limit("one", 1).limit("three", 3).limit("eight", 8);
        }

        /** {@return how much has started} */
        private int play() {
            for (int i = 0; i < size; i++) {
                cluster.join();
            }
            cluster.run(Duration.ofSeconds(20));
            cluster.network.lost = random.nextInt(3) * 0.02;
            cluster.network.doubled = random.nextInt(3) * 0.05;
            cluster.network.late = random.nextInt(3) * 0.01;
            cluster.network.refused = random.nextInt(3) * 0.02;
            cluster.network.hintsLost = random.nextInt(3) * 0.3;
            again(50, 300, this::load);
            again(500, 500, this::remember);
            sometimes(5_000, 20_000, this::crash);
            sometimes(5_000, 20_000, this::pause);
            sometimes(5_000, 20_000, this::suspend);
            sometimes(5_000, 20_000, this::drain);
            sometimes(5_000, 20_000, this::cut);
            sometimes(20_000, 80_000, this::forget);
            sometimes(10_000, 40_000, this::setClock);
            sometimes(15_000, 60_000, this::stall);
            cluster.run(TROUBLE);
            quiet = true;
            cluster.network.heal();
            cluster.run(Duration.ofSeconds(60));
            assertThat(cluster.nodes()).allMatch(node -> !node.executor().isShutdown());
            allIsBack();
            return started;
        }

        /** In every other run. */
        private void sometimes(long least, long most, Runnable what) {
            if (random.nextBoolean()) {
                again(least, most, what);
            }
        }

        private void again(long least, long most, Runnable what) {
            cluster.after(millis(least + random.nextLong(most)), () -> {
                if (!quiet) {
                    what.run();
                    again(least, most, what);
                }
            });
        }

        private static long millis(long millis) {
            return TimeUnit.MILLISECONDS.toNanos(millis);
        }

        private void anyNode(Consumer<SimulatedNode> what) {
            List<SimulatedNode> awake =
                    cluster.nodes().stream().filter(node -> !node.isStopped()).toList();
            if (!awake.isEmpty()) {
                what.accept(awake.get(random.nextInt(awake.size())));
            }
        }

        private void load() {
            for (SimulatedNode node : List.copyOf(cluster.nodes())) {
                if (!node.isStopped() && !node.executor().isShutdown()) {
                    String key = KEYS.get(random.nextInt(KEYS.size()));
                    Duration wait = Duration.ofMillis(random.nextInt(4) * 1_000);
                    Duration time = Duration.ofMillis(5 + random.nextInt(random.nextInt(10) == 0 ? 6_000 : 500));
                    CompletableFuture<GroupPermit> asked = node.ask(key, wait, time);
                    asked.whenComplete((permit, refused) -> started += refused == null ? 1 : 0);
                }
            }
        }

        private void remember() {
            Memory memory = cluster.store().remembered();
            if (memory != null) {
                remembered.addLast(memory);
                if (remembered.size() > 4) {
                    remembered.removeFirst();
                }
            }
        }

        private void crash() {
            anyNode(node -> {
                node.crash();
                cluster.after(millis(random.nextLong(3_000)), cluster::join);
            });
        }

        private void pause() {
            anyNode(node -> {
                node.stop();
                long time = millis(random.nextBoolean() ? random.nextLong(5_000) : 12_000 + random.nextLong(18_000));
                cluster.after(time, node::goOn);
            });
        }

        private void suspend() {
            anyNode(node -> {
                node.stop();
                long time = millis(random.nextLong(30_000));
                cluster.after(time, () -> node.goOnFromSuspension(Duration.ofNanos(time)));
            });
        }

        private void drain() {
            anyNode(node -> {
                node.shutdown();
                cluster.join();
                cluster.after(millis(10_000), node::crash);
            });
        }

        private void cut() {
            anyNode(node -> {
                int which = random.nextInt(3);
                node.cutOff(which != 0, which != 1);
                cluster.after(millis(random.nextLong(40_000)), () -> node.cutOff(false, false));
            });
        }

        private void forget() {
            switch (random.nextInt(4)) {
                case 0 -> cluster.flush();
                case 1 -> cluster.restart(null);
                case 2 -> cluster.restart(remembered.peekFirst());
                default -> cluster.promote(remembered.peekFirst());
            }
        }

        private void setClock() {
            long most = Duration.ofHours(1).toMillis();
            cluster.setClock(Duration.ofMillis(random.nextLong(2 * most) - most));
        }

        private void stall() {
            cluster.stall(true);
            cluster.after(millis(random.nextLong(12_000)), () -> cluster.stall(false));
        }

        private void allIsBack() {
            for (SimulatedNode node : cluster.nodes()) {
                assertThat(node.holdsNothing()).as("what a node still has").isTrue();
            }
            List<CompletableFuture<GroupPermit>> all = new ArrayList<>();
            SimulatedNode one = cluster.nodes().getFirst();
            for (String key : KEYS) {
                for (int i = 0; i < cluster.limit(key); i++) {
                    all.add(one.ask(key, Duration.ofSeconds(5), Duration.ofSeconds(10)));
                }
            }
            cluster.run(Duration.ofSeconds(6));
            assertThat(all)
                    .as("what one node can have when nobody else needs any")
                    .allMatch(asked -> asked.isDone() && !asked.isCompletedExceptionally());
        }
    }
}
