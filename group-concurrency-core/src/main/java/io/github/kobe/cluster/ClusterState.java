package io.github.kobe.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * How an executor stands with the store at one moment. Immutable.
 *
 * @param kind what that means for its work
 * @param since since when it has been so, by the clock on the wall
 * @param nodes how many nodes there were at the last heartbeat, itself among them; 0: not known yet
 * @param epoch the epoch of the store, as in {@link Answer#epoch}; 0: not known yet
 * @param learning how long the store grants nothing yet, since it has just begun or has forgotten; zero: it grants
 * @param counts how long what is leased counts if nothing more is heard; zero: nothing is leased
 * @param silence how long ago the store last answered; empty: it never did
 * @param alone whether the executor goes by its own numbers, as {@link OnStoreLoss#LOCAL} says
 * @param reason why the store didn't answer, or refused, the last time; empty: it has answered
 * @since 0.1.0
 */
public record ClusterState(
        Kind kind,
        Instant since,
        int nodes,
        long epoch,
        Duration learning,
        Duration counts,
        Optional<Duration> silence,
        boolean alone,
        Optional<String> reason) {

    /**
     * What it means for work.
     *
     * <p>A later version may add constants; a {@code switch} over them needs a {@code default}.
     *
     * @since 0.1.0
     */
    public enum Kind {
        /** The store answers and grants. */
        CONNECTED,
        /**
         * The store answers, but grants nothing more yet: it is new, or has forgotten, and waits until every instance that lives
         * has said what it has. What an instance has serves on, and one that goes by its own numbers does so until shortly
         * before the store grants.
         */
        LEARNING,
        /** The store has not answered for a while: 4 s at the default lease. What the instance has still serves. */
        STALE,
        /** Nothing is leased, so nothing starts in groups that share their limit, unless {@link ClusterState#alone}. */
        LOST,
        /** The executor has ended, and has said so to the store. */
        CLOSED
    }

    /** Checks that nothing is missing. */
    public ClusterState {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(since, "since");
        Range.atLeast(0, nodes, "nodes");
        Range.notNegative(learning, "learning");
        Range.notNegative(counts, "counts");
        Objects.requireNonNull(silence, "silence");
        Objects.requireNonNull(reason, "reason");
    }
}
