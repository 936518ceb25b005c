package io.github.kobe.cluster;

import java.time.Duration;
import java.util.Objects;

/**
 * What one node has and wants, as the store counts it. Immutable.
 *
 * @param session as which the node speaks, as in {@link Statement#session}
 * @param node its name, as in {@link Statement#node}
 * @param has how much is counted for it, at least 0
 * @param wants how much it needs in all, at least 0
 * @param silentFor how long ago it has last spoken, of anything, by the store's clock; not negative
 * @since 0.1.0
 */
public record NodeShare(String session, String node, int has, int wants, Duration silentFor) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one of them is out of its range
     */
    public NodeShare {
        Statement.requireSession(session);
        Objects.requireNonNull(node, "node");
        Range.atLeast(0, has, "has");
        Range.atLeast(0, wants, "wants");
        Range.notNegative(silentFor, "silentFor");
    }
}
