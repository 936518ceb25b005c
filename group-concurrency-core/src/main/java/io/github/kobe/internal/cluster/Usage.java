package io.github.kobe.internal.cluster;

import java.util.Arrays;

/** How much of a group has been in use at most, lately and for longer, as far as its samples tell. */
final class Usage {

    private static final int RECENT = 3;
    private static final int SPANS = 5;

    /** How long one span lasts, in nanoseconds. */
    private final long span;

    /** The last samples, in turn. */
    private final int[] recent = new int[RECENT];

    /** The most in each of the last spans and in the one that has begun, in turn. */
    private final int[] most = new int[SPANS + 1];

    private int samples;
    private long current;

    /**
     * Begins with nothing.
     *
     * @param memory how long it remembers, in nanoseconds
     */
    Usage(long memory, long now) {
        span = Math.max(1, memory / SPANS);
        current = now / span;
    }

    /** So many are to stay for long, though they may not be in use. */
    void keep(long now, int count) {
        goOn(now);
        most[place()] = Math.max(most[place()], count);
    }

    /** So many are in use, beside what the next sample finds. */
    void note(long now, int used) {
        keep(now, used);
        recent[samples] = Math.max(recent[samples], used);
    }

    /**
     * Ends a sample.
     *
     * @param least how many have been in use at once, as far as is known
     * @param atMost how many may have been
     */
    void sample(long now, int least, int atMost) {
        note(now, least);
        keep(now, atMost);
        samples = (samples + 1) % RECENT;
        recent[samples] = 0;
    }

    private void goOn(long now) {
        long passed = Math.min(now / span - current, most.length);
        for (long i = 0; i < passed; i++) {
            current++;
            most[place()] = 0;
        }
        current = now / span;
    }

    private int place() {
        return (int) (current % most.length);
    }

    /** {@return how many were in use in the last two samples, and since} */
    int recently() {
        return Arrays.stream(recent).max().orElseThrow();
    }

    /** {@return how many may have been in use for as long as it remembers, and up to a fifth of that longer} */
    int forLong() {
        return Arrays.stream(most).max().orElseThrow();
    }
}
