package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Depth;
import io.github.kobe.testing.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
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

/** Instances in processes of their own, two of them behind a network that loses, delays, repeats, or is cut. */
@Tag("deep")
@Tag("CL15")
@Tag("CL17")
@Timeout(300)
class RealNetworkTests {

    private static final Figures FIGURES = new Figures();

    @TempDir
    private Path folder;

    private RedisServer server;
    private Proxy toA;
    private Proxy toB;
    private RealCluster cluster;

    static IntStream rounds() {
        return IntStream.range(0, Depth.pick(1, 1, 20));
    }

    @BeforeEach
    void begin() throws IOException {
        server = RedisServer.start();
        toA = new Proxy(server.port());
        toB = new Proxy(server.port());
        cluster = new RealCluster(folder, FIGURES);
    }

    @AfterEach
    void end() throws Exception {
        cluster.killAll();
        toA.close();
        toB.close();
        server.close();
    }

    @AfterAll
    static void report() {
        FIGURES.report();
    }

    @ParameterizedTest
    @MethodSource("rounds")
    void whateverTheNetworkDoesNothingIsOver() {
        NodeProcess a = cluster.start("a", RealCluster.uri(toA.port()));
        NodeProcess b = cluster.start("b", RealCluster.uri(toB.port()));
        NodeProcess c = cluster.start("c", RealCluster.uri(server.port()));
        List<NodeProcess> all = List.of(a, b, c);
        toA.delay(Duration.ofMillis(100));
        toA.repeatWithin(Duration.ofSeconds(10));
        toB.repeatWithin(Duration.ofSeconds(1));
        RealCluster.loadHeavily(all);
        RealCluster.awaitAllAtWork(all);

        toA.holdRequests(true);
        toB.cut(true);
        RealCluster.elapse(Duration.ofMillis(800));
        toA.holdRequests(false);
        toB.cut(false);
        RealCluster.awaitAllAtWork(all);
        cluster.assertNothingRefused();

        long cut = System.nanoTime();
        toA.loseAnswers(true);
        toB.swallow(true);
        RealCluster.elapse(RealCluster.RECOVERED.plusMillis(500));
        assertStoppedAt(a, cut);
        assertStoppedAt(b, cut);
        long back = System.nanoTime();
        toA.loseAnswers(false);
        toB.swallow(false);
        RealCluster.awaitAllAtWork(all);
        cluster.took("all at work after two were cut off", back);
        cluster.wasAway(b, cut, System.nanoTime(), false);
        assertThat(toA.repeated() + toB.repeated()).isGreaterThan(20);

        cluster.assertOneCanHaveAll(b);
        cluster.assertNeverOver();
    }

    /** Who was cut off starts nothing once its lease is over. */
    private static void assertStoppedAt(NodeProcess node, long cut) {
        long over = cut + RealCluster.COUNTS.plus(RealCluster.NOTED).toNanos();
        assertThat(node.witness().tasks()).as(node::log).noneMatch(task -> task.started() > over);
    }
}
