package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.testing.Depth;
import io.github.kobe.testing.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Instances in processes of their own, whose server forgets, goes back, stands still or refuses. */
@Tag("deep")
@Tag("CL13")
@Tag("CL14")
@Tag("CL50")
@Tag("CL51")
@Tag("CL56")
@Timeout(300)
class RealStoreTests {

    private static final Figures FIGURES = new Figures();

    /** Nobody has used it before the fault. */
    private static final int COLD = 5;

    private static final Duration LONGEST_PAUSE = Duration.ofMillis(Depth.pick(500, 500, 6_000));

    @TempDir
    private Path folder;

    private final long seed = Depth.seed();
    private final Random random = new Random(seed);
    private ServerClock clock;
    private RedisServer server;
    private RealCluster cluster;
    private List<NodeProcess> all;

    static IntStream rounds() {
        return IntStream.range(0, Depth.pick(1, 1, 20));
    }

    @FunctionalInterface
    private interface Fault {
        void happen() throws Exception;
    }

    /** It may be debugged, and takes its time to load what it has saved. */
    @BeforeEach
    @Timeout(300)
    void begin() throws Exception {
        clock = new ServerClock(folder);
        server = RedisServer.start(
                clock.environment(),
                "--enable-debug-command",
                "yes",
                "--key-load-delay",
                "5000",
                "--loading-process-events-interval-bytes",
                "1024");
        cluster = new RealCluster(folder, FIGURES);
        String uri = RealCluster.uri(server.port());
        all = List.of(cluster.start("a", uri), cluster.start("b", uri), cluster.start("c", uri));
        RealCluster.loadHeavily(all);
        RealCluster.awaitAllAtWork(all);
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

    @ParameterizedTest
    @MethodSource("rounds")
    void whateverTheServerDoesNothingIsOver() throws Exception {
        pauseForAMoment();
        cluster.assertNothingRefused();

        FIGURES.say("seed %s", seed);
        server.cli("DEBUG", "POPULATE", "200", "other", "8");
        server.keepCopy();
        List<Fault> faults = new ArrayList<>(List.of(
                server::restart,
                this::flush,
                this::refuse,
                this::setTheClock,
                server::restartFromCopy,
                this::standStill));
        Collections.shuffle(faults, random);
        for (Fault fault : faults) {
            RealCluster.elapse(Duration.ofNanos(random.nextLong(LONGEST_PAUSE.toNanos())));
            fault.happen();
        }
        long over = System.nanoTime();
        all.getFirst().load(COLD, 1, 5, 50);
        RealCluster.awaitStart(all.getFirst(), COLD, over);
        cluster.took("the store grants again", over);
        assertThat(Duration.ofNanos(System.nanoTime() - over)).isLessThan(RealCluster.RECOVERED.plusSeconds(3));
        RealCluster.awaitAllAtWork(all);
        cluster.took("all at work again", over);

        cluster.assertOneCanHaveAll(all.get(random.nextInt(all.size())));
        cluster.assertNeverOver();
    }

    /** Nothing of this ends a lease. */
    private void pauseForAMoment() {
        server.cli("SCRIPT", "FLUSH");
        server.cli("CLIENT", "PAUSE", "1000", "ALL");
        RealCluster.elapse(Duration.ofMillis(1_200));
        server.cli("CLIENT", "KILL", "TYPE", "normal");
        server.cli("CLIENT", "KILL", "TYPE", "pubsub");
        RealCluster.awaitAllAtWork(all);
        server.cli("DEBUG", "SLEEP", "1.2");
        RealCluster.awaitAllAtWork(all);
    }

    private void setTheClock() {
        clock.set(Duration.ofSeconds(random.nextInt(-3_600, 3_600)));
    }

    private void flush() {
        server.cli("FLUSHALL");
    }

    /** It is a replica of nobody for a while, so nothing can be written. */
    private void refuse() {
        server.cli("REPLICAOF", "127.0.0.1", Integer.toString(RedisServer.freePort()));
        RealCluster.elapse(Duration.ofSeconds(1));
        server.cli("REPLICAOF", "NO", "ONE");
    }

    /** Long enough for all leases to end: then nothing starts. */
    private void standStill() throws IOException {
        long from = System.nanoTime();
        server.freeze();
        RealCluster.elapse(RealCluster.COUNTS.plusSeconds(1));
        long to = System.nanoTime();
        server.thaw();
        long none = from + RealCluster.COUNTS.plus(RealCluster.NOTED).toNanos();
        for (NodeProcess node : all) {
            assertThat(node.witness().tasks())
                    .as("-Dseed=%s %s", seed, node.log())
                    .noneMatch(task -> task.started() > none && task.started() < to);
        }
    }
}
