package io.github.kobe.internal.cluster;

/**
 * The times that are parts of a lease, in milliseconds; in brackets those of a lease of 15 s.
 *
 * @param lease how long a session lives without a word
 */
record Times(long lease) {

    /** How long a node keeps its place in line after its need fell. */
    static final long PLACE = 1_000;

    /** However long a lease is, a node is asked so soon whether it needs less by now. */
    private static final long MOST_PAUSE = 500;

    /** A stamp for what never happened: longer ago than anything is looked back. The log begins at 0. */
    static final long NEVER = -1_000_000;

    /** A longer time between two exchanges (3 s) may be a clock that was set. */
    long gap() {
        return lease / 5;
    }

    /** How much a gap counts at least (0.5 s). */
    long jump() {
        return lease / 30;
    }

    /** How much a gap counts at most (6 s), so that after an outage nobody is reaped before it could speak. */
    long mostOfGap() {
        return lease * 2 / 5;
    }

    /** How long a statement and its answer are under way at most (2 s), or the node has given them up. */
    long timeout() {
        return lease * 2 / 15;
    }

    /** How long what a node leases counts from the making of a statement (11 s); the rest is the margin for clocks. */
    long counts() {
        return lease * 11 / 15;
    }

    /** After how long a node speaks at the latest (1.5 s), and up to a tenth of that earlier or later. */
    long heartbeat() {
        return lease / 10;
    }

    /** How long after a hint there is no other to the same node (0.5 s), unless it has spoken. */
    long pause() {
        return Math.min(MOST_PAUSE, lease / 30);
    }

    /** So long before the store has learnt (3 s), who serves by its own numbers says what it has. */
    long endOfLearning() {
        return lease / 5;
    }

    /** In so long a gap (10 s) another server may have been the store, and have granted. */
    long forgotten() {
        return lease * 2 / 3;
    }

    /** A node silent for longer (4 s) waits for nothing any more. */
    long silence() {
        return lease * 4 / 15;
    }
}
