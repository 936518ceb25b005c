package io.github.kobe.cluster;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * What a node says to the store. Immutable.
 *
 * <p>A node speaks as a <em>session</em>: it opens one, speaks at least every tenth of a lease, and closes it at the end. A
 * session that is silent for a lease is over and never lives again; the node opens another.
 *
 * @param kind what it is for
 * @param session who speaks: 1 to 32 letters and digits, at random, so that no two are ever the same
 * @param epoch the last epoch that the node has heard of, 0 before the first; below 2<sup>53</sup>
 * @param sequence the number of the statement in its session, at least 1 and below 2<sup>53</sup>; higher than all before, also
 *     than those without an answer
 * @param after the sequence of the last statement of this session that was answered, below {@code sequence}; 0: there is none
 * @param quiet how long ago that answer arrived when this was sent, by a clock that is never set; not negative
 * @param node a name for people: not blank, at most 255 characters; need not be unique
 * @param lease how long the session lives without a word: 5 s to 60 s; all nodes must say the same
 * @param form the form of what the library writes, at least 1. A store that holds a higher one refuses, and changes nothing
 * @param heartbeat whether to look after the whole as well: nodes are counted, and what dead ones had is given back
 * @param demands what the node has and wants, at most {@value #MOST_DEMANDS}, each for another resource; empty unless
 *     {@code kind} is {@link Kind#EXCHANGE}
 * @since 0.1.0
 */
public record Statement(
        Kind kind,
        String session,
        long epoch,
        long sequence,
        long after,
        Duration quiet,
        String node,
        Duration lease,
        int form,
        boolean heartbeat,
        List<Demand> demands) {

    /** The form of what this library writes. */
    public static final int FORM = 1;

    /** How many demands a statement has at most. */
    public static final int MOST_DEMANDS = 100;

    private static final long MOST_EXACT = (1L << 53) - 1;
    private static final int LONGEST_SESSION = 32;
    static final int LONGEST_NODE = 255;
    private static final Duration LEAST_LEASE = Duration.ofSeconds(5);
    private static final Duration MOST_LEASE = Duration.ofSeconds(60);

    /**
     * What a statement is for.
     *
     * @since 0.1.0
     */
    public enum Kind {
        /** Makes the session, and grants nothing. */
        OPEN,
        /** Says what the node has and wants, and keeps the session alive. */
        EXCHANGE,
        /** Ends the session; what it had is free. */
        CLOSE
    }

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one of them is out of its range
     */
    public Statement {
        Objects.requireNonNull(kind, "kind");
        requireSession(session);
        Range.between(0, MOST_EXACT, epoch, "epoch");
        Range.between(1, MOST_EXACT, sequence, "sequence");
        Range.between(0, sequence - 1, after, "after");
        Range.notNegative(quiet, "quiet");
        requireNode(node, "node");
        requireLease(lease);
        Range.atLeast(1, form, "form");
        demands = List.copyOf(demands);
        requireDemands(kind, demands);
    }

    static void requireSession(String session) {
        if (session.isEmpty()
                || session.length() > LONGEST_SESSION
                || !session.chars().allMatch(Statement::isPlain)) {
            throw Range.outside("session", "1 to " + LONGEST_SESSION + " letters and digits", Range.shown(session));
        }
    }

    static void requireNode(String node, String name) {
        if (node.isBlank() || node.length() > LONGEST_NODE) {
            throw Range.outside(name, "a text of 1 to " + LONGEST_NODE + " characters", Range.shown(node));
        }
    }

    static void requireLease(Duration lease) {
        if (lease.compareTo(LEAST_LEASE) < 0 || lease.compareTo(MOST_LEASE) > 0) {
            throw Range.outside("lease", LEAST_LEASE + " to " + MOST_LEASE, lease);
        }
    }

    private static boolean isPlain(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }

    private static void requireDemands(Kind kind, List<Demand> demands) {
        if (kind != Kind.EXCHANGE && !demands.isEmpty()) {
            throw Range.outside("demands", "empty for " + kind, demands.size() + " of them");
        }
        if (demands.size() > MOST_DEMANDS) {
            throw Range.outside("demands", "at most " + MOST_DEMANDS, demands.size() + " of them");
        }
        Set<String> resources = new HashSet<>();
        for (Demand demand : demands) {
            if (!resources.add(demand.resource())) {
                throw Range.outside(
                        "demands", "each for another resource", "twice for " + Range.shown(demand.resource()));
            }
        }
    }
}
