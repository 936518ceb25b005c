package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.cluster.ClusterState;
import io.github.kobe.testing.Depth;
import io.github.kobe.testing.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Instances in processes of their own, which are killed, stopped and replaced. */
@Tag("deep")
@Tag("CL10")
@Tag("CL11")
@Tag("CL12")
@Tag("CL16")
@Tag("CL20")
@Tag("CL32")
@Tag("CL41")
@Timeout(300)
class RealNodesTests {

    private static final Figures FIGURES = new Figures();

    /** Where there is enough for all nearly always; most of it is for a busy machine. Without a farewell it would be a lease. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(4);

    private static final int REPLACED = Depth.pick(2, 2, 3);

    @TempDir
    private Path folder;

    private ServerClock clock;
    private RedisServer server;
    private RealCluster cluster;

    static IntStream rounds() {
        return IntStream.range(0, Depth.pick(1, 1, 20));
    }

    @BeforeEach
    void begin() throws Exception {
        clock = new ServerClock(folder);
        server = RedisServer.start(clock.environment());
        cluster = new RealCluster(folder, FIGURES);
    }

    @AfterEach
    void end() throws Exception {
        cluster.killAll();
        server.close();
    }

    @AfterAll
    static void report() {
        FIGURES.report();
    }

    private NodeProcess start(String name) {
        return cluster.start(name, RealCluster.uri(server.port()));
    }

    @ParameterizedTest
    @MethodSource("rounds")
    void nodesThatAreKilledOrStoppedAddNothing() throws Exception {
        NodeProcess a = start("a");
        NodeProcess b = start("b");
        NodeProcess c = start("c");
        List<NodeProcess> all = List.of(a, b, c);
        RealCluster.loadHeavily(all);
        RealCluster.awaitAllAtWork(all);

        assertFair(all);
        a.freeze();
        setTheClockForwardAndBack();
        long thawed = System.nanoTime();
        a.thaw();
        RealCluster.awaitAllAtWork(all);
        cluster.took("all at work after a short stop", thawed);
        cluster.assertNothingRefused();

        long gone = System.nanoTime();
        c.freeze();
        long stopped = System.nanoTime();
        b.kill();
        RealCluster.awaitAll(a);
        cluster.took("one node has all after a kill and a long stop", gone);
        assertThat(Duration.ofNanos(System.nanoTime() - gone)).isLessThan(RealCluster.RECOVERED.plusSeconds(3));
        RealCluster.elapse(RealCluster.SHORT);
        long goesOn = System.nanoTime();
        c.thaw();
        cluster.wasAway(c, stopped, goesOn, true);
        RealCluster.awaitAllAtWork(List.of(a, c));

        cluster.assertOneCanHaveAll(c);
        cluster.assertNeverOver();
    }

    /** By the server's clock a lease is over meanwhile; each of the steps is too short to look as if another one had served. */
    private void setTheClockForwardAndBack() {
        int steps = 3;
        for (int i = 1; i <= steps; i++) {
            clock.set(RealCluster.LEASE.dividedBy(2).multipliedBy(i));
            RealCluster.elapse(RealCluster.SHORT.multipliedBy(3).dividedBy(4L * steps));
        }
        clock.set(Duration.ofHours(-1));
        Instant time = Instant.ofEpochSecond(
                Long.parseLong(server.cli("TIME").lines().findFirst().orElseThrow()));
        assertThat(time)
                .isBetween(Instant.now().minusSeconds(3_660), Instant.now().minusSeconds(3_540));
    }

    /** Each gets its part of each key, also where there is less than one for each. */
    private static void assertFair(List<NodeProcess> all) {
        long since = System.nanoTime();
        RealCluster.elapse(Duration.ofSeconds(2));
        for (int limit : RealCluster.LIMITS) {
            long sum = all.stream()
                    .mapToLong(node -> node.startedSince(limit, since))
                    .sum();
            assertThat(all)
                    .allSatisfy(node -> assertThat(node.startedSince(limit, since))
                            .as("of %s with limit %s at %s", sum, limit, node.name())
                            .isGreaterThanOrEqualTo(sum / 12));
        }
    }

    @ParameterizedTest
    @MethodSource("rounds")
    void aRollingRestartLosesNothing() throws Exception {
        List<NodeProcess> running = new ArrayList<>();
        List<NodeProcess> all = new ArrayList<>();
        for (int i = 0; i < REPLACED + 3; i++) {
            NodeProcess node = start("n" + i);
            node.awaitState(ClusterState.Kind.CONNECTED);
            node.load(RealCluster.SMALL, 1, 5, 40);
            node.load(RealCluster.MEDIUM, 1, 5, 120);
            node.load(RealCluster.LARGE, 2, 5, 500);
            all.add(node);
            running.add(node);
            if (i >= 3) {
                RealCluster.awaitAllAtWork(running);
                NodeProcess old = running.removeFirst();
                long told = System.nanoTime();
                old.terminate();
                cluster.took("a node drains", told);
                assertThat(old.log()).contains("drained");
            }
        }
        RealCluster.awaitAllAtWork(running);

        cluster.assertNothingRefused();
        for (NodeProcess node : all) {
            assertThat(node.longestWait()).as(node::log).isLessThan(LONGEST_WAIT);
            FIGURES.add("longest wait at a node in a rolling restart", node.longestWait());
        }
        assertThat(all.subList(0, REPLACED))
                .allSatisfy(
                        node -> assertThat(node.witness().tasks()).as(node::log).allMatch(task -> task.ended() != 0));
        cluster.assertOneCanHaveAll(running.getFirst());
        cluster.assertNeverOver();
    }
}
