package io.github.kobe.internal.cluster;

import io.github.kobe.cluster.Answer;
import io.github.kobe.cluster.Demand;
import io.github.kobe.cluster.Statement;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * As what a node speaks to the store: its session, and what it last heard. Times are in nanoseconds of the engine's clock. Used
 * by the cluster's thread alone.
 */
final class Membership {

    private static final int SESSION_LENGTH = 12;
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

    private final String node;
    private final Duration lease;
    private final RandomGenerator random;

    private String session = "";
    private boolean open;
    private long epoch;
    private long sequence;
    private long after;
    private long heardAt;

    Membership(String node, Duration lease, RandomGenerator random) {
        this.node = node;
        this.lease = lease;
        this.random = random;
        renew(0);
    }

    /** Another session, which is to be opened, by who has heard of that epoch. */
    void renew(long heardOf) {
        epoch = heardOf;
        StringBuilder id = new StringBuilder();
        random.ints(SESSION_LENGTH, 0, LETTERS.length()).forEach(i -> id.append(LETTERS.charAt(i)));
        session = id.toString();
        open = false;
        sequence = 0;
        after = 0;
    }

    String session() {
        return session;
    }

    /** {@return whether the store has answered to the session} */
    boolean isOpen() {
        return open;
    }

    long epoch() {
        return epoch;
    }

    /** {@return the next statement, to be sent at once} */
    Statement statement(Statement.Kind kind, long now, boolean heartbeat, List<Demand> demands) {
        sequence++;
        return new Statement(
                kind,
                session,
                epoch,
                sequence,
                after,
                after == 0 ? Duration.ZERO : Duration.ofNanos(Math.max(0, now - heardAt)),
                node,
                lease,
                Statement.FORM,
                heartbeat,
                demands);
    }

    /**
     * A statement was carried out, and the answer is heard.
     *
     * @param at when it came
     */
    void heard(Statement statement, Answer answer, long at) {
        open = true;
        after = statement.sequence();
        heardAt = at;
        epoch = answer.epoch();
    }
}
