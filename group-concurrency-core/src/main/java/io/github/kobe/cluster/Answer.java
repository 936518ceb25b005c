package io.github.kobe.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the store says to a {@link Statement}. Immutable. A node acts on the answer to its newest statement only.
 *
 * @param kind what has become of the statement
 * @param epoch the epoch of the store, at least 0. Another than before: the store has forgotten, or may have, so what the node
 *     has counts as said only once it has said it again
 * @param learning how long the store still learns, during which it grants nothing; not negative, zero: it doesn't
 * @param nodes how many nodes there are, at least 0; 0 unless it was a heartbeat
 * @param grants for each demand one, in the same order; empty unless {@code kind} is {@link Kind#OK}
 * @param hints what the node was to be hinted at since it last spoke, as in {@link Hint#resources}; empty unless {@code kind}
 *     is {@link Kind#OK}
 * @param reason why, for people; only if {@code kind} is {@link Kind#REFUSED}, else {@code null}
 * @since 0.1.0
 */
public record Answer(
        Kind kind,
        long epoch,
        Duration learning,
        int nodes,
        List<Grant> grants,
        List<String> hints,
        @Nullable String reason) {

    /**
     * What has become of a statement.
     *
     * @since 0.1.0
     */
    public enum Kind {
        /** It was carried out. */
        OK,
        /** There is no such session, or it is over. The node opens another one. */
        GONE,
        /** The session has made this statement or a later one before. Nothing has changed. */
        STALE,
        /** The node can't share with those that are there, as {@link Answer#reason} says. */
        REFUSED
    }

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one of them is out of its range, or doesn't go with {@code kind}
     */
    public Answer {
        Objects.requireNonNull(kind, "kind");
        Range.between(0, Long.MAX_VALUE, epoch, "epoch");
        Range.notNegative(learning, "learning");
        Range.atLeast(0, nodes, "nodes");
        grants = List.copyOf(grants);
        hints = List.copyOf(hints);
        if (kind != Kind.OK && !(grants.isEmpty() && hints.isEmpty())) {
            throw Range.outside(
                    "grants and hints", "empty for " + kind, grants.size() + " and " + hints.size() + " of them");
        }
        if ((kind == Kind.REFUSED) != (reason != null)) {
            throw Range.outside("reason", "given for REFUSED alone", reason + " for " + kind);
        }
    }
}
