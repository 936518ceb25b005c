package io.github.kobe.spring.autoconfigure;

import io.github.kobe.cluster.Cluster;
import io.github.kobe.cluster.ClusterState;
import java.time.Duration;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Waits, before the application takes requests, until the store of its limits over all instances grants something. A store that
 * has just begun, or has forgotten, doesn't for one lease; a store that can't be reached isn't waited for.
 */
final class ClusterStart {

    /** So long the first answer may take, as long as it takes to connect and to ask. */
    private static final Duration FIRST_ANSWER = Duration.ofSeconds(3);

    private static final long PAUSE_MILLIS = 20;

    private static final Log LOGGER = LogFactory.getLog(ClusterStart.class);

    private ClusterStart() {}

    static void await(Cluster cluster) {
        long start = System.nanoTime();
        long most = cluster.settings().lease().plus(FIRST_ANSWER).toNanos();
        boolean told = false;
        try {
            for (long waited = 0; waited < most; waited = System.nanoTime() - start) {
                ClusterState state = cluster.state();
                boolean first = state.silence().isEmpty() && waited < FIRST_ANSWER.toNanos();
                boolean learns = state.kind() == ClusterState.Kind.LEARNING;
                if (!first && !learns) {
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
}
