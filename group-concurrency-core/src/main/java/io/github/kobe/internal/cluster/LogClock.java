package io.github.kobe.internal.cluster;

import org.jspecify.annotations.Nullable;

/**
 * The store's own clock, the log: it goes by the server's, and neither goes back nor jumps. By it sessions end.
 *
 * <p>A longer gap between two exchanges is a clock that was set, or nobody was there. It counts little, so that nobody is reaped
 * for it; yet as much as a node knows by its own clock to have passed, so that a lone node's clock goes on.
 */
final class LogClock {

    private long log;

    /** The server's time at the last exchange. */
    private long last;

    /** The server's time at the last exchange that is known to have been answered; never later than its time now. */
    private long answered;

    LogClock(long real) {
        last = real;
        answered = real;
    }

    LogClock(LogClock from) {
        log = from.log;
        last = from.last;
        answered = from.answered;
    }

    long now() {
        return log;
    }

    /** A statement shows that the exchange at that server's time was answered. */
    void answeredAt(long real) {
        answered = Math.max(answered, real);
    }

    /** {@return how long another server may have been the store, by this server's clock; negative if that was set back} */
    long sinceAnswered(long real) {
        return real - answered;
    }

    /**
     * Goes on to another exchange.
     *
     * @param real the server's time
     * @param quiet how long the node has not heard of the store
     * @param heard the log at the exchange of which it last heard; {@code null}: not known
     */
    void advance(long real, long quiet, @Nullable Long heard, Times times) {
        log += counted(real - last, quiet, heard, times);
        last = real;
        answered = Math.min(answered, real);
    }

    private long counted(long passed, long quiet, @Nullable Long heard, Times times) {
        if (passed <= 0) {
            return 0;
        }
        if (passed <= times.gap()) {
            return passed > quiet + times.timeout() ? quiet : passed;
        }
        long known = heard == null ? 0 : heard + Math.min(quiet, times.mostOfGap()) - log;
        return Math.min(passed, Math.max(times.jump(), known));
    }
}
