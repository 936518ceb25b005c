package io.github.kobe.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.cluster.redis.Tally.Absence;
import io.github.kobe.testing.Deadline;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** Instances in processes of their own, which share three limits, and the witness of what they do. */
final class RealCluster {

    /** The shortest there may be; all other times are parts of it. */
    static final Duration LEASE = Duration.ofSeconds(5);

    /** Shorter than by default, so that tests take less time. */
    static final Duration IDLE_RETURN = Duration.ofSeconds(1);

    /** How long what a node leases counts without an answer. */
    static final Duration COUNTS = LEASE.multipliedBy(11).dividedBy(15);

    /** In so much what a dead node had is in use elsewhere, and a store that has forgotten grants again: 18 s of 15. */
    static final Duration RECOVERED = LEASE.multipliedBy(18).dividedBy(15);

    /** A fault so much shorter (5 s of 15) ends no lease. */
    static final Duration SHORT = LEASE.dividedBy(3);

    /** Within that a task notes that it has begun, once it has its permit: processes of a busy machine wait for processors. */
    static final Duration NOTED = Duration.ofMillis(500);

    static final int SMALL = 1;
    static final int MEDIUM = 3;
    static final int LARGE = 10;
    static final int LARGEST = 12;
    static final List<Integer> LIMITS = List.of(SMALL, MEDIUM, LARGE);

    private final Path folder;
    private final Figures figures;
    private final List<NodeProcess> nodes = new ArrayList<>();
    private final List<Absence> absences = new ArrayList<>();

    RealCluster(Path folder, Figures figures) {
        this.folder = folder;
        this.figures = figures;
    }

    /** {@return a node that connects to that address, without load} */
    NodeProcess start(String name, String uri) {
        NodeProcess node = new NodeProcess(name, uri, folder);
        nodes.add(node);
        return node;
    }

    static String uri(int port) {
        return "redis://localhost:" + port;
    }

    /** Each of these alone wants more than there is of each key. */
    static void loadHeavily(List<NodeProcess> some) {
        for (NodeProcess node : some) {
            node.load(SMALL, 2, 5, 120);
            node.load(MEDIUM, 4, 5, 250);
            node.load(LARGE, 13, 5, 500);
        }
    }

    private static void stopLoad(NodeProcess node) {
        LIMITS.forEach(limit -> node.load(limit, 0, 1, 1));
    }

    static void elapse(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Waits until each of these has begun a task of each key since now. */
    static void awaitAllAtWork(List<NodeProcess> some) {
        long since = System.nanoTime();
        for (NodeProcess node : some) {
            LIMITS.forEach(limit -> awaitStart(node, limit, since));
        }
    }

    /** Waits until one has begun a task of a key since then. */
    static void awaitStart(NodeProcess node, int limit, long since) {
        node.awaitBegin(); // beside other builds that alone takes ten seconds
        Deadline.until(
                () -> "a task of limit " + limit + " at " + node.log(), () -> node.startedSince(limit, since) > 0);
    }

    /** Waits until one node runs as many tasks of each key as its limit allows over all, at one time for each key. */
    static void awaitAll(NodeProcess node) {
        for (int limit : LIMITS) {
            Deadline.until(
                    () -> limit + " at " + node.log() + " but " + node.running(limit),
                    () -> node.running(limit) >= limit);
        }
    }

    /** Nothing is lost: a single node gets each whole limit, once the others want nothing. */
    void assertOneCanHaveAll(NodeProcess one) {
        nodes.stream().filter(node -> !node.equals(one) && node.isAlive()).forEach(RealCluster::stopLoad);
        loadHeavily(List.of(one));
        long since = System.nanoTime();
        awaitAll(one);
        took("one node has all once the others want nothing", since);
    }

    /** A node was away, from then until then. */
    void wasAway(NodeProcess node, long from, long to, boolean stoodStill) {
        absences.add(new Absence(node.name(), from, to, stoodStill));
    }

    void took(String what, long since) {
        figures.add(what, Duration.ofNanos(System.nanoTime() - since));
    }

    /** Over each limit there was never more than the allowance. */
    void assertNeverOver() {
        List<Tally.Work> works = nodes.stream().map(NodeProcess::work).toList();
        for (int limit : LIMITS) {
            Tally tally = new Tally(limit, works, absences);
            figures.say("%s", tally);
            assertThat(tally.over()).as("%s%n%s", tally, logs()).isEmpty();
            assertThat(tally.most()).isGreaterThanOrEqualTo(limit);
        }
    }

    /** Nobody was refused, and no lease was over. */
    void assertNothingRefused() {
        for (NodeProcess node : nodes) {
            assertThat(node.witness().tasks()).as(node::log).noneMatch(Witness.Task::isRefused);
            assertThat(node.hasLost()).as(node::log).isFalse();
        }
    }

    private String logs() {
        return nodes.stream().map(NodeProcess::log).collect(Collectors.joining("\n"));
    }

    void killAll() throws InterruptedException {
        for (NodeProcess node : nodes) {
            node.kill();
        }
    }
}
