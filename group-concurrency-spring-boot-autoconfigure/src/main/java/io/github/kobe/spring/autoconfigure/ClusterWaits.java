package io.github.kobe.spring.autoconfigure;

import io.github.kobe.cluster.Cluster;
import io.github.kobe.cluster.ClusterState;
import io.github.kobe.cluster.NodeShare;
import io.github.kobe.spring.internal.settings.PrintableText;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Waits for the store of limits over all instances: before the application takes requests, until it grants something, and when
 * the application ends, until it knows that. A store that has just begun, or has forgotten, grants nothing for one lease; a store
 * that can't be reached isn't waited for.
 */
final class ClusterWaits {

    /** So long the first answer may take, as long as it takes to connect and to ask. */
    private static final Duration FIRST_ANSWER = Duration.ofSeconds(3);

    /** So long an exchange may take that is under way when the executor ends, and the one that says so. */
    private static final Duration FAREWELL = Duration.ofSeconds(2);

    private static final long PAUSE_MILLIS = 20;

    private static final Log LOGGER = LogFactory.getLog(ClusterWaits.class);

    /** They tell something after the start, and are interrupted at the end. */
    private final Queue<Thread> telling = new ConcurrentLinkedQueue<>();

    void untilItGrants(Cluster cluster) {
        long start = System.nanoTime();
        long most = cluster.settings().lease().plus(FIRST_ANSWER).toNanos();
        boolean told = false;
        try {
            for (long waited = 0; waited < most; waited = System.nanoTime() - start) {
                ClusterState state = cluster.state();
                boolean first = state.silence().isEmpty() && waited < FIRST_ANSWER.toNanos();
                boolean learns = state.kind() == ClusterState.Kind.LEARNING;
                if (!first && !learns) {
                    if (!told) {
                        telling.removeIf(thread -> !thread.isAlive());
                        telling.add(Thread.startVirtualThread(() -> tellLaterOfTheSilent(cluster)));
                    }
                    return;
                }
                if (learns && !told) {
                    told = true;
                    LOGGER.info("The start waits for about " + state.learning().toSeconds()
                            + " s, since the store of the limits over all instances is new or has forgotten: until"
                            + " then it grants nothing, while instances that run already say what they have.");
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * What instances had that were killed shortly before the start is counted for them until their leases are over. The store
     * counts their silence only while others speak, so it is asked after a while.
     */
    private static void tellLaterOfTheSilent(Cluster cluster) {
        Duration lease = cluster.settings().lease();
        Duration silence = lease.multipliedBy(4).dividedBy(15); // after which the store takes a node to wait no more
        try {
            Thread.sleep(silence.plus(lease.dividedBy(30)));
            if (cluster.state().kind() == ClusterState.Kind.CONNECTED) {
                tellOfTheSilent(lease, cluster.nodes().toCompletableFuture().get(), silence);
            }
        } catch (InterruptedException ended) {
            // nobody waits for what is told
        } catch (ExecutionException | RuntimeException failure) {
            LOGGER.warn("The store can't say which instances that share limits are silent", failure);
        }
    }

    private static void tellOfTheSilent(Duration lease, List<NodeShare> nodes, Duration silence) {
        List<NodeShare> silent = nodes.stream()
                .filter(node -> node.has() > 0 && node.silentFor().compareTo(silence) > 0)
                .toList();
        if (!silent.isEmpty()) {
            Duration latest = Collections.min(silent, Comparator.comparing(NodeShare::silentFor))
                    .silentFor();
            String names = silent.stream()
                    .map(node -> node.has() + " for '" + PrintableText.inOneLine(node.node()) + "'")
                    .collect(Collectors.joining(", "));
            LOGGER.info("Instances that share limits are silent, and what they had still counts: " + names
                    + ". If they were killed, others can use that in about "
                    + (lease.minus(latest).toSeconds() + 1) + " s.");
        }
    }

    /**
     * The executor has been shut down: what it had is to be back at the store before that is closed. The close of a store may wait
     * for that as well, as the one in Redis does where there is no Spring. But not every store does, and here no bean has been
     * destroyed yet that a store may need. If Redis hangs, both waits take their whole time.
     */
    void untilItKnowsOfTheEnd(Cluster cluster) {
        telling.forEach(Thread::interrupt);
        long start = System.nanoTime();
        try {
            while (isThere(cluster.state()) && System.nanoTime() - start < FAREWELL.toNanos()) {
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isThere(ClusterState state) {
        return state.kind() != ClusterState.Kind.CLOSED && state.kind() != ClusterState.Kind.LOST;
    }
}
