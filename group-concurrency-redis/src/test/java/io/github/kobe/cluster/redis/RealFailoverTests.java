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

/** Instances in processes of their own, whose primary is replaced by Sentinel: it is dead, or can be reached by some only. */
@Tag("deep")
@Tag("CL13")
@Tag("CL19")
@Timeout(300)
class RealFailoverTests {

    private static final Figures FIGURES = new Figures();
    private static final Duration MOST_LAG = Duration.ofSeconds(2);

    /** The server compares whole seconds, and looks once a second. */
    private static final Duration REFUSED = MOST_LAG.plusSeconds(2);

    @TempDir
    private Path folder;

    private RedisServer primary;
    private Proxy toPrimary;
    private RedisServer replica;
    private RealCluster cluster;

    static IntStream rounds() {
        return IntStream.range(0, Depth.pick(1, 1, 20));
    }

    /** The replica and Sentinel reach the primary by a way that can be cut. */
    @BeforeEach
    void begin() throws IOException {
        primary = RedisServer.start();
        toPrimary = new Proxy(primary.port());
        replica = RedisServer.start("--replicaof", "127.0.0.1 " + toPrimary.port());
        cluster = new RealCluster(folder, FIGURES);
        primary.awaitReplica();
    }

    @AfterEach
    void end() throws Exception {
        cluster.killAll();
        toPrimary.close();
        replica.close();
        primary.close();
    }

    @AfterAll
    static void report() {
        FIGURES.report();
    }

    private RedisServer sentinel(Duration downAfter) throws IOException {
        RedisServer sentinel = RedisServer.sentinel("""
            sentinel monitor main 127.0.0.1 %d 1
            sentinel down-after-milliseconds main %d
            sentinel failover-timeout main 3000
            """.formatted(toPrimary.port(), downAfter.toMillis()));
        sentinel.awaitWatches(replica);
        return sentinel;
    }

    private static String uri(RedisServer sentinel) {
        return "redis-sentinel://localhost:" + sentinel.port() + "#main";
    }

    @ParameterizedTest
    @MethodSource("rounds")
    void aReplicaThatHasMissedSomethingIsPromoted() throws Exception {
        try (RedisServer sentinel = sentinel(Duration.ofSeconds(1))) {
            List<NodeProcess> all = List.of(
                    cluster.start("a", uri(sentinel)),
                    cluster.start("b", uri(sentinel)),
                    cluster.start("c", uri(sentinel)));
            RealCluster.loadHeavily(all);
            RealCluster.awaitAllAtWork(all);

            primary.cli("ACL", "SETUSER", "default", "-psync", "-sync");
            primary.cli("CLIENT", "KILL", "TYPE", "replica");
            RealCluster.elapse(Duration.ofSeconds(2));
            assertThat(replica.cli("HGET", "gc:{tests}", "!")).isNotEqualTo(primary.cli("HGET", "gc:{tests}", "!"));
            long died = System.nanoTime();
            primary.kill();
            replica.awaitRole("master");
            cluster.took("another primary", died);
            RealCluster.awaitAllAtWork(all);
            cluster.took("all at work after the primary died", died);

            cluster.assertOneCanHaveAll(all.getLast());
            cluster.assertNeverOver();
        }
    }

    @ParameterizedTest
    @MethodSource("rounds")
    void aPrimaryThatLacksItsReplicaGrantsNothingBesideTheNextOne() throws Exception {
        primary.cli("CONFIG", "SET", "min-replicas-max-lag", Long.toString(MOST_LAG.toSeconds()));
        primary.cli("CONFIG", "SET", "min-replicas-to-write", "1");
        try (RedisServer sentinel = sentinel(MOST_LAG.plusSeconds(2))) {
            NodeProcess a = cluster.start("a", RealCluster.uri(primary.port()));
            NodeProcess b = cluster.start("b", uri(sentinel));
            NodeProcess c = cluster.start("c", uri(sentinel));
            RealCluster.loadHeavily(List.of(a, b, c));
            RealCluster.awaitAllAtWork(List.of(a, b, c));

            long cut = System.nanoTime();
            toPrimary.swallow(true);
            replica.awaitRole("master");
            RealCluster.awaitAllAtWork(List.of(b, c));
            cluster.took("all at work at the next primary", cut);
            cluster.assertOneCanHaveAll(c);

            long refused = cut + REFUSED.toNanos();
            long over = refused + RealCluster.COUNTS.plus(RealCluster.NOTED).toNanos();
            assertThat(a.witness().tasks()).as(a::log).noneMatch(task -> task.started() > over);
            cluster.wasAway(a, refused, System.nanoTime(), false);
            cluster.assertNeverOver();
        }
    }
}
